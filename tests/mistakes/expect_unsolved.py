"""Passes if the tests of an exercise reject it as it is shipped, for the reasons in its sheet.

Usage: expect_unsolved.py TEST_PROGRAM EXERCISE.cu SHEET.md
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "tests")]

from cli.errors import WorkbookError
from cli.exercises.sheet import read_sheet
from cli.mistakes.reasons import compile_reason
from mistakes.rejection import Unacceptable, expect_rejection


def read_reasons(sheet: Path) -> list[re.Pattern[str]]:
    reasons = read_sheet(sheet).reasons
    if not reasons:
        raise Unacceptable(f"{sheet.name} has no reason under '## Rejected by'.")
    try:
        return [compile_reason(reason) for reason in reasons]
    except ValueError as error:
        raise Unacceptable(f"{sheet.name}: {error}") from error


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program, exercise, sheet = map(Path, arguments)
    try:
        print(expect_rejection(program, exercise.name, read_reasons(sheet)))
    except (Unacceptable, WorkbookError) as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
