"""`./workbook test`"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from argparse import Namespace
from pathlib import Path

from cli.building.build_tree import BuildTree, main_tree, processor_count
from cli.catalogue import Chapter, Program
from cli.errors import EXIT_FAILED, EXIT_OK, BuildError, MissingToolError, UsageError
from cli.exercises.attempt import check_and_record
from cli.machine.tools import ensure_build_tools, ensure_googletest
from cli.measuring.claim_check import check_claims
from cli.running.children import GRACE_S, child, temporary_folder
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say, verdict
from cli.terminal.phases import Phase
from cli.verdicts.ctest import Counts, read_counts
from cli.verdicts.remembered import Reading, Remembered, Test, list_tests
from cli.workbook import Workbook

SUMMARY = "build and run the tests of a stage or a chapter, or all tests"
USAGE = "test [TARGET... | --all] [--fresh] [--claims] [--build FOLDER]"
DETAILS = """
TARGET is a stage, such as a new one of yours, or a chapter. An exercise is tested as './workbook check' does. Without
TARGET, the command tests whether the workbook works on this machine: each stage once, with the blocks of its grids in
order. With TARGET or --all each stage is tested three times: with the blocks in order, in reverse and shuffled. A
correct kernel passes in every order. A chapter also tests the reference answers to its exercises.

  --all     also runs the tests of the simulator, the commands and the pages: for people who change these, and for CI
  --fresh   runs every test. Without it, a test that has passed runs again only after its program or a file that it
            reads has changed. The test still counts as passed, and a line reports how many such tests there are. With
            --all, in CI and on a GPU every test runs.
  --claims  compares the counts that the chapter's lesson states with counters, and runs no other test. Each row of
            claims.csv states the cost of one kind of access of one program: sectors per request in global memory, the n
            of n-way bank conflicts in shared memory (conflict_ways), or the number of requests. In a simulator build
            the traced program counts. In a CUDA build the profiler (ncu) reads the GPU's counters; rows with a reason
            in the column simulator_only are left out. --build names a build folder whose programs are up to date.

The last line has the counts: N passed, N failed, N skipped. Without a GPU, a test that needs one is skipped, or fails
if WORKBOOK_REQUIRE_GPU=1. If no test runs, that is a failure.

  ./workbook test ch3_transpose_padded
  ./workbook test ch3_transpose
