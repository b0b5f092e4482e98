"""`./workbook test`"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from cli.arguments import ArgumentParser
from cli.build_tree import BuildTree, main_tree, processor_count
from cli.console import complain, say
from cli.ctest_results import Counts, read_counts
from cli.errors import EXIT_FAILED, EXIT_OK, BuildError, MissingToolError
from cli.tools import ensure_build_tools, ensure_googletest
from cli.workbook import Workbook

SUMMARY = "build and run all tests, or those of one chapter"
USAGE = "test [CHAPTER]"
DETAILS = """
Ends with a line of counts: N passed, N failed, N skipped. A test that needs a GPU is skipped where there is none,
and counts as failed there when WORKBOOK_REQUIRE_GPU=1. No test at all is a failure.
"""

_NO_GOOGLETEST = re.compile(r"googletest|gtest|FetchContent|GTest", re.IGNORECASE)


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("test", USAGE)
    parser.add_argument("chapter", nargs="?")
    chapter_name = parser.parse_args(arguments).chapter
    chapter = workbook.catalogue.find_chapter(chapter_name).name if chapter_name else None

    ensure_build_tools()
    has_googletest = ensure_googletest()
    if not has_googletest:
        say("GoogleTest is not installed: CMake downloads it into the build folder, if it can.")
    try:
        tree = main_tree(workbook, with_tests=True)
        tree.build("all")
    except BuildError as error:
        if not has_googletest and _NO_GOOGLETEST.search(str(error)):
            complain(str(error))
            raise MissingToolError(
                "The tests need GoogleTest. It is not installed, and CMake could not download it. Install it "
                "(on Debian and Ubuntu: apt-get install libgtest-dev) or connect this machine, then try again."
            ) from error
        raise
    return _run_tests(tree, chapter)


def _run_tests(tree: BuildTree, chapter: str | None) -> int:
    say(f"Running the tests{f' of {chapter}' if chapter else ''} ...")
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        results_file = Path(folder) / "results.xml"
        command = ["ctest", "--test-dir", str(tree.folder), "--output-on-failure", "--output-junit", str(results_file)]
        command += ["--parallel", str(processor_count())]
        command += ["--label-regex", f"^{re.escape(chapter)}$"] if chapter else []
        command += ["--progress"] if sys.stdout.isatty() else []
        returncode = subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, check=False).returncode
        counts = read_counts(results_file) if results_file.is_file() else Counts()
    say()
    if counts.total == 0:
        complain("No test ran, so nothing is known to work." + (f" Does {chapter} have tests?" if chapter else ""))
    say(f"{counts.passed} passed, {counts.failed} failed, {counts.skipped} skipped")
    return EXIT_OK if returncode == 0 and counts.failed == 0 and counts.passed > 0 else EXIT_FAILED
