"""Writes a picture: SVG directly, PNG through rsvg-convert."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cli.errors import MissingToolError, UsageError, WorkbookError
from cli.machine.tools import ensure, is_present
from cli.pictures.output_file import refuse_unwritable

_CONVERTER = "rsvg-convert"
_PNG_ZOOM = 2  # twice the width of a lesson, for sharp text


def prepare(file: Path) -> None:
    """Call this before the work: raises UsageError for a file that cannot be written.

    For a PNG, installs the converter if it is missing. Raises MissingToolError if that fails.
    """
    if file.suffix.lower() not in (".svg", ".png") and not file.is_dir():
        raise UsageError(f"--picture draws .svg or .png, not '{file.name}'.")
    refuse_unwritable(file, "--picture", "picture.svg")
    if file.suffix.lower() == ".png" and not is_present(_CONVERTER):
        try:
            ensure([_CONVERTER])
        except MissingToolError as error:
            words = f"{error}\n".lstrip()
            raise MissingToolError(f"{words}Or name the picture {file.stem}.svg: any browser shows it.") from error


def write(file: Path, svg: str) -> None:
    """Raises OSError, and WorkbookError if the converter fails."""
    if file.suffix.lower() == ".svg":
        file.write_text(svg, encoding="utf-8")
        return
    command = [_CONVERTER, f"--zoom={_PNG_ZOOM}", "--format=png", f"--output={file}"]
    converted = subprocess.run(command, input=svg.encode(), stderr=subprocess.PIPE, check=False)
    if converted.returncode != 0:
        raise WorkbookError(
            f"{_CONVERTER} could not write {file}: {converted.stderr.decode(errors='replace').strip()}"
        )
