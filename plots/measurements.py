"""Reads the CSV that `./workbook bench` writes: one row per program, size and round."""

from __future__ import annotations

import csv
import math
import statistics
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError
from cli.measuring.measurements import median_of_rounds
from cli.measuring.measurements import size_columns as size_columns_of
from cli.measuring.units import RATE_UNITS
from cli.old_names import read_old_names

ROOT = Path(__file__).resolve().parents[1]
Size = tuple[int, ...]

_REQUIRED_COLUMNS = ("program", "median_ms")
PRECISIONS = {"32": "float", "64": "double"}  # values of the column bits
_USUAL_BITS = "32"  # bits of a program without a choice, if other programs have one
_CHOICES = ("data", "backend", "threads")  # other columns that must be the same in all rows of a program
_ERRORS = ("max_error", "rms_error")
_RATIO_PREFIX = "ratio_to_"  # followed by the name of the ceiling that was measured with each program


class ResultsError(Exception):
    """A results file is missing or invalid; the message is for the user."""


@dataclass(frozen=True)
class Point:
    """One program at one size: medians over the rounds, and the slowest and fastest round."""

    rate: float
    slowest_rate: float
    fastest_rate: float
    share_of_ceiling: float
    median_ms: float
    ceiling: str  # the ceiling of share_of_ceiling: the common one, or the program's own
    max_error: float | None = None  # relative, as the program's chapter defines it; None if it was not measured
    rms_error: float | None = None


@dataclass(frozen=True)
class Measurements:
    file: Path
    chapter: str
    size_columns: tuple[str, ...]
    programs: tuple[str, ...]
    sizes: tuple[Size, ...]
    points: dict[tuple[str, Size], Point]
    elsewhere: dict[tuple[str, Size], Point]  # at sizes of only a few programs, such as those of a published document
    ceiling: str  # "copy", "read probe"
    ceiling_rate: dict[Size, float]
    unit: str  # unit of all rates: "GB/s", "TFLOP/s", "Gentry/s"
    precision: str  # "float", "double"; empty if programs have no choice
    rounds: int
    fewest_rounds: int
    device: str
    driver: str
    cuda: str
    commit: str
    date: str

    def rounds_text(self) -> str:
        """"one round", "3 rounds", "1 to 3 rounds"."""
        if self.rounds == 1:
            return "one round"
        fewest = f"{self.fewest_rounds} to " if self.fewest_rounds < self.rounds else ""
        return f"{fewest}{self.rounds} rounds"

    def provenance(self) -> str:
        return f"{self.device}, driver {self.driver}, CUDA {self.cuda}, commit {self.commit}, {self.date}"


def size_text(size: Size) -> str:
    return " x ".join(str(extent) for extent in size)


def newest_results(chapter: str, folders: list[Path]) -> Path:
    """The chapter's file with the latest date in it. Raises ResultsError if no folder has one."""
    candidates = [file for folder in folders for file in sorted(folder.glob(f"{chapter}.csv"))]
    if not candidates:
        searched = ", ".join(str(folder) for folder in folders) or "plots/results"
        raise ResultsError(f"No measurements of {chapter} in {searched}. On a GPU: ./workbook bench {chapter}")
    return max(candidates, key=lambda file: (read_measurements(file).date, file.stat().st_mtime))


def read_measurements(file: Path) -> Measurements:
    """The measurements in a file. Raises ResultsError if it is missing, has the wrong columns, or mixes several GPUs.

    If programs were measured with floats and with doubles, returns the first of read_each_precision().
    """
    return read_each_precision(file)[0]


