"""Checking one exercise: builds an answer, runs the chapter's tests on it, and counts what its goals are about.

`check_exercise` does all of it; `check_programs` is for who has built the programs already.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.catalogue import Program
from cli.errors import BuildError, WorkbookError
from cli.exercises.answer_build import (
    Programs,
    Runner,
    build_elsewhere,
    build_in_place,
    clean_environment,
    run_with_limits,
)
from cli.measuring.claims import Claim, Counts, counts_in_report, read_claims
from cli.running.limited_run import Ended
from cli.running.processes import Outcome as ProcessOutcome
from cli.tracing.report import Report, parse_report
from cli.workbook import Workbook

_TEST_FAILED = 1  # GoogleTest's exit code
# How a failure in GoogleTest's results begins: file, line, and "Failed" where the test has words of its own.
_FAILURE_HEAD = re.compile(r"\A(?:\S.*:\d+\n|unknown file\n)?(?:Failed\n)?")
_WRONG_PLACE = re.compile(r"\d+ of \d+ elements \w+ wrong|The first is \w+\[\d+\]")
_TRACE = "\nGoogle Test trace:\n"
_TRACE_LINE = re.compile(r"^\S.*:\d+: ", re.MULTILINE)
# Those of docs/simulator.md; the tests print a finding after its kind.
MISTAKE_KINDS = (
    *("out_of_bounds", "array_index", "freed_memory", "null_pointer", "host_pointer", "device_pointer_on_host"),
    *("misaligned", "race", "uninitialised", "barrier", "endless", "deadlock", "assert", "stack_overflow"),
    *("division_by_zero", "exception", "group", "async_copy", "launch_in_kernel", "illegal_instruction", "bad_access"),
)
_FINDING = re.compile(rf"^(?P<kind>{'|'.join(MISTAKE_KINDS)}): (?P<text>\S.*(?:\n  .+)*)", re.MULTILINE)


class Outcome(Enum):
    """How a check ended: the first of these, from the top, that is true."""

    NOT_BUILT = "does not compile"
    STOPPED = "stopped at a limit"
    CRASHED = "crashed"
    MISTAKE = "mistake found"  # by the simulator or racecheck: a race, an access out of bounds, ...
    WRONG = "wrong result"
    WRONG_IN_REVERSE = "wrong with the blocks in reverse"
    GOAL_MISSED = "goal missed"
    PASSED = "passed"


@dataclass(frozen=True)
class FailedTest:
    name: str  # with its parameters: Launches/VectorAddTest.MatchesReference/n33_threads32
    messages: tuple[str, ...]


@dataclass(frozen=True)
class Mistake:
    """What the simulator or racecheck found. kind is one of docs/simulator.md: "race", "out_of_bounds"."""

    kind: str
    text: str  # with the places, a line each


@dataclass(frozen=True)
class Goal:
    """A row of goals.csv, and what was counted; None where the kernel makes no such access."""

    claim: Claim
    counted: float | None

    @property
    def is_met(self) -> bool:
        return self.counted is not None and abs(self.counted - self.claim.value) <= self.claim.tolerance

    def words(self) -> str:
        memory, operation = self.claim.memory, self.claim.operation
        others = {"allocation": f"{memory} memory", "launch": "launches"}
        access = others.get(operation, f"{memory}-memory {operation}s")
        measure = self.claim.measure.replace("_", " ")
        if self.counted is None:
            return f"{access}: the kernel makes none. The goal is {measure}: {self.claim.value:g}."
        return f"{access}: {measure}: {self.counted:.6g}. The goal is {self.claim.value:g}."


@dataclass(frozen=True)
class CheckResult:
    file: Path  # the answer that was built and run
    outcome: Outcome
    failed_tests: tuple[FailedTest, ...] = ()
    passed_tests: tuple[str, ...] = ()
    mistakes: tuple[Mistake, ...] = ()
    goals: tuple[Goal, ...] = ()  # all of them; empty unless the numbers are right
    varies: bool = False  # the wrong numbers are others when the blocks run in another order
    words: str = ""  # the compiler's, or what a program printed before it crashed or was stopped
    advice: str = ""  # one or two lines: what to fix, or how it ended
    is_thorough: bool = True  # false where neither the simulator nor racecheck has looked on
    duration_s: float = 0.0

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED


# Makes programs of an exercise's answer, as `build_elsewhere` does.
Builder = Callable[[Program, Path, Workbook, BuildTree, Path, Runner], Programs]


def check_exercise(
    exercise: Program,
    workbook: Workbook,
    tree: BuildTree,
    file: Path | None = None,
    run: Runner = run_with_limits,
    environment: dict[str, str] | None = None,
    build: Builder | None = None,
) -> CheckResult:
    """Checks an exercise in a configured simulator tree with tests: the learner's file or, if given, another one.

    Another file is built beside the tree, whose reference answer must be built (`build_reference`), and neither needs
    nor changes the learner's. It is compiled and run by `run`, in a folder of its own, so it may be a stranger's.
    `environment` is added for the tests; `build` builds the file in place of `build_elsewhere`.

    Raises WorkbookError where there is no file, or where the machine or the workbook itself is broken.
    """
    answer = file or exercise.source
    if not answer.is_file():
        raise WorkbookError(
            f"There is no file {workbook.shown(answer)}."
            + ("" if file else f" './workbook reset {exercise.target}' brings back the starter.")
        )
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="workbook-") as name:
        folder = Path(name)
        try:
            if file:
                programs = (build or build_elsewhere)(exercise, file.resolve(), workbook, tree, folder, run)
            else:
                programs = build_in_place(exercise, workbook, tree)
        except BuildError as error:
            if not error.is_about_source:
                raise
            result = CheckResult(answer, Outcome.NOT_BUILT, words=error.words, advice=error.advice)
        else:
            result = check_programs(answer, programs, goals_of(exercise, workbook), folder, run, environment)
    return dataclasses.replace(result, duration_s=time.monotonic() - started)


def goals_of(exercise: Program, workbook: Workbook) -> list[Claim]:
    """The rows about an exercise in goals.csv, which calls ch3_ex2 `ex2`. Raises WorkbookError for a broken row."""
    return read_goals(workbook.files_of(exercise.chapter).goals, exercise.target.split("_")[-1])


def read_goals(goals_file: Path, name: str) -> list[Claim]:
    return [claim for claim in read_claims(goals_file) if claim.stage == name] if goals_file.is_file() else []


def check_programs(
    answer: Path,
    programs: Programs,
    goals: Iterable[Claim],
    folder: Path,
    run: Runner = run_with_limits,
    environment: dict[str, str] | None = None,
) -> CheckResult:
    """Runs the tests of a built answer, in `folder`; then, in the simulator, the tests with the blocks in reverse, and
    the goals; on a GPU, where a race may well give right numbers, compute-sanitizer's racecheck.

    A test that would be skipped for want of a device fails, so that no answer passes untested.
    """
    started = time.monotonic()
    tests = functools.partial(_run_tests, answer, programs.tests, folder, run, environment or {})
    result = tests("forward")
    if result.passed and programs.traced:
        in_reverse = tests("reverse")
        if not in_reverse.passed:
            result = in_reverse
            if result.outcome is Outcome.WRONG:
                result = dataclasses.replace(result, outcome=Outcome.WRONG_IN_REVERSE)
        else:
            result = count_goals(result, programs.traced, goals, folder, run, environment)
    elif result.passed and programs.sanitizer:
        result = _racecheck(result, programs, folder, run)
    elif result.passed:
        result = dataclasses.replace(result, is_thorough=False)
    elif result.outcome is Outcome.WRONG and programs.traced:
        result = dataclasses.replace(result, varies=_wrong_places(tests("reverse")) != _wrong_places(result))
    return dataclasses.replace(result, duration_s=time.monotonic() - started)


def _wrong_places(result: CheckResult) -> list[tuple[str, list[str]]]:
    """Where the tests found wrong elements. Their values tell nothing: an order of atomic additions changes the last
    digits.
    """
    return [(test.name, _WRONG_PLACE.findall("\n".join(test.messages))) for test in result.failed_tests]


def _run_tests(
    answer: Path, program: Path, folder: Path, run: Runner, environment: dict[str, str], block_order: str
) -> CheckResult:
    results_file = folder / "tests.json"
    results_file.unlink(missing_ok=True)
    own = {
        "WORKBOOK_REQUIRE_GPU": "1",
        "CUDA_SIMULATOR_BLOCK_ORDER": block_order,
        "GTEST_OUTPUT": f"json:{results_file}",
        "GTEST_COLOR": "no",
        "GTEST_BRIEF": "1",
    }
    ended = run([str(program)], folder, clean_environment({**environment, **own}))
    words = ended.output.strip()
    if ended.stopped:
        advice = f"{program.name} was stopped: it {ended.stopped}."
        return CheckResult(answer, Outcome.STOPPED, words=words, advice=advice)
    try:
        failed, passed = _read_results(results_file)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        failed, passed = [], []
    if ended.returncode not in (0, _TEST_FAILED) or not (failed or passed):
        advice = ProcessOutcome(program.name, ended.returncode).explanation()
        advice = advice or f"{program.name} ended before its tests did."
        return CheckResult(answer, Outcome.CRASHED, words=words, advice=advice)
    if failed:
        mistakes = _mistakes(message for test in failed for message in test.messages)
        outcome = Outcome.MISTAKE if mistakes else Outcome.WRONG
        return CheckResult(answer, outcome, tuple(failed), tuple(passed), mistakes)
    if ended.returncode != 0:
        advice = f"{program.name}: all tests passed, and then the program failed."
        return CheckResult(answer, Outcome.CRASHED, passed_tests=tuple(passed), words=words, advice=advice)
    return CheckResult(answer, Outcome.PASSED, passed_tests=tuple(passed))


def _read_results(results_file: Path) -> tuple[list[FailedTest], list[str]]:
    """The failed and the passed tests in GoogleTest's JSON; those that were skipped are neither."""
    failed, passed = [], []
    for suite in json.loads(results_file.read_text(encoding="utf-8", errors="replace"))["testsuites"]:
        for test in suite["testsuite"]:
            name = f"{suite['name']}.{test['name']}"
            failures = [_message(failure["failure"]) for failure in test.get("failures", ())]
            if failures:
                failed.append(FailedTest(name, tuple(failures)))
            elif test["result"] == "COMPLETED":
                passed.append(name)
    return failed, passed


