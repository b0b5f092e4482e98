"""Breaking text into lines that fit a number of columns. Colour codes have no width, and words are never broken."""

from __future__ import annotations

import re

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# A command to type or to copy. Its lines end with a backslash where it is broken, so that a shell accepts it.
_COMMAND = re.compile(r"\s*(?:[A-Z_]+=\S* )*(?:\./workbook|make|cmake|nvcc|g\+\+|ncu|python3|sudo|apt-get) ")
_COMMAND_HANGING, _BACKSLASH = 4, " \\"
# Messages of a compiler or a linker are never broken.
_WHOLE = re.compile(
    r"\s*(?:\d* *\| |In file included from |\S+:\d+(?::\d+)?: (?:(?:fatal )?error|warning|note|In |   )|\S*/ld: |@@ )"
)
_ITEM = re.compile(r"\s*(?:[-*✓✗]|\d{1,3}[.)]|\[(?:ok|x|-)\])\s+")
# A name and, after a gap, its explanation.
_NAMED = re.compile(r" *\S(?:\S| (?! )){0,32} {2,}(?=\S)")
# Units that stay on one line if they fit.
_UNIT = re.compile(
    r"\s*(?:\S*'\./workbook [^']*'\S*"  # a command in quotes
    r"|\./workbook [^,;()]*\Z"  # a command at the end of the line
    r"|\./workbook [a-z]+(?: (?:ch\d|project|--)\S*)*"  # a command with its target and options
    r"|\d[\d,.]*(?: x \d[\d,.]*)+\S*|\(?\d[\d,.]* (?:%|minutes|hours)\S*"  # extents, percentages, times
    r"|\[[^\[\]]*\]\S*|\S+)"  # an optional argument
)
_HANGING = 2
NARROWEST_CELL_COLUMNS = 24


def visible_columns(text: str) -> int:
    return len(_COLOUR.sub("", text))


def fitted(text: str, columns: int) -> str:
    """Breaks lines that are too long. They continue below the text of their list item or below the explanation of a
    name, if there is enough width, or with a slightly larger indent.
    """
    return "\n".join(_fitted_line(line, columns) for line in text.split("\n"))


def unbroken(text: str) -> str:
    """The text with each paragraph and each item joined into one line; used for a command's help."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and _goes_on(lines[-1], line):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
    return "\n".join(lines)


def _goes_on(before: str, line: str) -> bool:
    indents = [len(one) - len(one.lstrip(" ")) for one in (before, line)]
    is_option = line.lstrip().startswith("-") and indents[1] <= indents[0]
    starts_item = _ITEM.match(line) or _NAMED.match(line) or _is_quoted(line) or is_option
    is_text = before.strip() and line.strip() and not _is_quoted(before)
    return bool(is_text and not starts_item and (indents == [0, 0] or indents[1] > indents[0] + _HANGING))


def _is_quoted(line: str) -> bool:
    return bool(_COMMAND.match(line) or _WHOLE.match(line))


def _fitted_line(line: str, columns: int) -> str:
    plain = _COLOUR.sub("", line)
    if visible_columns(line) <= columns or _WHOLE.match(plain):
        return line
    if _COMMAND.match(plain):
        indent = len(plain) - len(plain.lstrip(" ")) + _COMMAND_HANGING
        return hung(line, indent, columns - len(_BACKSLASH)).replace("\n", f"{_BACKSLASH}\n")
    return hung(line, _hanging(plain, columns), columns)


def _hanging(line: str, columns: int) -> int:
    item, named = _ITEM.match(line), _NAMED.match(line)
    if item:
        return item.end()
    if named and columns - named.end() >= NARROWEST_CELL_COLUMNS:
        return named.end()
    indent = len(line) - len(line.lstrip(" "))
    return indent + _HANGING if indent or named else 0


def hung(line: str, indent: int, columns: int) -> str:
    """Breaks one line into several, all but the first with this indent."""
    indent = min(indent, max(columns // 2, columns - NARROWEST_CELL_COLUMNS))
    lines = [""]
    for word in _words(line, columns - indent):
        gains_room = visible_columns(lines[-1]) > indent
        if gains_room and lines[-1].strip() and visible_columns(lines[-1] + word) > columns:
            lines.append(" " * indent + word.lstrip(" "))
        else:
            lines[-1] += word
    return "\n".join(lines)


def _words(line: str, room_columns: int) -> list[str]:
    """The words of a line, each with the spaces before it."""
    words: list[str] = []
    for unit in _UNIT.findall(line):
        words += [unit] if visible_columns(unit.lstrip(" ")) <= room_columns else re.findall(r"\s*\S+", unit)
    return words
