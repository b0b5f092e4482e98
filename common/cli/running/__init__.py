"""Starting programs, with limits or without, and how they ended."""
