"""Strangers' answers: built, run and judged where they can do no harm."""
