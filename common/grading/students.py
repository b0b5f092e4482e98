"""The students in a folder of submissions: plain folders, or the download of Moodle, Canvas or Gradescope."""

from __future__ import annotations

import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cli.checking.plain_files import composed, printable_name, read_plain_text
from cli.errors import UsageError, WorkbookError
from grading.archives import MAX_DEPTH, MAX_SOURCE_BYTES, SOURCE_SUFFIXES, ZipLimits, is_theirs, unpack
from grading.copied_names import name_and_numbers
from grading.gradescope_people import METADATA, Person, read_people

_MAX_ENTRIES = 20_000
_MAX_OTHERS = 20  # names of other files that are kept, for messages
_ARCHIVES = (".7z", ".rar", ".tar", ".tgz", ".gz", ".bz2", ".xz")  # not unpacked
# "Ada Lovelace_12345_assignsubmission_file_", a folder, or with the name of a file after it, a file.
_MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<id>\d+)_assignsubmission_[a-z]+(?:_(?P<file>.*))?", re.DOTALL)
# "lovelaceada_LATE_1234_5678_ex1.cu": the numbers of the student and of the upload.
# A text that the student typed has only the student's number.
_CANVAS = re.compile(
    r"(?P<name>.+?)_(?P<late>LATE_)?(?P<id>\d+)_(?P<upload>\d+_)?(?P<file>(?(upload).+|text\.html))", re.DOTALL
)
# The download of a whole class contains the archives of students.
_CLASS = ZipLimits(4 << 30, 200_000, 2 << 30, 256 << 20, (*SOURCE_SUFFIXES, ".zip", ".yml"))


@dataclass(frozen=True)
class HandedIn:
    """A file of a student. `name` is its path in the submission, with `/`: hw.zip/src/ex1_matrix_sum.cu."""

    path: Path
    name: str


@dataclass
class Student:
    """name: for the reports, different for each student. identity: the platform's number, empty in plain folders.
    problems: sentences about what could not be read; each can be the reason why there is no answer.
    """

    name: str
    identity: str = ""
    is_late: bool = False
    files: list[HandedIn] = field(default_factory=list)
    others: list[str] = field(default_factory=list)  # names of files that are not sources, at most _MAX_OTHERS
    problems: list[str] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)  # in the folder of the class
    own_folder: Path | None = None  # for files that are in the folder of the class


def find_students(folder: Path, scratch: Path) -> list[Student]:
    """The students in a folder or zip file, ordered by name. Archives are unpacked into `scratch`, a folder that must
    exist as long as the students' files are used.

    Raises UsageError if there are no students, if a file belongs to no student, or if two students have one name.
    """
    folder = _export_in(_class_folder(folder, scratch))
    people = read_people(folder / METADATA)
    found: dict[tuple[str, str], Student] = {}
    strays = []
    for entry in sorted(folder.iterdir()):
        if entry.is_symlink() or entry.name[0] == "." or entry.name in ("__MACOSX", METADATA):
            continue
        owners = _owners(entry, people)
        if not owners and entry.suffix.lower() in (*SOURCE_SUFFIXES, *_ARCHIVES):
            strays.append(printable_name(entry.name))
        for owner, name in owners:
            student = found.setdefault((owner.name, owner.identity), owner)
            student.is_late |= owner.is_late
            student.entries.append(printable_name(entry.name))
            _collect(entry, name, student, scratch)
    if strays:
        raise UsageError(
            f"These files in {folder} belong to no student: {', '.join(strays[:5])}. "
            "Each student should have a folder or a zip file, or the files should have the names that Canvas or Moodle gives."
        )
    if not found:
        raise UsageError(
            f"{folder} has no folders in it. It should have a folder for each student, with the .cu files, or a zip "
            "file; or it can be the download of Moodle, Canvas or Gradescope."
        )
    _tell_apart(list(found.values()), folder)
    for student in found.values():
        student.name = _safe_name(student.name)
    return sorted(found.values(), key=lambda student: student.name)


def one_student(folder: Path, scratch: Path) -> Student:
    """The only student, whose name is the folder's. Raises UsageError if there is no such folder."""
    if not folder.is_dir():
        raise UsageError(f"There is no folder {folder}.")
    student = Student(_safe_name(printable_name(folder.resolve().name)))
    _collect(folder, "", student, scratch)
    return student


