"""The options of a command that writes a page to step through, and writing it."""

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
--html FILE.html writes a page in which you step through a block of the kernel, request by request: which lanes of
a warp act, what of global and shared memory they touch, what moves, where a barrier holds them, and how a race
comes about. It is one file and needs no network; open it in a browser. --against OTHER puts another program
beside it, traced with the same options, and prints its report too. Kept are the first block of each kernel, the
costliest one and those with a mistake, up to 10,000 steps of each.
"""


@dataclass(frozen=True)
class Page:
    """Where to, what to put beside, and when the command began."""

    file: Path
    against: str | None
    columns: str | None
    began_s: float

    @property
    def environment(self) -> dict[str, str]:
        """For the traced program: the report must have the steps, and how long the rows of a matrix are."""
        columns = {"CUDA_SIMULATOR_COLUMNS": self.columns} if self.columns else {}
        return {"CUDA_SIMULATOR_STEPS": "1", "CUDA_SIMULATOR_ELEMENTS": "1", **columns}

    def write(self, runs: list[TracedRun]) -> None:
        """Raises WorkbookError when it cannot."""
        from cli.stepping import page_file  # here, as few runs write a page
        from cli.stepping.page_data import page_data

        page_file.write(self.file, page_data(runs, self.began_s))
        say(f"\nThe page is in {self.file}. Open it in a browser.")


def add_options(parser: ArgumentParser) -> None:
    parser.add_argument("--html", metavar="FILE", type=Path)
    parser.add_argument("--against", metavar="TARGET|FILE.cu")


def wanted_page(parsed: argparse.Namespace) -> Page | None:
    """Raises UsageError for what cannot be written, so call it before any work, and after wanted_picture()."""
    if parsed.html is None:
        if parsed.against is not None:
            raise UsageError("--against says what to put beside a page: add --html page.html.")
        return None
    if parsed.html.suffix.lower() not in (".html", ".htm") and not parsed.html.is_dir():
        raise UsageError(f"--html writes a page, FILE.html, not '{parsed.html.name}'.")
    refuse_unwritable(parsed.html, "--html", "page.html")
    return Page(parsed.html, parsed.against, parsed.columns, time.time())
