"""Divides a chapter's advanced page into one page of the book for each stage and each other topic."""

from __future__ import annotations

import html
import json
import posixpath
import re
from collections.abc import Iterable, Iterator
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
    """The introduction, which keeps the page's path, and the other pieces. Pages other than advanced pages stay whole."""
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
        path = posixpath.join(posixpath.dirname(page), f"advanced-{_anchors([words])[0]}.md")
        if path not in taken:
            break
    return path


def _anchors(headings: Iterable[str]) -> list[str]:
    """The anchors of a page's headings, as repository hosts and MyST generate them."""
    found: list[str] = []
    for heading in headings:
        anchor = re.sub(r"[^\w\- ]", "", _LINK.sub(r"\1", heading).strip().lower()).replace(" ", "-")
        numbered, number = anchor, 0
        while numbered in found:
            number += 1
            numbered = f"{anchor}-{number}"
        found.append(numbered)
    return found


def new_places(page: str, text: str) -> dict[str, str]:
    """For each anchor of an advanced page, its path and anchor in the book; empty for other pages."""
    pieces = divided(page, text)
    if not pieces[0].title:
        return {}
    texts = [code_blocks().put_aside(piece.text) for piece in pieces]
    headings = [[section.text for section in sections_of(one)] for one in texts]
    before = iter(_anchors(heading for own in headings for heading in own))
    places = {}
    for piece, own in zip(pieces, headings):
        for number, anchor in enumerate(_anchors(own)):
            places[next(before)] = f"{piece.path}#{anchor}" if number else piece.path
    return places


def book_pages(page: str, text: str) -> Iterator[tuple[str, str]]:
    """The path and Markdown of each page of the book that a page of the workbook becomes."""
    introduction, *others = divided(page, text)
    contents = _list_of(others) if others else ""
    before, heading, after = introduction.text.partition("\n## ")
    yield page, f"{before}{contents}{heading}{after}"
    for piece in others:
        # The title of the browser's tab, and of the page in the search: "Results" is on the advanced page of each chapter.
        chapter = introduction.title.partition(":")[0]
        way_back = f'<p class="part-of"><a href="ADVANCED.html">{html.escape(introduction.title)}</a></p>'
        yield piece.path, f"```{{title}} {piece.title} · {chapter}\n```\n\n{way_back}\n\n{piece.text}"


def _list_of(pieces: list[Piece]) -> str:
    """The introduction's list of pages, and data with which structure.js redirects links from outside the book."""
    names = [posixpath.basename(piece.path)[:-3] for piece in pieces]
    moved: dict[str, str] = {}
    for name, piece in zip(names, pieces):
        headings = (section.text for section in sections_of(code_blocks().put_aside(piece.text)))
        for anchor in (*map(_html_id, headings), *_ID.findall(piece.text)):
            moved.setdefault(anchor, f"{name}.html")
    data = html.escape(json.dumps(moved))
    contents = "\n".join(names)
    return f'\n## Pages\n\n```{{toctree}}\n:maxdepth: 2\n\n{contents}\n```\n\n<div id="moved" data-moved="{data}" hidden></div>\n'


def _html_id(heading: str) -> str:
    """The id of a heading in the site; Sphinx replaces the anchors in links by it."""
    return re.sub("[^a-z0-9]+", "-", _LINK.sub(r"\1", heading).lower()).strip("-")
