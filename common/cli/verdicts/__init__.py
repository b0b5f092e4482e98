"""What is believed of a run of tests."""
