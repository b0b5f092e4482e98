"""What `./workbook bench --core` shows: each stage on this GPU next to the H200, and which ones to look at."""

from __future__ import annotations

import csv
from pathlib import Path

from cli.errors import WorkbookError
from cli.measuring.measurements import Row, median_of_rounds, ratio_column_of, significant, size_columns
from cli.measuring.units import RATE_UNITS
from cli.terminal.console import table

_SHOWN_GAPS = 3
_DIGITS = 3
_NOTABLE_GAP = 0.8  # of the H200's share of its ceiling; rounds of one GPU differ by a few percent


def core_summary(rows: list[Row], reference_file: Path) -> str:
    """A table of the medians over the rounds, and a sentence on the stages whose share of the ceiling is far below the
    H200's: there this GPU needs something else. reference_file: the H200's rows; the file can be missing.
    """
    reference = _by_program(_read(reference_file))
    lines = [["stage", "size", "ms", "rate", "of the ceiling", "on the H200"]]
    gaps = []
    for program, group in _by_program(rows).items():
        here, there = _share(group), _share(reference.get(program, []))
        lines.append([program, _size(group[0]), significant(median_of_rounds(group, "median_ms"), _DIGITS), _rate(group), _two(here), _two(there)])
        if here is not None and there and here < _NOTABLE_GAP * there:
            gaps.append((here / there, program, here, there))
    words = [
        f"  {program} reaches {here:.2f} of its ceiling, and {there:.2f} on the H200."
        for _, program, here, there in sorted(gaps)[:_SHOWN_GAPS]
    ]
    advice = "\n".join(["Look at these first:", *words]) if words else ""
    if not advice and reference:
        advice = f"No stage is far below the H200's share of its ceiling (under {_NOTABLE_GAP} of it)."
    return "\n\n".join(filter(None, [table(lines, {2, 3, 4, 5}), advice]))


def speeds_of(rows: list[Row]) -> dict[str, str]:
    """By program, in words: the best rate among the sizes, the size and the GPU. Programs without a rate are left out."""
    speeds = {}
    for program, group in _by_program(rows).items():
        column = _rate_column(group[0])
        if column:
            sizes: dict[str, list[Row]] = {}
            for row in group:
                sizes.setdefault(_size(row), []).append(row)
            size, best = max(sizes.items(), key=lambda item: median_of_rounds(item[1], column))
            speeds[program] = f"{_rate(best)} at {size} on {best[0].get('device') or 'a GPU without a name'}"
    return speeds


def _by_program(rows: list[Row]) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["program"], []).append(row)
    return groups


def _read(file: Path) -> list[Row]:
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _size(row: Row) -> str:
    return " x ".join(row[column] for column in size_columns(list(row)) if row[column])


def _rate(group: list[Row]) -> str:
    column = _rate_column(group[0])
    return f"{significant(median_of_rounds(group, column), _DIGITS)} {RATE_UNITS[column]}" if column else ""


def _rate_column(row: Row) -> str | None:
    return next((column for column in RATE_UNITS if row.get(column)), None)


def _share(group: list[Row]) -> float | None:
    """Of the ceiling that was measured with it; None without one."""
    column = ratio_column_of(group[0]) if group else None
    try:
        return median_of_rounds(group, column) if column else None
    except WorkbookError:
        return None


def _two(share: float | None) -> str:
    return "" if share is None else f"{share:.2f}"
