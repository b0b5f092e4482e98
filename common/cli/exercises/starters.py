"""The exercises as they were given: solutions/chN_topic/starters.csv names each by its hash in git.

git keeps every version that was ever committed, so a starter can be brought back whatever a learner has committed
since, and no second copy of it has to be kept in step.
"""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

from cli.catalogue import Program
from cli.errors import WorkbookError
from cli.running.git import git_output
from cli.workbook import Workbook

_COLUMNS = ("file", "blob")


def blob_hash(content: bytes) -> str:
    """What git calls a file with this content, with Windows' line ends taken for the usual ones."""
    content = content.replace(b"\r\n", b"\n")
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def starters_file(exercise: Program, workbook: Workbook) -> Path:
    return workbook.files_of(exercise.chapter).starters


def read_starters(file: Path) -> dict[str, str]:
    """File name to hash. Raises WorkbookError for a file that is not there or has other columns."""
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return {row["file"]: row["blob"] for row in csv.DictReader(lines)}
    except (OSError, KeyError, UnicodeDecodeError, csv.Error) as error:
        raise WorkbookError(f"{file} does not say which version is the starter ({error}).") from error


def write_starters(file: Path, starters: dict[str, str]) -> None:
    rows = [_COLUMNS, *sorted(starters.items())]
    file.write_text("".join(f"{name},{blob}\n" for name, blob in rows), encoding="utf-8")


def is_starter(exercise: Program, workbook: Workbook) -> bool:
    """Whether the learner's file is still as it was given; false if it is not there."""
    try:
        content = exercise.source.read_bytes()
    except OSError:
        return False
    return blob_hash(content) == read_starters(starters_file(exercise, workbook)).get(exercise.source.name)


def starter_content(exercise: Program, workbook: Workbook) -> bytes:
    """Raises WorkbookError where git does not have it."""
    shown = workbook.shown(exercise.source)
    file = starters_file(exercise, workbook)
    blob = read_starters(file).get(exercise.source.name)
    if not blob:
        raise WorkbookError(f"{workbook.shown(file)} has no line for {exercise.source.name}.")
    need = "The starter is in git's history"
    failure = "git does not have the starter ({said}).\nIs this folder a clone? Take "
    return git_output(
        workbook.root, ["cat-file", "blob", blob], need, f"{failure}{shown} from a fresh copy of the workbook."
    )
