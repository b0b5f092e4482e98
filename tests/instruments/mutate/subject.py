"""The subject of mutation: a program of a chapter, the commands that build its tests, and its claims."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.command_lines import Command, compile_command, link_command
from cli.catalogue import Chapter, Program
from cli.checking.sheet import read_sheet
from cli.errors import WorkbookError
from cli.measuring.claims import Claim, read_claims


@dataclass(frozen=True)
class Subject:
    program: Program
    compile: Command  # compiles the rewritten source, traced
    rewritten: str  # its path in the command above
    header_folders: tuple[Path, ...]  # folders of headers that must be rewritten too
    link_test: Command
    link_traced: Command  # the program that the claims are counted with
    object: str  # its path in the two above
    claims: tuple[Claim, ...]

    def fingerprint(self) -> str:
        """A hash of everything that a mutant's result depends on, except its own text."""
        digest = hashlib.sha256()
        for command in (self.compile, self.link_test, self.link_traced):
            digest.update(repr(command).encode())
            for file in command.files():  # these include the program's own object, so headers count too
                digest.update(file.read_bytes())
        digest.update(repr(self.claims).encode())
        return digest.hexdigest()


def mutable_programs(chapter: Chapter) -> list[Program]:
    """Stages, other operations and solutions that run in the simulator. Starters of exercises already have bugs, and
    whole programs have no tests."""
    programs = chapter.of_kind("stage", "operation", "solution")
    return [program for program in programs if not program.needs_gpu and not program.is_whole]


def targets(program: Program) -> list[str]:
    return [f"{program.target}_test", f"{program.target}_inspect"]


def read_subject(tree: BuildTree, program: Program, claims: tuple[Claim, ...]) -> Subject:
    """Raises WorkbookError if the tree has no command lines for the program, or has not built it."""
    compile_traced, rewritten, object_path = compile_command(tree, f"{program.target}_kernels_traced")
    link_test, link_traced = (link_command(tree, target) for target in targets(program))
    for path in (Path(rewritten), link_test.folder / object_path):
        if not path.is_file():
            raise WorkbookError(f"{path} is not built yet: cmake --build {tree.folder}")
    headers = tree.workbook.files_of(program.chapter).include_folders
    return Subject(program, compile_traced, rewritten, headers, link_test, link_traced, object_path, claims)


def claims_of(chapter: Chapter) -> dict[str, tuple[Claim, ...]]:
    """The claims about each program, by target: from claims.csv, and the goals of the exercises for the solutions."""
    found: dict[str, tuple[Claim, ...]] = {}
    for claim in read_claims(chapter.files.claims) if chapter.files.claims.is_file() else []:
        name = f"{chapter.name}_{claim.stage}"
        found[name] = (*found.get(name, ()), claim)
    for exercise in chapter.of_kind("exercise"):
        found[f"{exercise.target}_solution"] = read_sheet(chapter.files.sheet(exercise.source.stem)).goals
    return found
