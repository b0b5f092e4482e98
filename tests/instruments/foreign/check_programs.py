#!/usr/bin/env python3
"""How many published CUDA programs build in the simulator, and how they end there.

    python3 tests/instruments/foreign/check_programs.py REPOSITORIES            compile all programs of programs.csv
    python3 tests/instruments/foreign/check_programs.py REPOSITORIES --run      and run them, each with its errors found
    python3 tests/instruments/foreign/check_programs.py REPOSITORIES --write    write the results, if none is worse

REPOSITORIES is a folder with a checkout of each repository that programs.csv names, OWNER+NAME. A repository that is
not there is left out. --only TEXT takes the rows that contain TEXT, --jobs N compiles or runs N at a time.

`built` is yes if the program is rewritten and compiled, without optimisation and without linking; with --run, if
`./workbook run` builds it.
`result` is how it ends there, with `options` and `arguments`: passed (exit code 0 and the program's own check), ran
(exit code 0), found (the simulator reports an error), failed (another exit code), slow (stopped after 120 s of CPU
time), or wrong (exit code 0, but the program's own check fails). The exit code is 1 if a result is worse than in the
table, or wrong.
`why` says why a row runs --unchecked, and what the error is that the simulator finds.
`list` is ours for a program of our own sample, peer for one of the lists with which the project cuda4cpu tests
itself, and both for a program of both.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from threading import Lock

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.building.build_tree import NO_CHAPTER, BuildTree, simulator_tree
from cli.building.own_program import OWN_PROGRAM, OwnProgram, add_target_arguments, build_options, find_own_program
from cli.errors import BuildError, UsageError
from cli.terminal.arguments import ArgumentParser
from cli.workbook import Workbook

TABLE = Path(__file__).with_name("programs.csv")
_INCLUDE = ROOT / "common/simulator/include"
# Thrust, as in common/CMakeLists.txt; docs/own_programs.md has the command that installs it.
_THRUST = (ROOT / "common/simulator/thrust", ROOT / "data/cccl/nvidia/cu13/include/cccl")
_TOOLKIT = "/usr/local/include"  # g++ searches it by itself
_CPU_LIMIT_S = 120
_STOPPED = (124, 128 + 24, -24)  # by `timeout` and by the limit of CPU time
_TOO_LARGE = "CUDA simulator: the program has computed for 8 s."
_ORDER = ("", "wrong", "failed", "slow", "found", "ran", "passed")  # a result is better than those before it
_FAILS = re.compile(r"\b(?:FAIL(?:ED|URE)?|Failed|failed|mismatch\w*|MISMATCH|incorrect|INCORRECT)\b|does not match")
_PASSES = re.compile(r"\b(?:PASS(?:ED)?|Passed|passed|SUCCESS\w*|[Ss]uccess\w*|CORRECT|correct|match(?:es)?)\b|\bOK\b")


@dataclass(frozen=True)
class Program:
    """A row of the table. files and include are paths in the repository, with ";" between them."""

    repository: str
    files: str
    include: str
    options: str  # of `./workbook run`, such as --define N=1000 --unchecked, and CUDA_SIMULATOR_DEVICES=2 in front
    arguments: str
    list: str
    built: str
    result: str
    why: str = ""

    def paths(self, repositories: Path, names: str) -> list[str]:
        return [_usable(repositories / self.repository / name) for name in names.split(";") if name]

    @property
    def environment(self) -> dict[str, str]:
        return dict(word.split("=", 1) for word in shlex.split(self.options) if word.startswith("CUDA_SIMULATOR_"))

    @property
    def build_options(self) -> list[str]:
        return [word for word in shlex.split(self.options) if not word.startswith("CUDA_SIMULATOR_")]


def _usable(path: Path) -> str:
    """The path, in a copy of its folder if CMake cannot handle the name, as the commands tell a learner to do."""
    if ":" not in str(path):
        return str(path)
    copy = Path(tempfile.gettempdir()) / "foreign_programs" / str(path.parent).replace(":", "").lstrip("/")
    if not copy.exists():
        shutil.copytree(path.parent, copy)
    return str(copy / path.name)


def classify(returncode: int | None, output: str) -> str:
    """The result of a run. returncode: None if it was stopped."""
    if returncode is None:
        return "slow"
    if returncode != 0:
        return "found" if "CUDA simulator: " in output.replace(_TOO_LARGE, "") else "failed"
    if _FAILS.search(output):
        return "wrong"
    return "passed" if _PASSES.search(output) else "ran"


def is_worse(new: Program, old: Program) -> bool:
    return new.built < old.built or _ORDER.index(new.result) < _ORDER.index(old.result)


def build(program: Program, repositories: Path) -> tuple[Program, str]:
    """The program with `built`, and the first error."""
    folders = program.paths(repositories, program.include)
    with tempfile.TemporaryDirectory() as folder:
        for file in program.paths(repositories, program.files):
            source, headers = file, []
            if file.endswith(".cu"):
                source, headers = f"{folder}/rewritten.cpp", [str(Path(file).parent)]
                rewriter = ROOT / "common/simulator/translate/rewrite_cuda.py"
                error = _error_of([sys.executable, "-S", str(rewriter), file, source, *headers, *folders])
                if error:
                    return replace(program, built="no"), error
            words = [f"-I{each}" for each in (ROOT, _INCLUDE, *headers, *folders, *_THRUST)]
            words += ["-c", source, "-o", f"{folder}/object.o"]
            error = _error_of(["g++", "-std=c++17", "-w", "-fmax-errors=1", *words])
            if error:
                return replace(program, built="no"), error
    return replace(program, built="yes"), ""


def _error_of(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    lines = [line for line in done.stderr.splitlines() if "error" in line] or ["?"]
    return lines[0] if done.returncode else ""


@dataclass(frozen=True)
class Runner:
    """Builds programs as `./workbook run` does, and runs them."""

    tree: BuildTree
    one_build: Lock = field(default_factory=Lock)  # programs run next to each other, but one is built at a time

    def build_all(self, programs: list[Program], repositories: Path, jobs: int) -> None:
        """Builds as many as it can. Without this, CMake would run once for each program."""
        targets = []
        for program in programs:
            with contextlib.suppress(UsageError):
                own, traced = self._find(program, repositories)
                own.write_entry(self.tree)
                targets.append(own.target_of(traced))
        self.tree.add("the programs")
        is_ninja = self.tree.cached("CMAKE_GENERATOR") == "Ninja"
        command = ["cmake", "--build", str(self.tree.folder), "--parallel", str(jobs), "--target", *targets, "--", "-k"]
        subprocess.run([*command, "0"] if is_ninja else command, stdout=subprocess.DEVNULL, check=False)

    def run(self, program: Program, repositories: Path) -> tuple[Program, str]:
        """The program with `built` and `result`, and why it is not built."""
        try:
            own, traced = self._find(program, repositories)
            with self.one_build:
                executable = own.build(self.tree, traced)
        except (UsageError, BuildError) as error:  # the first: CMake cannot handle a colon in the name of a folder
            return replace(program, built="no", result=""), (str(error).splitlines() or ["?"])[0]
        done = subprocess.run(
            ["sh", "-c", 'ulimit -S -t "$0"; exec timeout 1000 "$@"', str(_CPU_LIMIT_S), str(executable),
             *shlex.split(program.arguments)],
            cwd=own.source.parent, env={**os.environ, **OWN_PROGRAM, **program.environment}, capture_output=True,
            text=True, errors="replace", check=False, start_new_session=True,
        )  # fmt: skip
        output = done.stdout + done.stderr
        code = None if done.returncode in _STOPPED else done.returncode
        return replace(program, built="yes", result=classify(code, output)), ""

    def _find(self, program: Program, repositories: Path) -> tuple[OwnProgram, bool]:
        """The program, and whether it runs with checks. Raises UsageError."""
        words = [*program.paths(repositories, program.files), *program.build_options]
        words += [word for folder in program.paths(repositories, program.include) for word in ("--include", folder)]
        parser = ArgumentParser("run", "")
        add_target_arguments(parser)
        parser.add_argument("--unchecked", action="store_true")
        parsed = parser.parse_args(words)
        own = find_own_program(parsed.target, build_options(parsed), self.tree.workbook.catalogue)
        if not own:
            raise UsageError(f"{program.files} is not there.")
        return own, not parsed.unchecked


def read_table(path: Path = TABLE) -> list[Program]:
    with path.open(encoding="utf-8", newline="") as file:
        return [Program(**row) for row in csv.DictReader(file)]


def write_table(programs: list[Program], path: Path = TABLE) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        names = [each.name for each in fields(Program)]
        writer.writerows([names, *([getattr(program, name) for name in names] for program in programs)])


def _say_counts(programs: list[Program]) -> None:
    for kind, sentence in (("ours", "our sample"), ("peer", "the other project's lists")):
        of_list = [program for program in programs if program.list in (kind, "both")]
        built = sum(program.built == "yes" for program in of_list)
        ended = Counter(program.result for program in of_list if program.result)
        results = ", ".join(f"{count} {result}" for result, count in ended.most_common())
        print(f"Of {len(of_list)} programs of {sentence} {built} build" + (f": {results}." if results else "."))


def _hide_toolkit() -> None:
    """Starts this script again where g++ does not find the headers of a CUDA Toolkit that is installed here."""
    if (Path(_TOOLKIT) / "cuda_runtime.h").exists():
        hide = f'mount -t tmpfs none {_TOOLKIT} && exec "$@"'
        os.execvp("unshare", ["unshare", "-rm", "sh", "-c", hide, "sh", sys.executable, *sys.argv])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parsed = parser.parse_args()
    _hide_toolkit()
    repositories = parsed.repositories.resolve()
    table = read_table()
    wanted = [p for p in table if parsed.only in f"{p.repository} {p.files}" and (repositories / p.repository).is_dir()]
    runner = None
    if parsed.run:
        runner = Runner(simulator_tree(Workbook(ROOT), chapter=NO_CHAPTER))
        runner.build_all(wanted, repositories, parsed.jobs)

    def measure(program: Program) -> tuple[Program, str]:
        return runner.run(program, repositories) if runner else build(program, repositories)

    measured: dict[Program, Program] = {}
    with ThreadPoolExecutor(parsed.jobs) as pool:
        for old, (new, error) in zip(wanted, pool.map(measure, wanted)):
            measured[old] = new
            print(f"{new.built:3}  {new.result:6}  {new.files.split(';')[0]}  {error}", flush=True)
    worse = [new for old, new in measured.items() if is_worse(new, old)]
    wrong = [new for new in measured.values() if new.result == "wrong"]
    _say_counts(list(measured.values()))
    for word, programs in (("Worse than the table", worse), ("Wrong result with exit code 0", wrong)):
        for program in programs:
            print(f"{word}: {program.repository} {program.files}")
    if parsed.write and not worse and not wrong:
        write_table([measured.get(program, program) for program in table])
    return 1 if worse or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
