"""The options of a command that draws a picture, and the call that draws it."""

from __future__ import annotations

import argparse
import typing
from dataclasses import dataclass
from pathlib import Path

from cli.errors import UsageError
from cli.pictures import picture_file
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.tracing.traced_run import TracedRun

if typing.TYPE_CHECKING:
    from cli.pictures.access_picture import Choice  # imported only to draw a picture

USAGE = "[--picture FILE.png|FILE.svg [--line N[:COLUMN]] [--columns N]]"
DETAILS = """
--picture FILE draws one kernel: for each access the request of one warp, with the sectors or banks that its lanes
access. A map shows the thread that accesses each element first. The kernel is the one with the costliest access;
--line N, or N:COLUMN, selects the accesses at this line of the source. If the accesses do not show the row length
of a matrix, or you want a different one, --columns N sets it.
"""


@dataclass(frozen=True)
class Picture:
    """The file to write, and the accesses to draw."""

    file: Path
    choice: Choice | None
    columns: int | None

    @property
    def environment(self) -> dict[str, str]:
        """Variables for the traced program, so that the report has the threads that accessed each element."""
        columns = {"CUDA_SIMULATOR_COLUMNS": str(self.columns)} if self.columns else {}
        return {"CUDA_SIMULATOR_ELEMENTS": "1", **columns}

    def draw(self, traced: TracedRun) -> None:
        """Raises WorkbookError if there is nothing to draw."""
        from cli.pictures.access_picture import draw_accesses

        program = " ".join([traced.outcome.program.removesuffix("_inspect"), *traced.options])
        picture_file.write(self.file, draw_accesses(traced.report, self.choice, program))
        say(f"\nThe picture is in {self.file}.")


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--picture", metavar="FILE", type=Path)
    parser.add_argument("--line", metavar="N[:COLUMN]")
    parser.add_argument("--columns", metavar="N")


def wanted_picture(parsed: argparse.Namespace) -> Picture | None:
    """Raises UsageError for invalid options, and MissingToolError, so call it before any work."""
    if parsed.picture is None:
        if parsed.line is not None:
            raise UsageError("--line needs a picture: add --picture FILE.svg.")
        if parsed.columns is not None and parsed.html is None:
            raise UsageError("--columns needs a picture or a page: add --picture FILE.svg or --html page.html.")
    if parsed.columns is not None and not (parsed.columns.isdecimal() and int(parsed.columns) > 0):
        raise UsageError(f"--columns takes an integer of at least 1, not '{parsed.columns}'.")
    if parsed.picture is None:
        return None
    from cli.pictures.access_picture import parse_choice

    picture = Picture(
        parsed.picture,
        parse_choice(parsed.line) if parsed.line is not None else None,
        int(parsed.columns) if parsed.columns is not None else None,
    )
    picture_file.prepare(picture.file)
    return picture
