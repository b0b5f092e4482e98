"""Passes if the unsolved exercise is rejected for the reasons in its sheet.

Usage: expect_unsolved.py TEST_PROGRAM EXERCISE.cu SHEET.md [TRACED_PROGRAM]

Either its tests reject it. Or they accept it because its result is correct, and the traced program misses goals of the
sheet: then each reason must hold for a missed goal.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "tests")]

from cli.errors import WorkbookError
from grading.facts import facts_of
from cli.mistakes.reasons import Reason, holds, read_reason
from cli.running.children import temporary_folder
from grading.check import count_goals
from grading.check_result import CheckResult, Outcome
from grading.sheet import read_sheet
from mistakes.rejection import Accepted, Unacceptable, expect_rejection


def read_reasons(sheet: Path) -> list[Reason]:
    reasons = read_sheet(sheet).reasons
    if not reasons:
        raise Unacceptable(f"{sheet.name} has no reason under '## Rejected by'.")
    try:
        return [read_reason(reason) for reason in reasons]
    except ValueError as error:
        raise Unacceptable(f"{sheet.name}: {error}") from error


def expect_missed_goals(traced: Path, name: str, sheet: Path) -> str:
    """A line with the missed goals. Raises Unacceptable."""
    with temporary_folder() as folder:
        result = count_goals(CheckResult(traced, Outcome.PASSED), traced, read_sheet(sheet).goals, folder)
    if result.passed:
        raise Unacceptable(f"The tests accept {name}, and it reaches its goals: it is solved.")
    if result.outcome is not Outcome.GOAL_MISSED:
        raise Unacceptable(f"{name}: its accesses could not be counted: {result.outcome.value}.\n{result.words}")
    missed = "\n".join(goal.words() for goal in result.goals if not goal.is_met)
    for reason in read_reasons(sheet):
        if not holds(reason, facts_of(result)):
            facts = "\n".join(facts_of(result))
            raise Unacceptable(f"{name}: '{', '.join(reason)}' holds for no goal, but missed are:\n{missed}\n{facts}")
    return f"{name}: the result is correct, and goals are missed for the stated reason:\n{missed}"


def main(arguments: list[str]) -> int:
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    program, exercise, sheet, *traced = map(Path, arguments)
    try:
        try:
            print(expect_rejection(program, exercise.name, read_reasons(sheet)))
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
