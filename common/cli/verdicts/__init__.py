"""What test programs and traced runs say of themselves, and what of it is believed."""
