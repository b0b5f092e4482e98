"""`./workbook check`"""

from __future__ import annotations

from pathlib import Path

from cli.catalogue import Chapter
from cli.errors import EXIT_BUILD_FAILED, EXIT_FAILED, EXIT_OK, UsageError, WorkbookError
from cli.exercises.attempt import check, check_and_record
from cli.exercises.check_result import CheckResult, Outcome
from cli.exercises.course import current_exercise
from cli.exercises.lookup import find_exercise
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say
from cli.workbook import Workbook

SUMMARY = "build and test your answer to an exercise, or to all of a chapter, and say what is wrong"
USAGE = "check [EXERCISE|CHAPTER] [--file FILE.cu]"
DETAILS = """
Runs your file, chapters/.../exN_name.cu, never the reference answer: all tests of the chapter in the simulator, with
the blocks in order and in reverse; then it counts what the goals of the exercise are about. With a GPU the tests run
there too. Of a failure it says which element is wrong, what was expected, what the wrong ones have in common, and a
hint that fits; './workbook hint EXERCISE' gives the next one. What you have solved is kept in progress.csv.
Without a name it checks the exercise that './workbook next' names.

--file FILE.cu checks another file in place of yours, and records nothing.

The exit code is 0 if the answer passes, 4 if it does not compile, and else 1.

  ./workbook check ch3_ex2
  ./workbook check ch3_ex2 --file ~/my_swizzle.cu
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("check", USAGE)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("--file", metavar="FILE.cu", type=Path)
    parsed = parser.parse_args(arguments)
    name = parsed.exercise or current_exercise(workbook).target
    found = workbook.catalogue.find(name)
    if isinstance(found, Chapter) and not parsed.file:
        return _check_chapter(found, workbook)
    exercise = find_exercise(name, workbook)
    if parsed.file:
        if not parsed.file.is_file():
            raise UsageError(f"There is no file '{parsed.file}'. The current folder is {Path.cwd()}.")
        say(f"Checking {parsed.file} as {exercise.target}")
        checked = check(exercise, workbook, parsed.file)
        say(checked.text)
        return _exit_code(checked.result)
    say(f"Checking {workbook.shown(exercise.source)}")
    return _exit_code(check_and_record(exercise, workbook))


def _check_chapter(chapter: Chapter, workbook: Workbook) -> int:
    passed = []
    for exercise in chapter.of_kind("exercise"):
        say(f"\nChecking {workbook.shown(exercise.source)}")
        try:
            passed.append(check_and_record(exercise, workbook).passed)
        except WorkbookError as error:
            complain(str(error))
            passed.append(False)
    say(f"\n{sum(passed)} of {len(passed)} exercises pass.")
    return EXIT_OK if passed and all(passed) else EXIT_FAILED


def _exit_code(result: CheckResult) -> int:
    if result.outcome is Outcome.NOT_BUILT:
        return EXIT_BUILD_FAILED
    return EXIT_OK if result.passed else EXIT_FAILED
