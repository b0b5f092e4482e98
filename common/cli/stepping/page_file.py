"""Writing the page: one file, with all that it needs inside."""

from __future__ import annotations

import contextlib
import html
import json
from pathlib import Path
from string import Template

from cli.errors import WorkbookError
from cli.stepping.page_data import PageData

_FOLDER = Path(__file__).resolve().parent
# In this order, as one script: what a file uses at once stands before it.
_SCRIPTS = (
    "model.js",
    "sentences.js",
    "canvas.js",
    "threads_view.js",
    "request_view.js",
    "memory_view.js",
    "source_view.js",
    "findings_view.js",
    "totals.js",
    "stepper.js",
    "start.js",
)


def page_text(data: PageData) -> str:
    """HTML. What comes from a learner's files is text in a JSON value that holds no character of HTML's."""
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
    """Raises WorkbookError where there is no room, and leaves no half page behind then."""
    try:
        file.write_text(page_text(data), encoding="utf-8")
    except OSError as error:
        with contextlib.suppress(OSError):
            file.unlink(missing_ok=True)
        raise WorkbookError(f"--html: {file} could not be written: {error.strerror}.") from error


def _part(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
