"""The mistakes that a chapter's tests must find: each a named edit of a stage or a solution."""
