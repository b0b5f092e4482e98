"""The book: lessons and pages as a static site, made of the same Markdown."""
