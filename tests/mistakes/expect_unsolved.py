"""Passes if the unsolved exercise is rejected as its sheet states.

Usage: expect_unsolved.py TEST_PROGRAM EXERCISE.cu SHEET.md [TRACED_PROGRAM]

Either its tests reject it, for the reasons in the sheet. Or they accept it because its result is correct, and the
traced program misses goals of the sheet: then its counts must be those in the column `starter`.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "tests")]

from cli.checking.check import count_goals
from cli.checking.check_result import CheckResult, Outcome
from cli.checking.sheet import read_sheet
from cli.errors import WorkbookError
from cli.mistakes.reasons import Reason, read_reason
from cli.running.children import temporary_folder
from mistakes.rejection import Accepted, Unacceptable, expect_rejection


def read_reasons(sheet: Path) -> list[Reason]:
    reasons = read_sheet(sheet).reasons
    if bool(reasons) == _has_counts(sheet):
        raise Unacceptable(f"{sheet.name} needs reasons under '## Rejected by' or, instead, a column `starter`.")
    try:
        return [read_reason(reason) for reason in reasons]
    except ValueError as error:
        raise Unacceptable(f"{sheet.name}: {error}") from error


def _has_counts(sheet: Path) -> bool:
    return any(goal.starter is not None for goal in read_sheet(sheet).goals)


def expect_missed_goals(traced: Path, name: str, sheet: Path) -> str:
    """A line with the missed goals. Raises Unacceptable."""
    goals = read_sheet(sheet).goals
    with temporary_folder() as folder:
        result = count_goals(CheckResult(traced, Outcome.PASSED), traced, goals, folder)
    if result.passed:
        raise Unacceptable(f"The tests accept {name}, and it reaches its goals: it is solved.")
    if result.outcome is not Outcome.GOAL_MISSED:
        raise Unacceptable(f"{name}: its accesses could not be counted: {result.outcome.value}.\n{result.words}")
    missed = "\n".join(goal.words() for goal in result.goals if not goal.is_met)
    counts = [math.inf if goal.counted is None else goal.counted for goal in result.goals[: len(goals)]]
    if any(goal.starter is None or f"{goal.starter:.9g}" != f"{count:.9g}" for goal, count in zip(goals, counts)):
        column = ", ".join(f"{count:.10g}" for count in counts).replace("inf", "none")
        raise Unacceptable(f"{sheet.name}: the column `starter` of the goals must be {column}.\n{missed}")
    return f"{name}: the result is correct, and goals are missed by the recorded counts:\n{missed}"


def main(arguments: list[str]) -> int:
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    program, exercise, sheet, *traced = map(Path, arguments)
    try:
        try:
            print(expect_rejection(program, exercise.name, read_reasons(sheet)))
            if _has_counts(sheet):
                raise Unacceptable(f"{sheet.name}: the tests reject {exercise.name}, so a column `starter` is wrong.")
        except Accepted:
            if not traced:
                raise
            print(expect_missed_goals(traced[0], exercise.name, sheet))
    except (Unacceptable, WorkbookError) as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
