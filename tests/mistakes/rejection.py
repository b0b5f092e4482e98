"""The conditions of a rejection: a chapter's tests find a mistake, for the stated reasons.

Each reason must hold for the facts of one failed test; the tests after that one do not run. A crash, a hang, an end
without GoogleTest's verdict, and a finding of the simulator or an exception that no reason names are not rejections. A
mistake that shows only in a different order of the blocks must pass every test in the usual order. Each test runs in a
process of its own, so that a mistake that breaks the device in one test does not make the next test fail.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from cli.checking.facts import facts_of_test
from cli.mistakes.reasons import Reason, holds
from cli.verdicts.googletest import State
from support.each_test_alone import NoResults, TestEnding, run_each_test_alone

LIMIT_S = 300.0  # for all tests together, on a busy machine too
_USUAL_ORDER = "forward"
_ERROR = re.compile(r"^(CUDA simulator: |C\+\+ exception )", re.MULTILINE)  # more than a wrong result


class Unacceptable(Exception):
    """Why this is not a rejection for the stated reasons."""


class Accepted(Unacceptable):
    """No test fails."""


def expect_rejection(
    program: Path,
    name: str,
    reasons: Sequence[Reason],
    block_order: str = "",
    environment: dict[str, str] | None = None,
) -> str:
    """A line about the rejection of `name` by the tests. Raises Unacceptable."""
    deadline = time.monotonic() + LIMIT_S
    environment = environment or {}
    if block_order:
        for ending in _run(program, deadline, _USUAL_ORDER, environment):
            if ending.state is State.FAILED:
                raise Unacceptable(f"{name} is wrong in the usual block order too:\n{ending.output}")
    count = 0
    failures: list[TestEnding] = []
    unseen = list(reasons)
    for ending in _run(program, deadline, block_order or _USUAL_ORDER, environment):
        count += 1
        if ending.state is not State.FAILED:
            continue
        failures.append(ending)
        if _ERROR.search(ending.output) and not any(_holds(reason, ending) for reason in reasons):
            raise Unacceptable(f"{name}: there was an error in {ending.test} that no reason names:\n{ending.output}")
        unseen = [reason for reason in unseen if not _holds(reason, ending)]
        if not unseen:
            return f"{name}: {ending.test} failed, for the stated reasons."
    if not failures:
        raise Accepted(f"The tests accept {name}: none of {count} failed.")
    found = "\n".join("\n".join([failure.output, *_facts(failure)]) for failure in failures)
    raise Unacceptable(f"{name}: '{', '.join(unseen[0])}' holds for no failed test, but these failed:\n{found}")


def _facts(failure: TestEnding) -> list[str]:
    return facts_of_test(failure.test, failure.facts)


def _holds(reason: Reason, failure: TestEnding) -> bool:
    return holds(reason, _facts(failure))


def _run(program: Path, deadline: float, order: str, environment: dict[str, str]) -> Iterator[TestEnding]:
    limit_s = max(0.01, deadline - time.monotonic())
    try:
        for ending in run_each_test_alone(program, limit_s, {**environment, "CUDA_SIMULATOR_BLOCK_ORDER": order}):
            if ending.stopped:
                raise Unacceptable(f"{ending.test} was stopped: it {ending.stopped}.\n{ending.output}")
            if not ending.is_consistent:
                how = ending.explanation()
                raise Unacceptable(f"{ending.test} has no verdict that fits {how}.\n{ending.output}")
            yield ending
    except NoResults as error:
        raise Unacceptable(str(error)) from error
