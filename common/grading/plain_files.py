"""Reading and writing tables that other people have a part in: bounded plain files, and cells that are only text."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from cli.errors import UsageError

MAX_TABLE_BYTES = 4 << 20
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


def text_cell(text: str) -> str:
    """The text of a cell in a CSV file, with a ' wherever a spreadsheet would otherwise compute a formula."""
    if _NUMBER.fullmatch(text):
        return text
    quoted = _FORMULA.sub(r"\1\2'", text)
    return f"'{quoted}" if quoted.startswith(_STARTS_WITH_CONTROL) else quoted


def printable_name(name: str) -> str:
    r"""A file's name as UTF-8 text. Bytes that are not UTF-8 become \xff, so different names stay different."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
