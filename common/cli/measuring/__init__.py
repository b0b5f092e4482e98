"""Counts and times: the claims, the instruments and the units."""
