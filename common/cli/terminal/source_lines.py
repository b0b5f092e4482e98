"""Lines of the learner's source, cut to fit."""

from __future__ import annotations

import os
from pathlib import Path


class SourceLines:
    """Reads each file once. root: the folder of files with a relative name."""

    def __init__(self, root: Path = Path()) -> None:
        self._root = root
        self._files: dict[str, list[str]] = {}

    def line(self, file: str, line: int) -> str:
        """The line without its line end; empty if there is no such line."""
        if file not in self._files:
            try:
                self._files[file] = (self._root / file).read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                self._files[file] = []
        lines = self._files[file]
        return lines[line - 1].rstrip() if 1 <= line <= len(lines) else ""

    def excerpt(self, file: str, line: int, column: int, width_columns: int) -> str:
        """The line without its indent; if it is too long, the part around the column, with dots where it was cut."""
        text = self.line(file, line)
        indent = len(text) - len(text.lstrip())
        text = text.lstrip().expandtabs(1)
        if len(text) <= width_columns:
            return text
        room = max(8, width_columns - 6)
        # Mainly the text before the column, because compilers point at the end of an access.
        start = min(max(0, column - 1 - indent - room * 2 // 3), len(text) - room)
        if start < 4:
            return f"{text[: room + 3]}..."
        end = start + room
        return f"...{text[start:end]}{'...' if end < len(text) else ''}"


def short_name(file: str) -> str:
    return os.path.basename(file)
