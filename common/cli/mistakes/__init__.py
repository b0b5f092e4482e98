"""The bugs that a chapter's tests must find: each is a named edit of a stage or a solution."""
