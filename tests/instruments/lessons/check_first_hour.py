"""Rules: the outputs on two pages are those of the commands above them.

first_hour: docs/first_hour.md. A block ```diff ch3_ex1 edits that exercise's file, starting from the starter. In a
block ```console, the output below `$ ./workbook check ch3_ex1` and `$ ./workbook hint ch3_ex1` must be the output of
these commands. Other commands are not replayed.

teachers_hour: the first hour of a course in docs/for_teachers.md. All commands run in the workbook's folder, with a
separate home folder and a Slurm of one node. Output that changes between runs or machines is not compared.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.checking.answer_build import build_parts
from cli.checking.check import check_exercise
from cli.errors import WorkbookError
from cli.exercises.attempt import Checked, answer_to, give_hint, tell
from cli.exercises.lookup import find_exercise
from cli.exercises.progress import Progress
from cli.exercises.starters import is_starter
from cli.workbook import Workbook
from pages import FENCE, CannotCheck, Found, Rewritten, read, replayed, section

_FIRST_HOUR, _TEACHERS = "docs/first_hour.md", "docs/for_teachers.md"
_REPLAYED = re.compile(r"\./workbook (?P<command>check|hint) (?P<exercise>ch\d+_ex\d+)\Z")
_HOME = "/home/you"
# Output that is not compared: numbers of files and of jobs, and the memory limit of this machine.
_MASKED = (
    (re.compile(r"^\d+ files written", re.MULTILINE), "N files written"),
    (re.compile(r"^Job \d+:", re.MULTILINE), "Job N:"),
    (re.compile(r"(?<=seccomp filter; ).*$", re.MULTILINE), "..."),
)
_PROGRESS = re.compile(r"^(Configuring|Building|Another|Waiting) .*\n", re.MULTILINE)


class Learner:
    """A learner's files and progress, in a separate folder."""

    def __init__(self, workbook: Workbook, folder: Path, tree: BuildTree) -> None:
        self._folder = folder
        self._tree = tree
        self._workbook = workbook
        self._progress = Progress(folder)

    def edit(self, exercise_name: str, diff: str) -> None:
        """Raises WorkbookError if the file does not have the old lines of the diff."""
        file = self._file(exercise_name)
        lines = diff.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise WorkbookError(f"{_FIRST_HOUR}: {file.name} does not have these lines once:\n{old}")
        file.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, line: str) -> str | None:
        match = _REPLAYED.match(line)
        if not match:
            return None
        command, exercise_name = match.groups()
        exercise = find_exercise(exercise_name, self._workbook)
        printed = io.StringIO()
        if command == "hint":
            with contextlib.redirect_stdout(printed):
                give_hint(exercise, self._workbook, self._progress)
            return printed.getvalue()
        with contextlib.redirect_stdout(io.StringIO()):
            build_parts(exercise, self._tree)
        file = self._file(exercise_name)
        result = check_exercise(exercise, self._workbook, self._tree, file)
        shown = self._workbook.shown(exercise.source)
        with contextlib.redirect_stdout(printed):
            print(f"Checking {shown}\nBuilding {exercise.target} ...")
            text = answer_to(result, exercise, self._workbook)
            tell(Checked(result, text), dataclasses.replace(exercise, source=file), self._workbook, self._progress)
        return printed.getvalue().replace(str(file), shown)

    def _file(self, exercise_name: str) -> Path:
        exercise = find_exercise(exercise_name, self._workbook)
        file = self._folder / exercise.source.name
        if not file.is_file():
            if not is_starter(exercise, self._workbook):
                raise WorkbookError(f"{exercise.source} has been changed: './workbook reset {exercise_name}' restores it.")
            file.write_bytes(exercise.source.read_bytes())
        return file


def first_hour(workbook: Workbook, build: Path) -> Found:
    os.environ.update(LC_ALL="C.UTF-8", TERM="xterm")  # the page has the marks that most terminals show
    page = workbook.root / _FIRST_HOUR
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        learner = Learner(workbook, Path(folder), BuildTree(workbook, str(build), "simulator"))

        def block(found: re.Match[str]) -> str:
            if found["kind"] == "diff" and found["file"]:
                learner.edit(found["file"], found["text"])
            return f"```console\n{replayed(found['text'], learner.run)}```" if found["kind"] == "console" else found[0]

        yield Rewritten(page, FENCE.sub(block, read(page)))


def why_not(root: Path, build: Path) -> str:
    """Why this machine cannot replay it; empty if it can."""
    absent = [name for name in ("slurmctld", "slurmd", "munged", "sbatch", "bwrap", "git") if not shutil.which(name)]
    if absent:
        return f"there is no {', '.join(absent)}"
    if os.geteuid() != 0:
        return "only root can set up Slurm"
    if not (root / ".git").exists():
        return "the workbook is not a git clone"
    if build != (root / "build").resolve():
        return "./workbook builds in build/, and this is a different build folder"
    return ""


def run(command: str, root: Path, home: Path) -> str:
    """The output of a command, without its progress lines. Raises CalledProcessError if it fails."""
    environment = {**os.environ, "HOME": str(home)}
    ended = subprocess.run(["bash", "-c", command], cwd=root, env=environment, capture_output=True, text=True, check=True)
    return _PROGRESS.sub("", ended.stdout).replace(str(home), _HOME)


def masked(page: str) -> str:
    for pattern, plain in _MASKED:
        page = pattern.sub(plain, page)
    return page


def teachers_hour(workbook: Workbook, build: Path) -> Found:
    if problem := why_not(workbook.root, build):
        raise CannotCheck(problem)
    page, slurm = workbook.root / _TEACHERS, str(workbook.root / "tests/grading/one_node_slurm.sh")
    with tempfile.TemporaryDirectory(prefix="workbook-hour-") as folder:
        cluster, home = Path(folder) / "cluster", Path(folder) / "home"
        for made in (Path(folder), cluster, home):
            made.mkdir(exist_ok=True)
            made.chmod(0o755)
        os.environ["SLURM_CONF"] = str(cluster / "slurm.conf")

        def block(found: re.Match[str]) -> str:
            real = replayed(found["text"], lambda command: run(command, workbook.root, home))
            return f"```console\n{real}```" if found["kind"] == "console" else found[0]

        text = read(page)
        hour = section(text, "the-first-hour-of-a-course")
        try:
            subprocess.run([slurm, str(cluster)], check=True)
            real = text.replace(hour, FENCE.sub(block, hour))
        finally:
            subprocess.run([slurm, str(cluster), "stop"], check=True)
    if masked(real) != masked(text):
        yield Rewritten(page, real)
