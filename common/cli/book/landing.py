"""The first page of the book: what the workbook is, its four progressions, and a picture in motion."""

from __future__ import annotations

import html
import re

from cli.book.markdown import without_comments
from cli.book.pages import ROOT_PAGE, Part, name_in_book, read_page
from cli.workbook import Workbook

_ROW = re.compile(
    r"^\| (?:\[(?P<name>[^\]\n]+)\]\((?P<page>[^)\n]+)\): (?P<size>[^|\n]+))?"
    r"\| (?P<step>[^|\n]+) \| `\w+` \| (?P<time>[\d.]+ ms) \|",
    re.MULTILINE,
)
_SECTORS = 32
_PER_ROW = 4  # a row of the picture shows the 128 bytes that a warp's floats fill
_WIDTH, _HEIGHT = 68, 8  # of a sector in the picture: eight cells of 8, and a gap


def page_text(workbook: Workbook, parts: list[Part], has_steps: bool) -> str:
    """Markdown for Sphinx. It also has the book's contents, which the theme shows next to each page."""
    cards = _progressions(read_page(workbook.root, ROOT_PAGE))
    blocks = ["---\nhide-toc: true\n---", "# CUDA workbook", _top(has_steps), cards, *map(_toctree, parts)]
    return "\n\n".join(filter(None, blocks)) + "\n"


def overview(readme: str) -> str:
    """The repository's first page as an ordinary page of the book."""
    return re.sub(r"\A# .*", "# Overview", readme)


def _toctree(part: Part) -> str:
    pages = "\n".join(f"/{name_in_book(page)}" for page in part.pages)
    return f"```{{toctree}}\n:hidden:\n:caption: {part.heading}\n\n{pages}\n```"


def _top(has_steps: bool) -> str:
    kernel = f"chapters/ch3_transpose/index.html#{'steps-ch3_transpose_naive' if has_steps else 'stage-01-naive'}"
    return f"""<div class="landing">
<div class="landing-words">
<p class="landing-what">Learn GPU programming from short CUDA C++ programs. Each program adds one idea to the previous
one.</p>
<p>No GPU is needed: a simulator runs the same programs, counts their memory accesses and reports their bugs.</p>
<p class="landing-buttons"><a href="docs/first_hour.html">Start the first hour</a>
<a href="{kernel}">{"Step through" if has_steps else "Read about"} a kernel</a></p>
</div>
{_picture()}
</div>"""


def _picture() -> str:
    """The same number of sectors, written by a naive and by a coalesced transpose. Without motion, it shows the end."""
    frames = "".join(
        f"@keyframes sector-{number} {{ 0%, {2 * number}% {{ opacity: 0 }} {2 * number + 1}%, 100% {{ opacity: 1 }} }}"
        for number in range(_SECTORS)
    )
    cells = "".join(f'<rect x="{8 * number}" width="7" height="6"/>' for number in range(8))
    down = _panel([(0, number) for number in range(_SECTORS)], '<rect width="7" height="6"/>')
    along = _panel([(number % _PER_ROW, number // _PER_ROW) for number in range(_SECTORS)], '<use href="#cells"/>')
    return f"""<figure>
<style>{frames}</style>
<svg width="0" height="0"><defs><g id="cells">{cells}</g><pattern id="sectors" width="{_WIDTH}" height="{_HEIGHT}"
 patternUnits="userSpaceOnUse"><use href="#cells"/></pattern></defs></svg>
<input type="checkbox" id="landing-pause"><label for="landing-pause">Pause</label>
<div class="landing-panels">
<div><b>Naive transpose</b><br>32 threads write to 32 sectors{down}</div>
<div><b>With a padded tile</b><br>32 threads write to 4 sectors{along}</div>
</div>
<figcaption>A sector is 32 bytes, the smallest part of memory that the GPU moves. At the end both kernels have moved 32
sectors: the naive kernel has written 32 floats, the other has written 256.</figcaption>
</figure>"""


def _panel(places: list[tuple[int, int]], used: str) -> str:
    """Rows of memory, and the touched sectors, by column and row. used: the floats of a sector that are written."""
    size = f'width="{_WIDTH * _PER_ROW}" height="{_HEIGHT * _SECTORS}"'
    touched = "".join(
        f'<g class="touched" style="animation-name: sector-{number}" '
        f'transform="translate({_WIDTH * column} {_HEIGHT * row})"><use href="#cells" class="moved"/>{used}</g>'
        for number, (column, row) in enumerate(places)
    )
    box = f'viewBox="0 0 {_WIDTH * _PER_ROW} {_HEIGHT * _SECTORS}"'
    return f'<svg {box} aria-hidden="true"><rect {size} fill="url(#sectors)"/>{touched}</svg>'


def _progressions(readme: str) -> str:
    """A card for each progression in the table of the repository's first page."""
    cards: list[list[str]] = []
    for row in _ROW.finditer(without_comments(readme)):
        if row["name"]:
            name = row["name"] if row["name"].startswith("t-") else row["name"][:1].upper() + row["name"][1:]
            link = name_in_book(row["page"]).replace(".md", ".html")
            head = f'<a href="{link}">{html.escape(name)}</a><small>{html.escape(row["size"])}</small>'
            cards.append([head])
        if cards:
            step = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(row["step"]))
            cards[-1].append(f"<li><span>{step}</span> <b>{row['time']}</b></li>")
    shown = "\n".join(f'<div>{head}<ol>{"".join(steps)}</ol></div>' for head, *steps in cards)
    note = "The four progressions. Times are for one H200."
    return f'<div class="progressions">\n{shown}\n</div>\n<p class="progressions-note">{note}</p>' if cards else ""
