"""Printing to the learner's terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection
from typing import TextIO

from cli.terminal.bottom_line import bottom_line
from cli.terminal.fitting import NARROWEST_CELL_COLUMNS, fitted, hung, visible_columns

DEFAULT_WIDTH_COLUMNS = 100
_NARROWEST_COLUMNS = 40
_UNKNOWN_WIDTH_COLUMNS = 80  # of a terminal that does not tell
# Control characters, and those that turn the direction of writing.
_OTHERS = "\\x00-\\x08\\x0b-\\x1a\\x1c-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069"
_COMMANDS = re.compile(f"[\\x1b{_OTHERS}]")
_COMMANDS_BUT_COLOURS = re.compile(rf"\x1b(?!\[[0-9;]*m)|[{_OTHERS}]")
_MARKS = {True: "✓", False: "✗", None: "-"}
_PLAIN_MARKS = {True: "[ok]", False: "[x]", None: "[-]"}
_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "…": "...", "✓": "[ok]", "✗": "[x]"})


def say(text: str = "", whole_lines: bool = False) -> None:
    """Prints at once, so that the text stands before the output of a program started next. On a terminal, lines that
    are too long for it are broken between words; whole_lines is for what is quoted, such as a program's output.
    """
    with bottom_line.aside():
        _print(text, sys.stdout, whole_lines)


def complain(text: str, whole_lines: bool = False) -> None:
    """Prints to stderr, after everything said so far; else as say does."""
    with bottom_line.aside():
        sys.stdout.flush()
        _print(text, sys.stderr, whole_lines)


def _print(text: str, stream: TextIO, whole_lines: bool) -> None:
    text = printable(text, with_colours=colours_wanted(stream))
    columns = terminal_columns(stream)
    if columns and not whole_lines:
        text = fitted(text, columns)
    print(_encodable(text, stream), file=stream, flush=True)


def _encodable(text: str, stream: TextIO) -> str:
    """With plain marks and quotes where the stream's encoding does not have others; in names, escapes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def printable(text: str, with_colours: bool = False) -> str:
    """With "?" for what a terminal would take for a command: names of files, arguments and programs' output may hold
    anything. Ends of lines, tabs and, if asked for, colours (Palette) stay.
    """
    commands = _COMMANDS_BUT_COLOURS if with_colours else _COMMANDS
    return commands.sub("?", text.replace("\r\n", "\n"))


def terminal_columns(stream: TextIO | None = None) -> int | None:
    """The width of the terminal on which this stream, or else sys.stdout, is shown; None if it is not a terminal."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    if columns.isascii() and columns.isdigit() and int(columns):
        return max(_NARROWEST_COLUMNS, int(columns))
    try:
        known = os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        known = 0
    return max(_NARROWEST_COLUMNS, known or _UNKNOWN_WIDTH_COLUMNS)


def width_columns(stream: TextIO | None = None) -> int:
    """The terminal's width; 100 columns when the output is not a terminal, so that files come out alike."""
    return terminal_columns(stream) or DEFAULT_WIDTH_COLUMNS


def prose_columns() -> int:
    """Longer lines are hard to read, however wide the terminal is."""
    return min(DEFAULT_WIDTH_COLUMNS, width_columns())


def colours_wanted(stream: TextIO | None = None) -> bool:
    is_dumb = os.environ.get("TERM") == "dumb"
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR") and not is_dumb


def wrapped(text: str, columns: int | None = None) -> str:
    """Prose in lines of at most 100 columns, or as many as the terminal has; lines that are indented, such as places
    in a file, stay as they are.
    """
    columns = columns or prose_columns()
    return "\n".join(line if line.startswith(" ") else fitted(line, columns) for line in text.splitlines())


