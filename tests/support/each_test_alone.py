"""Runs the tests of a program, each in a process of its own: see each_test_alone.h."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

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


def run_each_test_alone(program: Path, limit_s: float, environment: dict[str, str]) -> Iterator[TestEnding]:
    """Runs all tests of a program, in its order, and yields how each has ended as soon as it has; a test that was
    stopped at the limit is the last. A caller that has seen enough closes the generator: the other tests do not run.
    Raises NoResults.

    The environment is added to the environment of this process, but not to its settings of GoogleTest.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GTEST_")}
    reading, writing = os.pipe()
    with open(reading, "rb") as results, tempfile.TemporaryFile() as words:
        try:
            process = subprocess.Popen(
                [str(program), f"--each-test-alone=/dev/fd/{writing}", f"--limit-s={limit_s:.3f}"],
                env={**kept, **environment},
                stdin=subprocess.DEVNULL,
                stdout=words,
                stderr=subprocess.STDOUT,
                pass_fds=[writing],
                start_new_session=True,
            )
        except OSError as error:
            raise NoResults(f"{program} cannot be started: {error}.") from error
        finally:
            os.close(writing)
        guard = threading.Timer(limit_s + _GRACE_S, _kill, [process])
        guard.start()
        why = "has no tests"
        try:
            for ending in read_endings(results):
                why = ""
                yield ending
        except (ValueError, KeyError):
            why = "ended before its tests did"
        finally:
            guard.cancel()
            _kill(process)  # its tests end with it
            process.wait()
        if why:
            words.seek(0)
            raise NoResults(f"{program.name} {why}.\n{words.read().decode(errors='replace')}")


def read_endings(results: BinaryIO) -> Iterator[TestEnding]:
    """Reads the format of each_test_alone.h. Raises ValueError or KeyError if the results end early."""
    while (line := results.readline()) != b"done\n":
        verdict, exit_status, fact_bytes, output_bytes, test = line.decode().rstrip("\n").split(" ", 4)
        facts = results.read(int(fact_bytes)).decode(errors="replace")
        output = results.read(int(output_bytes)).decode(errors="replace")
        if results.read(1) != b"\n":
            raise ValueError
        was_stopped = verdict == "stopped"
        recorded = tuple(facts.split("; ")) if facts else ()
        yield TestEnding(test, _STATES[verdict], was_stopped, int(exit_status), output, recorded)
        if was_stopped:
            return


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
