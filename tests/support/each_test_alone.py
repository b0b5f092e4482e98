"""Runs the tests of a program, each in a process of its own, so that a test that breaks the device, crashes or hangs
does not affect the next.

The verdict is GoogleTest's, from its results file, so nothing that a test prints can look like a verdict.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.running.limited_run import Ended, Limits, run_within
from cli.verdicts.googletest import TEST_FAILED, State, Test, read_results

_EXIT_CODES = {State.PASSED: 0, State.SKIPPED: 0, State.FAILED: TEST_FAILED}


class NoResults(Exception):
    """The program could not be started, or did not list its tests; the message has its output."""


@dataclass(frozen=True)
class TestEnding:
    """How one test's process ended."""

    test: str
    state: State
    stopped: str  # the limit at which it was stopped, in words
    exit_status: int  # minus the number of the signal that ended it
    output: str
    facts: tuple[str, ...] = ()  # that a failed test recorded: tests/support/facts.h

    @property
    def is_consistent(self) -> bool:
        """Whether GoogleTest's verdict and the process's exit status agree."""
        return _EXIT_CODES.get(self.state) == self.exit_status

    def explanation(self) -> str:
        return f"signal {-self.exit_status}" if self.exit_status < 0 else f"exit code {self.exit_status}"


def run_each_test_alone(program: Path, limit_s: float, environment: dict[str, str]) -> Iterator[TestEnding]:
    """Runs all tests of a program, in its order, and yields how each has ended. Together they have `limit_s` seconds; a
    test that was stopped is the last. Raises NoResults.

    The environment is added to the environment of this process, but not to its settings of GoogleTest.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GTEST_")}
    end = time.monotonic() + limit_s

    def run(option: str, **more: str) -> Ended:
        limits = Limits(wall_s=max(0.0, end - time.monotonic()))
        return run_within(limits, [str(program), option], Path.cwd(), {**kept, **environment, **more})

    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.json"
        for test in _tests_of(program, run):
            results.unlink(missing_ok=True)
            ended = run(f"--gtest_filter={test}", GTEST_OUTPUT=f"json:{results}")
            found = next((one for one in read_results(results) if one.name == test), Test(test, State.UNFINISHED))
            yield TestEnding(test, found.state, ended.stopped, ended.returncode, ended.output, found.recorded.facts)
            if ended.stopped:
                return


def _tests_of(program: Path, run: Callable[[str], Ended]) -> list[str]:
    """The tests that are not disabled: below the name of each suite, "Matrix.", its tests, with comments after #."""
    try:
        listed = run("--gtest_list_tests")
    except OSError as error:
        raise NoResults(f"{program} cannot be started: {error}.") from error
    tests, suite = [], ""
    for line in listed.output.splitlines():
        name = line.partition("  #")[0]
        if not name.startswith("  "):
            suite = name
        elif "DISABLED_" not in suite + name:
            tests.append(suite + name.strip())
    if listed.returncode != 0 or not tests:
        why = "has no tests" if listed.returncode == 0 else "does not list its tests"
        raise NoResults(f"{program.name} {why}.\n{listed.output}")
    return tests
