"""The starters, which are the original exercise files: solutions/chN_topic/starters.csv has the git hash of each.

git keeps every version that was ever committed. So a starter can always be restored, even after later commits, and no
second copy of it has to be kept up to date.
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
    """git's hash of a file with this content; Windows line ends are converted first."""
    content = content.replace(b"\r\n", b"\n")
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def starters_file(exercise: Program, workbook: Workbook) -> Path:
    return workbook.files_of(exercise.chapter).starters


def read_starters(file: Path) -> dict[str, str]:
    """A map from file name to hash. Raises WorkbookError for a file that is missing or has different columns."""
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return {row["file"]: row["blob"] for row in csv.DictReader(lines)}
    except (OSError, KeyError, UnicodeDecodeError, csv.Error) as error:
        raise WorkbookError(f"{file} does not name the version that is the starter ({error}).") from error


def write_starters(file: Path, starters: dict[str, str]) -> None:
    rows = [_COLUMNS, *sorted(starters.items())]
    file.write_text("".join(f"{name},{blob}\n" for name, blob in rows), encoding="utf-8")


def is_starter(exercise: Program, workbook: Workbook) -> bool:
    """Whether the learner's file is still the starter; false if the file is missing."""
    try:
        content = exercise.source.read_bytes()
    except OSError:
        return False
    return blob_hash(content) == read_starters(starters_file(exercise, workbook)).get(exercise.source.name)


def starter_content(exercise: Program, workbook: Workbook) -> bytes:
    """The content of the starter. Raises WorkbookError if git does not have it."""
    shown = workbook.shown(exercise.source)
    file = starters_file(exercise, workbook)
    blob = read_starters(file).get(exercise.source.name)
    if not blob:
        raise WorkbookError(f"{workbook.shown(file)} has no line for {exercise.source.name}.")
    need = "The starter is in git's history"
    failure = "git does not have the starter ({said}).\nIs this folder a clone? Copy "
    return git_output(
        workbook.root, ["cat-file", "blob", blob], need, f"{failure}{shown} from a fresh copy of the workbook."
    )
