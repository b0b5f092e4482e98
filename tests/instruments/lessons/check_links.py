"""Rules: listings on a page agree with their files, and links lead to existing files and headings.

The lines of a fenced block whose first line names a file (```cuda 03_padded.cu) must be consecutive lines of that file;
a line `...` replaces any number of lines. Links to other sites are not followed.
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from cli.workbook import Workbook
from pages import FENCE, Found, anchors, blank, lessons, line_at, pages, read

_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\((?P<target>[^()\s]*(?:\([^()\s]*\))?[^()\s]*)(?:\s+\"[^\"]*\")?\)|(?:src|href)=\"(?P<attribute>[^\"]+)\"")
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
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


def listings(workbook: Workbook) -> Found:
    shows = {page: "" for page in lessons(workbook.root)}
    shows.update({page: "../" for page in sorted(workbook.root.glob("docs/*.md"))})  # others show what a reader is to write
    for page, beginning in shows.items():
        text = read(page)
        for listing in FENCE.finditer(text):
            if not listing["file"] or not listing["file"].startswith(beginning):
                continue
            where, source = f"{page}:{line_at(text, listing.start())}", page.parent / listing["file"]
            if not source.is_file():
                yield f"{where}: a listing names {listing['file']}, but there is no such file next to the page."
            elif (wrong := first_wrong_run(listing["text"], read(source))) is not None:
                yield f"{where}: these lines are not in {listing['file']}, or not in this order:\n{wrong}"


def problems(page: Path) -> list[str]:
    """The errors in a page's links, one text each."""
    found = []
    text = _CODE.sub(blank, FENCE.sub(blank, read(page)))
    for link in _LINK.finditer(text):
        where = f"{page}:{line_at(text, link.start())}"
        target = link["target"] if link["target"] is not None else link["attribute"]
        if _ELSEWHERE.match(target):
            continue
        path, _, anchor = unquote(target).partition("#")
        file = page.parent / path if path else page
        if not file.exists():
            found.append(f"{where}: there is no {path}.")
        elif anchor and file.suffix == ".md" and anchor not in anchors(read(file)):
            found.append(f"{where}: {path or 'this page'} has no heading '#{anchor}'.")
    return found


def links(workbook: Workbook) -> Found:
    for page in pages(workbook.root):
        yield from problems(page)
