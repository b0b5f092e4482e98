"""A copy of the workbook for a class, without the reference answers and the files that show them.

class.csv in the copy has the hash of each original file, so that an update keeps the files that have been changed.
"""

from __future__ import annotations

import csv
import hashlib
import re
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cli.catalogue import CLASS_RECORD
from cli.errors import UsageError, WorkbookError
from cli.workbook import PROGRESS, Workbook
from grading.class_texts import notebook_for_students, page_for_students
from grading.export import tracked_files

_COLUMNS = ("file", "sha256")
_LEFT_OUT = re.compile(
    r"""solutions/[^/]+/[^/]+\.(?!md$|csv$)[^/]+          # the answers; their sheets hold goals and hints
      | tests/(ch[^/]+|projects)/(.*_judge\.cpp|beginners\.txt|survivors\.csv)
      | tests/(cli|common|grading|instruments|mistakes|simulator)/.*
      | tests/[^/]+/private_[^/]+                             # a teacher's own tests
      | docs/(for_teachers|adding|contributing|maintaining|writing_lessons)\.md | docs/decisions/.*
      | common/(cli|grading)/README\.md
      | progress\.csv                                        # the progress of the teacher
      | \.ci/.* | \.github/.*""",
    re.VERBOSE,
)
_EXCLUDED = f"/{PROGRESS}"  # in the teacher's .git/info/exclude: `git add -A` does not add it
_CATALOGUE = re.compile(r"tests/(ch[^/]+|projects)/mistakes\.txt")
_ENTRY = re.compile(r"^(?=== )", re.MULTILINE)


@dataclass
class Copied:
    """The files that an update wrote, removed or kept; names are relative to the copy's folder."""

    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # they were changed in the copy
    warnings: list[str] = field(default_factory=list)


def new_copy(folder: Path, workbook: Workbook) -> Copied:
    """Raises UsageError for a folder that is not empty."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        update = f"./workbook class update {shlex.quote(str(folder))}"
        raise UsageError(f"{folder} exists and is not an empty folder. To update a copy: {update}")
    folder.mkdir(parents=True, exist_ok=True)
    return _copy(folder, {}, workbook)


def update_copy(folder: Path, workbook: Workbook) -> Copied:
    """Updates a copy. Raises UsageError for a folder that is not a copy, WorkbookError for a broken class.csv."""
    record = folder / CLASS_RECORD
    if not record.is_file():
        words = f"{folder} is not a copy for a class: it has no {CLASS_RECORD}."
        raise UsageError(f"{words} './workbook class new FOLDER' makes one.")
    try:
        with record.open(encoding="utf-8", newline="") as lines:
            given = {row["file"]: row["sha256"] for row in csv.DictReader(lines)}
    except (KeyError, ValueError, csv.Error) as error:
        raise WorkbookError(f"{record} cannot be read ({error}). Restore it from git, and try again.") from error
    return _copy(folder, given, workbook)


def _copy(folder: Path, given: dict[str, str], workbook: Workbook) -> Copied:
    if workbook.is_class_copy:
        raise UsageError("This workbook is itself a copy for a class. Run the command in the original workbook.")
    done = Copied(warnings=_keep_progress_out(folder))
    tracked = tracked_files(workbook)
    names = [name for name in tracked if not _LEFT_OUT.fullmatch(name)]
    missing = _with_folders(tracked) - _with_folders(names)
    digests = {}
    for name in names:
        content = _content(workbook.root / name, name, missing)
        digests[name] = hashlib.sha256(content).hexdigest()
        target = folder / name
        present = _digest(target)
        if present == given.get(name):  # unchanged, or missing both then and now
            if present != digests[name]:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                shutil.copymode(workbook.root / name, target)
                done.written.append(name)
        elif present != digests[name]:
            done.kept.append(name)
            digests[name] = given.get(name, digests[name])
    for name in sorted(set(given) - set(names)):
        if _digest(folder / name) == given[name]:
            (folder / name).unlink()
            done.removed.append(name)
    with (folder / CLASS_RECORD).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([_COLUMNS, *sorted(digests.items())])
    return done


def _keep_progress_out(folder: Path) -> list[str]:
    """Tells git not to add a progress.csv of the teacher to the copy. Returns a warning if it already has one, because
    each student would start with it, and could not pull.
    """
    if (folder / ".git").is_dir():
        exclude = folder / ".git/info/exclude"
        exclude.parent.mkdir(exist_ok=True)
        lines = exclude.read_text(encoding="utf-8", errors="replace").splitlines() if exclude.is_file() else []
        if _EXCLUDED not in lines:
            with exclude.open("a", encoding="utf-8") as file:
                file.write(f"{_EXCLUDED}\n")
    if not (folder / PROGRESS).exists():
        return []
    where = shlex.quote(str(folder))
    return [
        f"{folder / PROGRESS} records your own checks. Students must not get it. If git has it: "
        f"git -C {where} rm --cached {PROGRESS}. Then remove it: rm {where}/{PROGRESS}"
    ]


def _content(file: Path, name: str, missing: set[str]) -> bytes:
    """A file's content for students. A catalogue of bugs keeps only the bugs in stages: the others quote answers."""
    content = file.read_bytes()
    if name.endswith(".md"):
        return page_for_students(content.decode(), name, missing.__contains__).encode()
    if name.endswith(".ipynb"):
        return notebook_for_students(content.decode()).encode()
    if not _CATALOGUE.fullmatch(name):
        return content
    head, *entries = _ENTRY.split(content.decode())
    kept = [entry for entry in entries if " solutions/" not in entry.partition("\n")[0]]
    return "".join([head, *kept]).encode()


def _with_folders(names: Iterable[str]) -> set[str]:
    """Files, and the folders that contain them."""
    return {str(path) for name in names for path in (Path(name), *Path(name).parents)}


def _digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
