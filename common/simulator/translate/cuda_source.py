"""The text of a CUDA file: its code without comments and strings, its pairs of brackets, its lines and columns."""

from __future__ import annotations

import re
from pathlib import Path

_NOT_CODE = re.compile(
    r"""//(?:\\\n|[^\n])*                               # line comment, also continued
      | /\*.*?\*/                                       # block comment
      | \bR"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)"    # raw string
      | "(?:\\.|[^"\\\n])*"                             # string
      | (?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'            # character, but not 1'000'000
    """,
    re.DOTALL | re.VERBOSE,
)
_INCLUDE = re.compile(r'^[ \t]*(?P<hash>#)[ \t]*include[ \t]*[<"](?P<header>[^">\n]+)[">]', re.MULTILINE)
_CLOSES = {")": "(", "]": "[", "}": "{"}


class RewriteError(Exception):
    """The text cannot be parsed; the message has the form of a compiler's."""


def mask(source: str) -> str:
    """`source` with comments, strings and characters blanked out; same length, same lines."""
    return _NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), source)


class Source:
    """A file's text with its masked copy, and the line and column of an offset."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.masked = mask(text)
        self.name = name

    def line(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def column(self, offset: int) -> int:
        """The number of columns to the left of `offset`; tabs and wide characters count as the compiler prints them."""
        return offset - (self.text.rfind("\n", 0, offset) + 1)

    def error(self, offset: int, message: str) -> RewriteError:
        return RewriteError(f"{self.name}:{self.line(offset)}:{self.column(offset) + 1}: error: {message}")

    def skip_space(self, offset: int) -> int:
        while offset < len(self.masked) and self.masked[offset] in " \t\n\\":
            offset += 1
        return offset

    def skip_space_back(self, offset: int) -> int:
        while offset > 0 and self.masked[offset - 1] in " \t\n\\":
            offset -= 1
        return offset

    def matching_close(self, offset: int) -> int:
        """The offset just after the bracket that closes the one at `offset`."""
        depth = 0
        for i in range(offset, len(self.masked)):
            if self.masked[i] in "([{":
                depth += 1
            elif self.masked[i] in ")]}":
                depth -= 1
                if depth == 0:
                    return i + 1
        raise self.error(offset, f"this '{self.masked[offset]}' is never closed")

    def matching_open(self, end: int) -> int:
        """The offset of the bracket that is closed just before `end`. '>' closes a template's '<'."""
        close = self.masked[end - 1]
        i = end - 1
        depth = 1
        while i > 0:
            i -= 1
            c = self.masked[i]
            if close == ">":
                if c in _CLOSES and c != "}":  # template arguments may contain (a > b)
                    i = self.matching_open(i + 1)
                    continue
                if c in ";{}":
                    break
                depth += (c == ">" and self.masked[i - 1 : i] != "-") - (c == "<")
            else:
                depth += (c == close) - (c == _CLOSES[close])
            if depth == 0:
                return i
        raise self.error(end - 1, f"this '{close}' closes no bracket")

    def arguments(self, offset: int) -> list[str]:
        """The texts between the commas inside the parenthesis that opens at `offset`."""
        end = self.matching_close(offset)
        texts, begin = [], offset + 1
        i = begin
        while i < end:
            if self.masked[i] in "([{":
                i = self.matching_close(i)
                continue
            if self.masked[i] == "," or i == end - 1:
                texts.append(self.masked[begin:i].strip())
                begin = i + 1
            i += 1
        return texts

    def directive_start(self, offset: int) -> int:
        """The beginning of the line of `offset`, or of the first line that is continued up to there."""
        start = self.masked.rfind("\n", 0, offset) + 1
        while start > 1 and self.masked[start - 2] == "\\":
            start = self.masked.rfind("\n", 0, start - 1) + 1
        return start

    def in_define(self, offset: int) -> bool:
        return re.match(r"\s*#", self.masked[self.directive_start(offset) :]) is not None


def includes(source: Source) -> list[re.Match[str]]:
    return [m for m in _INCLUDE.finditer(source.text) if source.masked[m.start("hash")] == "#"]


def read(path: Path) -> str:
    """Raises OSError, or RewriteError for a file that is not text."""
    # Bytes that are not UTF-8, as in an old comment, are kept: compilers accept them too.
    text = path.read_text(encoding="utf-8-sig", errors="surrogateescape")
    if "\0" in text:
        raise RewriteError(f"{path}:1:1: error: this is UTF-16, or not a text file; save it as UTF-8")
    return text


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
