"""How checks start programs: with limits, and without environment variables that would change the results."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from cli.errors import UsageError
from cli.running.limited_run import Ended, Limits, run_within
from cli.running.processes import run_program

CPU_LIMIT_S = 60.0  # for all tests of a chapter on one answer; the reference answers need a few seconds
LIMIT_VARIABLE = "WORKBOOK_CHECK_SECONDS"
_SETTINGS = ("CUDA_SIMULATOR_", "GTEST_")  # the user's settings must not change the results

# Runs a command in a folder, with an environment. Ended.stopped names the limit that stopped it.
Runner = Callable[[list[str], Path, dict[str, str]], Ended]


def run_with_limits(command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
    """A Runner. The learner can set the limit of CPU time; the limit of the total time is five times as large."""
    cpu_s = cpu_limit_s()
    return run_within(Limits(cpu_s=cpu_s, wall_s=5 * cpu_s), command, folder, environment)


def cpu_limit_s() -> float:
    """The limit of CPU time. Raises UsageError for a setting that is not a number of seconds."""
    setting = os.environ.get(LIMIT_VARIABLE, "")
    if not setting:
        return CPU_LIMIT_S
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{1,3})?", setting) or float(setting) == 0:
        raise UsageError(f"{LIMIT_VARIABLE} is '{setting}': set it to a number of seconds, such as 120.")
    return float(setting)


class Rooms:
    """How a check runs the compiler, the tests, and the traced program that counts: here all with the same Runner."""

    def __init__(self, run: Runner = run_with_limits) -> None:
        self._run = run

    def build(self, command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        return self._run(command, folder, environment)

    def test(self, command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        return self._run(command, folder, environment)

    def count(self, command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        return self._run(command, folder, environment)


def run_freely(command: list[str], _: Path, environment: dict[str, str]) -> Ended:
    """A Runner without limits, in the current folder; adds to the user's environment. Raises WorkbookError."""
    outcome = run_program(Path(command[0]), command[1:], environment, capture=True)
    return Ended(outcome.returncode, outcome.output)


def clean_environment(more: dict[str, str], others: tuple[str, ...] = ()) -> dict[str, str]:
    """The user's environment without the settings of the simulator and GoogleTest and without the variables that start
    with one of `others`, plus the variables in `more`.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith((*_SETTINGS, *others))}
    return {**kept, **more}
