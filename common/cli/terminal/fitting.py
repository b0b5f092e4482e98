"""Text in lines that fit a number of columns. Colour codes take no room, and a word is never broken."""

from __future__ import annotations

import re

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# A line to type or to copy, and a compiler's or a linker's line: broken in two it would be another one.
_WHOLE = re.compile(
    r"\s*(?:(?:[A-Z_]+=\S* )*(?:\./workbook|make|cmake|nvcc|g\+\+|ncu|python3|sudo|apt-get) "
    r"|\d* *\| |In file included from |\S+:\d+(?::\d+)?: (?:(?:fatal )?error|warning|note|In |   )|\S*/ld: |@@ )"
)
_ITEM = re.compile(r"\s*(?:[-*✓✗]|\d{1,3}[.)]|\[(?:ok|x|-)\])\s+")
# What stays in one line if it fits in one: a command in quotes, and a command with which the line ends.
_UNIT = re.compile(r"\s*(?:\S*'\./workbook [^']*'\S*|(?<=: )\./workbook .*\Z|\S+)")
_HANGING = 2


def visible_columns(text: str) -> int:
    return len(_COLOUR.sub("", text))


def fitted(text: str, columns: int) -> str:
    """Lines that are too long go on below the text of their list item, or a little deeper than their indent."""
    return "\n".join(_fitted_line(line, columns) for line in text.split("\n"))


def _fitted_line(line: str, columns: int) -> str:
    if visible_columns(line) <= columns or _WHOLE.match(_COLOUR.sub("", line)):
        return line
    return hung(line, _hanging(_COLOUR.sub("", line)), columns)


def _hanging(line: str) -> int:
    item = _ITEM.match(line)
    if item:
        return item.end()
    indent = len(line) - len(line.lstrip(" "))
    return indent + _HANGING if indent else 0


def hung(line: str, indent: int, columns: int) -> str:
    """One line in as many as it takes, all but the first with this indent."""
    indent = min(indent, columns // 2)
    lines = [""]
    for word in _words(line, columns - indent):
        if lines[-1].strip() and visible_columns(lines[-1] + word) > columns:
            lines.append(" " * indent + word.lstrip(" "))
        else:
            lines[-1] += word
    return "\n".join(lines)


def _words(line: str, room_columns: int) -> list[str]:
    """Each with the spaces before it."""
    words: list[str] = []
    for unit in _UNIT.findall(line):
        words += [unit] if visible_columns(unit.lstrip(" ")) <= room_columns else re.findall(r"\s*\S+", unit)
    return words
