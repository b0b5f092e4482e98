"""A copy of the workbook for a class: what students need, without the reference answers and what tells them.

class.csv in the copy has the hash of each file as it was given, so that an update leaves alone what has been changed.
"""

from __future__ import annotations

import csv
import hashlib
import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from cli.errors import UsageError, WorkbookError
from cli.workbook import CLASS_RECORD, Workbook
from grading.export import tracked_files

_COLUMNS = ("file", "sha256")
_LEFT_OUT = re.compile(
    r"""solutions/[^/]+/[^/]+\.(?!md$|csv$)[^/]+          # the answers; their sheets hold goals and hints
      | tests/ch[^/]+/(.*_judge\.cpp|beginners\.txt|survivors\.csv)
      | tests/(cli|common|grading|instruments|mistakes|simulator)/.*
      | \.ci/.* | \.github/.*""",
    re.VERBOSE,
)
_CATALOGUE = re.compile(r"tests/ch[^/]+/mistakes\.txt")
_ENTRY = re.compile(r"^(?=== )", re.MULTILINE)


@dataclass
class Copied:
    """What an update has done; names from the copy's folder on."""

    written: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # they have been changed since they were given


def new_copy(folder: Path, workbook: Workbook) -> Copied:
    """Raises UsageError for a folder that holds files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        update = f"./workbook class update {shlex.quote(str(folder))}"
        raise UsageError(f"{folder} is there, and is no empty folder. A copy is updated by {update}")
    folder.mkdir(parents=True, exist_ok=True)
    return _copy(folder, {}, workbook)


def update_copy(folder: Path, workbook: Workbook) -> Copied:
    """Brings a copy up to this workbook. Raises UsageError for what is no copy, WorkbookError for a broken class.csv."""
    record = folder / CLASS_RECORD
    if not record.is_file():
        words = f"{folder} is no copy for a class: it has no {CLASS_RECORD}."
        raise UsageError(f"{words} './workbook class new FOLDER' makes one.")
    try:
        with record.open(encoding="utf-8", newline="") as lines:
            given = {row["file"]: row["sha256"] for row in csv.DictReader(lines)}
    except (KeyError, ValueError, csv.Error) as error:
        raise WorkbookError(f"{record} cannot be read ({error}). Take it back from git, and try again.") from error
    return _copy(folder, given, workbook)


def _copy(folder: Path, given: dict[str, str], workbook: Workbook) -> Copied:
    if workbook.is_class_copy:
        raise UsageError("This workbook is a class's copy itself. Run the command in the one that it was made from.")
    done = Copied()
    names = [name for name in tracked_files(workbook) if not _LEFT_OUT.fullmatch(name)]
    digests = {}
    for name in names:
        content = _content(workbook.root / name, name)
        digests[name] = hashlib.sha256(content).hexdigest()
        target = folder / name
        present = _digest(target)
        if present == given.get(name):  # as it was given, or there neither then nor now
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


def _content(file: Path, name: str) -> bytes:
    """Of a catalogue of mistakes only those in stages: the others show the answers that they spoil."""
    content = file.read_bytes()
    if not _CATALOGUE.fullmatch(name):
        return content
    head, *entries = _ENTRY.split(content.decode())
    kept = [entry for entry in entries if ": solutions/" not in entry.partition("\n")[0]]
    return "".join([head, *kept]).encode()


def _digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None
