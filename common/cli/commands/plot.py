"""`./workbook plot`"""

from __future__ import annotations

from pathlib import Path

from cli.errors import EXIT_FAILED, EXIT_OK
from cli.machine.python_packages import Packages, install_packages
from cli.machine.tools import PLOT_ENVIRONMENT, python_with_matplotlib
from cli.running.children import run_child
from cli.terminal.arguments import ArgumentParser
from cli.workbook import Workbook

SUMMARY = "draw a chapter's measurements"
USAGE = "plot CHAPTER [--results FILE]"
DETAILS = f"""
Draws the measurements of plots/results/<gpu> and, below them, those of your own GPU if './workbook bench CHAPTER' has
written them. The picture (.png) is in build/results. --results FILE draws only the measurements in that file, and the
picture is next to it.

The plots need matplotlib. If your Python does not have it, the first plot downloads it into {PLOT_ENVIRONMENT}.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("plot", USAGE)
    parser.add_argument("chapter")
    parser.add_argument("--results", metavar="FILE")
    parsed = parser.parse_args(arguments)
    chapter = workbook.catalogue.find_chapter(parsed.chapter)
    python = python_with_matplotlib(workbook.root) or install_packages(_packages(workbook.root), workbook.root)
    command = [str(python), str(workbook.root / "plots/plot_chapter.py"), chapter.name]
    command += ["--results", parsed.results] if parsed.results else ["--own"]
    return EXIT_OK if run_child(command, shares_terminal=True).returncode == 0 else EXIT_FAILED


def _packages(root: Path) -> Packages:
    return Packages(
        command="plot",
        names="matplotlib",
        folder=root / PLOT_ENVIRONMENT,
        requirements=root / "plots/requirements.txt",
        instead="Without it, you can open the measurements in a spreadsheet: build/results/*.csv and plots/results/<gpu>/*.csv.",
    )
