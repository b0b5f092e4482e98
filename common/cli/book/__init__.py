"""The book: lessons and pages as a static site, built from the same Markdown."""
