"""Runs a learner's program, and explains in one sentence how it ended."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.errors import EXIT_FAILED, EXIT_OK, EXIT_USAGE, WorkbookError
from cli.running.children import run_child

_SIGNAL_WORDS = {
    "SIGSEGV": "it accessed memory that does not belong to it (segmentation fault)",
    "SIGBUS": "it accessed memory that does not exist (bus error)",
    "SIGABRT": "it was aborted, by an error that was not caught or by damaged memory of the host (abort)",
    "SIGFPE": "it computed an impossible result, such as an integer divided by zero",
    "SIGILL": "it executed an instruction that this processor does not have",
    "SIGKILL": "the system stopped it, most often because the machine ran out of memory",
    "SIGTERM": "another program asked it to stop",
}


@dataclass(frozen=True)
class Outcome:
    """How a program ended: returncode as subprocess gives it (a negative one is a signal), and what it printed."""

    program: str
    returncode: int
    output: str = ""

    @property
    def passed(self) -> bool:
        return self.returncode == 0

    @property
    def exit_code(self) -> int:
        """0 and 2 (usage error) are passed on; every other code becomes 1."""
        return self.returncode if self.returncode in (EXIT_OK, EXIT_USAGE) else EXIT_FAILED

    def explanation(self) -> str:
        """A line that explains why the program failed; empty if it passed."""
        if self.passed:
            return ""
        if self.returncode > 0:
            return f"{self.program} failed (exit code {self.returncode})."
        try:
            name = signal.Signals(-self.returncode).name
        except ValueError:
            name = f"signal {-self.returncode}"
        return f"{self.program} crashed: {_SIGNAL_WORDS.get(name, 'a signal ended it')} [{name}]."


def run_program(
    program: Path,
    options: list[str],
    environment: dict[str, str] | None = None,
    capture: bool = False,
    launched_by: Sequence[str] = (),
) -> Outcome:
    """Runs a program to its end, on the learner's terminal or, with `capture`, with stdout and stderr in `output`.

    launched_by: the words of a command that starts it on another machine (running/launcher.py).
    Raises WorkbookError if the file is missing or cannot be started.
    """
    try:
        finished = run_child(
            [*launched_by, str(program), *options],
            shares_terminal=True,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE if capture else None,
            stderr=subprocess.STDOUT if capture else None,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise WorkbookError(f"Cannot start {program}: {error.strerror}.") from error
    return Outcome(program.name, finished.returncode, finished.stdout or "")
