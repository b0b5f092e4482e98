"""The learner's terminal: input and output."""
