"""The site that Sphinx builds from the book's Markdown, in the build tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import processor_count
from cli.errors import WorkbookError
from cli.running.children import GRACE_S, child
from cli.terminal.phases import Phase
from cli.workbook import Workbook

_THEME = Path(__file__).resolve().parent / "theme"
_PERCENT = re.compile(r"\[\s*(\d+)%\]")
_LAST_LINES = 20


@dataclass(frozen=True)
class Book:
    """The folders of the book."""

    folder: Path

    @property
    def environment(self) -> Path:
        return self.folder / "venv"

    @property
    def source(self) -> Path:
        return self.folder / "source"

    @property
    def steps(self) -> Path:
        return self.folder / "steps"

    @property
    def site(self) -> Path:
        return self.folder / "html"


def book_of(workbook: Workbook) -> Book:
    return Book(workbook.root / "build/book")


def make_site(book: Book, python: Path) -> list[str]:
    """Runs Sphinx and returns its warnings. Raises WorkbookError, with Sphinx's output, if it fails."""
    jobs = str(processor_count())
    command = [
        str(python),
        "-m",
        "sphinx",
        "-b",
        "html",
        "-j",
        jobs,
        "-c",
        str(_THEME),
        "-d",
        str(book.folder / "doctrees"),
    ]
    values = str(book.source / "book.json")
    settings = {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1", "WORKBOOK_BOOK_VALUES": values}
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    lines = []
    with Phase("Building the book") as phase, child(
        [*command, str(book.source), str(book.site)], GRACE_S, env={**os.environ, **settings}, **streams
    ) as process:
        for line in process.stdout or ():
            lines.append(line.rstrip())
            percent = _PERCENT.search(line)
            if percent:
                phase.at(f"{percent[1]} %")
        process.wait()
    if process.returncode != 0:
        raise WorkbookError(
            "\n".join(lines[-_LAST_LINES:]) + "\n\nSphinx could not build the book; its output is above."
        )
    return [line for line in lines if "WARNING:" in line or "ERROR:" in line]


def put_steps_beside(book: Book, are_wanted: bool) -> None:
    """Copies the pages for stepping into the site, or removes them from it."""
    place = book.site / book.steps.name
    shutil.rmtree(place, ignore_errors=True)
    if are_wanted and book.steps.is_dir():
        shutil.copytree(book.steps, place)
