"""Rewrites a page's Markdown from the repository's form to the book's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_FENCE = re.compile(
    r"^(?P<indent> *)(?P<marks>```+|~~~+)(?P<info>[^\n]*)\n.*?^(?P=indent)(?P=marks)[ ]*$", re.MULTILINE | re.DOTALL
)
_INLINE_CODE = re.compile(r"(?<!`)(?P<marks>`+)(?!`)(?:[^\n]|\n(?!\s*\n))*?(?<!`)(?P=marks)(?!`)")
_KEPT = re.compile("\x02(\\d+)\x03")
_LINK = re.compile(r"(?<=\]\()(?P<target>[^()\s]+)(?=\))")
_OTHER_SITE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_COMMENT = re.compile(r"\n?[ ]*<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"^(?P<marks>#{1,6}) (?P<text>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A section: its heading, level (from 1), and the positions where it starts and ends."""

    text: str
    level: int
    begin: int
    end: int


class Kept:
    """Parts of a text that are set aside while the rest is processed."""

    def __init__(self, *patterns: re.Pattern[str]) -> None:
        self._patterns = patterns
        self._parts: list[str] = []

    def put_aside(self, text: str) -> str:
        for pattern in self._patterns:
            text = pattern.sub(self._keep, text)
        return text

    def put_back(self, text: str) -> str:
        while _KEPT.search(text):
            text = _KEPT.sub(lambda mark: self._parts[int(mark[1])], text)
        return text

    def change(self, change: Callable[[str], str]) -> None:
        """Changes the parts that were set aside."""
        self._parts = [change(part) for part in self._parts]

    def _keep(self, found: re.Match[str]) -> str:
        self._parts.append(found[0])
        return f"\x02{len(self._parts) - 1}\x03"


def code_blocks() -> Kept:
    return Kept(_FENCE)


def _all_code() -> Kept:
    return Kept(_FENCE, _INLINE_CODE)


def linked_files(page: str) -> Iterator[str]:
    """The files that a page links to, without '#' and the part after it; links to other sites are left out."""
    for link in _LINK.finditer(_all_code().put_aside(page)):
        path = link["target"].partition("#")[0]
        if path and not _OTHER_SITE.match(path):
            yield path


def with_links(page: str, moved: Callable[[str, str], str]) -> str:
    """The page with its links changed by `moved`, which gets the path (empty for this page) and the anchor (or an empty
    text). Links to other sites stay.
    """

    def replaced(link: re.Match[str]) -> str:
        if _OTHER_SITE.match(link["target"]):
            return link["target"]
        path, _, anchor = link["target"].partition("#")
        return moved(path, anchor)

    code = _all_code()
    return code.put_back(_LINK.sub(replaced, code.put_aside(page)))


def without_comments(page: str) -> str:
    code = _all_code()
    return code.put_back(_COMMENT.sub("", code.put_aside(page)))


def sections_of(page: str) -> list[Section]:
    """The sections of a page. Its code blocks must be set aside."""
    headings = list(_HEADING.finditer(page))
    found = []
    for number, heading in enumerate(headings):
        level = len(heading["marks"])
        after = (other.start() for other in headings[number + 1 :] if len(other["marks"]) <= level)
        found.append(Section(heading["text"], level, heading.start(), next(after, len(page))))
    return found


def inserted(page: str, additions: list[tuple[int, str]]) -> str:
    """The page with blocks of Markdown inserted, each before its position. Blocks with the same position keep their
    order.
    """
    for place, block in reversed(sorted(additions, key=lambda one: one[0])):
        before, after = page[:place].rstrip(), page[place:].lstrip("\n")
        page = f"{before}\n\n{block}\n\n{after}"
    return page
