"""Checks the output and the exit codes of a chapter's programs: tests/<chapter>/programs.csv.

Usage: check_programs.py CHAPTER programs|programs_of_all --build FOLDER --backend simulator|cuda

`programs` runs the rows that name one of the chapter's programs. `programs_of_all` runs the rows with a * and those of
solutions, which need every program to be built.

A row is a test:

    test       its name
    program    a program without the chapter's name (many_blocks, ex3_solution), or its traced form
               (many_blocks_inspect, with `simulator` as where); * for each stage, operation and baseline that
               the simulator runs
    arguments  as typed on a command line; file names are relative to the workbook's root
    exit_code  the expected exit code
    prints     a text that its output to stdout or stderr must contain; ' ... ' matches any text
    where      empty; or `simulator`, for a test that makes sense or is fast enough only there; or `every block
               order`: in the simulator, the output must be the same with the blocks in five orders, twice each
    except     for *: `program: reason` for each excepted program, separated by semicolons

Writes the outcomes of the cases to the file that GTEST_OUTPUT names.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "common"))
sys.path.append(str(ROOT / "tests"))

from cli.building.build_tree import BuildTree
from cli.catalogue import Chapter, read_catalogue
from cli.workbook import Workbook
from support.results_file import Case, write_results

COLUMNS = ["test", "program", "arguments", "exit_code", "prints", "where", "except"]
_TIMEOUT_S = 120
_TRACED = "_inspect"
_ORDERS = ("forward", "reverse", "1", "2", "3")
_RUNS_EACH = 2


class TableError(Exception):
    """An error in a programs.csv."""


@dataclass(frozen=True)
class Expectation:
    test: str
    target: str
    arguments: tuple[str, ...]
    exit_code: int
    prints: str
    where: str
    part: str


def read_expectations(file: Path, chapter: Chapter) -> list[Expectation]:
    """Raises TableError for an invalid row, an unknown program or exception, or a repeated test."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    if not rows or rows[0] != COLUMNS:
        raise TableError(f"{file.name}: the first line must be {','.join(COLUMNS)}")
    found: list[Expectation] = []
    for number, row in enumerate(rows[1:], start=2):
        try:
            found += _expectations(row, chapter)
        except ValueError as error:
            raise TableError(f"{file.name}, line {number}: {error}") from error
    if not found:
        raise TableError(f"{file.name} has no row.")
    names = [(expected.test, expected.target) for expected in found]
    for test, target in names:
        if names.count((test, target)) > 1:
            raise TableError(f"{file.name}: {target} has the test '{test}' twice.")
    return found


def _expectations(row: list[str], chapter: Chapter) -> list[Expectation]:
    if len(row) != len(COLUMNS):
        raise ValueError(f"{len(row)} columns instead of {len(COLUMNS)}")
    test, program, arguments, exit_code, prints, where, exceptions = row
    if not test:
        raise ValueError("a test has no name")
    if where not in ("", "simulator", "every block order"):
        raise ValueError(f"where is empty, 'simulator' or 'every block order', not '{where}'")
    if program.endswith(_TRACED) and where != "simulator":
        raise ValueError(f"'{program}' is a program of the simulator: where must be 'simulator'")
    targets = _targets(program, exceptions, chapter)
    of_solution = any(found.target in targets for found in chapter.of_kind("solution"))
    part = "programs_of_all" if program == "*" or of_solution else "programs"
    words = tuple(shlex.split(arguments))
    return [Expectation(test, target, words, int(exit_code), prints, where, part) for target in targets]


