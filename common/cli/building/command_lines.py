"""How the build tree makes a program: the command lines that build another file in its place."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.errors import WorkbookError

# What a command line says of the files that it writes, with the number of words that belong to it.
_WRITES = {"-o": 2, "-MD": 1, "-MT": 2, "-MF": 2}
_SYSTEM_HEADER = "#pragma GCC system_header"


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

    def with_plain_header(self, copy: Path) -> Command:
        """The command with the header that it has precompiled as a plain one, which is written to `copy`.

        CMake calls such a header the system's, so that the preprocessor tells of its macros as of the system's.
        """
        if "-include" not in self.words:
            return self
        position = self.words.index("-include") + 1
        lines = (self.folder / self.words[position]).read_text(encoding="utf-8").splitlines(keepends=True)
        copy.write_text("".join(line for line in lines if line.strip() != _SYSTEM_HEADER), encoding="utf-8")
        return replace(self, words=(*self.words[:position], str(copy), *self.words[position + 1 :]))

    def files(self) -> list[Path]:
        return [path for path in (self.folder / word for word in self.words[1:]) if path.is_file()]


def compile_command(tree: BuildTree, objects: str) -> tuple[Command, str, str]:
    """The command, the source in it, and the object that it writes. Raises WorkbookError if there is none.

    `objects` is what the paths of the target's objects begin with: `CMakeFiles/<target>.dir/`.
    """
    database = tree.folder / "compile_commands.json"
    if not database.is_file():
        raise WorkbookError(f"There is no {database}: configure the build tree again, with make or Ninja.")
    for entry in json.loads(database.read_text(encoding="utf-8")):
        if f" {objects}" in entry["command"]:
            words = shlex.split(entry["command"])
            folder = Path(entry["directory"])
            return Command(_without_outputs(words), folder), entry["file"], words[words.index("-o") + 1]
    raise WorkbookError(f"{database} says nothing of {objects}: has this tree another backend than the simulator?")


def link_command(tree: BuildTree, chapter: str, target: str) -> Command:
    """Raises WorkbookError if the tree has no command to link this target."""
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
