"""The results of test runs, and whether they can be trusted."""
