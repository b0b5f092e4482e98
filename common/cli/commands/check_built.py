"""`workbook check_built`: `make ch3_ex2_check` runs it on the programs that make has built from an answer."""

from __future__ import annotations

from pathlib import Path

from cli.checking.answer_build import Programs
from cli.checking.check import check_programs
from cli.checking.check_text import explain
from cli.checking.sheet import read_sheet
from cli.errors import EXIT_FAILED, EXIT_OK
from cli.running.children import temporary_folder
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import prose_columns, say, verdict
from cli.workbook import Workbook

SUMMARY = ""
USAGE = "check_built ANSWER.cu TEST_PROGRAM [--goals SHEET.md TRACED_PROGRAM | --sanitizer PROGRAM]"
DETAILS = """
'./workbook check' on programs that are already built, without hints and without a record. ANSWER.cu appears only in the
messages. A simulator build gives --goals, the goals of the exercise's sheet; a CUDA build can give compute-sanitizer.
The exit code is 1 if the answer fails.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("check_built", USAGE)
    parser.add_argument("answer", type=Path)
    parser.add_argument("tests", type=Path)
    parser.add_argument("--goals", nargs=2)
    parser.add_argument("--sanitizer", type=Path)
    parsed = parser.parse_args(arguments)
    say(f"Testing your answer, {parsed.answer}")
    sheet, traced = parsed.goals or (None, None)
    goals = read_sheet(Path(sheet)).goals if sheet else ()
    programs = Programs(parsed.tests, Path(traced) if traced else None, parsed.sanitizer)
    with temporary_folder() as folder:
        result = check_programs(parsed.answer, programs, goals, folder)
    target = parsed.tests.name.replace("_test", "")
    say(verdict(result.passed, explain(result, str(parsed.answer), target, columns=prose_columns())))
    if not result.passed:
        say(f"For an explanation and hints: ./workbook check {target}")
    return EXIT_OK if result.passed else EXIT_FAILED
