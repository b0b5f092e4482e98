"""What make's programs were made of, by content: so that nobody waits for make to find that they are as they were.

make reads a megabyte of its own makefiles and starts some sixty processes before it says that a program is up to date,
and then goes by times. After a build, `note` writes down the contents of all that went into a program: sources, headers,
the system's too, what CMake read, what lies between. `changed` tells later, in some hundredths of a second, what has
another content. Whatever is not known for certain counts as not known, and then make builds.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from cli.building.contents import PRECOMPILED, Digests, named_in, note_contents, read_contents, write_empty

_RECORDS = "CMakeFiles/made_of"  # what `cmake --fresh` removes
_TARGETS = "CMakeFiles/TargetDirectories.txt"
_SCRIPTS = ("common/simulator/translate", "common/cmake")  # they make files, and no list for make names them all
_INCLUDED = re.compile(r"-include[; ]([^;\s]+)")
_CMAKE_INPUT = re.compile(r'^  "([^"]+)"$', re.MULTILINE)
_GLOBBED = re.compile(r'^file\(GLOB .*"([^"*]*/)[^"/]*"\)$', re.MULTILINE)


def record_in(tree: Path, name: str) -> Path:
    return tree / _RECORDS / f"{name}.json"


class Unknown(Exception):
    """What a program was made of cannot be told."""


class MadeOf:
    """What some targets of a build tree were made of: programs, each by a link command of make's, or object libraries."""

    def __init__(self, tree: Path, root: Path, targets: Iterable[str]) -> None:
        self.tree = tree
        self._root = root
        self._targets = tuple(targets)

    def changed(self) -> set[Path] | None:
        """The files that are not as they were when the targets were built; None where that is not known, or where a
        file was added or is gone.
        """
        digests = Digests()
        changed = set()
        for noted in self._noted():
            for path, digest in noted.items() if noted else ():
                if digests.of(path) != digest:
                    if path.endswith("/") or not digests.of(path):
                        return None
                    changed.add(Path(path))
            if noted is None:
                return None
        return changed

    def files(self) -> list[str]:
        """All that is noted, each once."""
        return list(dict.fromkeys(path for noted in self._noted() for path in noted or ()))

    def programs(self) -> list[Path]:
        """What the targets' link commands write; an object library has none. Raises OSError and Unknown."""
        folder_of = target_folders(str(self.tree))
        folders = [folder_of.get(target, "") for target in self._targets]
        return [_program_of(folder) for folder in folders if not _objects_in(folder)]

    @contextlib.contextmanager
    def noting(self) -> Iterator[Callable[[], None]]:
        """Around a build by make: gives what notes what the targets are made of, to be called if it has gone well. A
        target of which a file was changed meanwhile, by the clock of the files, is not noted.
        """
        for target in self._targets:
            self._record(target).unlink(missing_ok=True)
        with self._clock() as began_ns:
            yield lambda: self._note(began_ns)

    @contextlib.contextmanager
    def noting_again(self, objects: Iterable[Path]) -> Iterator[Callable[[], None]]:
        """As `noting`, around a build of `objects` and the targets, after `changed` has found the rest as noted."""
        noted = self._noted()
        with self.noting(), self._clock() as began_ns:
            yield lambda: self._note_again(noted, list(objects), began_ns)

    @contextlib.contextmanager
    def _clock(self) -> Iterator[int]:
        started = self._record(f"started_{os.getpid()}")
        try:
            yield write_empty(started)
        finally:
            started.unlink(missing_ok=True)

    def _note(self, began_ns: int) -> None:
        digests = Digests()
        with contextlib.suppress(OSError, ValueError, Unknown):
            for target, paths in _Inputs(self.tree, self._root).of_programs(self._targets).items():
                note_contents(self._record(target), paths, began_ns, {}, digests, self._in_tree)

    def _note_again(self, noted: list[dict[str, str] | None], objects: list[Path], began_ns: int) -> None:
        digests = Digests()
        with contextlib.suppress(OSError, ValueError, Unknown):
            inputs = _Inputs(self.tree, self._root)
            concerned = [path for file in objects for path in inputs.of_object(file)]
            for target, program, files in zip(self._targets, self.programs(), noted):
                paths = dict.fromkeys([*concerned, str(program)])
                kept = {path: digest for path, digest in (files or {}).items() if path not in paths}
                note_contents(self._record(target), paths, began_ns, {}, digests, self._in_tree, kept)

    @property
    def _in_tree(self) -> str:
        return f"{self.tree}/"

    def _record(self, target: str) -> Path:
        return record_in(self.tree, target)

    def _noted(self) -> list[dict[str, str] | None]:
        return [read_contents(self._record(target), {}) for target in self._targets]


