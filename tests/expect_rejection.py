"""Passes if a chapter's tests reject a wrong kernel, and for the reason that its source states.

Usage: expect_rejection.py TEST_PROGRAM WRONG_KERNEL.cu [SHEET.md]

The source begins with a comment that says the mistake, and then the reasons:

    // The load has no guard.
    // Rejected by: <regular expression>

A mistake that shows only if the blocks of a grid run in another order than the usual one has a line between them:

    // Rejected only in block order: reverse

Then every test must pass in the usual order.

An unsolved exercise's are in its sheet (solutions/), under "Rejected by". Each reason must be found in
what one failed test printed; `.` there stands for a line's end too. Every test runs in a process of its own, as ctest
runs it, so that a mistake which breaks the device in one test is not the reason why the next one fails. A crash, a
hang, an end without GoogleTest's summary, and a finding of the simulator or an exception that no reason names are not
rejections.
"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))

from cli.errors import WorkbookError
from cli.exercises.sheet import read_sheet
from cli.running.limited_run import Ended
from cli.verdicts.googletest import Ending, State, judge_output, read_list

TIMEOUT_S = 60  # for all tests together
_REASON = "// Rejected by: "
_ORDER = "// Rejected only in block order: "
_ERROR = re.compile(r"^(CUDA simulator: |C\+\+ exception )", re.MULTILINE)  # more than a wrong result


class Unacceptable(Exception):
    """Why this is no rejection for the right reason."""


@dataclass(frozen=True)
class Outcome:
    test: str
    failed: bool
    output: str


def block_order(source: Path) -> str | None:
    """The order of the blocks in which alone the kernel is wrong; None for one that is always wrong."""
    for line in source.read_text(encoding="utf-8").split("\n")[1:2]:
        if line.startswith(_ORDER):
            return line[len(_ORDER) :]
    return None


def reasons_in_source(source: Path) -> list[str]:
    mistake, *lines = source.read_text(encoding="utf-8").split("\n")
    if block_order(source):
        del lines[0]
    reasons = [line[len(_REASON) :] for line in itertools.takewhile(lambda line: line.startswith(_REASON), lines)]
    if not mistake.startswith("// ") or not reasons:
        raise Unacceptable(f"{source.name} must begin with a line that says the mistake and one with '{_REASON}'.")
    return reasons


def reasons_in_sheet(sheet: Path) -> list[str]:
    reasons = read_sheet(sheet).reasons
    if not reasons:
        raise Unacceptable(f"{sheet.name} has no reason under '## Rejected by'.")
    return list(reasons)


def read_reasons(source: Path, sheet: Path | None) -> list[re.Pattern[str]]:
    reasons = reasons_in_sheet(sheet) if sheet else reasons_in_source(source)
    for reason in reasons:
        try:
            if re.search(reason, ""):
                raise Unacceptable(f"{source.name} states a reason that any output holds: '{reason}'.")
        except re.error as error:
            raise Unacceptable(f"{source.name} states a reason that is no regular expression: {error}.") from error
    return [re.compile(reason, re.DOTALL) for reason in reasons]


def run(program: Path, option: str, deadline: float, order: str = "forward") -> tuple[int, str]:
    """The exit code, and what was printed to stdout and stderr."""
    try:
        ended = subprocess.run(
            [program, option, "--gtest_color=no"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=max(0.01, deadline - time.monotonic()),
            env={**os.environ, "CUDA_SIMULATOR_BLOCK_ORDER": order},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        printed = (error.stdout or b"").decode(errors="replace")
        raise Unacceptable(f"{program.name} {option} hangs: stopped after {TIMEOUT_S} s.\n{printed}") from error
    except OSError as error:
        raise Unacceptable(f"{program} cannot be started: {error}.") from error
    return ended.returncode, ended.stdout.decode(errors="replace")


def list_tests(program: Path, deadline: float) -> list[str]:
    exit_code, output = run(program, "--gtest_list_tests", deadline)
    tests = list(read_list(output))
    if exit_code != 0 or not tests:
        raise Unacceptable(f"{program.name} lists no tests (exit code {exit_code}).\n{output}")
    return tests


def run_test(program: Path, test: str, deadline: float, order: str) -> Outcome:
    exit_code, output = run(program, f"--gtest_filter={test}", deadline, order)
    ran = judge_output(program.name, Ended(exit_code, output))
    if ran.ending is not Ending.COMPLETE or [one.name for one in ran.tests] != [test]:
        how = f"signal {-exit_code}" if exit_code < 0 else f"exit code {exit_code}"
        raise Unacceptable(f"{test} neither passed nor failed: it ended with {how}.\n{output}")
    return Outcome(test, bool(ran.in_state(State.FAILED)), output)


def check(program: Path, source: Path, sheet: Path | None = None) -> str:
    """A line that says how the kernel was rejected. Raises Unacceptable."""
    reasons = read_reasons(source, sheet)
    deadline = time.monotonic() + TIMEOUT_S
    tests = list_tests(program, deadline)
    order = block_order(source)
    if order:
        for outcome in (run_test(program, test, deadline, "forward") for test in tests):
            if outcome.failed:
                raise Unacceptable(f"{source.name} is wrong in the usual block order too:\n{outcome.output}")
    outcomes = [run_test(program, test, deadline, order or "forward") for test in tests]

    failures = [outcome for outcome in outcomes if outcome.failed]
    printed = "\n".join(failure.output for failure in failures)
    if not failures:
        raise Unacceptable(f"The tests accept {source.name}: none of {len(outcomes)} failed.")
    for reason in reasons:
        if not any(reason.search(failure.output) for failure in failures):
            raise Unacceptable(f"No failed test printed '{reason.pattern}', but:\n{printed}")
    for failure in failures:
        if _ERROR.search(failure.output) and not any(reason.search(failure.output) for reason in reasons):
            raise Unacceptable(f"There was an error in {failure.test} that no reason names:\n{failure.output}")
    return f"{source.name}: {len(failures)} of {len(outcomes)} tests failed, and for the stated reason."


def main(arguments: list[str]) -> int:
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        print(check(*map(Path, arguments)))
    except (Unacceptable, WorkbookError) as why:
        print(why)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
