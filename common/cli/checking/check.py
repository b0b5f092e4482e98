"""Checks one exercise: builds an answer, runs the chapter's tests on it, and counts the accesses that its goals name.

`check_exercise` does all of it; `check_programs` is for programs that are built already.
"""

from __future__ import annotations

import dataclasses
import functools
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.nvcc import Nvcc
from cli.catalogue import Program
from cli.checking.answer_build import Programs, build_elsewhere, build_in_place, nvcc_refusal
from cli.checking.check_result import CheckResult, FailedTest, Goal, Outcome, plain, simplest_first
from cli.checking.hidden_cases import SEED, SHAPES
from cli.checking.sheet import sheet_of
from cli.errors import BuildError, Refused, WorkbookError
from cli.measuring.claims import BUSIEST_WARP, DIVERGED, REQUESTS, SECTORS, WAVEFRONTS, WAYS, Claim, Counts
from cli.measuring.claims import counts_in_report, read_claims
from cli.running.children import temporary_folder
from cli.running.runner import Rooms, Runner, clean_environment
from cli.tracing import traced_run
from cli.tracing.findings import Mistake, mistakes_of
from cli.tracing.report import Finding, Report
from cli.tracing.traced_run import TracedRun, run_traced
from cli.verdicts import googletest
from cli.verdicts.googletest import State, TestRun, judge
from cli.workbook import Workbook

_OF_PLACES = ("wrong=", "first=", "array=")  # the words of a fact that name the wrong elements
# Any answer may let the host read or write a few numbers, such as a flag or a sum.
_FEW_BYTES = 1024
# The tests of an exercise are small: no thread needs a second. So an endless loop is reported soon.
_OF_TESTS = {"WORKBOOK_REQUIRE_GPU": "1", "CUDA_SIMULATOR_STEP_LIMIT": "200000000"}
_VEIL = {"CUDA_SIMULATOR_VEIL": "1"}

# Builds the programs of an exercise's answer, as `build_elsewhere` does.
Builder = Callable[[Program, Path, Workbook, BuildTree, Path, Runner], Programs]


@dataclass(frozen=True)
class Grading:
    """What only a grading counts. hidden_goals: at a hidden shape. compares_runs: the counts of a passing answer are
    compared with those of a run with the blocks in reverse order and, if `seed` is not empty, with its data.
    is_veiled: the tests in reverse order and the counted runs show the kernels only what the simulator records.
    """

    hidden_goals: tuple[Claim, ...] = ()
    compares_runs: bool = False
    seed: str = ""
    is_veiled: bool = False


def check_exercise(
    exercise: Program,
    workbook: Workbook,
    tree: BuildTree,
    file: Path | None = None,
    rooms: Rooms = Rooms(),
    environment: dict[str, str] | None = None,
    build: Builder | None = None,
    grading: Grading = Grading(),
    nvcc: Nvcc | None = None,
) -> CheckResult:
    """Checks an exercise in a configured simulator tree with tests: the learner's file or, if given, another one.

    Another file is built outside the tree, in which `build_parts` has run; the learner's file is neither used nor
    changed. `rooms` compile and run it in a separate folder, so the file does not have to be trusted. `environment` has
    hidden cases for the tests. If they fail, or if a hidden goal is missed, `in_public` of the result is the result
    without hidden cases; a program that was stopped at a limit is not run again. `build` builds the file instead of `build_elsewhere`.
    An answer with a correct result does not compile if `nvcc` refuses it: a host function in a kernel, such as std::max,
    can also be the reason why a goal is missed.

    Raises WorkbookError where there is no file, or where the machine or the workbook itself is broken.
    """
    answer = file or exercise.source
    if not answer.is_file():
        raise WorkbookError(
            f"There is no file {workbook.shown(answer)}."
            + ("" if file else f" './workbook reset {exercise.target}' restores the original file, the starter.")
        )
    started = time.monotonic()
    with temporary_folder(programs_beside=tree.folder) as folder:
        try:
            builder = build or (build_elsewhere if file or tree.is_shared else build_in_place)
            programs = builder(exercise, answer.resolve(), workbook, tree, folder, rooms.build)
        except Refused as error:
            result = CheckResult(answer, Outcome.REFUSED, advice=str(error))
        except BuildError as error:
            if not error.is_about_source:
                raise
            result = CheckResult(answer, Outcome.NOT_BUILT, words=error.words, advice=error.advice)
        else:
            goals = goals_of(exercise, workbook)
            result = check_programs(answer, programs, goals, folder, rooms, environment, grading)
            starter_is_right = any(goal.starter is not None for goal in goals)
            result = dataclasses.replace(result, starter_is_right=starter_is_right)
            is_hidden = not all(goal.is_met for goal in result.hidden_goals)
            others = (Outcome.STOPPED, Outcome.UNRECORDED, Outcome.GOAL_MISSED, Outcome.PASSED)
            if is_hidden or (environment and result.outcome not in others):
                result = dataclasses.replace(result, in_public=check_programs(answer, programs, goals, folder, rooms))
            if nvcc and result.outcome in (Outcome.PASSED, Outcome.GOAL_MISSED):
                refusal = nvcc_refusal(exercise, answer, workbook, tree, folder, rooms.build, nvcc)
                if refusal:
                    result = CheckResult(answer, Outcome.NOT_BUILT, words=refusal.words, advice=refusal.advice)
    return dataclasses.replace(result, duration_s=time.monotonic() - started)


