"""Builds with CMake, and advice for the learner if that fails."""
