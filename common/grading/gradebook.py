"""The gradebook or list of participants that a teacher exports from Moodle or Canvas as CSV, with the points filled in.

Canvas's first columns are Student, ID, SIS User ID, SIS Login ID and Section; assignments follow as "name (number)",
and there is a line "Points Possible". Moodle's heads depend on the site and its language. So no head is required: a
student's name is looked for in all cells of a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from cli.checking.plain_files import composed, read_table, table_text
from cli.errors import UsageError
from grading.marking import Marking, plain_points

_POINTS_POSSIBLE = "points possible"
_SHORT_NUMBER = re.compile(r"[\d.,]{0,3}")  # a grade, rather than an ID


def read_gradebook(file: Path) -> list[list[str]]:
    """Raises UsageError if it cannot be read, or has no line below the first."""
    rows = [row for row in read_table(file) if row]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise UsageError(f"{file} has no students: export the gradebook from Moodle or Canvas as CSV, with commas.")
    return [row + [""] * (len(rows[0]) - len(row)) for row in rows]


def filled(
    rows: list[list[str]],
    reports: Iterable[Mapping[str, Any]],
    marking: Marking,
    identities: Mapping[str, str] = MappingProxyType({}),
) -> tuple[str, list[str]]:
    """The text of the gradebook with the points, and the students for whom it has no line or several lines. rows: of
    read_gradebook. identities: the platform's numbers of students, by which a line is found before the name.
    """
    rows = [row[:] for row in rows]
    lines_of = _lines_by_name(rows)
    missing = []
    for report in reports:
        number = _plain(identities.get(report["student"], ""))
        lines = lines_of.get(number) if number else None
        lines = lines or lines_of.get(_plain(report["student"]), set())
        if len(lines) != 1:
            missing.append(f"{report['student']} ({'no line' if not lines else f'{len(lines)} lines'})")
            continue
        for graded in report["exercises"]:
            column = _column(rows, graded["exercise"])
            mark = marking.mark(report["student"], graded)
            rows[next(iter(lines))][column] = plain_points(mark.points)
            for row in rows[1:]:
                if row[0].strip().lower() == _POINTS_POSSIBLE:
                    row[column] = plain_points(mark.of)
    return table_text(rows), missing


def _column(rows: list[list[str]], exercise: str) -> int:
    """The exercise's column, such as "ch3_ex2" or "ch3_ex2 (1234)"; a new one if there is none."""
    head = re.compile(rf"\s*{re.escape(exercise)}(?: \(\d+\))?\s*", re.IGNORECASE)
    column = next((number for number, cell in enumerate(rows[0]) if head.fullmatch(cell)), len(rows[0]))
    if column == len(rows[0]):
        for row in rows:
            row.append("")
        rows[0][column] = exercise
    return column


def _lines_by_name(rows: list[list[str]]) -> dict[str, set[int]]:
    """The lines in which each name appears: a cell, two adjacent cells (first and last name), a part of an address."""
    lines: dict[str, set[int]] = {}
    for number, row in enumerate(rows[1:], start=1):
        cells = [cell.strip() for cell in row]
        names = [cell for cell in cells if not _SHORT_NUMBER.fullmatch(cell)]
        for name in names[:]:
            last, comma, first = name.partition(", ")
            names += [f"{first} {last}"] if comma else []
            names += [name.partition("@")[0]] if "@" in name else []
            names += re.findall(r"\A[^\d@]+(\d+)\Z", name)  # Moodle: "Participant 12345"
        for first, last in zip(cells, cells[1:]):
            names += [f"{first} {last}", f"{last}, {first}"] if first and last else []
        for name in names:
            lines.setdefault(_plain(name), set()).add(number)
    return lines


def _plain(name: str) -> str:
    return composed(name.strip()).casefold()
