"""A build tree that an instructor has built, for students who can only read it.

WORKBOOK_SHARED names the instructor's copy of the workbook. Its programs are used as they are. Only a program whose
source is the student's own, such as an exercise, is built: outside of the tree, with the tree's command lines, objects
and precompiled headers.
"""

from __future__ import annotations

import filecmp
import functools
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli.building.build_tree import BuildTree
from cli.catalogue import Program
from cli.checking.answer_build import PLAIN, TRACED, BuildSteps
from cli.errors import WorkbookError
from cli.running.children import temporary_folder
from cli.running.runner import run_with_limits
from cli.terminal.phases import Phase
from cli.workbook import Workbook

VARIABLE = "WORKBOOK_SHARED"
OWN_PROGRAMS = "build/own_programs_of_chapters"
_TOOLS = ("Python3_EXECUTABLE", "CMAKE_CXX_COMPILER", "CMAKE_MAKE_PROGRAM")
_COMPILED = (".h", ".cuh", ".hpp", ".cpp", ".txt", ".cmake", ".py")


def shared_tree(workbook: Workbook, chapter: str | None) -> SharedTree | None:
    """The tree for a chapter; None if WORKBOOK_SHARED is not set, or if programs are for a GPU. Raises WorkbookError if
    the tree cannot be used, because a build here would take the space and the time that it saves.
    """
    place = os.environ.get(VARIABLE)
    if not place or not chapter or os.environ.get("WORKBOOK_LAUNCHER"):
        return None
    tree = SharedTree(workbook, Path(place))
    problem = tree.problem(chapter)
    if problem:
        raise WorkbookError(f"{problem}\nTo build everything here instead (200 MB): unset {VARIABLE}")
    return tree


class SharedTree(BuildTree):
    is_shared = True

    def __init__(self, own: Workbook, root: Path) -> None:
        super().__init__(Workbook(root), "build", "simulator")
        self._own = own

    def problem(self, chapter: str) -> str:
        """The reason why the tree cannot be used for a chapter, as a text; empty if it can."""
        shown = f"{VARIABLE} is {self.workbook.root}"
        if self.cached("WORKBOOK_ACTIVE_BACKEND") != "simulator":
            return f"{shown}, but that folder has no build tree of the simulator that you can read."
        if self._belongs_elsewhere():
            return f"{shown}, but it was built as {self.cached('CMAKE_HOME_DIRECTORY')}: use that path."
        chapters = self._chapters()
        if chapters is not None and chapter not in chapters:
            return f"{shown}, which was built without {chapter}. Ask its owner: ./workbook class build FOLDER {chapter}"
        for tool in map(self.cached, _TOOLS):
            if tool and not os.access(tool, os.X_OK):
                return (
                    f"{shown}, which was built with {tool}. You cannot start that program. Ask its owner to remove build/ "
                    "there, and to build it with a program that all users can start, such as one in /usr/bin."
                )
        other = next(self._differing(chapter), None)
        if other:
            return (
                f"{self._own.shown(other)} is not the same as in {self.workbook.root}. Get the newest version with "
                "'./workbook update'. If you have changed the file, undo the change."
            )
        return ""

    def _differing(self, chapter: str) -> Iterator[Path]:
        """The student's files, other than programs, that differ from the files of the tree."""
        own = self._own.root
        folders = [own / "tests" / chapter, own / "tests/support", *self._own.files_of(chapter).include_folders]
        folders += [own / "common" / part for part in ("harness", "simulator", "cmake", "own_programs")]
        files = [own / "CMakeLists.txt", *(own / "common").glob("*.h")]
        files += [file for folder in dict.fromkeys(folders) for file in sorted(folder.rglob("*"))]
        return (file for file in files if file.suffix in _COMPILED and not self._is_same(file))

    def _is_same(self, file: Path) -> bool:
        try:
            return filecmp.cmp(file, self.workbook.root / file.relative_to(self._own.root), shallow=False)
        except OSError:
            return False

    @functools.cached_property
    def _own_programs(self) -> dict[str, Program]:
        """The student's programs by target: exercises, and programs whose source differs."""
        programs = [program for chapter in self._own.catalogue.chapters for program in chapter.programs]
        own = [one for one in programs if one.kind == "exercise" or not self._is_same(one.source)]
        return {f"{one.target}{end}": one for one in own for end in ("", "_inspect", "_test")}

    def build(self, name: str, targets: list[str] | None = None, *_: Any, **__: Any) -> None:
        """Builds only the student's programs among the targets, in the student's folder."""
        for target in targets or [name]:
            if target in self._own_programs:
                with Phase(f"Building {target}"):
                    self._build_own(self._own_programs[target], target)

    def _build_own(self, program: Program, target: str) -> None:
        kernels = PLAIN if target == program.target else TRACED
        with temporary_folder() as folder:
            steps = BuildSteps(program, program.source, self._own, self, folder, run_with_limits, kernels)
            built = steps.make_program(target)
            place = self.program(target)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(built, place)

    def program(self, target: str) -> Path:
        if target in self._own_programs:
            return self._own.root / OWN_PROGRAMS / target
        program = super().program(target)
        if not program.is_file():
            ask = "Ask the owner of that folder to run './workbook class build' again."
            raise WorkbookError(f"{program} was not built. {ask}")
        return program

    @property
    def _learners_folders(self) -> tuple[Path, Path]:
        return self._own.root, self._own.root / "build"
