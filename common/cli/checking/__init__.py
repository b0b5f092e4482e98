"""Checks an answer to an exercise: builds it, screens it, runs its tests, and says what is wrong."""