def goals_of(program: Program, workbook: Workbook) -> tuple[Claim, ...]:
    """The cost of the accesses of a solved exercise, or of a stage. Raises WorkbookError if a file cannot be read."""
    if program.kind != "stage":
        return sheet_of(program, workbook).goals
    stage = program.target.removeprefix(f"{program.chapter}_")
    return tuple(claim for claim in read_claims(workbook.files_of(program.chapter).claims) if claim.stage == stage)


def check_programs(
    answer: Path,
    programs: Programs,
    goals: Iterable[Claim],
    folder: Path,
    rooms: Rooms = Rooms(),
    environment: dict[str, str] | None = None,
    grading: Grading = Grading(),
) -> CheckResult:
    """Runs the tests of a built answer, in `folder`. Then, in the simulator, it runs the tests with the blocks in
    reverse order and counts the goals. On a GPU, where a race can leave the result correct, it runs racecheck instead.

    A test that would be skipped because there is no device fails, so that no answer passes untested.
    """
    started = time.monotonic()
    tests = functools.partial(_run_tests, answer, programs.tests, folder, rooms, environment or {})
    result = tests("forward")
    correct = (Outcome.PASSED, Outcome.UNREPORTED)
    if result.outcome in correct and programs.traced:
        in_reverse = tests("reverse", is_veiled=grading.is_veiled)
        if in_reverse.outcome not in correct:
            result = in_reverse
            # A program that is stopped could wait because it sees the veil.
            if grading.is_veiled and result.outcome is not Outcome.STOPPED:
                result = tests("reverse")
                if result.outcome in correct:
                    result = dataclasses.replace(result, outcome=Outcome.UNRECORDED)
            if result.outcome is Outcome.WRONG:
                result = dataclasses.replace(result, outcome=Outcome.WRONG_IN_REVERSE)
        else:
            counted = count_goals(result, programs.traced, goals, folder, rooms, grading, environment)
            if result.failed_tests and counted.outcome in (Outcome.PASSED, Outcome.GOAL_MISSED):
                counted = dataclasses.replace(counted, outcome=Outcome.UNREPORTED)
            result = counted
    elif result.passed and programs.sanitizer:
        result = _racecheck(result, programs, folder, rooms.test)
    elif result.passed:
        result = dataclasses.replace(result, is_thorough=False)
    elif result.outcome is Outcome.WRONG and programs.traced and not _launches_too_often(result):
        result = dataclasses.replace(result, varies=_wrong_places(tests("reverse")) != _wrong_places(result))
    return dataclasses.replace(result, duration_s=time.monotonic() - started)


def _launches_too_often(result: CheckResult) -> bool:
    """Such an answer fails in any block order, and its tests take long."""
    return any("why=many_launches" in test.words for test in result.failed_tests)


def _wrong_places(result: CheckResult) -> list[tuple[str, list[str]]]:
    """The wrong elements that the tests found, without values: the order of atomic additions changes last digits."""
    return [(test.name, [word for word in test.words if word.startswith(_OF_PLACES)]) for test in result.failed_tests]