def _targets(program: str, exceptions: str, chapter: Chapter) -> list[str]:
    simulated = [found.target for found in chapter.of_kind("stage", "operation") if not found.needs_gpu]
    every = {target[len(chapter.name) + 1 :]: target for target in simulated}
    if program == "*":
        excepted = [_exception(text, every) for text in exceptions.split(";") if text.strip()]
        return [target for name, target in every.items() if name not in excepted]
    if exceptions:
        raise ValueError("only * has exceptions")
    solutions = {found.target.split("_", 1)[1]: found.target for found in chapter.of_kind("solution")}
    plain = program.removesuffix(_TRACED)
    if plain not in {**every, **solutions}:
        raise ValueError(f"the simulator runs no program '{plain}' of this chapter: {', '.join({**every, **solutions})}")
    return [{**every, **solutions}[plain] + program[len(plain) :]]


def _exception(text: str, programs: dict[str, str]) -> str:
    """The program that is excepted."""
    name, _, reason = (part.strip() for part in text.partition(":"))
    if name not in programs:
        raise ValueError(f"'{name}' is excepted, and the simulator runs no such program")
    if not reason:
        raise ValueError(f"'{name}' is excepted without a reason: write '{name}: why'")
    return name


def holds(text: str, printed: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in text.split(" ... "))
    return re.search(pattern, printed, re.DOTALL) is not None


def run(expected: Expectation, folder: Path, order: str = "forward") -> tuple[int, str]:
    ended = subprocess.run(
        [folder / expected.target, *expected.arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=ROOT,
        env={**os.environ, "CUDA_SIMULATOR_BLOCK_ORDER": order},
        timeout=_TIMEOUT_S,
        check=False,
    )
    return ended.returncode, ended.stdout


def problem(expected: Expectation, folder: Path) -> str | None:
    """How the program's output or exit code is wrong; None if both are right."""
    orders = _ORDERS * _RUNS_EACH if expected.where == "every block order" else ("forward",)
    first = None
    for order in orders:
        try:
            exit_code, printed = run(expected, folder, order)
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        if exit_code != expected.exit_code or not holds(expected.prints, printed):
            wanted = f"exit code {expected.exit_code} and '{expected.prints}'"
            return f"Expected {wanted}; it ended with {exit_code} and:\n{printed}"
        first = printed if first is None else first
        if printed != first:
            return f"With the blocks in order '{order}' it printed:\n{printed}\nThe first run printed:\n{first}"
    return None


def in_build(expectations: list[Expectation], left_out: Callable[[str], str]) -> list[Expectation]:
    """Those whose programs the build has. left_out: the reason why it lacks a program, to be printed; empty if it has
    the program.
    """
    lacking = {expected.target: left_out(expected.target.removesuffix(_TRACED)) for expected in expectations}
    for target, reason in lacking.items():
        if reason:
            print(f"{target} is left out because {reason}")
    return [expected for expected in expectations if not lacking[expected.target]]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter")
    parser.add_argument("part", choices=("programs", "programs_of_all"))
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--backend", choices=("simulator", "cuda"), required=True)
    parsed = parser.parse_args(arguments)
    chapter = read_catalogue(ROOT).find_chapter(parsed.chapter)
    try:
        expectations = read_expectations(ROOT / "tests" / chapter.name / "programs.csv", chapter)
    except (OSError, TableError) as error:
        print(error)
        return 1
    here = [one for one in expectations if one.part == parsed.part and (not one.where or parsed.backend == "simulator")]
    tree = BuildTree(Workbook(ROOT), str(parsed.build), parsed.backend)
    cases = []
    for expected in in_build(here, tree.left_out):
        wrong = problem(expected, parsed.build / "bin")
        cases.append(Case(f"{expected.test}.{expected.target}", wrong))
        if wrong:
            command = " ".join([expected.target, *expected.arguments])
            print(f"{expected.test}: {command}\n{wrong}\n")
    if not cases:
        print(f"No run of {chapter.name}'s {parsed.part} is expected here.")
        return 0
    write_results(f"{chapter.name}.{parsed.part}", cases)
    failures = sum(case.failure is not None for case in cases)
    print(f"{len(cases) - failures} of {len(cases)} runs of {chapter.name}'s programs are as expected.")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
