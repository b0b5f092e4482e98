"""What is installed on this machine, and what is wrong with it."""
