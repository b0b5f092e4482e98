"""`./workbook plot`"""

from __future__ import annotations


from cli.errors import EXIT_FAILED, EXIT_OK, MissingToolError
from cli.machine.tools import ensure, is_present, python_with_matplotlib
from cli.running.children import run_child
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain
from cli.workbook import Workbook

SUMMARY = "draw a chapter's measurements"
USAGE = "plot CHAPTER [--results FILE]"
DETAILS = """
Draws the newest measurements of the chapter: your own in build/results, or those of plots/results/<gpu>. The
picture (.svg and .png) lies beside the file it was drawn from. --results FILE draws another file.
"""

_HOW_TO_INSTALL = """Or, without an administrator, in an environment of the workbook's own:
  python3 -m venv build/venv && build/venv/bin/pip install -r plots/requirements.txt"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("plot", USAGE)
    parser.add_argument("chapter")
    parser.add_argument("--results", metavar="FILE")
    parsed = parser.parse_args(arguments)
    chapter = workbook.catalogue.find_chapter(parsed.chapter)
    if not is_present("matplotlib"):
        try:
            ensure(["matplotlib"])
        except MissingToolError as error:
            # apt-get serves the system's own Python; another `python3` in PATH does not see what it installed.
            if str(error):
                complain("matplotlib was installed for the system's Python, but `python3` here is another one.")
            raise MissingToolError(_HOW_TO_INSTALL) from error
    command = [python_with_matplotlib() or "python3", str(workbook.root / "plots/plot_chapter.py"), chapter.name]
    if parsed.results:
        command += ["--results", parsed.results]
    return EXIT_OK if run_child(command, shares_terminal=True).returncode == 0 else EXIT_FAILED
