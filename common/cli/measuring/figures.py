"""Figures of a page, as expressions of committed data: measured results, and counts that the simulator checks.

    1000 * (listed_start 1000 x 25000000 median_ms - persistent 1000 x 25000000 median_ms) / 331
    naive global store requests / vectorized global store requests
    prefetched 256 x 64 x 1 global load sectors_per_request

A cell of the results is a program (with its chapter's name, unless the page belongs to the chapter), its sizes in the
order of the CSV's columns, and a column. Its value is the median over the rounds. `all` is the median over all programs
of the page's chapter, which is used for ceilings. A count is a row of the chapter's claims.csv: a stage, its options if
the stage has rows with several options, memory, operation and measure. `profile naive occupancy` is a figure of a
profiler, by its name in profile_<chapter>.csv. Cells and numbers can be joined by + - * / and parentheses.
"""

from __future__ import annotations

import ast
import csv
import operator
import re
from pathlib import Path

from cli.errors import WorkbookError
from cli.measuring.claims import Claim
from cli.measuring.measurements import median_of_rounds, size_columns

_CELL = re.compile(r"(?P<program>[a-z]\w*) (?P<sizes>\d+(?: x \d+)*) (?P<column>[a-z]\w*)")
_COUNT = re.compile(
    r"(?P<stage>[a-z]\w*) (?:(?P<sizes>\d+(?: x \d+)*) )?"
    r"(?P<memory>global|shared|kernel) (?P<operation>[a-z]+) (?P<measure>[a-z]\w*)"
)
_PROFILED = re.compile(r"profile (?P<program>[a-z]\w*) (?P<name>[a-z]\w*)")
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_ALL = "all"

Row = dict[str, str]


class FigureError(Exception):
    """The error in a figure, for the author of the page."""


class Results:
    """The rows of all chapters' results, by chapter."""

    def __init__(self, folder: Path) -> None:
        self._chapters: dict[str, list[Row]] = {}
        for file in sorted(folder.glob("ch*.csv")):
            with file.open(encoding="utf-8", newline="") as text:
                self._chapters[file.stem] = list(csv.DictReader(text))
        self._profiles: list[Row] = []
        for file in sorted(folder.glob("profile_*.csv")):
            with file.open(encoding="utf-8", newline="") as text:
                self._profiles += csv.DictReader(text)
        if not self._chapters:
            raise FigureError(f"{folder} holds no results of a chapter (ch*.csv).")

    def cell(self, page_chapter: str, program: str, sizes: str, column: str) -> float:
        """The median over the rounds. Raises FigureError if there is no such row or column."""
        rows = self._rows_of(page_chapter, program)
        columns = list(rows[0])
        names = size_columns(columns)
        measured = {" x ".join(row[name] for name in names) for row in rows}
        if sizes not in measured:
            raise FigureError(f"{program} was not measured at {sizes}, only at {', '.join(sorted(measured))}.")
        if column not in columns:
            raise FigureError(f"there is no column {column}, only {', '.join(columns)}.")
        rounds = [row for row in rows if " x ".join(row[name] for name in names) == sizes]
        try:
            return median_of_rounds(rounds, column)
        except WorkbookError as error:
            raise FigureError(f"the column {column} of {program} holds no numbers.") from error

    def profiled(self, page_chapter: str, program: str, name: str) -> float:
        """A profiler's figure for the program's last kernel. Raises FigureError if there is none."""
        programs = (program, f"{page_chapter}_{program}")
        values = [row["value"] for row in self._profiles if row["program"] in programs and row["name"] == name]
        if not values:
            raise FigureError(f"no profile has {name} of a program {program}.")
        return float(values[-1])

    def _rows_of(self, page_chapter: str, program: str) -> list[Row]:
        if program == _ALL and page_chapter in self._chapters:
            return self._chapters[page_chapter]
        names = (program, f"{page_chapter}_{program}")
        for rows in self._chapters.values():
            if found := [row for row in rows if row["program"] in names]:
                return found
        raise FigureError(f"there are no results of a program {program}.")


class Counts:
    """The rows of one chapter's claims.csv."""

    def __init__(self, claims: list[Claim]) -> None:
        self._claims = claims

    def value(self, stage: str, sizes: str | None, memory: str, operation: str, measure: str) -> float:
        """The one value of the rows of this kind, at these sizes if they are given. Raises FigureError otherwise."""
        kind = (stage, memory, operation, measure)
        found = {
            claim.value
            for claim in self._claims
            if (claim.stage, claim.memory, claim.operation, claim.measure) == kind
            and sizes in (None, " x ".join(claim.options[1::2]))
        }
        shown = " ".join(filter(None, (stage, sizes, memory, operation, measure)))
        if not found:
            raise FigureError(f"no row of claims.csv is about '{shown}'.")
        if len(found) > 1:
            raise FigureError(f"several rows of claims.csv are about '{shown}': write the sizes after the stage.")
        return found.pop()


def value_of(made_of: str, results: Results | None, page_chapter: str, counts: Counts | None = None) -> float:
    """The value of cells, counts (if they are given) and numbers joined by operators. Raises FigureError."""
    numbers = made_of
    if counts is not None:
        numbers = _COUNT.sub(lambda count: repr(counts.value(*count.groups())), numbers)
    if results is not None:
        numbers = _PROFILED.sub(lambda cell: repr(results.profiled(page_chapter, *cell.groups())), numbers)
        numbers = _CELL.sub(lambda cell: repr(results.cell(page_chapter, *cell.groups())), numbers)
    try:
        return _computed(ast.parse(numbers.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError) as error:
        raise FigureError(f"'{made_of}' cannot be computed: write cells as 'program sizes column'.") from error


def is_counted(made_of: str) -> bool:
    return _COUNT.search(made_of) is not None


def is_measured(made_of: str) -> bool:
    without_counts = _COUNT.sub("", made_of)
    return _CELL.search(without_counts) is not None or _PROFILED.search(without_counts) is not None


def _computed(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return float(_OPERATORS[type(node.op)](_computed(node.left), _computed(node.right)))
    raise SyntaxError
