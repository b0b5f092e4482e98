"""What the learner types and reads."""
