"""A learner's own program: a .cu file anywhere on the disk, built with the workbook's CMake."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.command_lines import Command, compile_command, has_command_lines
from cli.building.gxx_warnings import WARNING_OPTIONS, gxx_warnings
from cli.catalogue import Catalogue, is_path
from cli.errors import BuildError, UsageError
from cli.running.children import run_child, temporary_folder
from cli.terminal.arguments import ArgumentParser

_CUDA_SUFFIX = ".cu"
_TIMEOUT_S = 20
_HOST_SUFFIXES = (".cpp", ".cc", ".cxx", ".c")
# CMake and make treat these characters specially, or refuse them. (The last range is not valid UTF-8.)
_REFUSED_IN_PATHS = re.compile(r"[;:|\\$\n\r\ud800-\udfff]|\]=*\]")


_DEFINITION = re.compile(r"[A-Za-z_]\w*(?:=[^;\\$\n\r\]]*)?")
_COMPILER_OPTION = re.compile(r"-[^;\\$\n\r\]]+")
# A learner's own program can accept a finding with a comment, which an exercise cannot, and gets a hint if it is slow.
OWN_PROGRAM = {"CUDA_SIMULATOR_OWN_PROGRAM": "1"}
BUILD_USAGE = "[--include DIR] [--define NAME=VALUE] [--compiler=OPTION]"


@dataclass(frozen=True)
class BuildOptions:
    """How the compiler builds a learner's program. Folders are absolute."""

    include_folders: tuple[Path, ...] = ()
    definitions: tuple[str, ...] = ()  # NAME=VALUE
    compiler_options: tuple[str, ...] = ()

    def words(self, typed: Callable[[Path], str] = str) -> list[str]:
        """The words of a command line. typed: a folder as the learner would type it."""
        return [
            *(word for folder in self.include_folders for word in ("--include", typed(folder))),
            *(word for definition in self.definitions for word in ("--define", definition)),
            *(f"--compiler={option}" for option in self.compiler_options),
        ]


@dataclass(frozen=True)
class OwnProgram:
    """A learner's program, named after its first .cu file, if it has one. `sources` are absolute."""

    sources: tuple[Path, ...]
    options: BuildOptions = BuildOptions()

    @property
    def include_folders(self) -> tuple[Path, ...]:
        return self.options.include_folders

    @property
    def cuda_sources(self) -> tuple[Path, ...]:
        return tuple(source for source in self.sources if source.suffix == _CUDA_SUFFIX)

    @property
    def source(self) -> Path:
        return (*self.cuda_sources, *self.sources)[0]

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
        target = self.target_of(traced)
        self._add_to(tree)
        tree.build(self.name, [target], self.source, self.include_folders)
        return tree.program(f"own/{target}/{self._executable_name}")

    def warnings(self, tree: BuildTree) -> list[str]:
        """g++'s warnings about the built .cu files, as gxx_warnings() returns them; none if make builds them."""
        found = []
        for number, source in enumerate(self.sources, start=1):
            if source.suffix == _CUDA_SUFFIX and has_command_lines(tree):
                command, rewritten, _ = compile_command(tree, f"{self.target}_{number}")
                found += _warnings_about(source, Path(rewritten), command)
        return found

    @property
    def _executable_name(self) -> str:
        # The source's name, because messages name the program: then `./workbook inspect my_kernel.cu` is correct.
        return re.sub(r"[^\w.+-]", "_", self.name)

    def target_of(self, traced: bool) -> str:
        return f"{self.target}_inspect" if traced else self.target

    def write_entry(self, tree: BuildTree) -> Path | None:
        """Writes what CMake reads about the program. Returns the file, or None if it has these contents already."""
        sources = "\n".join(f"    [==[{source}]==]" for source in self.sources)
        text = f"workbook_add_own_program({self.target} NAME {self._executable_name}\n  SOURCES\n{sources}"
        for keyword, words in (
            ("INCLUDE", self.options.include_folders),
            ("DEFINE", self.options.definitions),
            ("OPTIONS", self.options.compiler_options),
        ):
            text += "".join((f"\n  {keyword}", *(f"\n    [==[{word}]==]" for word in words))) if words else ""
        text += ")\n"
        entry = tree.folder / "own/entries" / f"{self.target}.cmake"
        if entry.is_file() and entry.read_text(encoding="utf-8") == text:
            return None
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.write_text(text, encoding="utf-8")
        return entry

    def _add_to(self, tree: BuildTree) -> None:
        entry = self.write_entry(tree)
        if not entry:
            return
        try:
            tree.add(self.name)
        except BuildError:
            entry.unlink()  # otherwise every later build would fail too
            raise


def _warnings_about(source: Path, rewritten: Path, command: Command) -> list[str]:
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "errors": "replace"}
    environment = {**os.environ, "LC_ALL": "C"}

    def output_of_gxx(file: Path) -> str:
        words = [*command.replacing(str(rewritten), file, Path(os.devnull)), *WARNING_OPTIONS]
        return run_child(words, timeout=_TIMEOUT_S, cwd=command.folder, env=environment, **streams).stderr

    with temporary_folder() as folder, contextlib.suppress(OSError, subprocess.TimeoutExpired):
        copy = folder / rewritten.name
        copy.write_bytes(rewritten.read_bytes())
        return gxx_warnings(source, copy, output_of_gxx)
    return []


def add_target_arguments(parser: ArgumentParser, how_many: str = "+") -> None:
    """The arguments of find_own_program: `target`, words of which the first can be a file, and build options."""
    parser.add_argument("target", nargs=how_many)
    add_build_options(parser)


def add_build_options(parser: ArgumentParser) -> None:
    parser.add_argument("--include", metavar="DIR", type=Path, action="append", default=[])
    parser.add_argument("--define", metavar="NAME=VALUE", action="append", default=[])
    parser.add_argument("--compiler", metavar="OPTION", action="append", default=[])


def build_options(parsed: argparse.Namespace) -> BuildOptions:
    """Raises UsageError for an option that the build cannot have."""
    for definition in parsed.define:
        if not _DEFINITION.fullmatch(definition):
            raise UsageError(f"--define {definition}: write NAME=VALUE, such as --define N=1000.")
    for option in parsed.compiler:
        if not _COMPILER_OPTION.fullmatch(option):
            raise UsageError(f"--compiler={option}: a compiler's option begins with -, such as --compiler=-fopenmp.")
    folders = tuple(_include_folder(folder) for folder in parsed.include)
    return BuildOptions(folders, tuple(parsed.define), tuple(parsed.compiler))


def find_own_program(words: list[str], options: BuildOptions, catalogue: Catalogue) -> OwnProgram | None:
    """The program in the files named by `words`; None if the first word is a program of the workbook.

    Raises UsageError for words that cannot be a program.
    """
    own = is_path(words[0]) and Path(words[0]).is_file() and not catalogue.has_file(Path(words[0]))
    if not own:
        if len(words) > 1:
            raise UsageError(f"Only files of your own can be combined; '{words[0]}' is not such a file.")
        if options != BuildOptions():
            option = options.words()[0].partition("=")[0]
            raise UsageError(f"{option} works only with a file of your own; '{words[0]}' is not such a file.")
        return None
    return OwnProgram(tuple(_source(word) for word in words), options)


def _source(word: str) -> Path:
    path = Path(word)
    if not path.is_file():
        raise UsageError(f"There is no file '{word}'. The current folder is {Path.cwd()}.")
    if path.suffix not in (_CUDA_SUFFIX, *_HOST_SUFFIXES):
        accepted = ", ".join((_CUDA_SUFFIX, *_HOST_SUFFIXES))
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
