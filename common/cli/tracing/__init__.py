"""The simulator's report: the run that writes it, the objects, and the printed text."""
