"""The result of checking an answer to an exercise."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cli.measuring.claims import AT_LEAST, AT_MOST, Claim, measure_words
from cli.tracing.findings import Mistake
from cli.tracing.report import Access
from cli.verdicts.googletest import Recorded


MISTAKES_SHOWN = 3  # in the text of a check
# The parts of an exercise that can have points of their own. All parts after the first need a correct result.
PARTS = ("compiles", "right", "no_errors", "error_handling", "goals")


class Outcome(Enum):
    """The outcome of a check: the first value in this list that is true."""

    NOT_BUILT = "does not compile"
    REFUSED = "refused"  # it contains something forbidden
    STOPPED = "stopped at a limit"
    CRASHED = "crashed"
    ELSEWHERE = "computed elsewhere"  # the result is correct, but no kernel was launched
    MISTAKE = "error found"  # by the simulator or racecheck: a race, an access out of bounds, ...
    WRONG = "wrong result"
    WRONG_IN_REVERSE = "wrong with the blocks in reverse"
    UNRECORDED = "accesses not recorded"  # the result depends on accesses that the simulator does not see
    UNREPORTED = "errors not reported"  # the result is correct, but the caller does not learn of a failed launch
    GOAL_MISSED = "goal missed"
    PASSED = "passed"


@dataclass(frozen=True)
class FailedTest:
    name: str  # with its parameters: Launches/VectorAddTest.MatchesReference/n33_threads32
    messages: tuple[str, ...]
    recorded: Recorded = Recorded()

    @property
    def facts(self) -> tuple[str, ...]:
        return self.recorded.facts

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all its facts: "launch=none", "pattern=border"."""
        return tuple(word for fact in self.facts for word in fact.split())

    @property
    def is_of_error_handling(self) -> bool:
        """Whether the test makes a launch fail, and the report of the error is missing. If the answer launches other
        blocks than the caller asked for, the launch does not fail, and that is a wrong result.
        """
        launched_others = "launch=block_size" in self.words
        return self.recorded.part == "error_handling" and not self.saw_no_launch and not launched_others

    @property
    def saw_no_launch(self) -> bool:
        """Whether the test was to make a launch fail, and there was none."""
        return not {"launch=none", "launches=none"}.isdisjoint(self.words)

    @property
    def has_pattern(self) -> bool:
        """Whether the wrong elements have something in common: tests/support/wrong_pattern.h."""
        return any(word.startswith("pattern=") and word != "pattern=other" for word in self.words)

    @property
    def has_wrong_result(self) -> bool:
        """Whether a message is about the result: neither a finding, nor the lack of a launch."""
        if self.saw_no_launch and self.recorded.part == "error_handling":
            return False
        about_others = self.words.count("launch=none") + bool(self.recorded.findings)
        return len(self.messages) > about_others


def simplest_first(failed: Iterable[FailedTest]) -> list[FailedTest]:
    """The tests with small numbers first, then the comparisons with the reference. The first one is shown."""
    return sorted(failed, key=lambda test: ("First." not in test.name, "MatchesReference" not in test.name))


def shown_failures(result: CheckResult) -> list[FailedTest]:
    """The failed tests in the text of a check: the first one, and another with a pattern if the first has none."""
    first, others = simplest_first(result.failed_tests)[:1], simplest_first(result.failed_tests)[1:]
    is_explained = bool(result.mistakes) or any(test.has_pattern for test in first)
    return [*first, *([] if is_explained else [test for test in others if test.has_pattern][:1])]


@dataclass(frozen=True)
class Goal:
    """A goal of the exercise's sheet, and the count; None if the kernel makes no such access."""

    claim: Claim
    counted: float | None

    @property
    def is_met(self) -> bool:
        if math.isinf(self.claim.value):
            return True  # the reference answer is counted, to find the limit
        if self.counted is None:
            return self.claim.operation == "atomic" and (self.claim.limit == AT_MOST or self.claim.value == 0)
        return self.claim.is_met_by(self.counted)

    @property
    def is_improved(self) -> bool:
        """Whether the starter misses the goal, and the count is at least halfway from the starter's to the goal. A
        changed constant, such as the size of a block, can change counts by a few percent.
        """
        claim = self.claim
        if claim.starter is None or claim.is_met_by(claim.starter):
            return False
        if self.is_met or self.counted is None:
            return self.is_met
        return 2 * claim.distance(self.counted) <= claim.distance(claim.starter)

    def words(self) -> str:
        memory, operation = self.claim.memory, self.claim.operation
        others = {"allocation": f"{memory} memory", "launch": "launches", "warp": "busiest warp", "branch": "branches"}
        others["all"] = "links between GPUs"
        access = others.get(operation, f"{memory}-memory {operation}s")
        measure = measure_words(self.claim.measure)
        limit = {AT_MOST: "at most ", AT_LEAST: "at least "}.get(self.claim.limit, "")
        wanted = f"{limit}{plain(self.claim.value)}"
        if self.counted is None:
            return f"{access}: the kernel has none, but the goal requires them ({measure}: {wanted})."
        advice = " Divide the work among more warps." if operation == "warp" else ""
        return f"{access}: {measure}: {plain(self.counted)}. The goal is {wanted}.{advice}"


