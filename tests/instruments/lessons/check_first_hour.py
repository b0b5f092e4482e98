"""Replays docs/first_hour.md: prints the differences and exits with 1.

Usage: check_first_hour.py BUILD_FOLDER [--write]

A block ```diff ch3_ex1 edits that exercise's file, starting from the starter. In a block ```console, the output below
`$ ./workbook check ch3_ex1` and `$ ./workbook hint ch3_ex1` must be the output of these commands. Other commands are
not replayed. --write writes the real output into the page.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.building.build_tree import BuildTree
from cli.errors import WorkbookError
from cli.exercises.attempt import Checked, answer_to, give_hint, tell
from cli.exercises.lookup import find_exercise
from cli.exercises.progress import Progress
from cli.exercises.starters import is_starter
from cli.workbook import Workbook
from grading.answer_build import build_parts
from grading.check import check_exercise

PAGE = ROOT / "docs/first_hour.md"
_BLOCK = re.compile(
    r"^```(?:diff (?P<exercise>ch\d+_ex\d+)|console)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
_REPLAYED = re.compile(r"\$ \./workbook (?P<command>check|hint) (?P<exercise>ch\d+_ex\d+)\Z")


class Replay:
    """The learner's files and progress, in a separate folder."""

    def __init__(self, folder: Path, tree: BuildTree) -> None:
        self._folder = folder
        self._tree = tree
        self._workbook = Workbook(ROOT)
        self._progress = Progress(folder)

    def edit(self, exercise_name: str, diff: str) -> None:
        """Raises WorkbookError if the file does not have the old lines of the diff."""
        file = self._file(exercise_name)
        lines = diff.splitlines()
        old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
        new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
        text = file.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise WorkbookError(f"{PAGE.name}: {file.name} does not have these lines once:\n{old}")
        file.write_text(text.replace(old, new), encoding="utf-8")

    def run(self, command: str, exercise_name: str) -> str:
        """The output of the command."""
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


def replay(page: str, tree: BuildTree) -> str:
    """The page with the real output. Raises WorkbookError for an edit that does not fit."""
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        learner = Replay(Path(folder), tree)

        def replaced(match: re.Match[str]) -> str:
            if match["exercise"]:
                learner.edit(match["exercise"], match["text"])
                return match.group()
            return f"```console\n{_console(match['text'], learner)}```"

        return _BLOCK.sub(replaced, page)


def _console(text: str, learner: Replay) -> str:
    parts = re.split(r"^(?=\$ )", text, flags=re.MULTILINE)
    shown = []
    for number, part in enumerate(parts):
        command = part.split("\n", 1)[0]
        match = _REPLAYED.match(command)
        if match:
            gap = "\n" if number + 1 < len(parts) else ""
            part = f"{command}\n{learner.run(match['command'], match['exercise']).strip()}\n{gap}"
        shown.append(part)
    return "".join(shown)


def main(arguments: list[str]) -> int:
    if not arguments or arguments[1:] not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    page = PAGE.read_text(encoding="utf-8")
    os.environ.update(LC_ALL="C.UTF-8", TERM="xterm")  # the page has the marks that most terminals show
    try:
        real = replay(page, BuildTree(Workbook(ROOT), str(Path(arguments[0]).resolve()), "simulator"))
    except WorkbookError as error:
        print(error)
        return 1
    if "--write" in arguments:
        PAGE.write_text(real, encoding="utf-8")
        return 0
    for line, (shown, printed) in enumerate(zip(page.splitlines(), real.splitlines()), start=1):
        if shown != printed:
            print(f"{PAGE}:{line}: the page has\n  {shown}\nbut the command prints\n  {printed}\n")
            break
    else:
        if page == real:
            return 0
    print(f"Update the page with: python3 tests/instruments/lessons/check_first_hour.py {arguments[0]} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