def _run_tests(
    answer: Path,
    program: Path,
    folder: Path,
    rooms: Rooms,
    environment: dict[str, str],
    block_order: str,
    is_veiled: bool = False,
) -> CheckResult:
    how = {"CUDA_SIMULATOR_BLOCK_ORDER": block_order, **(_VEIL if is_veiled else {})}
    tests = _test_run(program, folder, rooms.test, {**environment, **how})
    failed = tuple(
        FailedTest(test.name, test.messages, test.recorded) for test in tests.in_state(State.FAILED)
    )
    passed = tuple(test.name for test in tests.in_state(State.PASSED))
    words = tests.output.strip()
    if tests.ending is googletest.Ending.STOPPED:
        return CheckResult(answer, Outcome.STOPPED, words=words, advice=tests.words)
    if tests.ending is not googletest.Ending.CRASHED and failed:
        mistakes = mistakes_of(found for test in simplest_first(failed) for found in test.recorded.findings)
        outcome, share = outcome_of(failed, bool(mistakes)), _share_of_host(tests.tests)
        return CheckResult(answer, outcome, failed, passed, mistakes, share_of_host=share)
    if tests.ending is googletest.Ending.CRASHED:
        told = mistakes_of(_findings_of_a_crash(program, folder, rooms.count, environment))
        if told:
            return CheckResult(answer, Outcome.MISTAKE, mistakes=told)
    if not tests.passed:
        advice = tests.words or f"{program.name}: no test ran."
        kept = passed if tests.ending is googletest.Ending.BELIED else ()
        return CheckResult(answer, Outcome.CRASHED, passed_tests=kept, words=words, advice=advice)
    return CheckResult(answer, Outcome.PASSED, passed_tests=passed, share_of_host=_share_of_host(tests.tests))


def _share_of_host(tests: tuple[googletest.Test, ...]) -> float:
    of_host = max((test.recorded.host_bytes for test in tests), default=0)
    of_arrays = max((test.recorded.call_bytes for test in tests), default=0)
    return of_host / of_arrays if of_host > _FEW_BYTES and of_arrays else 0.0


def outcome_of(failed: tuple[FailedTest, ...], has_mistakes: bool) -> Outcome:
    """The outcome of tests that have failed. has_mistakes: the simulator found errors."""
    is_right = not any(test.has_wrong_result for test in failed if not test.is_of_error_handling)
    if is_right and any(test.saw_no_launch for test in failed):
        return Outcome.ELSEWHERE
    if all(test.is_of_error_handling for test in failed):
        return Outcome.UNREPORTED  # also with errors: without the kernel's result, the next access can be one
    return Outcome.MISTAKE if has_mistakes else Outcome.WRONG


def _test_run(program: Path, folder: Path, run: Runner, environment: dict[str, str]) -> TestRun:
    """Runs a GoogleTest program, whose results go into `folder`."""
    results_file = folder / "tests.json"
    results_file.unlink(missing_ok=True)
    own = {**_OF_TESTS, "GTEST_OUTPUT": f"json:{results_file}", "GTEST_COLOR": "no"}
    ended = run([str(program)], folder, clean_environment({**environment, **own}))
    return judge(program.name, ended, results_file)


def _findings_of_a_crash(
    program: Path, folder: Path, run: Runner, environment: dict[str, str]
) -> tuple[Finding, ...]:
    """The findings in the simulator's report on a second run, because a crash leaves no results."""
    return run_traced(program, [], folder, run, clean_environment({**environment, **_OF_TESTS})).report.findings


def count_goals(
    result: CheckResult,
    program: Path,
    claims: Iterable[Claim],
    folder: Path,
    rooms: Rooms = Rooms(),
    grading: Grading = Grading(),
    environment: dict[str, str] | None = None,
) -> CheckResult:
    """The result of passed tests, after a run of the traced program that counts the claimed accesses. Its data and sizes
    are not those of the hidden cases in `environment`.
    """
    public = clean_environment({name: value for name, value in (environment or {}).items() if name not in (SEED, SHAPES)})
    claims, hidden = list(claims), list(grading.hidden_goals)
    public_options = {claim.options for claim in claims}
    counts_of: dict[tuple[str, ...], Counts] = {}
    report_of: dict[tuple[str, ...], Report] = {}
    for options in dict.fromkeys(claim.options for claim in (*claims, *hidden)):
        arguments = [*options, "--check"]
        traced = run_traced(program, arguments, folder, rooms.count, {**public, **(_VEIL if grading.is_veiled else {})})
        if grading.is_veiled and not traced.passed and traced.ending is not traced_run.Ending.STOPPED:
            traced = run_traced(program, arguments, folder, rooms.count, public)
            if traced.passed:
                return dataclasses.replace(result, outcome=Outcome.UNRECORDED)
        if not traced.passed:  # the text of a limit does not name a hidden shape
            return _failed_program(result, traced if options in public_options else dataclasses.replace(traced, options=()))
        counts_of[options], report_of[options] = counts_in_report(traced.report), traced.report
    goals, hidden_goals = _goals_of(claims, counts_of), _goals_of(hidden, counts_of)
    outcome = Outcome.PASSED if all(goal.is_met for goal in (*goals, *hidden_goals)) else Outcome.GOAL_MISSED
    costly = next((goal.claim for goal in goals if _costs_too_much(goal)), None)
    worst = report_of[costly.options].costliest(costly.memory, costly.operation) if costly else None
    differences: tuple[str, ...] = ()
    if outcome is Outcome.PASSED and grading.compares_runs:
        compared = {options: counts for options, counts in counts_of.items() if options in public_options}
        differences = _differences(program, compared, folder, rooms.count, grading.seed)
    return dataclasses.replace(
        result,
        outcome=outcome,
        goals=goals,
        hidden_goals=hidden_goals,
        worst=worst,
        differences=differences,
    )