class Palette:
    """Puts text in colour, or leaves it alone."""

    def __init__(self, enabled: bool) -> None:
        self.enabled = enabled

    def bold(self, text: str) -> str:
        return self._wrap("1", text)

    def good(self, text: str) -> str:
        return self._wrap("32", text)

    def warning(self, text: str) -> str:
        return self._wrap("33", text)

    def bad(self, text: str) -> str:
        return self._wrap("31", text)

    def _wrap(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.enabled else text


def mark(passed: bool | None, stream: TextIO | None = None) -> str:
    """What stands before a verdict, in its colour: passed, failed, or, for None, neither."""
    return _painted(passed, bare_mark(passed, stream), stream)


def verdict(passed: bool | None, text: str, stream: TextIO | None = None) -> str:
    """A text whose first line is a verdict, which gets a mark and a colour."""
    head, end, rest = text.partition("\n")
    return _painted(passed, f"{bare_mark(passed, stream)} {head}", stream) + end + rest


def _painted(passed: bool | None, text: str, stream: TextIO | None) -> str:
    palette = Palette(colours_wanted(stream))
    return {True: palette.good, False: palette.bad, None: palette.warning}[passed](text)


def bare_mark(passed: bool | None, stream: TextIO | None = None) -> str:
    marks = _MARKS if _shows_marks(stream or sys.stdout) else _PLAIN_MARKS
    return marks[passed]


def _shows_marks(stream: TextIO) -> bool:
    """Whether a terminal has more than ASCII. Python's own encoding is UTF-8 also where the user's language is C."""
    environment = os.environ
    language = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG", "")
    if sys.flags.utf8_mode and not environment.get("LC_ALL") and language == "C.UTF-8":  # Python itself has set that
        language = environment.get("LANG", "")
    if language in ("", "C", "POSIX") or environment.get("TERM") == "dumb":
        return False
    try:
        "".join(_MARKS.values()).encode(getattr(stream, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def table(
    rows: list[list[str]], right_aligned: Collection[int] = (), indent: str = "  ", columns: int | None = None
) -> str:
    """Aligns the cells of equally long rows into columns two spaces apart. Where they are wider than these columns (of
    a terminal: terminal_columns()), the last cell goes on below itself, or, if it has too little room, below its row;
    but numbers go together below the first cell.
    """
    return "\n".join(table_rows(rows, right_aligned, indent, columns))


def table_rows(
    rows: list[list[str]], right_aligned: Collection[int] = (), indent: str = "  ", columns: int | None = None
) -> list[str]:
    """A text for each row of such a table, which has several lines where the table is too wide."""
    widths = [max(visible_columns(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [_padded(cell, width, number in right_aligned) for number, (cell, width) in enumerate(zip(row, widths))]
        lines.append((indent + "  ".join(cells)).rstrip())
        if columns and visible_columns(lines[-1]) > columns:
            if len(row) - 1 in right_aligned:
                return _numbers_below(rows, indent)
            lines[-1] = _in_columns(indent + "  ".join([*cells[:-1], ""]), row[-1], indent, columns)
    return lines


def _numbers_below(rows: list[list[str]], indent: str) -> list[str]:
    """Each row's first cell, and below it the others."""
    numbers = [row[1:] for row in rows]
    below = table_rows(numbers, range(len(numbers[0])), f"{indent}  ")
    return [f"{indent}{row[0]}\n{line}" if row[0].strip() else line for row, line in zip(rows, below)]


def _in_columns(start: str, last: str, indent: str, columns: int) -> str:
    """A row whose last cell is too long for the line that it ends."""
    if columns - visible_columns(start) >= NARROWEST_CELL_COLUMNS:
        return hung(start + last, visible_columns(start), columns)
    below = f"{indent}      "
    return f"{hung(start.rstrip(), len(below), columns)}\n{hung(below + last.strip(), len(below), columns)}"


def _padded(cell: str, width_columns: int, is_right_aligned: bool) -> str:
    padding = " " * (width_columns - visible_columns(cell))
    return padding + cell if is_right_aligned else cell + padding
