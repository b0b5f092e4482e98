"""The judge: builds an answer, checks it, and grades strangers' answers where they can do no harm (README.md)."""