def listed_students(folder: Path, class_list: Path, scratch: Path) -> list[Student]:
    """The students in a list, one name per line, including students who have handed nothing in. Raises UsageError for
    a name that no folder can have or that appears twice, and for submissions whose student the list does not name.
    """
    named = _names_in(class_list)
    students = find_students(folder, scratch)
    handed_in = {composed(student.name): student for student in students}
    for name, student in list(_platform_names(named, students)):
        handed_in[name] = handed_in.pop(composed(student.name))
        student.name = name
    strangers = sorted(set(handed_in) - set(named))
    if strangers:
        names = ", ".join(f"'{name}'" for name in strangers)
        raise UsageError(f"{class_list} does not have {names}, who handed something in. Add them, or fix the names.")
    absent = "there is no folder, zip file or upload of this student"
    return [handed_in.get(name, Student(name, problems=[absent])) for name in named]


def _names_in(class_list: Path) -> list[str]:
    line_of: dict[str, int] = {}  # of names in small letters: some disks do not distinguish capital letters
    named = []
    text = read_plain_text(class_list, "It should have a student's name on each line.")
    for number, line in enumerate(text.splitlines(), start=1):
        name = line.strip()
        if not name:
            continue
        if "/" in name or "\0" in name or name[0] == "." or not any(map(str.isalnum, name)):
            raise UsageError(f"{class_list}, line {number}: '{name}' cannot be the name of a student's folder.")
        plain = composed(name)
        if plain.casefold() in line_of:
            raise UsageError(
                f"{class_list}, line {number}: '{name}' is already in line {line_of[plain.casefold()]}. For two students "
                "of one name, add the platform's number to both, as in 'Ada Lovelace (12345)'."
            )
        line_of[plain.casefold()] = number
        named.append(plain)
    return named


def _platform_names(named: list[str], students: list[Student]) -> Iterator[tuple[str, Student]]:
    """The pairs of a name in the list and a platform's student whom the list names in another form: Canvas names the
    files of "Ada Lovelace" lovelaceada. A form that two names have is not used.
    """
    exact = {composed(student.name) for student in students} & set(named)
    forms: dict[str, set[str]] = {}
    for name in named:
        words = re.findall(r"\w+", name.casefold())
        for turned in range(len(words)):
            forms.setdefault("".join(words[turned:] + words[:turned]), set()).add(name)
    taken: set[str] = set(exact)
    for student in students:
        if student.identity and student.name not in exact:
            form = "".join(re.findall(r"\w+", composed(student.name).casefold()))
            fitting = forms.get(form, set())
            if len(fitting) == 1 and not fitting & taken:
                taken |= fitting
                yield min(fitting), student


def _class_folder(folder: Path, scratch: Path) -> Path:
    if folder.is_dir():
        return folder
    if folder.suffix.lower() != ".zip" or not folder.is_file():
        raise UsageError(f"There is no folder {folder}.")
    into = Path(tempfile.mkdtemp(dir=scratch))
    try:
        for name in unpack(folder, into, _CLASS):  # an empty file: the student has handed something in
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            (into / name).touch()
    except (WorkbookError, OSError) as error:
        raise UsageError(f"{folder} cannot be unpacked: {error}. Unpack it yourself, and name the folder.") from error
    return into


def _export_in(folder: Path) -> Path:
    """The folder with the students' entries: a platform's download can have all of them in one folder."""
    visible = [entry for entry in folder.iterdir() if entry.name[0] != "." and entry.name != "__MACOSX"]
    if len(visible) == 1 and visible[0].is_dir() and not visible[0].is_symlink():
        inner = visible[0]
        if (inner / METADATA).is_file() or any(_platform_entry(entry) for entry in inner.iterdir()):
            return inner
    return folder


def _platform_entry(entry: Path) -> tuple[Student, str] | None:
    """The student to whom Moodle's or Canvas's name of a file or folder belongs, and the name that the student gave
    the file, empty for a folder.
    """
    name = printable_name(entry.name)
    is_folder = entry.is_dir()
    moodle = _MOODLE.fullmatch(name)
    if moodle and (is_folder or moodle["file"]):
        return Student(moodle["name"], moodle["id"]), "" if is_folder else moodle["file"]
    canvas = None if is_folder else _CANVAS.fullmatch(name)
    return (Student(canvas["name"], canvas["id"], bool(canvas["late"])), canvas["file"]) if canvas else None


