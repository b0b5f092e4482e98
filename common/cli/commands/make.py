"""`workbook make`: the root's Makefile runs it for a target."""

from __future__ import annotations

import re

from cli.building.build_tree import BuildTree, main_tree, parallel_jobs
from cli.catalogue import PROJECTS, Catalogue, Chapter, Program
from cli.errors import EXIT_FAILED, EXIT_OK, MissingToolError, UsageError
from cli.exercises.next_command import after_chapter, after_program
from cli.machine.tools import output_of
from cli.running.children import run_child
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = ""
USAGE = "make TARGET"
DETAILS = """
Builds a program or a chapter, and shows which command to run next. CMake builds every other target of the build
folder, such as ch3_transpose_check.
"""

_ALL = "programs"  # the CMake target of every chapter's programs
_TRACED = "_inspect"
_CHAPTER_OF_TARGET = re.compile(r"ch\d+(?=_)|project(?=_)")  # project_blur_test is in projects


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("make", USAGE)
    parser.add_argument("target")
    target = parser.parse_args(arguments).target
    target = _now_called(target, workbook.catalogue)
    found = _found(target, workbook.catalogue)
    if found is None:
        return _make_other(target, workbook)
    tree = main_tree(workbook, chapter=found.name if isinstance(found, Chapter) else found.chapter)
    if isinstance(found, Program):
        _require_buildable(found, tree)
    tree.build(target, source=found.source if isinstance(found, Program) else None)
    say(_what_next(found, tree))
    return EXIT_OK


def _found(target: str, catalogue: Catalogue) -> Chapter | Program | None:
    """The chapter or program with this full name, as in CMake; short names do not count."""
    for chapter in catalogue.chapters:
        if chapter.name == target:
            return chapter
        for program in chapter.programs:
            if program.target == target:
                return program
    return None


def _now_called(target: str, catalogue: Catalogue) -> str:
    """The present name of a target with an old name, also with the ending of a traced program."""
    program = target[: -len(_TRACED)] if target.endswith(_TRACED) else target
    return catalogue.now_called(program) + target[len(program) :]


def _require_buildable(program: Program, tree: BuildTree) -> None:
    if program.needs_gpu and tree.backend != "cuda":
        raise MissingToolError(f"{program.target} needs a GPU and nvcc: this build folder runs the simulator.")
    if tree.left_out(program.target):
        raise MissingToolError(f"{program.target} is left out here, because {tree.left_out(program.target)}.")


def _what_next(found: Chapter | Program, tree: BuildTree) -> str:
    if isinstance(found, Chapter):
        built = [one for one in found.of_kind("stage", "operation") if tree.program(one.target).is_file()]
        if not built and found.name == PROJECTS:
            return f"{found.name} has exercises only, and their answers are built. To build your program: make project_NAME"
        if not built:
            return f"No program of {found.name} can be built here. To see what each program needs: ./workbook list {found.name}"
        what = f"The {len(built)} programs of {found.name} are in {tree.folder.name}/bin."
        commands = [f"./workbook run {found.name}", after_chapter(found, tree)]
    else:
        what = f"The program is {tree.folder.name}/bin/{found.target}."
        run_it = [] if found.kind == "exercise" else [f"./workbook run {found.target}"]
        commands = [*run_it, after_program(found, tree)]
    return "\n".join([f"{what} Next:", *(f"  {command}" for command in commands)])


def _make_other(target: str, workbook: Workbook) -> int:
    """Builds a target that only CMake has, in the build tree of the chapter in its name or of all chapters."""
    start = _CHAPTER_OF_TARGET.match(target)
    names = [chapter.name for chapter in workbook.catalogue.chapters]
    chapters = {"project" if name == PROJECTS else name.partition("_")[0]: name for name in names}
    tree = main_tree(workbook, chapter=chapters.get(start.group()) if start else None)
    if not _has(tree, target):
        found = workbook.catalogue.find(target)  # raises UsageError, with the nearest name, for an unknown target
        name = found.name if isinstance(found, Chapter) else found.target
        raise UsageError(f"There is no target '{target}'. Did you mean {name}?")
    if target == _ALL:
        tree.build(target)
        say(f"The programs of all chapters are in {tree.folder.name}/bin. The chapters: ./workbook list")
        return EXIT_OK
    command = ["cmake", "--build", str(tree.folder), "--parallel", parallel_jobs(), "--target", target]
    return EXIT_OK if run_child(command, shares_terminal=True).returncode == 0 else EXIT_FAILED


def _has(tree: BuildTree, target: str) -> bool:
    targets = output_of(["cmake", "--build", str(tree.folder), "--target", "help"], timeout_s=120) or ""
    return re.search(rf"^(\.\.\. )?{re.escape(target)}\b(?![-.])", targets, re.MULTILINE) is not None
