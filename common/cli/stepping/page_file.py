"""Writes the page: one self-contained file."""

from __future__ import annotations

import contextlib
import html
import json
from pathlib import Path
from string import Template

from cli.errors import WorkbookError
from cli.stepping.page_data import PageData

_FOLDER = Path(__file__).resolve().parent
# They become one script in this order: definitions come before their uses at load time.
_SCRIPTS = (
    "model.js",
    "sentences.js",
    "canvas.js",
    "tooltip.js",
    "threads_view.js",
    "request_view.js",
    "memory_view.js",
    "syntax.js",
    "source_view.js",
    "findings_view.js",
    "totals.js",
    "stepper.js",
    "start.js",
)


def page_text(data: PageData) -> str:
    """The HTML text. Text from a learner's files is in a JSON value without HTML's special characters."""
    values = json.dumps({"runs": data.runs, "notes": data.notes}, separators=(",", ":"))
    for character in "<>&":
        values = values.replace(character, f"\\u{ord(character):04x}")
    heading = html.escape(data.heading)
    return Template(_part("page.html")).substitute(
        title=heading,
        heading=heading,
        style=_part("page.css"),
        data=values,
        script="\n".join(_part(name) for name in _SCRIPTS),
    )


def write(file: Path, data: PageData) -> None:
    """Raises WorkbookError if the page cannot be written, and then removes the incomplete file."""
    try:
        file.write_text(page_text(data), encoding="utf-8")
    except OSError as error:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        raise WorkbookError(f"--html: {file} could not be written: {error.strerror}.") from error


def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
