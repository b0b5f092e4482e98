"""`./workbook check`"""

from __future__ import annotations

from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.errors import EXIT_BUILD_FAILED, EXIT_FAILED, EXIT_OK, UsageError, WorkbookError
from cli.exercises.attempt import Checked, check, check_and_record
from cli.exercises.course import current_exercise
from cli.exercises.lookup import all_exercises, find_exercise
from cli.exercises.starters import is_starter
from cli.running.runner import CPU_LIMIT_S, LIMIT_VARIABLE
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say, verdict
from cli.terminal.json_output import say_json, words_apart
from cli.terminal.markdown import verdicts_page
from cli.workbook import Workbook
from grading.check_result import CheckResult, Outcome, findings_as_json

SUMMARY = "test your answer to an exercise, and explain what is wrong"
USAGE = "check [EXERCISE|CHAPTER] [--file FILE.cu] [--begun] [--summary FILE.md] [--json]"
DETAILS = f"""
Runs your file, chapters/.../exN_name.cu, never the reference answer: all tests of the chapter in the simulator, with
the blocks in order and in reverse; then it counts what the goals of the exercise are about. With a GPU the tests run
there too. For a failure it shows which element is wrong, what was expected, what the wrong ones have in common, and a
hint that fits; './workbook hint EXERCISE' gives the next one. What you have solved is kept in progress.csv.
Without a name it checks the exercise that './workbook next' names.

It stops a test program after {CPU_LIMIT_S:g} s of processor time, or after {5 * CPU_LIMIT_S:g} s if it waits. To allow
more, set {LIMIT_VARIABLE}=120.

--file FILE.cu checks another file in place of yours, and records nothing.
--begun checks every exercise that is no longer as it was given, of the chapter or of all.
--summary FILE.md adds the verdicts, and what is wrong, to a page of Markdown.
--json prints an object for other programs (docs/json.md); what a person reads goes to the standard error.

The exit code is 0 if the answer passes, 4 if it does not compile, and else 1.

  ./workbook check ch3_ex2
  ./workbook check ch3_ex2 --file ~/my_swizzle.cu
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("check", USAGE)
    parser.add_argument("exercise", nargs="?")
    parser.add_argument("--file", metavar="FILE.cu", type=Path)
    parser.add_argument("--begun", action="store_true")
    parser.add_argument("--summary", metavar="FILE.md", type=Path)
    parser.add_argument("--json", action="store_true")
    parsed = parser.parse_args(arguments)
    if parsed.begun and parsed.file:
        raise UsageError("--begun checks your own files, and --file another one: give one of them.")
    exercises = _exercises(parsed.exercise, parsed.begun, parsed.file, workbook)
    with words_apart(parsed.json):
        if isinstance(exercises, Program):
            checked = [(exercises, _check_one(exercises, parsed.file, workbook))]
            code = _exit_code(checked[0][1].result)
        else:
            code, checked = _check_all(exercises, workbook)
    if parsed.summary:
        with parsed.summary.open("a", encoding="utf-8", errors="replace") as page:
            page.write(verdicts_page((exercise.target, one.result.outcome.value, one.text) for exercise, one in checked))
    if parsed.json:
        say_json({"exercises": [_as_json(exercise, one, workbook) for exercise, one in checked]})
    return code


def _exercises(name: str | None, begun: bool, file: Path | None, workbook: Workbook) -> Program | list[Program]:
    """What is to be checked: one exercise, or several. Raises UsageError for what is none."""
    found = workbook.catalogue.find(name) if name else None
    if begun:
        if found and not isinstance(found, Chapter):
            raise UsageError(f"--begun is about a chapter, or about all, and '{name}' is neither.")
        exercises = found.of_kind("exercise") if found else all_exercises(workbook)
        return [one for one in exercises if one.source.is_file() and not is_starter(one, workbook)]
    if isinstance(found, Chapter) and not file:
        return found.of_kind("exercise")
    return find_exercise(name or current_exercise(workbook).target, workbook)


def _check_one(exercise: Program, file: Path | None, workbook: Workbook) -> Checked:
    if not file:
        say(f"Checking {workbook.shown(exercise.source)}")
        return check_and_record(exercise, workbook)
    if not file.is_file():
        raise UsageError(f"There is no file '{file}'. The current folder is {Path.cwd()}.")
    say(f"Checking {file} as {exercise.target}")
    checked = check(exercise, workbook, file)
    checked.say()
    return checked


def _check_all(exercises: list[Program], workbook: Workbook) -> tuple[int, list[tuple[Program, Checked]]]:
    """The exit code, and those that could be checked."""
    if not exercises:
        say("No exercise has been begun: all are as they were given.")
        return EXIT_OK, []
    checked = []
    for exercise in exercises:
        say(f"\nChecking {workbook.shown(exercise.source)}")
        try:
            checked.append((exercise, check_and_record(exercise, workbook)))
        except WorkbookError as error:
            complain(str(error))
    passed = sum(one.result.passed for _, one in checked)
    all_pass = passed == len(exercises)
    say("\n" + verdict(all_pass, f"{passed} of {len(exercises)} exercises pass."))
    return (EXIT_OK if all_pass else EXIT_FAILED), checked


def _as_json(exercise: Program, checked: Checked, workbook: Workbook) -> dict[str, object]:
    result = checked.result
    return {
        "exercise": exercise.target,
        "file": workbook.shown(result.file),
        "passed": result.passed,
        "verdict": result.outcome.value,
        "text": checked.text,
        "seconds": round(result.duration_s, 1),
        **findings_as_json(result),
    }


def _exit_code(result: CheckResult) -> int:
    if result.outcome is Outcome.NOT_BUILT:
        return EXIT_BUILD_FAILED
    return EXIT_OK if result.passed else EXIT_FAILED