class _Inputs:
    """Follows what make was told and what compilers wrote down: link.txt, flags.make, and lists of headers (.d)."""

    def __init__(self, tree: Path, root: Path) -> None:
        self._tree = str(tree)
        self._root = str(root)
        self._below: dict[str, tuple[str, ...]] = {}

    def of_programs(self, targets: Iterable[str]) -> dict[str, list[str]]:
        """All files and folders (which end in "/") that each target is made of, itself included. Raises Unknown, and
        OSError for what cannot be read.
        """
        folder_of = target_folders(self._tree)
        common = self._of_cmake()
        globbed = self._globbed_folders()
        found = {}
        for target in targets:
            folder = folder_of.get(target)
            objects = _objects_in(folder) if folder else []
            if not objects and (not folder or not os.path.isfile(f"{folder}/link.txt")):
                raise Unknown(target)  # no program of make's
            own = (path for file in objects for path in self._with_inputs(file)) if objects else self._linked(folder)
            paths = [*common, *own]
            folders = {f"{os.path.dirname(path)}/" for path in paths if self._is_source(path)}
            found[target] = [*dict.fromkeys(paths), *sorted(folders | globbed)]
        return found

    def of_object(self, file: Path) -> tuple[str, ...]:
        """The object, and all that it is made of. Raises as of_programs does."""
        return self._with_inputs(str(file))

    def _is_source(self, path: str) -> bool:
        return path.startswith(f"{self._root}/") and not path.startswith(f"{self._tree}/")

    def _of_cmake(self) -> list[str]:
        text = Path(self._tree, "CMakeFiles/Makefile.cmake").read_text(encoding="utf-8")
        inputs, _, _ = text.partition("CMAKE_MAKEFILE_OUTPUTS")
        paths = [os.path.join(self._tree, path) for path in _CMAKE_INPUT.findall(inputs)]
        # Of CMake's own modules a hundred; those that it made of a check of this machine lie in the tree.
        kept = [path for path in paths if self._is_source(path) or path.endswith("/CMakeCache.txt")]
        for folder in _SCRIPTS:
            scripts = os.path.join(self._root, folder)
            kept += [os.path.join(scripts, name) for name in sorted(os.listdir(scripts)) if name.endswith(".py")]
        return kept

    def _globbed_folders(self) -> set[str]:
        script = Path(self._tree, "CMakeFiles/VerifyGlobs.cmake")
        text = script.read_text(encoding="utf-8") if script.is_file() else ""
        return {folder for folder in _GLOBBED.findall(text) if self._is_source(folder)}

    def _linked(self, target_folder: str) -> list[str]:
        """What the commands of link.txt name, what that was made of, and what they write."""
        script = f"{target_folder}/link.txt"
        folder = os.path.dirname(os.path.dirname(target_folder))
        paths = [script]
        for line in Path(script).read_text(encoding="utf-8").splitlines():
            for word in shlex.split(line)[1:]:
                path = os.path.normpath(os.path.join(folder, word))
                if not word.startswith("-") and os.path.isfile(path):
                    paths += self._with_inputs(path)
        return list(dict.fromkeys(paths))

    def _with_inputs(self, path: str) -> tuple[str, ...]:
        if path not in self._below:
            self._below[path] = ()  # an archive's own link.txt names it again
            self._below[path] = tuple(dict.fromkeys([path, *self._inputs(path)]))
        return self._below[path] or (path,)

    def _inputs(self, path: str) -> Iterator[str]:
        if not path.startswith(f"{self._tree}/"):
            return
        folder, name = os.path.split(path)
        if name.endswith(".a"):
            yield from self._linked(f"{folder}/CMakeFiles/{name[len('lib'):-len('.a')]}.dir")
            return
        listed = f"{path}.d"
        if name.endswith((".o", PRECOMPILED)) or os.path.isfile(listed):
            for header in named_in(listed, self._tree):
                if header != path:
                    yield from self._with_inputs(header)
        if name.endswith(".o"):
            flags = os.path.join(_target_folder(path), "flags.make")
            yield flags
            for included in _INCLUDED.findall(Path(flags).read_text(encoding="utf-8")):
                for precompiled in (included, f"{included}{PRECOMPILED}"):
                    if os.path.isfile(precompiled):
                        yield from self._with_inputs(precompiled)
        if os.path.isfile(f"{path}.contents"):
            yield f"{path}.contents"


def _objects_in(target_folder: str) -> list[str]:
    """Of an object library, which is compiled and not linked; else nothing."""
    if not os.path.isfile(f"{target_folder}/flags.make") or os.path.isfile(f"{target_folder}/link.txt"):
        return []
    found = (os.path.join(folder, name) for folder, _, names in os.walk(target_folder) for name in names)
    return sorted(path for path in found if path.endswith(".o"))


def _program_of(target_folder: str) -> Path:
    words = shlex.split(Path(target_folder, "link.txt").read_text(encoding="utf-8"))
    if "-o" not in words[:-1]:
        raise Unknown(target_folder)
    folder = os.path.dirname(os.path.dirname(target_folder))
    return Path(os.path.normpath(os.path.join(folder, words[words.index("-o") + 1])))


def _target_folder(object_file: str) -> str:
    """CMakeFiles/<target>.dir, in which an object lies. Raises Unknown."""
    match = re.match(r".*/CMakeFiles/[^/]+\.dir(?=/)", object_file)
    if not match:
        raise Unknown(object_file)
    return match.group()


def target_folders(tree: str) -> dict[str, str]:
    """CMakeFiles/<target>.dir of each target of a tree. Raises OSError."""
    lines = Path(tree, _TARGETS).read_text(encoding="utf-8").splitlines()
    return {os.path.basename(line)[: -len(".dir")]: line for line in lines}
