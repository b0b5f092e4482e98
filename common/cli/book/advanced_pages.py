"""Divides a chapter's advanced page into one page of the book for each stage and each other topic."""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from cli.book.markdown import Section, code_blocks, sections_of

_DIVIDED = "ADVANCED.md"
_ON_INTRODUCTION = ("The stages",)
# These sections are too short for a page of their own.
_WITH_SECTION_BEFORE = ("What would you try next?", "References")
_TITLE = re.compile(r"\A# (?P<text>.+)\n")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_ID = re.compile(r'\bid="([^"]+)"')


@dataclass(frozen=True)
class Piece:
    """A page of the book that is a part of a page of the workbook: its path, title, and sections."""

    path: str
    title: str
    text: str


def divided(page: str, text: str) -> list[Piece]:
    """The introduction, which keeps the page's path, and the other pieces. A page of another kind stays whole."""
    if posixpath.basename(page) != _DIVIDED:
        return [Piece(page, "", text)]
    code = code_blocks()
    text = code.put_aside(text)
    groups: list[list[Section]] = []
    for section in sections_of(text):
        if section.level == 2 and not (section.text in (_WITH_SECTION_BEFORE if groups else _ON_INTRODUCTION)):
            groups.append([section])
        elif section.level == 2 and groups:
            groups[-1].append(section)
    title = _TITLE.match(text)
    introduction = text[: groups[0][0].begin] if groups else text
    pieces = [Piece(page, title["text"] if title else "", code.put_back(introduction))]
    for first, *others in groups:
        own = re.sub(r"^#(?=#+ )", "", text[first.begin : first.end], flags=re.MULTILINE)
        rest = "".join(text[other.begin : other.end] for other in others)
        path = _path(page, first.text, {piece.path for piece in pieces})
        pieces.append(Piece(path, first.text, code.put_back(own + rest)))
    return pieces


def _path(page: str, heading: str, taken: set[str]) -> str:
    """A short name, such as advanced-stage-05.md; a longer one if it is taken."""
    for words in (heading.partition(":")[0], heading, f"{heading} {len(taken)}"):
        name = re.sub("[^a-z0-9]+", "-", words.lower()).strip("-")
        path = posixpath.join(posixpath.dirname(page), f"advanced-{name}.md")
        if path not in taken:
            break
    return path


def key_of(anchor: str) -> str:
    """Equal for a heading, its anchor on a repository's page, and its id in the site, which has other hyphens."""
    return re.sub("[^a-z0-9]", "", _LINK.sub(r"\1", anchor).lower())


def places(page: str, text: str) -> dict[str, str]:
    """The piece of an advanced page with each anchor, by its key; empty for other pages."""
    found: dict[str, str] = {}
    for piece in divided(page, text):
        headings = [section.text for section in sections_of(code_blocks().put_aside(piece.text))]
        for anchor in (*headings, *_ID.findall(piece.text)) if piece.title else ():
            found.setdefault(key_of(anchor), piece.path)
    return found


def book_pages(page: str, text: str) -> Iterator[tuple[str, str]]:
    """The path and Markdown of each page of the book that a page of the workbook becomes."""
    introduction, *others = divided(page, text)
    before, heading, after = introduction.text.partition("\n## ")
    yield page, f"{before}{_contents(page, text, others) if others else ''}{heading}{after}"
    for piece in others:
        # The title of the browser's tab, and of the page in the search: each chapter has a page "Results".
        chapter = introduction.title.partition(":")[0]
        way_back = f'<p class="part-of"><a href="ADVANCED.html">{html.escape(introduction.title)}</a></p>'
        yield piece.path, f"```{{title}} {piece.title} · {chapter}\n```\n\n{way_back}\n\n{piece.text}"


def _contents(page: str, text: str, pieces: list[Piece]) -> str:
    """The introduction's list of pages, and data with which structure.js redirects links from outside the book."""
    names = "\n".join(posixpath.basename(piece.path)[:-3] for piece in pieces)
    moved = {key: f"{posixpath.basename(path)[:-3]}.html" for key, path in places(page, text).items() if path != page}
    data = f'<div id="moved" data-moved="{html.escape(json.dumps(moved))}" hidden></div>'
    return f"\n## Pages\n\n```{{toctree}}\n:maxdepth: 2\n\n{names}\n```\n\n{data}\n"
