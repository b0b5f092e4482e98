"""The file that a student has handed in for an exercise, among all files of the student."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from cli.catalogue import Program
from cli.checking.screening.own_headers import own_headers
from cli.workbook import Workbook
from grading.archives import MAX_SOURCE_BYTES
from grading.copied_names import name_and_numbers
from grading.students import HandedIn, Student

# A name that students choose: "exercise1.cu", "ex_2_swizzled.cu", "ch3ex2.cu", "Chapter 3 Exercise 2.cu".
_FREE_NAME = re.compile(r"(?:ch(?:apter)?(?P<chapter>\d{1,3}))?ex(?:ercise)?(?P<number>\d{1,3})(?:\D.*)?")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"\n]{1,200})"', re.MULTILINE)
_MAX_SHOWN = 3  # names of other files


@dataclass(frozen=True)
class Submission:
    """One student's answer to one exercise: a file, or the reason why there is none."""

    student: str
    exercise: Program
    file: Path | None = None
    problem: str = ""
    note: str = ""  # names the file, if a different one could be expected


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


def find_submission(student: Student, exercise: Program) -> Submission:
    """The student's file for an exercise: chN_topic/exN_name.cu, exN_name.cu or chN_exN.cu, in this order, otherwise a
    file such as exercise1.cu that includes a header of the exercise. If there are several downloads, such as
    exN_name.cu and exN_name (1).cu, it is the last one.
    """
    names = (exercise.source.name.lower(), f"{exercise.target}.cu")
    sources = [file for file in student.files if file.name.lower().endswith(".cu")]
    named = [file for file in sources if name_and_numbers(file.name)[0] in names]
    in_chapter = [file for file in named if PurePosixPath(file.name).parent.name == exercise.chapter]
    found = in_chapter or named or [file for file in sources if _is_freely_named(file, exercise)]
    last = _without_equal_files(_last_downloads(found))
    if not found:
        return Submission(student.name, exercise, problem=_why_none(student, exercise))
    if len(last) > 1:
        return Submission(student.name, exercise, problem=f"{len(last)} files fit this exercise: {_shown(last)}")
    notes = []
    if len(found) > 1:
        notes.append(f"The last download is graded: {last[0].name}. Found: {_shown(found)}.")
    elif PurePosixPath(last[0].name).name.lower() not in names:
        notes.append(f"The graded file is {last[0].name}.")
    notes += ["The platform marks this submission as late."] if student.is_late else []
    notes += [f"Not read: {problem}." for problem in student.problems[:_MAX_SHOWN]]
    return _readable(student, exercise, last[0].path, " ".join(notes))


def _why_none(student: Student, exercise: Program) -> str:
    stems = (exercise.source.stem.lower(), exercise.target)
    every = [*(file.name for file in student.files), *student.others]
    similar = [name for name in every if PurePosixPath(name).name.lower().startswith(stems)]
    if similar:
        return f"not handed in: {_listed(similar)} should be named {exercise.source.name}"
    looked_for = f"not handed in: looked for {exercise.source.name} or {exercise.target}.cu, "
    if student.problems:
        return f"{looked_for}but {'; '.join(student.problems[:_MAX_SHOWN])}"
    return looked_for + (f"found {_listed(every)}" if every else "and there are no files")


def _is_freely_named(file: HandedIn, exercise: Program) -> bool:
    """Whether a file has the exercise's number in its name, and includes a header that the starter includes. Exercises
    of one number have different headers, except the common ones.
    """
    path = PurePosixPath(file.name.lower())
    match = _FREE_NAME.fullmatch(re.sub(r"[ _.-]", "", PurePosixPath(name_and_numbers(file.name)[0]).stem))
    own = re.fullmatch(r"ch(\d+)_ex(\d+)", exercise.target)
    if not match or not own or int(match["number"]) != int(own[2]):
        return False
    chapters = [match["chapter"], *re.findall(r"(?:^|/)ch(?:apter)?[ _-]?(\d{1,3})(?=\D)", f"{path.parent}/")]
    if any(chapter and int(chapter) != int(own[1]) for chapter in chapters):
        return False
    headers = {name for name in _included(exercise.source) if not name.startswith(b"common/")}
    return bool(headers & _included(file.path))


def _included(file: Path) -> set[bytes]:
    return set(_INCLUDE.findall(_content(file) or b""))


def _content(file: Path) -> bytes | None:
    """The content of a plain file that is not too large."""
    try:
        status = file.lstat()
        is_readable = stat.S_ISREG(status.st_mode) and status.st_size <= MAX_SOURCE_BYTES
        return file.read_bytes() if is_readable else None
    except OSError:
        return None


def _last_downloads(files: list[HandedIn]) -> list[HandedIn]:
    """The file with the highest number for each name in each folder. (Times of files can get lost in a transfer.)"""
    downloads: dict[tuple[PurePosixPath, str], list[tuple[tuple[int, ...], HandedIn]]] = {}
    for file in files:
        name, numbers = name_and_numbers(file.name)
        downloads.setdefault((PurePosixPath(file.name).parent, name), []).append((numbers, file))
    last = [(same, max(numbers for numbers, _ in same)) for same in downloads.values()]
    return [file for same, highest in last for numbers, file in same if numbers == highest]


def _without_equal_files(files: list[HandedIn]) -> list[HandedIn]:
    """The files without those that have the content of an earlier one: a folder, and the same folder in a zip file."""
    kept: dict[object, HandedIn] = {}
    for file in files:
        kept.setdefault(_content(file.path) or file, file)  # an unreadable or empty file is like no other
    return list(kept.values())


def _shown(files: list[HandedIn]) -> str:
    return _listed([file.name for file in files])


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_MAX_SHOWN]) + (", ..." if len(names) > _MAX_SHOWN else "")


def _readable(student: Student, exercise: Program, file: Path, note: str) -> Submission:
    status = os.lstat(file)
    if not stat.S_ISREG(status.st_mode):
        return Submission(student.name, exercise, problem=f"{file.name} is a link or a device, not a file")
    if status.st_size > MAX_SOURCE_BYTES:
        return Submission(student.name, exercise, problem=f"{file.name} has {status.st_size} bytes, which is too large")
    return Submission(student.name, exercise, file, note=note)
