"""Printing to the learner's terminal."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Collection
from typing import TextIO

from cli.terminal.bottom_line import bottom_line

DEFAULT_WIDTH_COLUMNS = 100
# Control characters, and those that turn the direction of writing.
_OTHERS = "\\x00-\\x08\\x0b-\\x1a\\x1c-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069"
_COMMANDS = re.compile(f"[\\x1b{_OTHERS}]")
_COMMANDS_BUT_COLOURS = re.compile(rf"\x1b(?!\[[0-9;]*m)|[{_OTHERS}]")


def say(text: str = "") -> None:
    """Prints at once, so that the text stands before the output of a program started next."""
    with bottom_line.aside():
        print(printable(text, with_colours=colours_wanted()), flush=True)


def complain(text: str) -> None:
    """Prints to stderr, after everything said so far."""
    with bottom_line.aside():
        sys.stdout.flush()
        print(printable(text), file=sys.stderr, flush=True)


def printable(text: str, with_colours: bool = False) -> str:
    """With "?" for what a terminal would take for a command: names of files, arguments and programs' output may hold
    anything. Ends of lines, tabs and, if asked for, colours (Palette) stay.
    """
    commands = _COMMANDS_BUT_COLOURS if with_colours else _COMMANDS
    return commands.sub("?", text.replace("\r\n", "\n"))


def width_columns(stream: TextIO = sys.stdout) -> int:
    """The terminal's width; 100 columns when the output is not a terminal, so that files come out alike."""
    if not stream.isatty():
        return DEFAULT_WIDTH_COLUMNS
    return max(60, shutil.get_terminal_size((DEFAULT_WIDTH_COLUMNS, 24)).columns)


def colours_wanted(stream: TextIO = sys.stdout) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def wrapped(text: str) -> str:
    """Prose in lines that fit; lines that are indented, such as places in a file, stay as they are."""
    lines = []
    for line in text.splitlines():
        fits = line.startswith(" ") or not line
        lines += [line] if fits else textwrap.wrap(line, DEFAULT_WIDTH_COLUMNS, break_on_hyphens=False)
    return "\n".join(lines)


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


def table(rows: list[list[str]], right_aligned: Collection[int] = (), indent: str = "  ") -> str:
    """Aligns the cells of equally long rows into columns two spaces apart."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right_aligned else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)
