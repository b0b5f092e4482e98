"""`./workbook test`"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from argparse import Namespace
from pathlib import Path

from cli.building.build_tree import BuildTree, main_tree, processor_count
from cli.errors import EXIT_FAILED, EXIT_OK, BuildError, MissingToolError, UsageError
from cli.machine.tools import ensure_build_tools, ensure_googletest
from cli.measuring.claim_check import check_claims
from cli.running.children import GRACE_S, child, temporary_folder
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say, verdict
from cli.terminal.phases import Phase
from cli.verdicts.ctest import Counts, read_counts
from cli.verdicts.remembered import Reading, Remembered, Test, list_tests
from cli.workbook import Workbook

SUMMARY = "build and run the tests of a chapter, or all tests"
USAGE = "test [CHAPTER | --all] [--fresh] [--claims] [--build FOLDER]"
DETAILS = """
Each stage is tested with the blocks of its grids in order. With CHAPTER or --all it is tested three times: with the
blocks in order, in reverse and shuffled. A correct kernel passes in every order.

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
"""

_MAINTENANCE = "maintenance"  # a label, as in tests/CMakeLists.txt
_BLOCK_ORDERS = "block_orders"  # as in common/cmake/ChapterTests.cmake
_ENDED_TEST = re.compile(r"\s*(?P<done>\d+)/(?P<all>\d+) Test +#\d+: (?P<name>\S+)")
_QUIET_LINE = re.compile(r"\s+Start +\d+: |\s*\d+/\d+ Test +#.* Passed +[\d.]+ sec|Internal ctest|Test project ")
_NO_GOOGLETEST = re.compile(r"googletest|gtest|FetchContent|GTest", re.IGNORECASE)


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("test", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--all", action="store_true", dest="with_maintenance")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--claims", action="store_true")
    parser.add_argument("--build", type=Path, metavar="FOLDER")
    parsed = parser.parse_args(arguments)
    if parsed.claims:
        return _check_claims(parsed, workbook)
    if parsed.build:
        raise UsageError("--build is for --claims: ./workbook test CHAPTER --claims --build FOLDER")
    if parsed.chapter and parsed.with_maintenance:
        raise UsageError("Give a chapter or --all, not both.")
    chapter = workbook.catalogue.find_chapter(parsed.chapter).name if parsed.chapter else None

    ensure_build_tools()
    has_googletest = ensure_googletest()
    if not has_googletest:
        say("GoogleTest is not installed: CMake tries to download it into the build folder.")
    try:
        tree = main_tree(workbook, with_tests=True, chapter=chapter)
        tree.build(f"{chapter}_tests" if chapter else "all", ["all", "maintenance"] if parsed.with_maintenance else None)
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
    tests = [test for test in every if _is_wanted(test, chapter, parsed.with_maintenance)]
    if not chapter and not parsed.with_maintenance and any(_BLOCK_ORDERS in test.labels for test in every):
        say("Each stage runs with its blocks in order; in reverse and shuffled too with ./workbook test CHAPTER.")
    return _run_tests(tests, workbook, tree, runs_all, f" of {chapter}" if chapter else "")


def _check_claims(parsed: Namespace, workbook: Workbook) -> int:
    if not parsed.chapter or parsed.with_maintenance or parsed.fresh:
        raise UsageError("--claims is for one chapter, without --all and --fresh: ./workbook test CHAPTER --claims")
    return check_claims(workbook.catalogue.find_chapter(parsed.chapter), workbook, parsed.build)


def _is_wanted(test: Test, chapter: str | None, with_maintenance: bool) -> bool:
    if chapter:
        return chapter in test.labels
    return with_maintenance or not {_MAINTENANCE, _BLOCK_ORDERS} & set(test.labels)


def _run_tests(tests: list[Test], workbook: Workbook, tree: BuildTree, runs_all: bool, whose: str) -> int:
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
    return EXIT_OK if all_passed else EXIT_FAILED


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