def _goals_of(claims: list[Claim], counts_of: dict[tuple[str, ...], Counts]) -> tuple[Goal, ...]:
    """The claims with their counts, and the atomic accesses that no claim allows."""
    unclaimed = (Goal(claim, claim.count(counts_of[claim.options])) for claim in atomics_without_claim(claims))
    return (
        *(Goal(claim, claim.goal_count(counts_of[claim.options])) for claim in claims),
        *(goal for goal in unclaimed if not goal.is_met),
    )


def _differences(
    program: Path, counts_of: dict[tuple[str, ...], Counts], folder: Path, run: Runner, seed: str
) -> tuple[str, ...]:
    """How the counts differ in a run with the blocks in reverse order and with the data of another seed, in words."""
    data = {SEED: seed} if seed else {}
    environment = clean_environment({"CUDA_SIMULATOR_BLOCK_ORDER": "reverse", **data})
    for options, counts in counts_of.items():
        traced = run_traced(program, [*options, "--check"], folder, run, environment)
        if not traced.passed:
            return (f"{traced.shown}: {traced.ending.value}",)
        others = counts_in_report(traced.report)
        # The last block can do more than the others, as when it adds their results; a branch can depend on the data.
        compared = {**counts, **others}.keys() - {BUSIEST_WARP, DIVERGED}
        kinds = sorted(kind for kind in compared if counts.get(kind) != others.get(kind))
        if kinds:
            return tuple(
                f"{' '.join(kind)}: {plain(counts.get(kind, 0.0))} and {plain(others.get(kind, 0.0))}" for kind in kinds
            )
    return ()


def _costs_too_much(goal: Goal) -> bool:
    """The goal is missed by too many sectors or wavefronts, which a single request shows."""
    is_of_requests = goal.claim.measure in (SECTORS, WAYS, WAVEFRONTS)
    return is_of_requests and goal.counted is not None and goal.counted > goal.claim.value and not goal.is_met


def atomics_without_claim(claims: Iterable[Claim]) -> list[Claim]:
    """Claims of 0 atomic accesses where only loads or stores have a goal: atomic functions transfer data as well."""
    claims = list(claims)
    accessed = {claim.memory for claim in claims if claim.operation in ("load", "store")}
    accessed -= {claim.memory for claim in claims if claim.operation == "atomic"}
    return [
        Claim(claims[0].stage, options, memory, "atomic", REQUESTS, 0.0, 0.0)
        for options in dict.fromkeys(claim.options for claim in claims)
        for memory in sorted(accessed)
    ]


def _failed_program(result: CheckResult, traced: TracedRun) -> CheckResult:
    """The tests passed, but the program fails at the larger size at which goals are counted."""
    said = traced.ended.output.strip()
    replace: Callable[..., CheckResult] = functools.partial(dataclasses.replace, result, words=said)
    if traced.ending is traced_run.Ending.MISTAKE:
        return replace(outcome=Outcome.MISTAKE, mistakes=mistakes_of(traced.report.findings))
    if traced.ending is traced_run.Ending.WRONG:
        return replace(outcome=Outcome.WRONG, failed_tests=(FailedTest(traced.shown, (said,)),))
    outcome = Outcome.STOPPED if traced.ending is traced_run.Ending.STOPPED else Outcome.CRASHED
    return replace(outcome=outcome, advice=traced.words())


def _racecheck(result: CheckResult, programs: Programs, folder: Path, run: Runner) -> CheckResult:
    command = [str(programs.sanitizer), "--tool", "racecheck", "--error-exitcode", "1", str(programs.tests)]
    ended = run(command, folder, clean_environment({}))
    if ended.returncode == 0 and not ended.stopped:
        return result
    said = [line for line in ended.output.splitlines() if line.startswith("=========")]
    mistake = Mistake("race", "\n".join([*said[1:5], *said[-1:]]) or ended.output.strip())
    return dataclasses.replace(result, outcome=Outcome.MISTAKE, mistakes=(mistake,))
