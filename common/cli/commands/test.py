"""`./workbook test`"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

from cli.building.build_tree import BuildTree, main_tree, processor_count
from cli.errors import EXIT_FAILED, EXIT_OK, BuildError, MissingToolError, UsageError
from cli.machine.tools import ensure_build_tools, ensure_googletest
from cli.running.children import GRACE_S, child, temporary_folder
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import Phase, complain, say
from cli.verdicts.ctest import Counts, read_counts
from cli.workbook import Workbook

SUMMARY = "build and run the tests, or those of one chapter"
USAGE = "test [CHAPTER | --all]"
DETAILS = """
  --all     those of the simulator, of the command and of the tests too: for who changes them, and for CI

Ends with a line of counts: N passed, N failed, N skipped. A test that needs a GPU is skipped where there is none,
and counts as failed there when WORKBOOK_REQUIRE_GPU=1. No test at all is a failure.
"""

_ENDED_TEST = re.compile(r"\s*(?P<done>\d+)/(?P<all>\d+) Test +#")
_QUIET_LINE = re.compile(r"\s+Start +\d+: |\s*\d+/\d+ Test +#.* Passed +[\d.]+ sec|Internal ctest|Test project ")
_NO_GOOGLETEST = re.compile(r"googletest|gtest|FetchContent|GTest", re.IGNORECASE)


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("test", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--all", action="store_true", dest="with_maintenance")
    parsed = parser.parse_args(arguments)
    if parsed.chapter and parsed.with_maintenance:
        raise UsageError("Name a chapter, or say --all.")
    chapter = workbook.catalogue.find_chapter(parsed.chapter).name if parsed.chapter else None

    ensure_build_tools()
    has_googletest = ensure_googletest()
    if not has_googletest:
        say("GoogleTest is not installed: CMake downloads it into the build folder, if it can.")
    try:
        tree = main_tree(workbook, with_tests=True)
        tree.build(f"{chapter}_tests" if chapter else "all", ["all", "maintenance"] if parsed.with_maintenance else None)
    except BuildError as error:
        if not has_googletest and _NO_GOOGLETEST.search(str(error)):
            complain(str(error))
            raise MissingToolError(
                "The tests need GoogleTest. It is not installed, and CMake could not download it. Install it "
                "(on Debian and Ubuntu: apt-get install libgtest-dev) or connect this machine, then try again."
            ) from error
        raise
    if chapter:
        return _run_tests(tree, ["--label-regex", f"^{re.escape(chapter)}$"], f" of {chapter}")
    return _run_tests(tree, [] if parsed.with_maintenance else ["--label-exclude", "^maintenance$"])


def _run_tests(tree: BuildTree, choice: list[str], whose: str = "") -> int:
    cases_folder = tree.folder / "test_results"  # as in common/cmake/ChapterTests.cmake
    shutil.rmtree(cases_folder, ignore_errors=True)
    with temporary_folder() as folder:
        results_file = folder / "results.xml"
        command = ["ctest", "--test-dir", str(tree.folder), "--output-on-failure", "--output-junit", str(results_file)]
        command += ["--parallel", str(processor_count()), *choice]
        returncode = _run_ctest(command, f"Running the tests{whose}")
        counts = read_counts(results_file, cases_folder) if results_file.is_file() else Counts()
    say()
    if counts.total == 0:
        complain("No test ran, so nothing is known to work." + (f" Are there tests{whose}?" if whose else ""))
    say(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    return EXIT_OK if returncode == 0 and counts.failed == 0 and counts.passed > 0 else EXIT_FAILED


def _run_ctest(command: list[str], phase_name: str) -> int:
    """Shows how far the tests are, and then all that ctest said but for the tests that passed: there are hundreds."""
    phase = Phase(phase_name)
    kept = []
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    with child(command, GRACE_S, env={**os.environ, "LC_ALL": "C"}, **streams) as process:
        for line in process.stdout or ():
            ended = _ENDED_TEST.match(line)
            if ended:
                phase.percent(100 * int(ended["done"]) // int(ended["all"]))
            if not _QUIET_LINE.match(line):
                kept.append(line.rstrip())
        process.wait()
    phase.end()
    say("\n".join(kept).strip())
    return process.returncode