def _message(failure: str) -> str:
    """What a failed expectation says to a learner, after what it was about (its SCOPED_TRACE)."""
    text, _, trace = failure.partition(_TRACE)
    text = _FAILURE_HEAD.sub("", text, count=1).strip()
    about = " / ".join(reversed(_TRACE_LINE.sub("", trace).splitlines()))
    return f"{about}: {text}" if about else text


def _mistakes(messages: Iterable[str]) -> tuple[Mistake, ...]:
    """What the simulator found, once for each pair of lines: other threads there do not make it another mistake."""
    found: dict[tuple[str, str], Mistake] = {}
    for message in messages:
        for match in _FINDING.finditer(message):
            lines = " ".join(re.findall(r"^  (\S+:\d+):", match["text"], re.MULTILINE))
            found.setdefault((match["kind"], lines or match["text"]), Mistake(match["kind"], match["text"].rstrip()))
    return tuple(found.values())


def count_goals(
    result: CheckResult,
    program: Path,
    claims: Iterable[Claim],
    folder: Path,
    run: Runner = run_with_limits,
    environment: dict[str, str] | None = None,
) -> CheckResult:
    """The result of passed tests, after a traced program has been run for what is claimed of it."""
    claims = list(claims)
    counts_of: dict[tuple[str, ...], Counts] = {}
    for options in dict.fromkeys(claim.options for claim in claims):
        ended, report = run_traced(program, options, folder, run, environment)
        if ended.returncode != 0 or ended.stopped or report is None:
            return _failed_program(result, program, options, ended, report)
        counts_of[options] = counts_in_report(report)
    goals = tuple(Goal(claim, claim.count(counts_of[claim.options])) for claim in claims)
    outcome = Outcome.PASSED if all(goal.is_met for goal in goals) else Outcome.GOAL_MISSED
    return dataclasses.replace(result, outcome=outcome, goals=goals)