def plain(number: float) -> str:
    """A number, with all its digits if it is an integer: 1310720, not 1.31072e+06."""
    return f"{number:.0f}" if float(number).is_integer() else f"{number:.6g}"


@dataclass(frozen=True)
class CheckResult:
    file: Path  # the answer that was built and run
    outcome: Outcome
    failed_tests: tuple[FailedTest, ...] = ()
    passed_tests: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    goals: tuple[Goal, ...] = ()  # all of them; empty unless the result is correct
    hidden_goals: tuple[Goal, ...] = ()  # at a hidden shape
    starter_is_right: bool = False  # the exercise's starter passes the tests, and only misses goals
    worst: Access | None = None  # the costliest access of the first goal that costs too many sectors or wavefronts
    share_of_host: float = 0.0  # of the bytes of a call's arrays: what the host handles
    # How the counts of a passing answer differ with other data and with the blocks in reverse order, in words.
    differences: tuple[str, ...] = ()
    varies: bool = False  # other elements are wrong when the blocks run in another order
    words: str = ""  # output of the compiler, or of a program before it crashed or was stopped
    advice: str = ""  # one or two lines: what to fix, or how it ended
    in_public: CheckResult | None = None  # of the tests without hidden cases, if they fail with them
    is_thorough: bool = True  # false if neither the simulator nor racecheck checked the run
    duration_s: float = 0.0

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


def parts_of(result: CheckResult) -> dict[str, bool]:
    """The parts of the exercise that an answer has reached. The goals are counted only if no error was found. Where the
    starter already passes the tests, a part after the first needs a goal that is improved.
    """
    others = [test for test in result.failed_tests if not test.is_of_error_handling]
    is_checked = bool(result.failed_tests or result.passed_tests)
    is_right = result.outcome in (Outcome.UNREPORTED, Outcome.GOAL_MISSED, Outcome.PASSED) or (
        result.outcome is Outcome.MISTAKE and is_checked and not any(test.has_wrong_result for test in others)
    )
    if result.starter_is_right:
        is_right = is_right and any(goal.is_improved for goal in result.goals)
    has_no_errors = is_right and result.outcome is not Outcome.MISTAKE
    reports_errors = is_right and not any(test.is_of_error_handling for test in result.failed_tests)
    reaches_goals = has_no_errors and all(goal.is_met for goal in (*result.goals, *result.hidden_goals))
    compiles = result.outcome not in (Outcome.NOT_BUILT, Outcome.REFUSED)
    return dict(zip(PARTS, (compiles, is_right, has_no_errors, reports_errors, reaches_goals)))


def line_to_mend(result: CheckResult) -> int | None:
    """The first line of the answer's file that the messages name; None if they name no line."""
    name = re.escape(result.file.name)
    told = [result.advice, *(mistake.text for mistake in result.mistakes), result.words]
    places = (re.search(rf"{name}(?:, line |:)(\d{{1,9}})\b", words) for words in told)
    return next((int(place[1]) for place in places if place), None)


def findings_as_json(result: CheckResult) -> dict[str, object]:
    """Tests, errors and goals, in the form of reports and of `check --json`."""
    return {
        "passed_tests": list(result.passed_tests),
        "failed_tests": [{"name": test.name, "messages": list(test.messages)} for test in result.failed_tests],
        "mistakes": [{"kind": mistake.kind, "text": mistake.text} for mistake in result.mistakes],
        "goals": list(map(_goal_as_json, result.goals)),
        **({"hidden_goals": list(map(_goal_as_json, result.hidden_goals))} if result.hidden_goals else {}),
        **({"share_of_host": result.share_of_host} if result.share_of_host else {}),
        **({"differences": list(result.differences)} if result.differences else {}),
    }


def _goal_as_json(goal: Goal) -> dict[str, object]:
    return {
        "options": list(goal.claim.options),
        "memory": goal.claim.memory,
        "operation": goal.claim.operation,
        "measure": goal.claim.measure,
        "goal": goal.claim.value,
        "counted": goal.counted,
        "is_met": goal.is_met,
    }
