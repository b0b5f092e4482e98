"""The results by operator, for a terminal and, in Markdown, for a page of the docs."""

from __future__ import annotations

import textwrap
from collections import Counter
from pathlib import Path

from cli.console import table
from cli.errors import WorkbookError
from mutate.operators import OPERATORS, Mutant
from mutate.trial import Fate, Result
from measurements import ResultsError
from readme_table import replace_table

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


def as_markdown(results: dict[Mutant, Result], left_out: list[str], survivors_file: str) -> str:
    lines = ["| " + " | ".join(_HEADER) + " |", "|:---|" + "---:|" * (len(_HEADER) - 1)]
    lines += ["| " + " | ".join(row) + " |" for row in _rows(results)]
    files = len({mutant.file for mutant in results})
    words = f"Mutants of {files} files. Those that survived are explained in `{survivors_file}`."
    if left_out:
        words += f" Left out, for the simulator cannot run them: {', '.join(f'`{name}`' for name in left_out)}."
    return "\n".join([*lines, "", *textwrap.wrap(words, 118)])


def write_into(page: Path, chapter: str, markdown: str) -> None:
    """Puts the table between its two markers. Raises WorkbookError if the page lacks them."""
    try:
        text = replace_table(page.read_text(encoding="utf-8"), f"mutants {chapter}", markdown)
    except ResultsError as error:
        raise WorkbookError(f"{page}: {error}") from error
    page.write_text(text, encoding="utf-8")