def run_traced(
    program: Path,
    options: tuple[str, ...],
    folder: Path,
    run: Runner = run_with_limits,
    environment: dict[str, str] | None = None,
) -> tuple[Ended, Report | None]:
    """Runs a traced program's own check; without a report if it left none."""
    report_file = folder / "report.json"
    report_file.unlink(missing_ok=True)
    own = {"CUDA_SIMULATOR_REPORT": str(report_file)}
    ended = run([str(program), *options, "--check"], folder, clean_environment({**(environment or {}), **own}))
    try:
        return ended, parse_report(report_file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, WorkbookError):
        return ended, None


def _failed_program(
    result: CheckResult, program: Path, options: tuple[str, ...], ended: Ended, report: Report | None
) -> CheckResult:
    """The tests passed, and the program fails at the larger size that goals are counted at."""
    shown = " ".join([program.name, *options])
    replace: Callable[..., CheckResult] = functools.partial(dataclasses.replace, result, words=ended.output.strip())
    if ended.stopped:
        return replace(outcome=Outcome.STOPPED, advice=f"{shown} was stopped: it {ended.stopped}.")
    findings = report.findings if report else ()
    if findings:
        mistakes = tuple(Mistake(found.kind, f"{found.kernel}: {found.message}") for found in findings)
        return replace(outcome=Outcome.MISTAKE, mistakes=mistakes)
    if ended.returncode == 1:
        return replace(outcome=Outcome.WRONG, failed_tests=(FailedTest(shown, (ended.output.strip(),)),))
    advice = ProcessOutcome(shown, ended.returncode).explanation() or f"{shown} left no report."
    return replace(outcome=Outcome.CRASHED, advice=advice)


def _racecheck(result: CheckResult, programs: Programs, folder: Path, run: Runner) -> CheckResult:
    command = [str(programs.sanitizer), "--tool", "racecheck", "--error-exitcode", "1", str(programs.tests)]
    ended = run(command, folder, clean_environment({}))
    if ended.returncode == 0:
        return result
    said = [line for line in ended.output.splitlines() if line.startswith("=========")]
    mistake = Mistake("race", "\n".join([*said[1:5], *said[-1:]]) or ended.output.strip())
    return dataclasses.replace(result, outcome=Outcome.MISTAKE, mistakes=(mistake,))
