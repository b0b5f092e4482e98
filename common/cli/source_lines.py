"""Lines of the learner's source, cut to fit."""

from __future__ import annotations

import os
from pathlib import Path


class SourceLines:
    """Reads each file once."""

    def __init__(self) -> None:
        self._files: dict[str, list[str]] = {}

    def line(self, file: str, line: int) -> str:
        """The line as it stands, without its end; empty when there is none."""
        if file not in self._files:
            try:
                self._files[file] = Path(file).read_text(encoding="utf-8", errors="replace").splitlines()
            except OSError:
                self._files[file] = []
        lines = self._files[file]
        return lines[line - 1].rstrip() if 1 <= line <= len(lines) else ""

    def excerpt(self, file: str, line: int, column: int, width_columns: int) -> str:
        """The line without its indent; when it is too long, the part from the access on, with dots where it was cut."""
        text = self.line(file, line)
        indent = len(text) - len(text.lstrip())
        text = text.lstrip().expandtabs(1)
        if len(text) <= width_columns:
            return text
        start = min(max(0, column - 1 - indent), len(text))
        # A compiler may point at the bracket: the name before it says what is accessed.
        while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_."):
            start -= 1
        before = "..." if start > 0 else ""
        shown = text[start:]
        room = max(8, width_columns - len(before))
        return before + (shown if len(shown) <= room else f"{shown[: room - 3]}...")


def short_name(file: str) -> str:
    return os.path.basename(file)
