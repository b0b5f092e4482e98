"""`workbook check_goals`: a test of the build tree that checks a reference answer."""

from __future__ import annotations

from pathlib import Path

from cli.checking.check import count_goals
from cli.checking.check_result import CheckResult, Outcome
from cli.checking.check_text import explain
from cli.checking.sheet import read_sheet
from cli.errors import EXIT_FAILED, EXIT_OK
from cli.running.children import temporary_folder
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import prose_columns, say, verdict
from cli.workbook import Workbook

SUMMARY = ""
USAGE = "check_goals SHEET.md TRACED_PROGRAM"
DETAILS = """
Counts the memory accesses of a traced program, and reports the goals in SHEET.md that they miss. The exit code is 1 if
a goal is missed. Without goals it succeeds.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("check_goals", USAGE)
    parser.add_argument("sheet", type=Path)
    parser.add_argument("program", type=Path)
    parsed = parser.parse_args(arguments)
    with temporary_folder() as folder:
        goals = read_sheet(parsed.sheet).goals
        result = count_goals(CheckResult(parsed.program, Outcome.PASSED), parsed.program, goals, folder)
    if not result.passed:
        name = parsed.program.name
        text = explain(result, name, name.replace("_inspect", ""), columns=prose_columns())
        say(verdict(False, text))
    return EXIT_OK if result.passed else EXIT_FAILED