def read_each_precision(file: Path) -> list[Measurements]:
    """The measurements for each value of the column bits: floats and doubles have different ceilings.

    Raises ResultsError as read_measurements() does.
    """
    try:
        rows = list(csv.DictReader(file.read_text(encoding="utf-8").splitlines()))
    except OSError as error:
        raise ResultsError(f"{file}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise ResultsError(f"{file} cannot be read as CSV: {error}.") from error
    if any(None in row or None in row.values() for row in rows):
        raise ResultsError(f"{file} has a line whose number of values differs from the number of columns.")
    if not rows:
        raise ResultsError(f"{file} has no measurements.")
    columns = list(rows[0])
    missing = [column for column in _REQUIRED_COLUMNS if column not in columns]
    if missing:
        raise ResultsError(f"{file} lacks the column {missing[0]}.")
    rate = next((column for column in RATE_UNITS if column in columns), None)
    if not rate:
        raise ResultsError(f"{file} lacks a column of rates: {' or '.join(RATE_UNITS)}.")
    ceiling = next((name[len(_RATIO_PREFIX) :] for name in columns if name.startswith(_RATIO_PREFIX)), None)
    if not ceiling or f"{ceiling}_{rate}" not in columns:
        raise ResultsError(f"{file} lacks the columns of a ceiling, such as copy_{rate} and ratio_to_copy.")
    if not all(map(_ceiling_of, rows)):
        raise ResultsError(f"{file} has a row without a share of a ceiling.")
    by_bits: dict[str, list[dict[str, str]]] = {}
    now_called = read_old_names(ROOT)
    for row in rows:
        row["program"] = now_called.get(row["program"], row["program"])
        by_bits.setdefault(row.get("bits") or _USUAL_BITS, []).append(row)
    size_columns = tuple(column for column in size_columns_of(columns) if column != "bits")
    try:
        return [_aggregate(file, by_bits[bits], size_columns, ceiling, rate) for bits in sorted(by_bits)]
    except (TypeError, ValueError, WorkbookError) as error:
        raise ResultsError(f"{file} has a text instead of a number: {error}") from error


def _aggregate(
    file: Path, rows: list[dict[str, str]], size_columns: tuple[str, ...], ceiling: str, rate: str
) -> Measurements:
    chapter = file.stem
    groups: dict[tuple[str, Size], list[dict[str, str]]] = {}
    for row in rows:
        size = tuple(int(row[column]) for column in size_columns)
        groups.setdefault((row["program"].removeprefix(f"{chapter}_"), size), []).append(row)
    for (program, size), group in groups.items():
        for choice in _CHOICES:
            if len(kinds := _values(group, choice)) > 1:
                raise ResultsError(f"{file} mixes {choice} of {program} at {size_text(size)}: {' and '.join(kinds)}.")
    sizes = _shared_sizes(list(groups))
    all_points = {key: _point(group, rate) for key, group in groups.items()}
    points = {key: point for key, point in all_points.items() if key[1] in sizes}
    ceilings = {
        size: statistics.median(
            float(row[f"{ceiling}_{rate}"])
            for key, group in groups.items()
            for row in group
            if key[1] == size and _ceiling_of(row) == ceiling
        )
        for size in sizes
    }
    return Measurements(
        file,
        chapter,
        size_columns,
        programs=tuple(dict.fromkeys(program for program, _ in points)),
        sizes=tuple(sizes),
        points=points,
        elsewhere={key: point for key, point in all_points.items() if key not in points},
        ceiling=ceiling.replace("_", " "),
        ceiling_rate=ceilings,
        unit=RATE_UNITS[rate],
        precision=PRECISIONS.get(rows[0].get("bits") or "", ""),
        rounds=max(len(group) for group in groups.values()),
        fewest_rounds=min(len(group) for group in groups.values()),
        device=_only_value(file, rows, "device"),
        driver=_only_value(file, rows, "driver"),
        cuda=_only_value(file, rows, "cuda"),
        commit=", ".join(_values(rows, "commit")),
        date=max(_values(rows, "date")),
    )


def _shared_sizes(measured: list[tuple[str, Size]]) -> list[Size]:
    """The sizes at which at least two in five of the programs were measured, in ascending order."""
    programs = {program for program, _ in measured}
    at = Counter(size for _, size in measured)
    return sorted((size for size, count in at.items() if 5 * count >= 2 * len(programs)), key=_elements)


def _ceiling_of(row: dict[str, str]) -> str:
    return next((name[len(_RATIO_PREFIX) :] for name in row if name.startswith(_RATIO_PREFIX) and row[name]), "")


def _point(group: list[dict[str, str]], rate: str) -> Point:
    ceiling = _ceiling_of(group[0])
    rates = [float(row[rate]) for row in group]
    errors = [max(map(float, values)) if all(values := [row.get(name) for row in group]) else None for name in _ERRORS]
    if not all(0 < value < math.inf for value in rates):
        raise ValueError(f"a rate of {min(rates)}")
    medians = [median_of_rounds(group, column) for column in (rate, _RATIO_PREFIX + ceiling, "median_ms")]
    return Point(medians[0], min(rates), max(rates), *medians[1:], ceiling.replace("_", " "), *errors)


def _elements(size: Size) -> int:
    product = 1
    for extent in size:
        product *= extent
    return product


def _only_value(file: Path, rows: list[dict[str, str]], column: str) -> str:
    values = _values(rows, column)
    if len(values) > 1:
        raise ResultsError(f"{file} mixes measurements with {column} {' and '.join(values)}; measure them separately.")
    return values[0]


def _values(rows: list[dict[str, str]], column: str) -> list[str]:
    return list(dict.fromkeys(row.get(column) or "unknown" for row in rows))
