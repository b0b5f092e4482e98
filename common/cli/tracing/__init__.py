"""The simulator's report: made by a run, believed or not, read, told in words."""