"""

_WHAT_IS_TESTED = """\
This tests whether the workbook works on this machine: each stage, with the blocks of its grids in order.
The reference answers, and the blocks in reverse and shuffled: ./workbook test CHAPTER"""
_MAINTENANCE = "maintenance"  # a label, as in tests/CMakeLists.txt
_CHAPTER_ONLY = "chapter_only"  # as in common/cmake/ChapterTests.cmake
_ENDED_TEST = re.compile(r"\s*(?P<done>\d+)/(?P<all>\d+) Test +#\d+: (?P<name>\S+)")
_QUIET_LINE = re.compile(r"\s+Start +\d+: |\s*\d+/\d+ Test +#.* Passed +[\d.]+ sec|Internal ctest|Test project ")
_NO_GOOGLETEST = re.compile(r"googletest|gtest|FetchContent|GTest", re.IGNORECASE)


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("test", USAGE)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--all", action="store_true", dest="with_maintenance")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--claims", action="store_true")
    parser.add_argument("--build", type=Path, metavar="FOLDER")
    parsed = parser.parse_args(arguments)
    if parsed.claims:
        return _check_claims(parsed, workbook)
    if parsed.build:
        raise UsageError("--build is for --claims: ./workbook test CHAPTER --claims --build FOLDER")
    if parsed.names and parsed.with_maintenance:
        raise UsageError("Give names or --all, not both.")
    passed = []
    named = [workbook.catalogue.find(name) for name in parsed.names]
    exercises = [one for one in named if isinstance(one, Program) and one.kind == "exercise"]
    for exercise in exercises:
        say(f"Checking {workbook.shown(exercise.source)}")
        passed.append(check_and_record(exercise, workbook).result.passed)
    others = [one for one in named if one not in exercises]
    if others or not exercises:
        passed.append(_test(others, parsed, workbook))
    return EXIT_OK if all(passed) else EXIT_FAILED


def _test(named: list[Chapter | Program], parsed: Namespace, workbook: Workbook) -> bool:
    """Builds and runs the tests of these chapters and programs, or of all chapters; whether they passed."""
    ensure_build_tools()
    has_googletest = ensure_googletest()
    if not has_googletest:
        say("GoogleTest is not installed: CMake tries to download it into the build folder.")
    try:
        tree = _build(named, parsed.with_maintenance, workbook)
    except BuildError as error:
        if not has_googletest and _NO_GOOGLETEST.search(str(error)):
            complain(str(error))
            raise MissingToolError(
                "The tests need GoogleTest. It is not installed, and CMake could not download it. Install it "
                "(on Debian and Ubuntu: apt-get install libgtest-dev) or connect this machine, then try again."
            ) from error
        raise
    runs_all = parsed.fresh or parsed.with_maintenance or bool(os.environ.get("CI")) or tree.backend != "simulator"
    every = list_tests(tree.folder)
    if named:
        tests = [test for test in every if any(_is_of(test, one, tree) for one in named)]
    else:
        left_out = set() if parsed.with_maintenance else {_MAINTENANCE, _CHAPTER_ONLY}
        tests = [test for test in every if not left_out & set(test.labels)]
        if left_out and any(_CHAPTER_ONLY in test.labels for test in every):
            say(_WHAT_IS_TESTED)
    names = ", ".join(map(_name, named))
    return _run_tests(tests, workbook, tree, runs_all, f" of {names}" if names else "")


def _check_claims(parsed: Namespace, workbook: Workbook) -> int:
    if len(parsed.names) != 1 or parsed.with_maintenance or parsed.fresh:
        raise UsageError("--claims is for one chapter, without --all and --fresh: ./workbook test CHAPTER --claims")
    return check_claims(workbook.catalogue.find_chapter(parsed.names[0]), workbook, parsed.build)


def _name(of: Chapter | Program) -> str:
    return of.name if isinstance(of, Chapter) else of.target


def _build(named: list[Chapter | Program], with_maintenance: bool, workbook: Workbook) -> BuildTree:
    if not named:
        tree = main_tree(workbook, with_tests=True)
        tree.build("all", ["all", "maintenance"] if with_maintenance else ["stage_tests"])
    for one in named:
        tree = main_tree(workbook, with_tests=True, chapter=one.name if isinstance(one, Chapter) else one.chapter)
        if isinstance(one, Chapter):
            tree.build(f"{one.name}_tests")
        else:
            _build_program(one, tree)
    return tree


def _build_program(program: Program, tree: BuildTree) -> None:
    """Raises UsageError or MissingToolError for a program that has no tests here."""
    if program.is_whole:
        instead = f"Its output is compared by ./workbook test {program.chapter}"
        raise UsageError(f"{program.target} is a whole program, without tests of its own. {instead}")
    needs_gpu = program.needs_gpu and tree.backend == "simulator"
    why = "it uses what the simulator does not model" if needs_gpu else tree.left_out(program.target)
    if why:
        raise MissingToolError(f"{program.target} cannot be tested here, because {why}.")
    tree.build(f"{program.target}_test", source=program.source)


def _is_of(test: Test, of: Chapter | Program, tree: BuildTree) -> bool:
    if isinstance(of, Chapter):
        return of.name in test.labels
    return test.command[:1] == (str(tree.program(f"{of.target}_test")),)


def _run_tests(tests: list[Test], workbook: Workbook, tree: BuildTree, runs_all: bool, whose: str) -> bool:
    remembered = Remembered(tree.folder)
    reading = Reading(workbook.root, tree.folder)
    keys = {test.name: reading.key(test) for test in tests}
    kept = {} if runs_all else {name: remembered.counts(name, key) for name, key in keys.items()}
    earlier = sum((counts for counts in kept.values() if counts), Counts())
    to_run = [test for test in tests if not kept.get(test.name)]

    remembered.forget(test.name for test in to_run)
    returncode, counted = _run(to_run, tree, whose) if to_run else (0, {})
    after = Reading(workbook.root, tree.folder)
    passed = {name: counts for name, counts in counted.items() if counts.failed == 0 and counts.passed > 0}
    keys_after = {test.name: after.key(test) for test in to_run if test.name in passed}
    remembered.remember({name: (key, passed[name]) for name, key in keys_after.items() if keys[name] == key})

    counts = sum(counted.values(), earlier)
    say()
    if counts.total == 0:
        complain("No test ran." + (f" Are there tests{whose}?" if whose else ""))
    if earlier.total:
        say(
            f"{earlier.total} of these were not run again: they passed, and no file that they read has changed since.\n"
            "Run all of them again: ./workbook test --fresh"
        )
    all_passed = returncode == 0 and counts.failed == 0 and counts.passed > 0
    say(verdict(all_passed, f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped"))
    return all_passed


def _run(tests: list[Test], tree: BuildTree, whose: str) -> tuple[int, dict[str, Counts]]:
    """ctest's exit code, and the counts of each test."""
    cases_folder = tree.folder / "test_results"  # as in common/cmake/ChapterTests.cmake
    shutil.rmtree(cases_folder, ignore_errors=True)
    with temporary_folder() as folder:
        results_file = folder / "results.xml"
        command = [*tree.launcher, "ctest", "--test-dir", str(tree.folder)]
        command += ["--output-on-failure", "--output-junit", str(results_file)]
        numbers = ",".join(str(test.number) for test in tests)
        command += ["--parallel", str(processor_count()), "--tests-information", f"0,0,0,{numbers}"]
        returncode = _run_ctest(command, f"Running the tests{whose}")
        return returncode, read_counts(results_file, cases_folder) if results_file.is_file() else {}


def _run_ctest(command: list[str], phase_name: str) -> int:
    """Shows the progress of the tests, then ctest's output without the hundreds of tests that passed."""
    kept = []
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    with Phase(phase_name) as phase, child(command, GRACE_S, env=environment, **streams) as process:
        for line in process.stdout or ():
            ended = _ENDED_TEST.match(line)
            if ended:
                phase.at(f"{ended['done']} of {ended['all']}: {ended['name']}")
            if not _QUIET_LINE.match(line):
                kept.append(line.rstrip())
        process.wait()
    say("\n".join(kept).strip(), whole_lines=True)
    return process.returncode
