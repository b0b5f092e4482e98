"""The figures with sliders. In a page's Markdown, a comment marks a figure's position: <!-- figure: sectors -->."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cli.errors import WorkbookError

_MARK = re.compile(r"^<!-- figure: (?P<name>\S+) -->$", re.MULTILINE)
# The sentence of each figure at its first values, for a browser without JavaScript. theme/static/figures.js replaces it.
FIGURES = {
    "sectors": "Thread i reads element i: 4 sectors, 128 of 128 bytes used.",
    "banks": "tile[32][33]: the 32 lanes use 32 banks, so the request takes 1 wavefront: no bank conflict.",
    "occupancy": "8 blocks of 8 warps: 64 of 64 warps, 100\u00a0%. Limit: warps.",
}


def figures(text: str, page: str) -> Iterator[tuple[int, str]]:
    """The HTML of the figures of a page, and their positions."""
    for mark in _MARK.finditer(text):
        name = mark["name"]
        if name not in FIGURES:
            raise WorkbookError(f"{page}: there is no figure '{name}'. The figures are {', '.join(FIGURES)}.")
        yield mark.start(), f'<figure class="figure" data-figure="{name}"><figcaption>{FIGURES[name]}</figcaption></figure>'
