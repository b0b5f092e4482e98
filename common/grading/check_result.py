"""What comes of checking an answer to an exercise."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cli.measuring.claims import Claim, measure_words
from cli.tracing.findings import Mistake
from cli.tracing.report import Access


class Outcome(Enum):
    """How a check ended: the first of these, from the top, that is true."""

    NOT_BUILT = "does not compile"
    REFUSED = "refused"  # it has what no answer may have
    STOPPED = "stopped at a limit"
    CRASHED = "crashed"
    MISTAKE = "error found"  # by the simulator or racecheck: a race, an access out of bounds, ...
    WRONG = "wrong result"
    WRONG_IN_REVERSE = "wrong with the blocks in reverse"
    GOAL_MISSED = "goal missed"
    PASSED = "passed"


@dataclass(frozen=True)
class FailedTest:
    name: str  # with its parameters: Launches/VectorAddTest.MatchesReference/n33_threads32
    messages: tuple[str, ...]
    facts: tuple[str, ...] = ()  # the same for programs: facts.py
    elements: str = ""  # those around the first wrong one: tests/support/wrong_elements.h


@dataclass(frozen=True)
class Goal:
    """A goal of the exercise's sheet, and what was counted; None where the kernel makes no such access."""

    claim: Claim
    counted: float | None

    @property
    def is_met(self) -> bool:
        if self.counted is None:
            return self.claim.operation == "atomic" and self.claim.value == 0
        return self.claim.is_met_by(self.counted)

    def words(self) -> str:
        memory, operation = self.claim.memory, self.claim.operation
        others = {"allocation": f"{memory} memory", "launch": "launches"}
        access = others.get(operation, f"{memory}-memory {operation}s")
        measure = measure_words(self.claim.measure)
        wanted = f"{'at most ' if self.claim.is_limit else ''}{plain(self.claim.value)}"
        if self.counted is None:
            return f"{access}: the kernel has none, and the goal requires them ({measure}: {wanted})."
        return f"{access}: {measure}: {plain(self.counted)}. The goal is {wanted}."


def plain(number: float) -> str:
    """A whole number with all its digits: 1310720, not 1.31072e+06."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.6g}"


@dataclass(frozen=True)
class CheckResult:
    file: Path  # the answer that was built and run
    outcome: Outcome
    failed_tests: tuple[FailedTest, ...] = ()
    passed_tests: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    goals: tuple[Goal, ...] = ()  # all of them; empty unless the numbers are right
    worst: Access | None = None  # the costliest access of the first goal that costs too many sectors or wavefronts
    kernel_bytes: int | None = None  # of global memory, that its kernels used where goals were counted
    varies: bool = False  # the wrong numbers are others when the blocks run in another order
    words: str = ""  # the compiler's, or what a program printed before it crashed or was stopped
    advice: str = ""  # one or two lines: what to fix, or how it ended
    is_thorough: bool = True  # false where neither the simulator nor racecheck has looked on
    duration_s: float = 0.0

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


def line_to_mend(result: CheckResult) -> int | None:
    """The first line of the answer's file that is named in what is wrong; None where no line is to blame."""
    name = re.escape(result.file.name)
    told = [result.advice, *(mistake.text for mistake in result.mistakes), result.words]
    places = (re.search(rf"{name}(?:, line |:)(\d{{1,9}})\b", words) for words in told)
    return next((int(place[1]) for place in places if place), None)


def findings_as_json(result: CheckResult) -> dict[str, object]:
    """Tests, mistakes and goals, as reports and `check --json` have them."""
    return {
        "passed_tests": list(result.passed_tests),
        "failed_tests": [{"name": test.name, "messages": list(test.messages)} for test in result.failed_tests],
        "mistakes": [{"kind": mistake.kind, "text": mistake.text} for mistake in result.mistakes],
        "kernel_bytes": result.kernel_bytes,
        "goals": [
            {
                "options": list(goal.claim.options),
                "memory": goal.claim.memory,
                "operation": goal.claim.operation,
                "measure": goal.claim.measure,
                "goal": goal.claim.value,
                "counted": goal.counted,
                "is_met": goal.is_met,
            }
            for goal in result.goals
        ],
    }
