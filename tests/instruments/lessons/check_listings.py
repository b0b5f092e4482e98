"""Checks that a listing on a page agrees with its file.

The lines of a fenced block whose first line names a file (```cuda 03_padded.cu) must be consecutive
lines of that file; a line `...` replaces any number of lines. Prints the errors and exits with 1.

Usage: check_listings.py PAGE.md...
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_FENCE = re.compile(r"^```\w+ (?P<file>\S+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_OMISSION = re.compile(r"^\s*\.\.\.\n", re.MULTILINE)


def first_wrong_run(listing: str, source: str) -> str | None:
    """The first group of consecutive lines of the listing that the source does not have after the previous group."""
    position = 0
    for lines in _OMISSION.split(listing):
        found = source.find(lines, position)
        if found < 0:
            return lines
        position = found + len(lines)
    return None


def problems(page: Path) -> list[str]:
    """The errors in a page's listings, one text each."""
    found = []
    text = page.read_text(encoding="utf-8")
    for listing in _FENCE.finditer(text):
        where = f"{page}:{text.count(chr(10), 0, listing.start()) + 1}"
        source = page.parent / listing["file"]
        if not source.is_file():
            found.append(f"{where}: a listing names {listing['file']}, but there is no such file next to the page.")
            continue
        wrong = first_wrong_run(listing["text"], source.read_text(encoding="utf-8"))
        if wrong is not None:
            found.append(f"{where}: these lines are not in {listing['file']}, or not in this order:\n{wrong}")
    return found


def main(pages: list[str]) -> int:
    found = [problem for page in pages for problem in problems(Path(page))]
    print("\n".join(found) or f"All listings of {len(pages)} page(s) agree with their files.")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
