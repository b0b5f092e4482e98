"""How checks start programs: within limits, and with nothing in the environment that would change what they find."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path

from cli.running.limited_run import Ended, run_limited
from cli.running.processes import run_program

CPU_LIMIT_S = 60.0  # for all tests of a chapter on one answer; the reference answers need a few seconds
_SETTINGS = ("CUDA_SIMULATOR_", "GTEST_")  # the user's own must not change what is found

# Runs a command in a folder, with an environment. Ended.stopped says which limit stopped it.
Runner = Callable[[list[str], Path, dict[str, str]], Ended]
run_with_limits: Runner = functools.partial(run_limited, cpu_limit_s=CPU_LIMIT_S)


def run_freely(command: list[str], _: Path, environment: dict[str, str]) -> Ended:
    """A Runner without limits: in the current folder, with the user's environment and more. Raises WorkbookError."""
    outcome = run_program(Path(command[0]), command[1:], environment, capture=True)
    return Ended(outcome.returncode, outcome.output)


def clean_environment(more: dict[str, str], others: tuple[str, ...] = ()) -> dict[str, str]:
    """The user's, without what would change the findings or begins like one of `others`, and with more."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith((*_SETTINGS, *others))}
    return {**kept, **more}
