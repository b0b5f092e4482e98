"""Measured figures in a page's running text are those of plots/results.

Behind a paragraph, a list or a table that states measured figures stands a comment, which a reader of the page does not
see: a line for each figure, as the text shows it, and what it is made of.

    <!-- figures
      0.63 = 1000 * (listed_start 1000 x 25000000 median_ms - persistent 1000 x 25000000 median_ms) / 331
      1700 to 100 = naive 8192 x 8192 median_ms
    -->

A cell is a program (with its chapter's name, unless the page is the chapter's), its sizes in the order of the CSV's
columns, and a column: the median over the rounds. `all` is the median over all programs of the page's chapter, as
ceilings are given. `profile naive occupancy` is a figure of a profiler, by its name in profile_<chapter>.csv. Cells and numbers may be joined by + - * / and parentheses. The figure is right if the value, rounded
to as many decimals as the text shows, is the figure; `to 100` rounds to hundreds. It must stand in the lines before the
comment, up to an empty line. Fenced blocks are left out.

Prints what is wrong and exits with 1.

Usage: check_figures.py RESULTS_FOLDER PAGE.md...
"""

from __future__ import annotations

import ast
import csv
import operator
import re
import sys
from decimal import Decimal
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "common"))

from cli.errors import WorkbookError
from cli.measuring.measurements import median_of_rounds, size_columns

_FENCED = re.compile(r"^(```|~~~).*?^\1[ ]*$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!-- figures?\b(?P<lines>.*?)-->", re.DOTALL)
_FIGURE = re.compile(r"(?P<shown>\d[\d,]*(?:\.\d+)?)(?: to (?P<step>\d+))? = (?P<made_of>.+)")
_CELL = re.compile(r"(?P<program>[a-z]\w*) (?P<sizes>\d+(?: x \d+)*) (?P<column>[a-z]\w*)")
_PROFILED = re.compile(r"profile (?P<program>[a-z]\w*) (?P<name>[a-z]\w*)")
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
_ALL = "all"

Row = dict[str, str]


class FigureError(Exception):
    """What is wrong with a figure, for whoever writes the page."""


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
        """The median over the rounds. Raises FigureError where there is no such row or column."""
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
        """A profiler's figure, of the program's last kernel. Raises FigureError where there is none."""
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


def value_of(made_of: str, results: Results, page_chapter: str) -> float:
    """The value of cells and numbers joined by operators. Raises FigureError."""
    numbers = _PROFILED.sub(lambda cell: repr(results.profiled(page_chapter, *cell.groups())), made_of)
    numbers = _CELL.sub(lambda cell: repr(results.cell(page_chapter, *cell.groups())), numbers)
    try:
        return _computed(ast.parse(numbers.strip(), mode="eval").body)
    except (SyntaxError, ZeroDivisionError) as error:
        raise FigureError(f"'{made_of}' cannot be computed: write cells as 'program sizes column'.") from error


def _computed(node: ast.expr) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return float(node.value)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return float(_OPERATORS[type(node.op)](_computed(node.left), _computed(node.right)))
    raise SyntaxError


def problem_of(line: str, text: str, results: Results, page_chapter: str) -> str | None:
    """What is wrong with one line of a comment behind `text`, or None."""
    figure = _FIGURE.fullmatch(line)
    if figure is None:
        return f"'{line}' is not of the form 'figure = program sizes column'."
    shown = figure["shown"]
    if not re.search(rf"(?<![\d.,]){re.escape(shown)}(?![\d]|[.,]\d)", text):
        return f"{shown} does not stand in the text before its comment."
    number = Decimal(shown.replace(",", ""))
    step = Decimal(figure["step"] or 1) * Decimal(1).scaleb(int(number.as_tuple().exponent))
    try:
        value = value_of(figure["made_of"], results, page_chapter)
    except FigureError as error:
        return f"{shown}: {error}"
    if abs(Decimal(repr(value)) - number) > step / 2:
        return f"{shown} stands in the text, and the results say {value:.6g}: {figure['made_of']}"
    return None


def problems(page: Path, results: Results) -> list[str]:
    """What is wrong with a page's figures, one text each."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    found = []
    for comment in _COMMENT.finditer(text):
        if text[: comment.start()].rpartition("\n")[2].strip() or text[comment.end() :].partition("\n")[0].strip():
            found.append(f"{page}: a comment with figures needs lines of its own: {comment.group().splitlines()[0]}")
        before = re.split(r"\n[ \t]*\n", text[: comment.start()])[-1]
        for line in filter(None, map(str.strip, comment["lines"].splitlines())):
            if problem := problem_of(line, _COMMENT.sub("", before), results, page.parent.name):
                found.append(f"{page}: {problem}")
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print("Usage: check_figures.py RESULTS_FOLDER PAGE.md...")
        return 1
    folder, *pages = arguments
    try:
        results = Results(Path(folder))
        found = [problem for page in pages for problem in problems(Path(page), results)]
    except (FigureError, OSError) as error:
        found = [str(error)]
    print("\n".join(found) or f"The measured figures of {len(pages)} page(s) are those of the results.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
