"""Reading and writing tables that other people have a part in: bounded plain files, and cells that are only text."""

from __future__ import annotations

import csv
import io
import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

from cli.errors import UsageError

MAX_TABLE_BYTES = 4 << 20
_MAX_SHOWN = 100  # characters
# Characters with which a spreadsheet starts a formula, and their full-width forms, at the start of a cell. A
# spreadsheet can split a cell at other separators than ours, so the start of each part counts too.
_FORMULA = re.compile(r"(^|[,;|\t\r\n\"])(\s*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_STARTS_WITH_CONTROL = ("\t", "\r", "\n")
_NUMBER = re.compile(r"[-+]?[\d.,]*%?")  # no formula, and a platform reads it again: -5, or Moodle's - for no grade


def read_plain_text(file: Path, should_have: str) -> str:
    """The text of a small UTF-8 file. Raises UsageError for anything else, such as a folder, a pipe or a device.

    should_have: a sentence about the file's content, for the message.
    """
    try:
        # Without O_NONBLOCK, opening a pipe waits for a writer.
        with open(os.open(file, os.O_RDONLY | os.O_NONBLOCK), "rb") as stream:
            kind = os.fstat(stream.fileno()).st_mode
            content = stream.read(MAX_TABLE_BYTES + 1) if stat.S_ISREG(kind) else None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"Cannot read {file}: {reason}. {should_have}") from error
    if content is None or len(content) > MAX_TABLE_BYTES:
        raise UsageError(f"Cannot read {file}: it is not a file of at most {MAX_TABLE_BYTES >> 20} MiB. {should_have}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"Cannot read {file}: it is not UTF-8 text. {should_have}") from error


def read_table(file: Path, columns: list[str] | None = None) -> list[list[str]]:
    """The rows of a CSV file with commas or, as some spreadsheets write, semicolons. Raises UsageError for a file that
    cannot be read, or whose first line is not `columns`.
    """
    text = read_plain_text(file, "Save it as a CSV file in UTF-8.")
    separator = ";" if ";" in text.partition("\n")[0] else ","
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise UsageError(f"Cannot read {file}: {error}. Save it as a CSV file in UTF-8.") from error
    if columns and (not rows or [cell.strip() for cell in rows[0]] != columns):
        raise UsageError(f"{file}: the first line must be {','.join(columns)}")
    return rows


def table_lines(file: Path, rows: list[list[str]]) -> Iterator[tuple[str, list[str]]]:
    """The lines below the first, each with its place. Raises UsageError for a line with more or fewer columns."""
    for number, row in enumerate(rows[1:], start=2):
        if "".join(row).strip():
            where = f"{file}, line {number}"
            if len(row) != len(rows[0]):
                problem = f"{len(row)} columns instead of {len(rows[0])}. Quote a cell that has a comma."
                raise UsageError(f"{where}: {problem}")
            yield where, [cell.strip() for cell in row]


def table_text(rows: Iterable[Iterable[object]]) -> str:
    """The text of a CSV file without formulas."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([text_cell(str(cell)) for cell in row] for row in rows)
    return text.getvalue()


def cut(text: str) -> str:
    """A cell for a message."""
    return text[:_MAX_SHOWN]


def composed(name: str) -> str:
    """The name in Unicode's composed form (NFC): an umlaut can be one character or two."""
    return unicodedata.normalize("NFC", name)


def text_cell(text: str) -> str:
    """The text of a cell in a CSV file, with a ' wherever a spreadsheet would otherwise compute a formula."""
    if _NUMBER.fullmatch(text):
        return text
    quoted = _FORMULA.sub(r"\1\2'", text)
    return f"'{quoted}" if quoted.startswith(_STARTS_WITH_CONTROL) else quoted


def printable_name(name: str) -> str:
    r"""A file's name as UTF-8 text. Bytes that are not UTF-8 become \xff, so different names stay different."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
