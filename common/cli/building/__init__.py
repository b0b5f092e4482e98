"""Building with CMake, and what to say to a learner when that fails."""
