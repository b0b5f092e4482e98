"""The source files that pages name. Each becomes a page of the book, with an anchor for each line."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

_ENDINGS = (".cu", ".cuh", ".h", ".cpp")
_FOLDERS = ("chapters/*", "chapters/*/*", "common", "common/harness")
_IN_CHAPTER = ("", "baselines", "harness")
_NAME = re.compile(r"(?P<file>[\w./-]+\.(?:cuh?|h|cpp))(?::(?P<line>\d+)(?::\d+)?)?")
_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LISTING = re.compile(r"^```\w+ (\S+)$", re.MULTILINE)


class Sources:
    """The files, as paths in the workbook. Reference answers are left out, because the book does not show them."""

    def __init__(self, root: Path) -> None:
        files = [file for folder in _FOLDERS for file in root.glob(f"{folder}/*") if file.suffix in _ENDINGS]
        self.paths = frozenset(file.relative_to(root).as_posix() for file in files if file.is_file())
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            self._by_name.setdefault(posixpath.basename(path), []).append(path)

    def named(self, words: str, page: str) -> tuple[str, int] | None:
        """The file and line (or 0) that a page means by words in code, such as `02_localmem.cu:25:53`.

        None if they do not name a file, or if several files are possible.
        """
        found = _NAME.fullmatch(words)
        if not found:
            return None
        name, line = found["file"], int(found["line"] or 0)
        folder = posixpath.dirname(page)
        candidates = [posixpath.normpath(posixpath.join(folder, inner, name)) for inner in _IN_CHAPTER]
        for path in (*candidates, posixpath.normpath(name)):
            if path in self.paths:
                return path, line
        others = self._by_name.get(name, [])
        return (others[0], line) if len(others) == 1 else None

    def named_in(self, text: str, page: str) -> Iterator[str]:
        """All files that a page names in its text or lists."""
        for words in (*_CODE.findall(text), *_LISTING.findall(text)):
            found = self.named(words, page)
            if found:
                yield found[0]


def anchor(line: int) -> str:
    return f"L-{line}"


def name_in_book(path: str) -> str:
    """The name of a source's page in the book."""
    return f"{path}.md"
