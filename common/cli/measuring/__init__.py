"""Counts and times: what is claimed, what the instruments say, and in which units."""
