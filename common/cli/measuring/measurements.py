"""The data of a benchmark: its sizes, the output of its programs, and the file with its rows."""

from __future__ import annotations

import csv
import datetime
import io
import os
import statistics
from pathlib import Path

from cli.errors import UsageError, WorkbookError
from cli.machine.tools import output_of
from cli.measuring.units import RATE_UNITS
from cli.terminal.console import table

PROVENANCE_COLUMNS = ("round", "commit", "date")

Size = tuple[str, ...]
Row = dict[str, str]


def read_sizes(sizes_file: Path) -> tuple[list[str], list[Size]]:
    """The program options (rows, cols) and the sizes to pass them. Raises WorkbookError when a line does not fit."""
    try:
        lines = [line for line in csv.reader(sizes_file.read_text(encoding="utf-8").splitlines()) if line]
    except OSError as error:
        raise WorkbookError(f"This chapter has no benchmark: {sizes_file} is missing ({error.strerror}).") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise WorkbookError(f"{sizes_file} cannot be read as CSV: {error}.") from error
    options = [name.strip() for name in lines[0]] if lines else []
    sizes = [tuple(value.strip() for value in line) for line in lines[1:]]
    if not options or not sizes or any(len(size) != len(options) for size in sizes):
        raise WorkbookError(f"{sizes_file}: needs a header with option names, then one size per line.")
    return options, sizes


def usual_options(size_file: Path) -> list[str]:
    """The options in a chapter's inspect_size.csv; none without that file."""
    if not size_file.is_file():
        return []
    names, sizes = read_sizes(size_file)
    return [word for name, value in zip(names, sizes[0]) for word in (f"--{name}", value)]


def parse_sizes(texts: list[str], options: list[str]) -> list[Size]:
    """Sizes as typed: "8192x4096" or, separated by commas, several. Raises UsageError for anything else."""
    sizes = []
    for text in ",".join(texts).split(","):
        size = tuple(text.strip().lower().split("x"))
        if len(size) != len(options) or not all(value.isdigit() and int(value) > 0 for value in size):
            example = "x".join(["4096"] * len(options))
            raise UsageError(f"'{text}' is not a size: write {' x '.join(options)} as {example}.")
        sizes.append(size)
    return sizes


def parse_program_output(output: str) -> list[Row]:
    """The CSV output of a program. Raises WorkbookError if it does not have a header and at least one full row."""
    try:
        rows = list(csv.DictReader(io.StringIO(output.strip()), skipinitialspace=True))
    except csv.Error:
        rows = []
    if not rows or any(None in row or None in row.values() for row in rows):
        raise WorkbookError("printed no table of measurements")
    return rows


def write_rows(output_file: Path, rows: list[Row]) -> None:
    """Replaces the file. The columns are in the order of their first occurrence, provenance last. Raises OSError."""
    present = dict.fromkeys(column for row in rows for column in row)
    columns = [column for column in present if column not in PROVENANCE_COLUMNS]
    columns += [column for column in PROVENANCE_COLUMNS if column in present]
    output_file.parent.mkdir(parents=True, exist_ok=True)
    with output_file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def commit_name(root: Path) -> str:
    """The short hash, with -dirty for changed files; without git, WORKBOOK_COMMIT or "unknown"."""
    git = ["git", "-C", str(root)]
    commit = output_of([*git, "rev-parse", "--short", "HEAD"])
    if not commit:
        return os.environ.get("WORKBOOK_COMMIT", "unknown")
    changes = output_of([*git, "status", "--porcelain", "--untracked-files=no"])
    return commit.strip() + ("-dirty" if changes else "")


def today() -> str:
    return datetime.date.today().isoformat()


def summary(rows: list[Row], options: list[str]) -> str:
    """A table of medians over the rounds for each program and size, with the range of the ratio to the ceiling."""
    ms_column = "median_ms"
    ratio_column = ratio_column_of(rows[0])
    rate_columns = [column for column in rows[0] if column.startswith(tuple(RATE_UNITS))]
    shown_columns = [column for column in (ms_column, *rate_columns) if column in rows[0]]
    lines = [["program", " x ".join(options), *shown_columns, *([ratio_column, "min..max"] if ratio_column else [])]]

    groups: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((*(row[option] for option in options), row["program"]), []).append(row)
    for (*size, program), group in groups.items():
        cells = [program, " x ".join(size)]
        cells += [significant(median_of_rounds(group, column)) for column in shown_columns]
        if ratio_column:
            of_group = ratio_column_of(group[0]) or ratio_column
            ratios = _numbers(group, of_group)
            own = "" if of_group == ratio_column else f" ({of_group})"
            cells += [f"{median_of_rounds(group, of_group):.3f}{own}", f"{min(ratios):.3f}..{max(ratios):.3f}"]
        lines.append(cells)
    return table(lines, set(range(1, len(lines[0]))))


def ratio_column_of(row: Row) -> str | None:
    """The column with the ratio to the ceiling that was measured together with this program."""
    return next((column for column, value in row.items() if column.startswith("ratio_to_") and value), None)


def median_of_rounds(rows: list[Row], column: str) -> float:
    """The median of a column of one program at one size, a row per round. Raises WorkbookError if it has no numbers."""
    return statistics.median(_numbers(rows, column))


def size_columns(columns: list[str]) -> list[str]:
    """The columns between the program's name and its first result: the sizes, with the chapter's names for them."""
    return columns[columns.index("program") + 1 : columns.index("median_ms")]


def _numbers(rows: list[Row], column: str) -> list[float]:
    try:
        return [float(row[column]) for row in rows]
    except (ValueError, KeyError) as error:
        raise WorkbookError(
            f"The column {column} of {rows[0].get('program')} contains a value that is not a number."
        ) from error


def significant(value: float, digits: int = 4) -> str:
    """With this number of digits, and without an exponent from 1000 on."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.{digits}g}"
