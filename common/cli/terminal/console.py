"""Printing to the learner's terminal."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Collection
from typing import TextIO

from cli.errors import EXIT_FAILED
from cli.terminal.bottom_line import bottom_line
from cli.terminal.fitting import NARROWEST_CELL_COLUMNS, fitted, hung, visible_columns

DEFAULT_WIDTH_COLUMNS = 100
_NARROWEST_COLUMNS = 40
_UNKNOWN_WIDTH_COLUMNS = 80  # for a terminal that does not report its width
# Control characters, and those that change the direction of writing.
_OTHERS = "\\x00-\\x08\\x0b-\\x1a\\x1c-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069"
_COMMANDS = re.compile(f"[\\x1b{_OTHERS}]")
_COMMANDS_BUT_COLOURS = re.compile(rf"\x1b(?!\[[0-9;]*m)|[{_OTHERS}]")
_MARKS = {True: "✓", False: "✗", None: "-"}
_PLAIN_MARKS = {True: "[ok]", False: "[x]", None: "[-]"}
_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "…": "...", "✓": "[ok]", "✗": "[x]"})


def until_reader_ends(main: Callable[[], int]) -> int:
    """The exit code of main(). If the reader of the output has ended, as with `| head`, it ends without a traceback."""
    try:
        return main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # stdout must not be flushed into the pipe at exit
        return EXIT_FAILED


def say(text: str = "", whole_lines: bool = False) -> None:
    """Prints without delay, so that the text comes before the output of a program that starts next. On a terminal, long
    lines are broken between words; whole_lines is for quotations, such as a program's output.
    """
    with bottom_line.aside():
        _print(text, sys.stdout, whole_lines)


def complain(text: str, whole_lines: bool = False) -> None:
    """Like say, but prints to stderr, after all earlier output."""
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
    """The text with plain marks and quotes, and escapes in names, if the stream's encoding lacks the characters."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN).encode(encoding, "backslashreplace").decode(encoding)
    return text


def printable(text: str, with_colours: bool = False) -> str:
    """The text with "?" instead of control characters: names of files, arguments and programs' output can contain any.
    Line ends, tabs and, with_colours, colours (Palette) stay.
    """
    commands = _COMMANDS_BUT_COLOURS if with_colours else _COMMANDS
    return commands.sub("?", text.replace("\r\n", "\n"))


def terminal_columns(stream: TextIO | None = None) -> int | None:
    """The width of the terminal that shows this stream, or sys.stdout; None if it is not a terminal."""
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
    """The terminal's width; 100 columns if the output is not a terminal, so that files do not differ."""
    return terminal_columns(stream) or DEFAULT_WIDTH_COLUMNS


def prose_columns() -> int:
    """The width of prose: at most 100 columns even on a wide terminal, because longer lines are hard to read."""
    return min(DEFAULT_WIDTH_COLUMNS, width_columns())


def colours_wanted(stream: TextIO | None = None) -> bool:
    is_dumb = os.environ.get("TERM") == "dumb"
    return (stream or sys.stdout).isatty() and not os.environ.get("NO_COLOR") and not is_dumb


def wrapped(text: str, columns: int | None = None) -> str:
    """Prose in lines of at most 100 columns, or the width of the terminal. Indented lines, such as lines of a file,
    stay unchanged.
    """
    columns = columns or prose_columns()
    return "\n".join(line if line.startswith(" ") else fitted(line, columns) for line in text.splitlines())


class Palette:
    """Adds colours to text, if enabled."""

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
    """The mark before a verdict, in its colour: passed, failed, or, for None, neither."""
    return _painted(passed, bare_mark(passed, stream), stream)


def verdict(passed: bool | None, text: str, stream: TextIO | None = None) -> str:
    """A text with a mark and a colour on its first line, the verdict."""
    head, end, rest = text.partition("\n")
    return _painted(passed, f"{bare_mark(passed, stream)} {head}", stream) + end + rest


def _painted(passed: bool | None, text: str, stream: TextIO | None) -> str:
    palette = Palette(colours_wanted(stream))
    return {True: palette.good, False: palette.bad, None: palette.warning}[passed](text)


def bare_mark(passed: bool | None, stream: TextIO | None = None) -> str:
    marks = _MARKS if _shows_marks(stream or sys.stdout) else _PLAIN_MARKS
    return marks[passed]


def _shows_marks(stream: TextIO) -> bool:
    """Whether the terminal can show more than ASCII. Python uses UTF-8 even if the user's language is C."""
    environment = os.environ
    language = environment.get("LC_ALL") or environment.get("LC_CTYPE") or environment.get("LANG", "")
    if sys.flags.utf8_mode and not environment.get("LC_ALL") and language == "C.UTF-8":  # set by Python itself
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
    """Aligns the cells of equally long rows in columns with two spaces between. If a row is wider than `columns` (for a
    terminal: terminal_columns()), its last cell continues on the next lines, in its column or, if that is too narrow,
    below the row. Numbers move together below the first cell instead.
    """
    return "\n".join(table_rows(rows, right_aligned, indent, columns))


def table_rows(
    rows: list[list[str]], right_aligned: Collection[int] = (), indent: str = "  ", columns: int | None = None
) -> list[str]:
    """A text for each row of such a table; it has several lines if the row is too wide."""
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
    """Each row's first cell, and below it the other cells."""
    numbers = [row[1:] for row in rows]
    below = table_rows(numbers, range(len(numbers[0])), f"{indent}  ")
    return [f"{indent}{row[0]}\n{line}" if row[0].strip() else line for row, line in zip(rows, below)]


def _in_columns(start: str, last: str, indent: str, columns: int) -> str:
    """A row whose last cell is too long for one line."""
    if columns - visible_columns(start) >= NARROWEST_CELL_COLUMNS:
        return hung(start + last, visible_columns(start), columns)
    below = f"{indent}      "
    return f"{hung(start.rstrip(), len(below), columns)}\n{hung(below + last.strip(), len(below), columns)}"


def _padded(cell: str, width_columns: int, is_right_aligned: bool) -> str:
    padding = " " * (width_columns - visible_columns(cell))
    return padding + cell if is_right_aligned else cell + padding
