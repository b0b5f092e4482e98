"""Whether an answer has what none may have."""
