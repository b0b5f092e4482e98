"""Runs the tests of a program, each in a process of its own: see each_test_alone.h."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cli.verdicts.googletest import TEST_FAILED, State

_GRACE_S = 10.0  # after the limit, so that the program can record which test it stopped
_STATES = {
    "passed": State.PASSED,
    "failed": State.FAILED,
    "skipped": State.SKIPPED,
    "none": State.UNFINISHED,
    "stopped": State.UNFINISHED,
}
_EXIT_CODES = {State.PASSED: 0, State.SKIPPED: 0, State.FAILED: TEST_FAILED}


class NoResults(Exception):
    """The program could not be started, or ended before its tests did; the message has its output."""


@dataclass(frozen=True)
class TestEnding:
    """How one test's process ended."""

    test: str
    state: State
    was_stopped: bool  # at the limit
    exit_status: int  # minus the number of the signal that ended it
    output: str
    facts: tuple[str, ...] = ()  # as recorded: tests/support/facts.h

    @property
    def is_consistent(self) -> bool:
        """Whether GoogleTest's verdict and the process's exit status agree."""
        return _EXIT_CODES.get(self.state) == self.exit_status

    def explanation(self) -> str:
        return f"signal {-self.exit_status}" if self.exit_status < 0 else f"exit code {self.exit_status}"


def run_each_test_alone(program: Path, limit_s: float, environment: dict[str, str]) -> list[TestEnding]:
    """Runs all tests of a program, in its order; a test that was stopped at the limit is the last. Raises NoResults.

    The environment is added to the environment of this process, but not to its settings of GoogleTest.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GTEST_")}
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        results = Path(folder) / "results"
        command = [str(program), f"--each-test-alone={results}", f"--limit-s={limit_s:.3f}"]
        words = _run(command, limit_s + _GRACE_S, {**kept, **environment})
        try:
            endings = read_endings(results.read_bytes())
        except (OSError, ValueError, KeyError) as error:
            raise NoResults(f"{program.name} ended before its tests did.\n{words}") from error
    if not endings:
        raise NoResults(f"{program.name} has no tests.\n{words}")
    return endings


def read_endings(data: bytes) -> list[TestEnding]:
    """Reads the format of each_test_alone.h. Raises ValueError or KeyError if the results end early."""
    endings = []
    while not data.startswith(b"done\n"):
        line, _, data = data.partition(b"\n")
        verdict, exit_status, fact_bytes, output_bytes, test = line.decode().split(" ", 4)
        facts, data = data[: int(fact_bytes)].decode(errors="replace"), data[int(fact_bytes) :]
        output, data = data[: int(output_bytes)], data[int(output_bytes) + 1 :]
        was_stopped = verdict == "stopped"
        text = output.decode(errors="replace")
        recorded = tuple(facts.split("; ")) if facts else ()
        endings.append(TestEnding(test, _STATES[verdict], was_stopped, int(exit_status), text, recorded))
        if was_stopped:
            break
    return endings


def _run(command: list[str], limit_s: float, environment: dict[str, str]) -> str:
    """The output of the command, without the output of its tests."""
    try:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        raise NoResults(f"{command[0]} cannot be started: {error}.") from error
    try:
        output, _ = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    return output.decode(errors="replace")
