"""The options of a command that writes a page for stepping, and the call that writes it."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

from cli.errors import UsageError
from cli.pictures.output_file import refuse_unwritable
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.tracing.traced_run import TracedRun

USAGE = "[--html FILE.html [--against TARGET|FILE.cu]]"
DETAILS = """
--html FILE.html writes a page that steps through a block of the kernel, request by request. It shows the active
lanes of each warp and the elements of global and shared memory that they access. It also shows the transferred
sectors, the barriers, and the two accesses of a race. The page is one file and needs no network; open it in a
browser. --against OTHER shows another program next to it, traced with the same options, and prints its report too.
The page has the first block of each kernel, the costliest one and those with an error, up to 10,000 steps of each.
"""


@dataclass(frozen=True)
class Page:
    """The file to write, the program to compare with, and the start time of the command."""

    file: Path
    against: str | None
    columns: str | None
    began_s: float

    @property
    def environment(self) -> dict[str, str]:
        """Variables for the traced program, so that the report has the steps and the row lengths of matrices."""
        columns = {"CUDA_SIMULATOR_COLUMNS": self.columns} if self.columns else {}
        return {"CUDA_SIMULATOR_STEPS": "1", "CUDA_SIMULATOR_ELEMENTS": "1", **columns}

    def write(self, runs: list[TracedRun]) -> None:
        """Raises WorkbookError if the page cannot be written."""
        from cli.stepping import page_file  # imported here because few runs write a page
        from cli.stepping.page_data import page_data

        page_file.write(self.file, page_data(runs, self.began_s))
        say(f"\nThe page is in {self.file}. Open it in a browser.")


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--html", metavar="FILE", type=Path)
    parser.add_argument("--against", metavar="TARGET|FILE.cu")


def wanted_page(parsed: argparse.Namespace) -> Page | None:
    """Raises UsageError if the page cannot be written, so call it before any work, and after wanted_picture()."""
    if parsed.html is None:
        if parsed.against is not None:
            raise UsageError("--against needs a page: add --html page.html.")
        return None
    if parsed.html.suffix.lower() not in (".html", ".htm") and not parsed.html.is_dir():
        raise UsageError(f"--html writes a page, FILE.html, not '{parsed.html.name}'.")
    refuse_unwritable(parsed.html, "--html", "page.html")
    return Page(parsed.html, parsed.against, parsed.columns, time.time())
