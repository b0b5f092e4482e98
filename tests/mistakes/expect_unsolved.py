"""Passes if the tests of an exercise reject it as it is shipped, for the reasons in a table.

Usage: expect_unsolved.py TEST_PROGRAM EXERCISE.cu REASONS.csv

REASONS.csv has lines of `file,reason`, a regular expression in which `.` stands for a line's end too.
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from mistakes.rejection import Unacceptable, expect_rejection


def read_reasons(exercise: str, table: Path) -> list[re.Pattern[str]]:
    with table.open(encoding="utf-8", newline="") as file:
        reasons = [row[1] for row in csv.reader(file) if len(row) == 2 and row[0] == exercise]
    if not reasons:
        raise Unacceptable(f"{table.name} has no line '{exercise},<regular expression>'.")
    for reason in reasons:
        try:
            if re.search(reason, ""):
                raise Unacceptable(f"{table.name}: any output holds the reason '{reason}' for {exercise}.")
        except re.error as error:
            raise Unacceptable(f"{table.name}: '{reason}' is no regular expression: {error}.") from error
    return [re.compile(reason, re.DOTALL) for reason in reasons]


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program, exercise, table = map(Path, arguments)
    try:
        print(expect_rejection(program, exercise.name, read_reasons(exercise.name, table)))
    except Unacceptable as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
