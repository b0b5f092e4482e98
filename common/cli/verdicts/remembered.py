"""Tests that have passed: they do not have to run again until a file that they read has changed.

The files of a test follow from ctest's list: its command, with the contents of all files in it, and its environment. In
addition, a GoogleTest program reads at most its chapter's data, which are neither source nor pages. A test in Python
can read all files of its chapter, of common/, tests/ and plots/, and all programs of its chapter; without a chapter, it
can read the whole workbook. A test is remembered only if all its cases passed and no file changed while it ran.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from cli.building.contents import Digests, identity, record_in
from cli.errors import WorkbookError
from cli.running.children import run_child
from cli.verdicts.ctest import Counts

_FORMAT = 1
# The environment variables that can change a result.
_SETTINGS = ("CUDA_SIMULATOR_", "GTEST_", "WORKBOOK_", "CUDA_")
_NOT_READ = ("__pycache__", ".git")
_SHARED = ("common", "tests", "plots")
_COMPILED_OR_PAGE = (".cu", ".cuh", ".h", ".cpp", ".md")


@dataclass(frozen=True)
class Test:
    number: int  # ctest's
    name: str
    command: tuple[str, ...]
    environment: tuple[str, ...]
    labels: tuple[str, ...]


def list_tests(tree: Path) -> list[Test]:
    """The tests of a configured tree. Raises WorkbookError if ctest does not list them."""
    command = ["ctest", "--test-dir", str(tree), "--show-only=json-v1"]
    listed = run_child(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        return [_test(number, entry) for number, entry in enumerate(json.loads(listed.stdout)["tests"], start=1)]
    except (ValueError, KeyError, TypeError) as error:
        raise WorkbookError(f"ctest does not list the tests in {tree}.") from error


def _test(number: int, entry: Mapping) -> Test:
    properties = {one["name"]: one["value"] for one in entry["properties"]}
    labels = properties.get("LABELS", ())
    return Test(
        number, entry["name"], tuple(entry.get("command", ())), tuple(properties.get("ENVIRONMENT", ())), tuple(labels)
    )


class Reading:
    """The state, at one moment, of the files that tests read."""

    def __init__(self, root: Path, tree: Path) -> None:
        self._root = root
        self._tree = tree
        self._digests = Digests()
        self._of_folders: dict[str, str] = {}
        self._of_programs: dict[str, str] = {}
        kept = {name: value for name, value in os.environ.items() if name.startswith(_SETTINGS)}
        self._around = [repr(sorted(kept.items())), *self._libraries()]

    def key(self, test: Test) -> str:
        """The key of a test; it changes when a file that the test reads changes."""
        parts = [*self._around, test.name, *test.command, *test.environment]
        parts += [self._digests.of(word) for word in test.command if os.path.isfile(word)]
        parts += self._of_data(test) if self._is_program(test) else self._of_workbook(test)
        return hashlib.sha256("\0".join(parts).encode(errors="surrogateescape")).hexdigest()

    def _is_program(self, test: Test) -> bool:
        folder = f"{self._tree / 'bin'}{os.sep}"
        return test.command[:1] != () and test.command[0].startswith(folder) and test.command[1:] == ("--gtest_brief=1",)

    def _chapter(self, test: Test) -> str:
        return next((label for label in test.labels if (self._root / "chapters" / label).is_dir()), "")

    def _of_data(self, test: Test) -> list[str]:
        folders = [f"{folder}/{self._chapter(test)}" for folder in ("chapters", "tests")] if self._chapter(test) else []
        return [self._folder(folder, _COMPILED_OR_PAGE) for folder in folders]

    def _of_workbook(self, test: Test) -> list[str]:
        chapter = self._chapter(test)
        if not chapter:
            return [self._folder(""), self._programs("")]
        own = [f"{folder}/{chapter}" for folder in ("chapters", "solutions")]
        return [self._folder(folder) for folder in (*_SHARED, *own)] + [self._programs(f"{chapter.partition('_')[0]}_")]

    def _folder(self, name: str, left_out: tuple[str, ...] = ()) -> str:
        """A digest of the names and contents of all files in a folder, except those with an ending in left_out."""
        key = f"{name} {left_out}"
        if key not in self._of_folders:
            paths = _files_below(self._root / name, self._root)
            self._of_folders[key] = self._of_files(path for path in paths if not path.endswith(left_out))
        return self._of_folders[key]

    def _programs(self, beginning: str) -> str:
        if beginning not in self._of_programs:
            folder = self._tree / "bin"
            names = sorted(os.listdir(folder)) if folder.is_dir() else []
            paths = (str(folder / name) for name in names if name.startswith(beginning))
            self._of_programs[beginning] = self._of_files(path for path in paths if os.path.isfile(path))
        return self._of_programs[beginning]

    def _of_files(self, paths: Iterable[str]) -> str:
        lines = "".join(f"{path} {self._digests.of(path)}\n" for path in paths)
        return hashlib.sha256(lines.encode(errors="surrogateescape")).hexdigest()

    def _libraries(self) -> list[str]:
        """The identities of the C and C++ libraries and of Python, which a system update can change."""
        names = ("libstdc++.so.6", "libc.so.6", "libm.so.6", "libgcc_s.so.1")
        command = ["g++", *(f"-print-file-name={name}" for name in names)]
        try:
            found = run_child(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
        except OSError:
            found = ""
        return [identity(path) for path in (*found.split(), os.path.realpath("/proc/self/exe")) if os.path.isfile(path)]


def _files_below(folder: Path, root: Path) -> Iterator[str]:
    for where, folders, names in os.walk(folder):
        is_root = Path(where) == root
        folders[:] = sorted(
            name for name in folders if name not in _NOT_READ and not (is_root and name.startswith("build"))
        )
        for name in sorted(names):
            if not (is_root and name == "progress.csv"):  # the learner's progress is not part of the workbook
                yield os.path.join(where, name)


class Remembered:
    """The tests that passed in a build tree, each with the key (the digest of its files) of the run that passed."""

    def __init__(self, tree: Path) -> None:
        self._file = record_in(tree, "passed_tests")
        self._tests = self._read()

    def counts(self, name: str, key: str) -> Counts | None:
        """The counts of cases, if the test has passed with this key; None if it has to run."""
        entry = self._tests.get(name)
        return Counts(passed=entry[1], skipped=entry[2]) if entry and entry[0] == key else None

    def forget(self, names: Iterable[str]) -> None:
        """Removes tests that are about to run, because they may be stopped before they end."""
        for name in names:
            self._tests.pop(name, None)
        self._write()

    def remember(self, passed: Mapping[str, tuple[str, Counts]]) -> None:
        for name, (key, counts) in passed.items():
            self._tests[name] = (key, counts.passed, counts.skipped)
        self._write()

    def _read(self) -> dict[str, tuple[str, int, int]]:
        try:
            noted = json.loads(self._file.read_text(encoding="utf-8"))
            if noted["format"] == _FORMAT:
                return {name: (str(key), int(passed), int(skipped)) for name, (key, passed, skipped) in noted["tests"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return {}

    def _write(self) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        self._file.write_text(json.dumps({"format": _FORMAT, "tests": self._tests}), encoding="utf-8")