def _owners(entry: Path, people: dict[str, list[Person]]) -> list[tuple[Student, str]]:
    """The students to whom an entry of the class's folder belongs, each with the name of the file as in
    _platform_entry. Several students: a group's submission on Gradescope. Empty if the entry is not a submission.
    """
    name = printable_name(entry.name)
    if entry.is_dir() and people.get(name):
        return [(Student(person.name, person.identity), "") for person in people[name]]
    known = _platform_entry(entry)
    if known:
        return [known]
    if entry.is_dir():
        return [(Student(name), "")]
    ending = "".join(entry.suffixes[-2:]).lower() if entry.suffix.lower() in (".gz", ".bz2", ".xz") else entry.suffix
    if entry.suffix.lower() in (".zip", *_ARCHIVES):
        return [(Student(name[: -len(ending)] or name), name)]
    return []


def _collect(entry: Path, name: str, student: Student, scratch: Path) -> None:
    """Adds the files of a folder, or one file of the given name, and those in zip files."""
    files = [_with_own_name(entry, name, student, scratch)] if name else list(_walk(entry, "", student.problems))
    for file in sorted(files, key=_is_zip):  # a file in a folder is preferred to an equal one in a zip file
        suffix = Path(file.name).suffix.lower()
        if _is_zip(file):
            _collect_zip(file, student, Path(tempfile.mkdtemp(dir=scratch)))
        elif suffix in SOURCE_SUFFIXES:
            student.files.append(file)
        else:
            student.others.append(file.name)
            if suffix in _ARCHIVES:
                student.problems.append(f"{file.name}: only zip files are unpacked")
    del student.others[_MAX_OTHERS:]


def _with_own_name(entry: Path, name: str, student: Student, scratch: Path) -> HandedIn:
    """A file in the folder of the class. Sources are copied into a folder of the student, under the name that the
    student gave them, so that an answer finds its headers. Canvas adds a number to a header that is handed in again.
    """
    suffix = Path(name).suffix.lower()
    status = entry.lstat()
    if suffix not in SOURCE_SUFFIXES or not stat.S_ISREG(status.st_mode) or status.st_size > MAX_SOURCE_BYTES:
        return HandedIn(entry, name)
    student.own_folder = student.own_folder or Path(tempfile.mkdtemp(dir=scratch))
    copy = student.own_folder / (name if suffix == ".cu" else name_and_numbers(name)[0])
    if not copy.exists():
        shutil.copyfile(entry, copy)
    return HandedIn(copy, name)


def _is_zip(file: HandedIn) -> bool:
    return file.name.lower().endswith(".zip")


def _collect_zip(file: HandedIn, student: Student, into: Path) -> None:
    try:
        others = unpack(file.path, into)
    except (WorkbookError, OSError) as error:
        student.problems.append(f"{file.name} is not unpacked: {error}")
        student.others.append(file.name)
        return
    student.files += _walk(into, f"{file.name}/", student.problems)
    student.others += [f"{file.name}/{other}" for other in others] or [file.name]


def _walk(folder: Path, prefix: str, problems: list[str]) -> Iterator[HandedIn]:
    """The files in a folder that the student can have written."""
    entries = 0
    for path, folders, files in os.walk(folder):
        entries += len(folders) + len(files)
        folders[:] = sorted(filter(is_theirs, folders))
        inner = os.path.relpath(path, folder)
        if inner.count(os.sep) > MAX_DEPTH:
            problems.append(f"there are folders over {MAX_DEPTH} deep")
            return
        if entries > _MAX_ENTRIES:
            problems.append(f"there are over {_MAX_ENTRIES} files")
            return
        for name in sorted(files):
            if not name.startswith("._"):  # written by macOS
                shown = name if inner == "." else f"{inner}/{name}"
                yield HandedIn(Path(path) / name, prefix + printable_name(shown))


def _tell_apart(found: list[Student], folder: Path) -> None:
    """Adds the platform's number to names that two students have. Raises UsageError if they still have one name."""
    for last in (False, True):
        by_name: dict[str, list[Student]] = {}
        for one in found:  # some disks do not distinguish capital letters, or the two forms of an umlaut
            by_name.setdefault(composed(_safe_name(one.name)).casefold(), []).append(one)
        for same in by_name.values():
            if len(same) > 1 and last:
                entries = ", ".join(f"'{entry}'" for one in same for entry in one.entries)
                both = f"Two students in {folder} have the name '{same[0].name}': {entries}."
                raise UsageError(f"{both} Rename one of them.")
            for one in same if len(same) > 1 else ():
                one.name += f" ({one.identity})" if one.identity else ""


def _safe_name(name: str) -> str:
    """The name as that of a file: a platform's name can contain anything."""
    plain = name.replace("/", "-").replace("\0", "-")
    return f"_{plain}" if not plain or plain[0] == "." else plain
