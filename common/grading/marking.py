"""Points: parts of an exercise, deductions for late days, and marks that a teacher has written by hand.

    --weights FILE.csv            exercise,compiles,right,no_errors,error_handling,goals
                                  all,10,50,10,10,20
    --late FILE.csv               student,exercise,days
    REPORTS/manual.csv            student,exercise,points,comment
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cli.checking.check_result import PARTS
from cli.checking.plain_files import composed, cut, read_table, table_lines, text_cell
from cli.errors import UsageError

ALL = "all"  # a line for each exercise that has no line of its own
MANUAL_COLUMNS = ["student", "exercise", "points", "comment"]
LATE_COLUMNS = ["student", "exercise", "days"]

Weights = Mapping[str, Mapping[str, float]]  # exercise or ALL: the percentage of each part


@dataclass(frozen=True)
class Mark:
    """The points of one student for one exercise."""

    points: float
    of: float
    parts: tuple[tuple[str, float, float], ...] = ()  # name, points, the most points; empty without weights
    late_days: float = 0
    deduction: float = 0  # points that the late days cost
    is_manual: bool = False  # the teacher wrote the points
    comment: str = ""  # the teacher's


@dataclass(frozen=True)
class Marking:
    """How reports become points. The keys of late and manual are (student, exercise)."""

    points: float
    weights: Weights = field(default_factory=dict)
    late: Mapping[tuple[str, str], float] = field(default_factory=dict)
    per_day: float = 0  # percentage of an exercise's points
    manual: Mapping[tuple[str, str], tuple[float | None, str]] = field(default_factory=dict)

    def mark(self, student: str, graded: Mapping[str, Any]) -> Mark:
        """graded: an exercise of a report (NAME.json)."""
        exercise = graded["exercise"]
        shares = self.weights.get(exercise) or self.weights.get(ALL)
        parts: tuple[tuple[str, float, float], ...] = ()
        points = self.points if graded["passed"] else 0.0
        if shares:
            reached = graded.get("parts", {})
            most = {part: self.points * share / 100 for part, share in shares.items() if share}
            parts = tuple((part, of if reached.get(part) else 0.0, of) for part, of in most.items())
            points = math.fsum(given for _, given, _ in parts)
        days = self._of(self.late, student, exercise) or 0
        deduction = min(points, days * self.per_day / 100 * self.points)
        own, comment = self._of(self.manual, student, exercise) or (None, "")
        final = round(points - deduction if own is None else own, 2)
        return Mark(final, self.points, parts, days, round(deduction, 2), own is not None, comment)

    @staticmethod
    def _of(table: Mapping[tuple[str, str], Any], student: str, exercise: str) -> Any:
        return table.get((student, exercise), table.get((student, ALL)))


def read_weights(file: Path, exercises: Collection[str]) -> Weights:
    """Raises UsageError for a file that cannot be read, an unknown part or exercise, a negative share, and shares that
    do not add up to 100.
    """
    rows = read_table(file)
    parts = [cell.strip() for cell in rows[0]][1:] if rows else []
    if not parts or rows[0][0].strip() != "exercise":
        raise UsageError(f"{file}: the first line must be exercise,{','.join(PARTS)}, or fewer of these parts.")
    for part in parts:
        if part not in PARTS or parts.count(part) > 1:
            problem = f"'{cut(part)}' is not a part, or appears twice. The parts are {', '.join(PARTS)}."
            raise UsageError(f"{file}, line 1: {problem}")
    weights: dict[str, dict[str, float]] = {}
    for where, row in table_lines(file, rows):
        name, *cells = row
        if name not in (ALL, *exercises):
            raise UsageError(f"{where}: there is no exercise '{cut(name)}'. Write {ALL}, or a name such as ch3_ex2.")
        if name in weights:
            raise UsageError(f"{where}: {name} already has a line. Remove one of the lines.")
        weights[name] = {part: _number(cell or "0", where, part) for part, cell in zip(parts, cells)}
        total = math.fsum(weights[name].values())
        if abs(total - 100) > 0.01:
            problem = f"the shares of {name} add up to {total:g}, not to 100. They are percentages"
            raise UsageError(f"{where}: {problem}: change them by {100 - total:+g}.")
    return weights


def read_late_days(file: Path, students: Collection[str], exercises: Collection[str]) -> dict[tuple[str, str], float]:
    """Raises UsageError as read_weights does, and for an unknown student."""
    days: dict[tuple[str, str], float] = {}
    for where, (student, exercise, number) in table_lines(file, read_table(file, LATE_COLUMNS)):
        key = _key(where, student, exercise, students, (ALL, *exercises), days)
        days[key] = _number(number, where, "days")
    return days


def read_manual_marks(
    file: Path, students: Collection[str], exercises: Collection[str], points: float
) -> dict[tuple[str, str], tuple[float | None, str]]:
    """The points, None to keep the computed ones, and the comment. Raises UsageError as read_late_days does, and for
    more points than the exercise has.
    """
    marks: dict[tuple[str, str], tuple[float | None, str]] = {}
    for where, (student, exercise, given, comment) in table_lines(file, read_table(file, MANUAL_COLUMNS)):
        key = _key(where, student, exercise, students, exercises, marks)
        own = _number(given, where, "points") if given else None
        if own is not None and own > points:
            raise UsageError(f"{where}: {own:g} points of {points:g}. Correct the number, or give more --points.")
        marks[key] = (own, comment)
    return marks


def plain_points(points: float) -> str:
    """2.5, and 5 instead of 5.0."""
    return f"{round(points, 2):.10g}"


def _key(
    where: str,
    student: str,
    exercise: str,
    students: Collection[str],
    exercises: Collection[str],
    others: Collection[object],
) -> tuple[str, str]:
    # A name can also be written as in marks.csv: '=1+1
    named = {composed(shown.strip()): name for name in students for shown in (name, text_cell(name))}
    name = named.get(composed(student)) or named.get(composed(student.removeprefix("'")))
    if name is None:
        raise UsageError(f"{where}: there is no student '{cut(student)}'. Write the name as in marks.csv.")
    if exercise not in exercises:
        raise UsageError(f"{where}: '{cut(exercise)}' is not an exercise of this grading: {', '.join(exercises)}.")
    if (name, exercise) in others:
        raise UsageError(f"{where}: {cut(student)} already has a line for {exercise}. Remove one of the lines.")
    return name, exercise


def _number(text: str, where: str, what: str) -> float:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise UsageError(f"{where}: {what} must be a number from 0 up, not '{cut(text)}'.")
    return number
