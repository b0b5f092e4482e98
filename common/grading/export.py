"""The files that make a class platform grade with this workbook: a folder, or a zip file to upload."""

from __future__ import annotations

import json
import shutil
import tarfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Program
from cli.errors import UsageError
from cli.running.git import git_output
from cli.workbook import Workbook

_ADAPTERS = Path(__file__).with_name("adapters")
# Our files for each platform, and their names there.
_FILES = {
    "gradescope": {
        "gradescope_setup.sh": "setup.sh",
        "gradescope_run_autograder": "run_autograder",
        "gradescope_grade.py": "grade.py",
    },
    "classroom50": {"classroom50_autograder.py": "autograder.py", "classroom50_runtime.json": "runtime.json"},
    "github": {"github_exercises.yml": ".github/workflows/exercises.yml"},
}
KINDS = tuple(_FILES)
_NEEDS_NO_WORKBOOK = "github"  # the students' repositories contain it
_NEXT = {
    "gradescope": "Upload autograder.zip as the autograder of a programming assignment.",
    "classroom50": "Put the files into CLASSROOM/autograders/ASSIGNMENT/ of your classroom's repository, and give "
    "runtime.json to the assignment (gh teacher assignment add --runtime). They contain the reference answers"
    " and your hidden cases: make sure that students cannot read that folder.",
    "github": "Commit it in the repository that your students copy.",
}


@dataclass(frozen=True)
class Asked:
    """The exercises that the platform grades, and the options of `./workbook grade`."""

    exercises: tuple[Program, ...]
    options: tuple[str, ...]
    tables: Mapping[str, Path | None]  # the files of --hidden and --weights


def export(kind: str, folder: Path, asked: Asked, workbook: Workbook) -> str:
    """Writes the platform's files into a new or empty folder, and returns the next step for the teacher. Raises
    UsageError for a folder that is not empty, WorkbookError if git cannot list the workbook's files.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder. Name another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    for ours, theirs in _FILES[kind].items():
        (folder / theirs).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_ADAPTERS / ours, folder / theirs)
    if kind != _NEEDS_NO_WORKBOOK:
        settings = {"exercises": [one.target for one in asked.exercises], "options": list(asked.options)}
        (folder / "grading.json").write_text(json.dumps(settings, indent=1) + "\n", encoding="utf-8")
        _pack_workbook(folder / "workbook.tar.gz", workbook)
        for option, file in asked.tables.items():
            if file:
                shutil.copyfile(file, folder / f"{option}.csv")
    if kind == "gradescope":
        _zip(folder)
    return _NEXT[kind]


def tracked_files(workbook: Workbook) -> list[str]:
    """The workbook's own files, as git lists them: no build, none of the teacher's notes."""
    need, failure = "Only git can list the workbook's files", "git does not list the workbook's files: {said}"
    listed = git_output(workbook.root, ["ls-files", "-z"], need, failure).decode()
    names = [name for name in listed.split("\0") if name]
    return sorted(name for name in names if (workbook.root / name).is_file())


def _pack_workbook(file: Path, workbook: Workbook) -> None:
    """Packs the files with names and permissions only, without their owner."""
    with tarfile.open(file, "w:gz") as archive:
        for name in tracked_files(workbook):
            archive.add(workbook.root / name, name, filter=_without_owner)


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mode |= 0o044  # answers run as another user
    return entry


def _zip(folder: Path) -> None:
    """Writes autograder.zip, with all files of the folder, which stay there to be read."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    with zipfile.ZipFile(folder / "autograder.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(folder).as_posix())
