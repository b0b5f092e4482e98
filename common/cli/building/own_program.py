"""A learner's own program: a .cu file anywhere on the disk, built with the workbook's CMake."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.catalogue import Catalogue, is_path
from cli.errors import BuildError, UsageError
from cli.terminal.arguments import ArgumentParser

_CUDA_SUFFIX = ".cu"
_CPP_SUFFIXES = (".cpp", ".cc", ".cxx")
# CMake and make treat these characters specially, or refuse them. (The last range is not valid UTF-8.)
_REFUSED_IN_PATHS = re.compile(r"[;:|\\$\n\r\ud800-\udfff]|\]=*\]")


@dataclass(frozen=True)
class OwnProgram:
    """A learner's program, named after its first .cu file. `sources` and `include_folders` are absolute."""

    sources: tuple[Path, ...]
    include_folders: tuple[Path, ...] = ()

    @property
    def cuda_sources(self) -> tuple[Path, ...]:
        return tuple(source for source in self.sources if source.suffix == _CUDA_SUFFIX)

    @property
    def source(self) -> Path:
        return self.cuda_sources[0]

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def target(self) -> str:
        """The CMake target. Files with the same name in different folders have different targets."""
        digest = hashlib.sha256(str(self.source).encode(errors="surrogateescape")).hexdigest()[:10]
        return f"own_{re.sub(r'[^A-Za-z0-9_]', '_', self.source.stem)}_{digest}"

    def build(self, tree: BuildTree, traced: bool = False) -> Path:
        """Builds in a configured tree and returns the executable. Raises BuildError, and UsageError for a file that the
        tree cannot build.
        """
        if tree.folder in (source.parent for source in self.sources):  # Ninja has a target of that name there
            raise UsageError(f"{self.name} cannot be built in {tree.folder.name}/ itself: move it to a different folder.")
        target = f"{self.target}_inspect" if traced else self.target
        self._add_to(tree)
        tree.build(self.name, [target], self.source, self.include_folders)
        return tree.program(f"own/{target}/{self._executable_name}")

    @property
    def _executable_name(self) -> str:
        # The source's name, because messages name the program: then `./workbook inspect my_kernel.cu` is correct.
        return re.sub(r"[^\w.+-]", "_", self.name)

    def _add_to(self, tree: BuildTree) -> None:
        sources = "\n".join(f"    [==[{source}]==]" for source in self.sources)
        include = "".join(f"\n    [==[{folder}]==]" for folder in self.include_folders)
        text = (
            f"workbook_add_own_program({self.target} NAME {self._executable_name}\n"
            f"  SOURCES\n{sources}" + (f"\n  INCLUDE{include}" if include else "") + ")\n"
        )
        entry = tree.folder / "own/entries" / f"{self.target}.cmake"
        if entry.is_file() and entry.read_text(encoding="utf-8") == text:
            return
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.write_text(text, encoding="utf-8")
        try:
            tree.add(self.name)
        except BuildError:
            entry.unlink()  # otherwise every later build would fail too
            raise


def add_target_arguments(parser: ArgumentParser, how_many: str = "+") -> None:
    """The arguments of find_own_program: `target`, words of which the first can be a file, and `include`, folders."""
    parser.add_argument("target", nargs=how_many)
    parser.add_argument("--include", metavar="DIR", type=Path, action="append", default=[])


def find_own_program(words: list[str], include_folders: list[Path], catalogue: Catalogue) -> OwnProgram | None:
    """The program in the files named by `words`; None if the first word is a program of the workbook.

    Raises UsageError for words that cannot be a program.
    """
    own = is_path(words[0]) and Path(words[0]).is_file() and not catalogue.has_file(Path(words[0]))
    if not own:
        if len(words) > 1:
            raise UsageError(f"Only files of your own can be combined; '{words[0]}' is not such a file.")
        if include_folders:
            raise UsageError(f"--include works only with a file of your own; '{words[0]}' is not such a file.")
        return None
    sources = tuple(_source(word) for word in words)
    if not any(source.suffix == _CUDA_SUFFIX for source in sources):
        raise UsageError(f"'{words[0]}' is not a {_CUDA_SUFFIX} file. Name the {_CUDA_SUFFIX} file with the kernels too.")
    return OwnProgram(sources, tuple(_include_folder(folder) for folder in include_folders))


def _source(word: str) -> Path:
    path = Path(word)
    if not path.is_file():
        raise UsageError(f"There is no file '{word}'. The current folder is {Path.cwd()}.")
    if path.suffix not in (_CUDA_SUFFIX, *_CPP_SUFFIXES):
        accepted = ", ".join((_CUDA_SUFFIX, *_CPP_SUFFIXES))
        raise UsageError(f"'{word}' cannot be built: the name of a source file ends in one of {accepted}.")
    return _usable(path)


def _include_folder(folder: Path) -> Path:
    if not folder.is_dir():
        raise UsageError(f"--include {folder}: there is no such folder.")
    return _usable(folder)


def _usable(path: Path) -> Path:
    absolute = os.path.abspath(path)  # a link is not resolved: the headers are next to the link
    refused = _REFUSED_IN_PATHS.search(absolute)
    if refused:
        raise UsageError(f"CMake cannot handle the {refused.group()!a} in {absolute!a}. Rename it, or use a copy.")
    return Path(absolute)
