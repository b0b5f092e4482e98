"""Text for a page of Markdown."""

from __future__ import annotations

from collections.abc import Iterable


def verdicts_page(verdicts: Iterable[tuple[str, str, str]]) -> str:
    """A page with the results of checks; for each exercise its name, the verdict and the text of the check."""
    verdicts = list(verdicts)
    lines = ["| exercise | verdict |", "|---|---|"]
    lines += [f"| {name} | {verdict} |" for name, verdict, _ in verdicts]
    for name, verdict, text in verdicts:
        lines += ["", f"## {name}: {verdict}", "", fenced(text)]
    return "\n".join(lines) + "\n"


def fenced(text: str) -> str:
    """The text as a block of code. The fence is longer than any run of backquotes in the text."""
    longest = run = 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * max(3, longest + 1)
    return f"{fence}text\n{text.rstrip()}\n{fence}"
