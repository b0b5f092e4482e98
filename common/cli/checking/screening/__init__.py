"""Checks whether an answer contains something forbidden."""
