"""The files that students have handed in: one folder per student, with the .cu files anywhere in it."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Program
from cli.errors import UsageError
from cli.workbook import Workbook
from grading.screening.own_headers import own_headers

MAX_SOURCE_BYTES = 1 << 20
_MAX_ENTRIES = 20_000
_MAX_DEPTH = 50
# The name that a browser gives a file if its name is taken: "a (1).cu", "a(1).cu", "a-1.cu".
_DOWNLOAD = re.compile(r"(?P<stem>.+?)(?: ?\((?P<number>\d{1,4})\)|-(?P<dashed>\d{1,4}))?(?P<suffix>\.cu)")
_MAX_SHOWN = 3  # names of other files
# Folders of a student's copy of the workbook that the student did not write.
_NOT_THEIRS = ("solutions", "tests", ".git", "__MACOSX")


@dataclass(frozen=True)
class Submission:
    """One student's answer to one exercise: a file, or the reason why there is none."""

    student: str
    exercise: Program
    file: Path | None = None
    problem: str = ""
    note: str = ""  # names the file, if a different one could be expected


def find_students(folder: Path) -> list[Path]:
    """The students' folders. Raises UsageError if there are none."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    students = sorted(
        entry for entry in folder.iterdir() if entry.is_dir() and not entry.is_symlink() and not _is_no_name(entry.name)
    )
    if not students:
        raise UsageError(f"{folder} has no folders in it. It should have a folder for each student, with the .cu files.")
    return students


def listed_students(folder: Path, class_list: Path) -> list[Path]:
    """The folders of the students in a list, one name per line, including students who have handed nothing in. Raises
    UsageError for a name that no folder can have or that appears twice, and for folders that the list does not name.
    """
    try:
        lines = class_list.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read {class_list}: {error}. It should have a student's name on each line.") from error
    line_of: dict[str, int] = {}  # of names in small letters: some disks do not distinguish capital letters
    named = []
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if not name:
            continue
        if "/" in name or "\0" in name or name[0] == ".":
            raise UsageError(f"{class_list}, line {number}: '{name}' cannot be the name of a student's folder.")
        plain = unicodedata.normalize("NFC", name)  # an umlaut can be one character or two
        if plain.casefold() in line_of:
            raise UsageError(f"{class_list}, line {number}: '{name}' is already in line {line_of[plain.casefold()]}.")
        line_of[plain.casefold()] = number
        named.append(plain)
    handed_in = {unicodedata.normalize("NFC", student.name): student for student in find_students(folder)}
    strangers = sorted(set(handed_in) - set(named))
    if strangers:
        names = ", ".join(f"'{name}'" for name in strangers)
        raise UsageError(f"{class_list} does not have {names}, who handed something in. Add them, or fix the names.")
    return [handed_in.get(name, folder / name) for name in named]


def one_student(folder: Path) -> Path:
    """The folder of the only student; its name is the student's. Raises UsageError if there is no such folder."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    return folder.resolve()


def _is_no_name(folder: str) -> bool:
    return folder[0] == "." or folder == "__MACOSX"


def files_of(file: Path, exercise: Program, workbook: Workbook) -> list[Path]:
    """The files of an answer: the .cu file and its own headers."""
    folders = (*workbook.files_of(exercise.chapter).include_folders, workbook.root)
    return [file, *own_headers(file, folders)]


def copy_to(folder: Path, exercise: Program, files: list[Path]) -> list[Path]:
    """Copies the files of files_of() into a new folder, readable for all; the .cu file gets the exercise's name."""
    base = files[0].parent.resolve()
    copies = [folder / exercise.source.name, *(folder / header.relative_to(base) for header in files[1:])]
    for file, copy in zip(files, copies):
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        copy.chmod(0o644)
    for path in {parent for copy in copies for parent in copy.parents if folder in (parent, *parent.parents)}:
        path.chmod(0o755)
    return copies


def digest_of(files: list[Path]) -> str:
    """SHA-256 of the concatenated files."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()


def find_submission(student: Path, exercise: Program) -> Submission:
    """The student's file for an exercise: chN_topic/exN_name.cu, exN_name.cu or chN_exN.cu, in this order. If there are
    several downloads, such as exN_name.cu and exN_name (1).cu, it is the last one.
    """
    by_path, by_name, similar = [], [], []
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
            if name.startswith("._"):
                continue
            if _plain_name(name) in names:
                (by_path if Path(path).name == exercise.chapter else by_name).append(Path(path) / name)
            elif name.lower().startswith(tuple(Path(one).stem for one in names)):
                similar.append(Path(path) / name)
    found = by_path or by_name
    last = _last_downloads(found)
    if not found:
        named = f": {_shown(similar, student)} should be named {exercise.source.name}" if similar else ""
        return Submission(student.name, exercise, problem=f"not handed in{named}")
    if len(last) > 1:
        return Submission(student.name, exercise, problem=f"{len(last)} files fit this exercise: {_shown(last, student)}")
    note = ""
    if len(found) > 1:
        note = f"The last download is graded: {last[0].name}. Found: {_shown(found, student)}."
    elif last[0].name.lower() not in names:
        note = f"The graded file is {last[0].name}."
    return _readable(student, exercise, last[0], note)


def _plain_name(name: str) -> str:
    """The name in small letters, without the number of a download."""
    match = _DOWNLOAD.fullmatch(name.lower())
    return match["stem"] + match["suffix"] if match else name.lower()


def _last_downloads(files: list[Path]) -> list[Path]:
    """The file with the highest number for each name in each folder. (Times of files can get lost in a transfer.)"""

    def number(file: Path) -> int:
        match = _DOWNLOAD.fullmatch(file.name.lower())
        return int(match["number"] or match["dashed"] or 0) if match else 0

    highest: dict[tuple[Path, str], int] = {}
    for file in files:
        key = (file.parent, _plain_name(file.name))
        highest[key] = max(number(file), highest.get(key, 0))
    return [file for file in files if number(file) == highest[(file.parent, _plain_name(file.name))]]


def _shown(files: list[Path], student: Path) -> str:
    names = [str(file.relative_to(student)) for file in files]
    return ", ".join(names[:_MAX_SHOWN]) + (", ..." if len(names) > _MAX_SHOWN else "")


def _readable(student: Path, exercise: Program, file: Path, note: str) -> Submission:
    status = os.lstat(file)
    if not stat.S_ISREG(status.st_mode):
        return Submission(student.name, exercise, problem=f"{file.name} is a link or a device, not a file")
    if status.st_size > MAX_SOURCE_BYTES:
        return Submission(student.name, exercise, problem=f"{file.name} has {status.st_size} bytes, which is too large")
    return Submission(student.name, exercise, file, note=note)
