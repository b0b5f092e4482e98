"""A page that steps through the execution of a block of a kernel."""
