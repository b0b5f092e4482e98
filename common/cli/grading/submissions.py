"""What students have handed in: a folder each, with their .cu files anywhere in it."""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Program
from cli.errors import UsageError

MAX_SOURCE_BYTES = 1 << 20
_MAX_ENTRIES = 20_000
_MAX_DEPTH = 50
# Of a student's copy of the workbook: not what the student has written.
_NOT_THEIRS = ("solutions", "tests", ".git", "__MACOSX")


@dataclass(frozen=True)
class Submission:
    """One student's answer to one exercise: a file, or why there is none to look at."""

    student: str
    exercise: Program
    file: Path | None = None
    problem: str = ""


def find_students(folder: Path) -> list[Path]:
    """The students' folders. Raises UsageError if there are none."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    students = sorted(
        entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink() and not _is_no_name(entry.name)
    )
    if not students:
        raise UsageError(f"{folder} has no folders in it. It should hold one for each student, with the .cu files.")
    return students


def listed_students(folder: Path, class_list: Path) -> list[Path]:
    """The folders of those whom a list names, a name on each line, also of who has handed nothing in. Raises UsageError
    for a list with a name that is no folder's, or stands there twice, and for folders that it does not name.
    """
    try:
        lines = class_list.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read {class_list}: {error}. It should have a student's name on each line.") from error
    line_of: dict[str, int] = {}  # of names in small letters: some disks know no others
    named = []
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if not name:
            continue
        if "/" in name or "\0" in name or name[0] == ".":
            raise UsageError(f"{class_list}, line {number}: '{name}' is the name of no student's folder.")
        plain = unicodedata.normalize("NFC", name)  # an umlaut may be one character or two
        if plain.casefold() in line_of:
            raise UsageError(f"{class_list}, line {number}: '{name}' stands in line {line_of[plain.casefold()]} already.")
        line_of[plain.casefold()] = number
        named.append(plain)
    handed_in = {unicodedata.normalize("NFC", student.name): student for student in find_students(folder)}
    strangers = sorted(set(handed_in) - set(named))
    if strangers:
        names = ", ".join(f"'{name}'" for name in strangers)
        raise UsageError(f"{class_list} does not have {names}, who handed something in. Add them, or mend the names.")
    return [handed_in.get(name, folder / name) for name in named]


def one_student(folder: Path) -> Path:
    """The folder of the only student, whose name is its own. Raises UsageError if it is none."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    return folder.resolve()


def _is_no_name(folder: str) -> bool:
    return folder[0] == "." or folder == "__MACOSX"


def find_submission(student: Path, exercise: Program) -> Submission:
    """The student's file for an exercise: chN_topic/exN_name.cu, exN_name.cu or chN_exN.cu, in this order."""
    by_path, by_name = [], []
    names = (exercise.source.name.lower(), f"{exercise.target}.cu")
    entries = 0
    for path, folders, files in os.walk(student):
        entries += len(folders) + len(files)
        folders[:] = sorted(name for name in folders if name not in _NOT_THEIRS and not name.startswith("build"))
        if path.count(os.sep) - str(student).count(os.sep) > _MAX_DEPTH:
            return Submission(student.name, exercise, problem=f"folders over {_MAX_DEPTH} deep handed in")
        if entries > _MAX_ENTRIES:
            return Submission(student.name, exercise, problem=f"over {_MAX_ENTRIES} files handed in")
        for name in sorted(files):
            if name.lower() in names and not name.startswith("._"):
                (by_path if Path(path).name == exercise.chapter else by_name).append(Path(path) / name)
    found = by_path or by_name
    if not found:
        return Submission(student.name, exercise, problem="not handed in")
    if len(found) > 1:
        shown = ", ".join(str(file.relative_to(student)) for file in found)
        return Submission(student.name, exercise, problem=f"{len(found)} files could be meant: {shown}")
    return _readable(student, exercise, found[0])


def _readable(student: Path, exercise: Program, file: Path) -> Submission:
    status = os.lstat(file)
    if not stat.S_ISREG(status.st_mode):
        return Submission(student.name, exercise, problem=f"{file.name} is a link or a device, and no file")
    if status.st_size > MAX_SOURCE_BYTES:
        return Submission(student.name, exercise, problem=f"{file.name} has {status.st_size} bytes")
    return Submission(student.name, exercise, file)
