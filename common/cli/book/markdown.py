"""From a repository's page to a page of the book: what a page's Markdown is rewritten to, text for text."""

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
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|#", re.IGNORECASE)
_COMMENT = re.compile(r"\n?[ ]*<!--.*?-->", re.DOTALL)
_HEADING = re.compile(r"^(?P<marks>#{1,6}) (?P<text>.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A heading, its level from 1 on, and where in the text it begins and the section below it ends."""

    text: str
    level: int
    begin: int
    end: int


class Kept:
    """Parts of a text that are put aside while the rest is looked at."""

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
        """Changes what was put aside."""
        self._parts = [change(part) for part in self._parts]

    def _keep(self, found: re.Match[str]) -> str:
        self._parts.append(found[0])
        return f"\x02{len(self._parts) - 1}\x03"


def code_blocks() -> Kept:
    return Kept(_FENCE)


def _all_code() -> Kept:
    return Kept(_FENCE, _INLINE_CODE)


def linked_files(page: str) -> Iterator[str]:
    """The files that a page's links name, without what follows '#'; links to other sites are left out."""
    for link in _LINK.finditer(_all_code().put_aside(page)):
        if not _ELSEWHERE.match(link["target"]):
            yield link["target"].partition("#")[0]


def with_links(page: str, moved: Callable[[str], str]) -> str:
    """A page whose links to files are what `moved` makes of them; it is given the path, without what follows '#'."""

    def replaced(link: re.Match[str]) -> str:
        if _ELSEWHERE.match(link["target"]):
            return link["target"]
        path, mark, anchor = link["target"].partition("#")
        return f"{moved(path)}{mark}{anchor}"

    code = _all_code()
    return code.put_back(_LINK.sub(replaced, code.put_aside(page)))


def without_comments(page: str) -> str:
    code = _all_code()
    return code.put_back(_COMMENT.sub("", code.put_aside(page)))


def sections_of(page: str) -> list[Section]:
    """Of a page whose code blocks have been put aside."""
    headings = list(_HEADING.finditer(page))
    found = []
    for number, heading in enumerate(headings):
        level = len(heading["marks"])
        after = (other.start() for other in headings[number + 1 :] if len(other["marks"]) <= level)
        found.append(Section(heading["text"], level, heading.start(), next(after, len(page))))
    return found


def inserted(page: str, additions: list[tuple[int, str]]) -> str:
    """A page with blocks of Markdown put in, each with the place before which it stands. Of several at one place the
    first stays first.
    """
    for place, block in reversed(sorted(additions, key=lambda one: one[0])):
        before, after = page[:place].rstrip(), page[place:].lstrip("\n")
        page = f"{before}\n\n{block}\n\n{after}"
    return page
