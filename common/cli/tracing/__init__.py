"""The simulator's report: made, read and told."""
