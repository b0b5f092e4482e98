"""The tools that are installed on this machine, and its problems."""
