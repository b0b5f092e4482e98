"""The learner's exercises: checks, hints, progress, questions and hunts."""
