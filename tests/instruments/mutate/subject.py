"""What is mutated: a program of a chapter, how the build tree makes its tests, and what is claimed of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.command_lines import Command, compile_command, link_command
from cli.catalogue import Chapter, Program
from cli.errors import WorkbookError
from cli.measuring.claims import Claim, read_claims
from grading.sheet import read_sheet


@dataclass(frozen=True)
class Subject:
    program: Program
    compile: Command  # of the rewritten source, traced
    rewritten: str  # its path in the command above
    header_folders: tuple[Path, ...]  # of the headers that have to be rewritten too; a solution lies elsewhere
    link_test: Command
    link_traced: Command  # the program that the claims are counted with
    object: str  # its path in the two above
    claims: tuple[Claim, ...]

    def fingerprint(self) -> str:
        """Changes with whatever a mutant's fate depends on, apart from its own text."""
        digest = hashlib.sha256()
        for command in (self.compile, self.link_test, self.link_traced):
            digest.update(repr(command).encode())
            for file in command.files():  # the program's own object is among them, so headers count too
                digest.update(file.read_bytes())
        digest.update(repr(self.claims).encode())
        return digest.hexdigest()


def mutable_programs(chapter: Chapter) -> list[Program]:
    """Stages, other operations and solutions that run in the simulator. Starters of exercises are wrong as they are,
    and whole programs have no tests to put a mutant to."""
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
    """The claims about each program, by target: of claims.csv, and the goals of the exercises, which solutions reach."""
    found: dict[str, tuple[Claim, ...]] = {}
    for claim in read_claims(chapter.files.claims) if chapter.files.claims.is_file() else []:
        name = f"{chapter.name}_{claim.stage}"
        found[name] = (*found.get(name, ()), claim)
    for exercise in chapter.of_kind("exercise"):
        found[f"{exercise.target}_solution"] = read_sheet(chapter.files.sheet(exercise.source.stem)).goals
    return found
