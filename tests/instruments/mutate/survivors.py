"""Mutants that no test can find, and why: tests/<chapter>/survivors.csv.

A row is `files,code,mutation,reason`. It explains the mutants with this mutation in the files whose names match the
pattern, on a line equal to `code`: lines can move, but not change. All of them must survive.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from cli.errors import WorkbookError
from mutate.operators import Mutant

COLUMNS = ["files", "code", "mutation", "reason"]


@dataclass(frozen=True)
class Explanation:
    files: str
    code: str
    mutation: str
    reason: str
    place: str  # file and line of the row

    def is_about(self, mutant: Mutant) -> bool:
        same = (self.code, self.mutation) == (mutant.code, mutant.mutation)
        return same and fnmatchcase(mutant.file, self.files)


def read_explanations(file: Path) -> list[Explanation]:
    """Raises WorkbookError, with the line, for an incomplete row. A missing file counts as an empty one."""
    if not file.is_file():
        return []
    with file.open(encoding="utf-8", newline="") as text:
        rows = csv.DictReader(text)
        if rows.fieldnames != COLUMNS:
            raise WorkbookError(f"{file}: the first line must be {','.join(COLUMNS)}.")
        explanations = []
        for row in rows:
            place = f"{file.name}:{rows.line_num}"
            if None in row or not all(row[name] for name in COLUMNS):
                raise WorkbookError(f"{place}: a row must have {len(COLUMNS)} fields, none of them empty.")
            explanations.append(Explanation(*(row[name] for name in COLUMNS), place))
    return explanations


def objections(
    mutants: list[Mutant], survived: dict[Mutant, bool], explanations: list[Explanation]
) -> list[str]:
    """The errors in the explanations, and the survivors without one.

    mutants: all mutants of the chapter; survived: whether each tried mutant survived.
    """
    found = []
    explained: set[Mutant] = set()
    for explanation in explanations:
        about = [mutant for mutant in mutants if explanation.is_about(mutant)]
        if not about:
            found.append(f"{explanation.place} explains a mutant that does not exist: {explanation.mutation}")
        for mutant in about:
            if mutant in explained:
                found.append(f"{explanation.place} explains {mutant.name}, but an earlier row explains it too.")
            if not survived.get(mutant, True):
                found.append(f"{explanation.place} explains {mutant.name}, which did not survive.")
        explained.update(about)
    for mutant, alive in survived.items():
        if alive and mutant not in explained:
            found.append(f"{mutant.name} survived, but no row explains it:\n  {mutant.mutated_code}\n  {_row(mutant)}")
    return found


def _row(mutant: Mutant) -> str:
    """The start of the row that would explain a mutant."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow([mutant.file, mutant.code, mutant.mutation, ""])
    return text.getvalue()
