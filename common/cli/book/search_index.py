"""The index of the book's search: the sections of the built pages, as a script that works from a file too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

FILE = "search_index.js"
_VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
# The answers are in folds: a search must not show them.
_LEFT_OUT = {"details", "form", "script", "style", "svg", "button", "iframe"}
_LEFT_OUT_CLASSES = {"headerlink", "predict", "cost-strip"}
_NOT_RUNNING_TEXT = {"pre", "table"}
_TERM = "term-"  # the anchors of the glossary's entries
_WORD = re.compile(r"\w+")


@dataclass
class Section:
    """A part of a page under a heading, or an entry of the glossary, without the sections inside it."""

    anchor: str
    title: list[str] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)  # code and tables, which are searched but not shown

    def entry(self) -> list[str]:
        text = _joined(self.text)
        known = set(_WORD.findall(text.lower()))
        others = dict.fromkeys(_WORD.findall(" ".join(self.other).lower()))
        words = [word for word in others if word not in known and len(word) > 1 and not word.isdigit()]
        return [_joined(self.title).rstrip("."), self.anchor, text, " ".join(words)]


def write_index(site: Path, pages: Iterable[str]) -> None:
    """pages: the addresses of the pages, in the order of the book."""
    texts = ((page, (site / page).read_text(encoding="utf-8")) for page in pages)
    entries = [[page, *(section.entry() for section in sections_of(text))] for page, text in texts]
    script = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
    (site / FILE).write_text(f"window.workbookSections = {script};\n", encoding="utf-8")


def sections_of(page: str) -> list[Section]:
    """The sections of a page's HTML, in the page's order. The title of the first one is the page's."""
    reader = _Reader()
    reader.feed(page[page.find("<article") :])
    return reader.sections


def _joined(words: list[str]) -> str:
    return " ".join("".join(words).split())


class _Reader(HTMLParser):
    """Each open element has a kind, which says where its text goes: a field of Section, or "" for nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.sections: list[Section] = []
        self._open: list[tuple[str, str]] = [("", "")]
        self._around: list[Section] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = dict(attributes)
        anchor = named.get("id") or ""
        kind = self._kind(tag, (named.get("class") or "").split())
        if tag == "section":
            self._begin(anchor)
        elif anchor.startswith(_TERM) and self._around:
            self._begin(anchor)
            self._open.append(("term", "text"))
        elif self._around and self._around[-1].anchor.startswith(_TERM) and tag == "strong":
            kind = "title" if not self._around[-1].title else kind
        if tag in _VOID:
            self.handle_data(" ")
        else:
            self._open.append((tag, kind))

    def _kind(self, tag: str, classes: list[str]) -> str:
        around = self._open[-1][1]
        if tag == "article":
            return "text"
        if not around or tag in _LEFT_OUT or not _LEFT_OUT_CLASSES.isdisjoint(classes):
            return ""
        if tag in _HEADINGS:
            return "title"
        return "other" if tag in _NOT_RUNNING_TEXT or "listing" in classes else around

    def _begin(self, anchor: str) -> None:
        self._around.append(Section(anchor))
        self.sections.append(self._around[-1])

    def handle_endtag(self, tag: str) -> None:
        if tag not in (name for name, _ in self._open):
            return
        while True:
            name, kind = self._open.pop()
            if self._around and name in ("section", "term"):
                self._around.pop()
            elif self._around and kind:
                getattr(self._around[-1], kind).append(" " if name not in ("a", "code", "em", "span", "strong") else "")
            if name == tag:
                return

    def handle_data(self, data: str) -> None:
        kind = self._open[-1][1]
        if kind and self._around:
            getattr(self._around[-1], kind).append(data)
