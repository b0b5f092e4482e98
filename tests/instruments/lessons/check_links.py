"""Checks that links of the workbook's pages lead to existing files and headings.

Prints the errors and exits with 1. Links to other sites are not followed.

Usage: check_links.py PAGE.md...
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from urllib.parse import unquote

_CODE = re.compile(r"^(```|~~~).*?^\1[ ]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<target>[^()\s]*(?:\([^()\s]*\))?[^()\s]*)(?:\s+\"[^\"]*\")?\)|(?:src|href)=\"(?P<attribute>[^\"]+)\"")
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+?)\s*#*$", re.MULTILINE)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)


def anchors(page: str) -> set[str]:
    """The anchors of a page's headings, as repository hosts generate them."""
    found: set[str] = set()
    for heading in _HEADING.finditer(re.sub(r"^(```|~~~).*?^\1[ ]*$", "", page, flags=re.MULTILINE | re.DOTALL)):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading["text"]).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
        number = 0
        while (numbered := f"{anchor}-{number}" if number else anchor) in found:
            number += 1
        found.add(numbered)
    return found


def problems(page: Path) -> list[str]:
    """The errors in a page's links, one text each."""
    found = []
    text = _CODE.sub(lambda code: "\n" * code.group().count("\n"), page.read_text(encoding="utf-8"))
    for link in _LINK.finditer(text):
        where = f"{page}:{text.count(chr(10), 0, link.start()) + 1}"
        target = link["target"] if link["target"] is not None else link["attribute"]
        if _ELSEWHERE.match(target):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            found.append(f"{where}: there is no {path}.")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
            found.append(f"{where}: {path or 'this page'} has no heading '#{anchor}'.")
    return found


def main(pages: list[str]) -> int:
    found = [problem for page in pages for problem in problems(Path(page))]
    print("\n".join(found) or f"All links of {len(pages)} page(s) are correct.")
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
