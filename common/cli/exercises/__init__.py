"""A learner's answer to an exercise: built, checked, explained, helped on, remembered."""
