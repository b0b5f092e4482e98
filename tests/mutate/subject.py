"""What is mutated: a program of a chapter, how the build tree makes its tests, and what is claimed of it."""

from __future__ import annotations

import hashlib
import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from cli.build_tree import BuildTree
from cli.catalogue import Chapter, Program
from cli.claims import Claim, read_claims
from cli.errors import WorkbookError

# What a command line says of the files that it writes, with the number of words that belong to it.
_WRITES = {"-o": 2, "-MD": 1, "-MT": 2, "-MF": 2}


@dataclass(frozen=True)
class Command:
    """A compiler's command line without its outputs."""

    words: tuple[str, ...]
    folder: Path  # that its paths start from

    def replacing(self, old: str, new: Path, output: Path) -> list[str]:
        """The command line with another file in place of `old`. Raises WorkbookError if it has no such file."""
        if old not in self.words:
            raise WorkbookError(f"This command line should name {old}: {shlex.join(self.words)}")
        return [*(str(new) if word == old else word for word in self.words), "-o", str(output)]

    def files(self) -> list[Path]:
        return [path for path in (self.folder / word for word in self.words[1:]) if path.is_file()]


@dataclass(frozen=True)
class Subject:
    program: Program
    compile: Command  # of the rewritten source, traced
    rewritten: str  # its path in the command above
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
    """Stages, other operations and solutions that run in the simulator. Starters of exercises are wrong as they are."""
    return [program for program in chapter.of_kind("stage", "operation", "solution") if not program.needs_gpu]


def targets(program: Program) -> list[str]:
    return [f"{program.target}_test", f"{program.target}_inspect"]


def read_subject(tree: BuildTree, program: Program, claims: tuple[Claim, ...]) -> Subject:
    """Raises WorkbookError if the tree has no command lines for the program, or has not built it."""
    objects = f"CMakeFiles/{program.target}_kernels_traced.dir/"
    compile_command, rewritten, object_path = _compile_command(tree, objects)
    link_test, link_traced = (_link_command(tree, program.chapter, target) for target in targets(program))
    for path in (Path(rewritten), link_test.folder / object_path):
        if not path.is_file():
            raise WorkbookError(f"{path} is not built yet: cmake --build {tree.folder}")
    return Subject(program, compile_command, rewritten, link_test, link_traced, object_path, claims)


def _compile_command(tree: BuildTree, objects: str) -> tuple[Command, str, str]:
    """The command, the source in it, and the object that it writes."""
    database = tree.folder / "compile_commands.json"
    if not database.is_file():
        raise WorkbookError(f"There is no {database}: configure the build tree again, with make or Ninja.")
    for entry in json.loads(database.read_text(encoding="utf-8")):
        if f" {objects}" in entry["command"]:
            words = shlex.split(entry["command"])
            folder = Path(entry["directory"])
            return Command(_without_outputs(words), folder), entry["file"], words[words.index("-o") + 1]
    raise WorkbookError(f"{database} says nothing of {objects}: has this tree another backend than the simulator?")


def _link_command(tree: BuildTree, chapter: str, target: str) -> Command:
    folder = tree.folder / "chapters" / chapter
    script = folder / "CMakeFiles" / f"{target}.dir" / "link.txt"
    if not script.is_file():
        raise WorkbookError(f"There is no {script}: the tree must be made with tests, and for make (Unix Makefiles).")
    return Command(_without_outputs(shlex.split(script.read_text(encoding="utf-8"))), folder)


def _without_outputs(words: list[str]) -> tuple[str, ...]:
    kept = []
    i = 0
    while i < len(words):
        if words[i] in _WRITES:
            i += _WRITES[words[i]]
        else:
            kept.append(words[i])
            i += 1
    return tuple(kept)


def claims_of(chapter: Chapter, root: Path) -> dict[str, tuple[Claim, ...]]:
    """The claims about each program, by target: of claims.csv, and of the solutions' goals.csv."""
    found: dict[str, tuple[Claim, ...]] = {}
    short = chapter.name.split("_", 1)[0]
    for file, target in (
        (chapter.folder / "claims.csv", f"{chapter.name}_{{}}"),
        (root / "solutions" / chapter.name / "goals.csv", f"{short}_{{}}_solution"),
    ):
        for claim in read_claims(file) if file.is_file() else []:
            name = target.format(claim.stage)
            found[name] = (*found.get(name, ()), claim)
    return found
