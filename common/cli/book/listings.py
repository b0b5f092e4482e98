"""Code blocks that list lines of a file, as ```cuda 03_padded.cu does: finds the line numbers."""

from __future__ import annotations

import html
import re
from pathlib import Path

from cli.book.sources import Sources, anchor

_LISTING = re.compile(r"```\w+ (?P<file>\S+)\n(?P<text>.*?)```", re.DOTALL)
_OMISSION = re.compile(r"^\s*\.\.\.\n", re.MULTILINE)


def lines_of(listing: str, source: str) -> tuple[int, int] | None:
    """The first and the last line of the source that a listing shows, counted from 1; `...` stands for omitted lines.
    None if the listing is not from this source.
    """
    position, first = 0, 0
    for run in _OMISSION.split(listing):
        found = source.find(run, position)
        if found < 0:
            return None
        first = first or source.count("\n", 0, found) + 1
        position = found + len(run)
    return first, max(first, source.count("\n", 0, position))


def with_caption(block: str, folder: str, sources: Sources, root: Path) -> str:
    """The code block with a link above it to its lines in the file, if it lists a file of `folder`, the page's folder."""
    listing = _LISTING.fullmatch(block)
    path = f"{folder}/{listing['file']}" if listing else ""
    if not listing or path not in sources.paths:
        return block
    lines = lines_of(listing["text"], (root / path).read_text(encoding="utf-8"))
    if not lines:
        return block
    first, last = lines
    which = f"line {first}" if first == last else f"lines {first} to {last}"
    link = html.escape(f"{listing['file']}.html#{anchor(first)}")
    name = html.escape(listing["file"].rsplit("/", 1)[-1])
    return f'<p class="listing"><a href="{link}">{name}</a>, {which}</p>\n\n{block}'
