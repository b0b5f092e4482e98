"""The results by operator, for a terminal, and a chapter's sums in Markdown, for a page of the docs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from cli.errors import WorkbookError
from cli.terminal.console import table
from mutate.operators import OPERATORS, Mutant
from mutate.trial import Fate, Result
from measurements import ResultsError
from readme_table import read_table, replace_table

_NAME = "mutants"
_HEADER = ["operator", "mutants", *(fate.value for fate in Fate)]


def _rows(results: dict[Mutant, Result]) -> list[list[str]]:
    counts = Counter((mutant.operator, result.fate) for mutant, result in results.items())
    rows = []
    for operator in OPERATORS:
        fates = [counts[operator, fate] for fate in Fate]
        if sum(fates):
            rows.append([operator, *(str(count) for count in (sum(fates), *fates))])
    sums = [sum(int(row[column]) for row in rows) for column in range(1, len(_HEADER))]
    return [*rows, ["all", *map(str, sums)]]


def as_text(results: dict[Mutant, Result]) -> str:
    return table([_HEADER, *_rows(results)], right_aligned=range(1, len(_HEADER)))


def write_row(page: Path, chapter: str, results: dict[Mutant, Result]) -> None:
    """Writes a chapter's sums into the page's table of chapters, instead of the old ones.

    Raises WorkbookError if the page lacks the table's two markers.
    """
    try:
        text = page.read_text(encoding="utf-8")
        rows = {line.split("|")[1].strip(): line for line in read_table(text, _NAME).splitlines()[2:]}
        rows[chapter] = "| " + " | ".join([chapter, *_rows(results)[-1][1:]]) + " |"
        header = "| " + " | ".join(["chapter", *_HEADER[1:]]) + " |"
        rule = "|:---|" + "---:|" * (len(_HEADER) - 1)
        text = replace_table(text, _NAME, "\n".join([header, rule, *(rows[name] for name in sorted(rows))]))
    except (ResultsError, OSError) as error:
        raise WorkbookError(f"{page}: {error}") from error
    page.write_text(text, encoding="utf-8")
