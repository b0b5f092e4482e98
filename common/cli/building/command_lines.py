"""The command lines with which the build tree makes a program, to build a different file with them."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.errors import MissingToolError, WorkbookError
from cli.machine.tools import how_to_install, output_of

# The options of a command line that name output files, with their number of words.
_WRITES = {"-o": 2, "-MD": 1, "-MT": 2, "-MF": 2}
_DATABASE = "compile_commands.json"


@dataclass(frozen=True)
class Command:
    """A compiler's command line without its outputs."""

    words: tuple[str, ...]
    folder: Path  # paths are relative to it

    def replacing(self, old: str, new: Path, output: Path) -> list[str]:
        """The command line with the file `new` instead of `old`. Raises WorkbookError if it has no file `old`."""
        if old not in self.words:
            raise WorkbookError(f"This command line should name {old}: {shlex.join(self.words)}")
        return [*(str(new) if word == old else word for word in self.words), "-o", str(output)]

    def files(self) -> list[Path]:
        return [path for path in (self.folder / word for word in self.words[1:]) if path.is_file()]


def has_command_lines(tree: BuildTree) -> bool:
    """Whether the functions below work: the tree has a database of compile commands, and Ninja has link commands."""
    return tree.cached("CMAKE_GENERATOR") == "Ninja" and (tree.folder / _DATABASE).is_file()


def compile_command(tree: BuildTree, target: str) -> tuple[Command, str, str]:
    """The command that compiles an object library's only object, the source in it, and the object file, named as in the
    link commands. Raises WorkbookError if there is none.
    """
    _require_ninja(tree)
    database = tree.folder / _DATABASE
    if not database.is_file():
        raise WorkbookError(f"There is no {database}: configure the build tree again.")
    for entry in json.loads(database.read_text(encoding="utf-8")):
        if f"CMakeFiles/{target}.dir/" in entry["command"]:
            words = shlex.split(entry["command"])
            folder = Path(entry["directory"])
            return Command(_without_outputs(words), folder), entry["file"], words[words.index("-o") + 1]
    raise WorkbookError(f"{database} has no entry for {target}: is the tree's backend not the simulator?")


def link_command(tree: BuildTree, target: str) -> Command:
    """The command that links a program. Raises WorkbookError if the tree has no such target, or if make builds it."""
    _require_ninja(tree)
    ninja = tree.cached("CMAKE_MAKE_PROGRAM") or "ninja"
    lines = (output_of([ninja, "-C", str(tree.folder), "-t", "commands", target]) or "").splitlines()
    words = shlex.split(lines[-1]) if lines else []
    if words[:2] != [":", "&&"] or words[-2:] != ["&&", ":"]:  # CMake's empty steps before and after
        raise WorkbookError(f"Ninja has no link command for {target}: was {tree.folder} configured with tests?")
    return Command(_without_outputs(words[2:-2]), tree.folder)


def _require_ninja(tree: BuildTree) -> None:
    """make has its link commands in internal files of CMake."""
    if tree.cached("CMAKE_GENERATOR") != "Ninja":
        install = how_to_install("ninja")
        raise MissingToolError(
            f"This needs Ninja, and {tree.folder.name}/ was made for make. Install it{f' ({install})' if install else ''}, "
            f"remove {tree.folder.name}/ and try again."
        )


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
