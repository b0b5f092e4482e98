"""A learner's attempt at an exercise: checks it here and on a GPU, prints the result and a hint, and records it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.building.arithmetic import arithmetic_warnings
from cli.building.build_tree import BuildTree, main_tree, simulator_tree
from cli.building.command_lines import has_command_lines
from cli.building.gxx_warnings import MOST_SHOWN
from cli.building.nvcc import find_nvcc
from cli.catalogue import Program
from cli.checking.answer_build import PLAIN, BuildSteps, Programs, build_parts
from cli.checking.check import check_exercise, check_programs
from cli.checking.check_result import CheckResult, Outcome
from cli.checking.check_text import explain
from cli.checking.facts import facts_of
from cli.checking.hidden_cases import refused_shape, require_sensible_settings
from cli.checking.shared_tree import shared_tree
from cli.checking.sheet import sheet_of
from cli.errors import UsageError, WorkbookError
from cli.exercises.failing_case import draw
from cli.exercises.hints import NO_HINT, STEPS, choose_hints, hints_in, hints_under
from cli.exercises.next_command import ON_THE_COURSE, comparison_with_reference
from cli.exercises.progress import Progress
from cli.exercises.starters import is_starter
from cli.machine.tools import BUILD_TOOLS, ensure
from cli.measuring.claims import Claim, claims_of
from cli.measuring.measurements import today
from cli.running.children import temporary_folder
from cli.running.limited_run import Ended
from cli.running.runner import LIMIT_VARIABLE, Rooms, cpu_limit_s, run_with_limits
from cli.terminal.console import DEFAULT_WIDTH_COLUMNS, prose_columns, say, verdict, wrapped
from cli.workbook import Workbook


def exercise_tree(workbook: Workbook, chapter: str | None = None) -> BuildTree:
    """A simulator tree with the tests of one chapter or of all, or a shared tree. Raises WorkbookError."""
    shared = shared_tree(workbook, chapter)
    if shared:
        ensure(BUILD_TOOLS)
        return shared
    ensure([*BUILD_TOOLS, "gtest"])
    return simulator_tree(workbook, with_tests=True, chapter=chapter)


def stage_claims(exercise: Program, workbook: Workbook) -> list[Claim]:
    return claims_of(workbook.files_of(exercise.chapter))


@dataclass(frozen=True)
class Checked:
    result: CheckResult
    text: str  # for files: in lines of 100 columns
    text_on_terminal: str = ""  # in lines that fit the terminal; empty if they are the same

    def say(self) -> None:
        say(verdict(self.result.passed, self.text_on_terminal or self.text))


def answer_to(
    result: CheckResult,
    exercise: Program,
    workbook: Workbook,
    columns: int = DEFAULT_WIDTH_COLUMNS,
    compiler_warnings: Iterable[str] = (),
) -> str:
    """The text of a check."""
    shown = workbook.shown(result.file)
    text = explain(result, shown, exercise.target, stage_claims(exercise, workbook), columns)
    if result.outcome is Outcome.STOPPED and "timed out" in result.advice:
        text += f"\nIf your machine is slow, allow more time: {LIMIT_VARIABLE}={2 * cpu_limit_s():g}"
    for warning in (*compiler_warnings, *(_warnings(exercise, workbook, result) if result.passed else ())):
        text += "\n" + wrapped(warning, columns)
    drawing = draw(result, columns)
    text += f"\n\n{drawing}" if drawing else ""
    return text.replace(f"{workbook.root}/", "")  # paths as the learner types them; compilers print absolute ones


def _warnings(exercise: Program, workbook: Workbook, result: CheckResult) -> list[str]:
    """Warnings about arithmetic; none if the reference answer also gets one: then the arrays are always small."""
    found = arithmetic_warnings([result.file], workbook.root)
    reference = workbook.root / "solutions" / exercise.chapter / exercise.source.name
    return found if found and not arithmetic_warnings([reference], workbook.root) else []


def _compiler_warnings(result: CheckResult, exercise: Program, workbook: Workbook, tree: BuildTree) -> list[str]:
    """g++'s warnings about an answer that compiles and fails."""
    compiles = result.outcome not in (Outcome.NOT_BUILT, Outcome.REFUSED)
    if result.passed or not compiles or not has_command_lines(tree):
        return []
    with temporary_folder() as folder, contextlib.suppress(WorkbookError):
        steps = BuildSteps(exercise, result.file.resolve(), workbook, tree, folder, run_with_limits, PLAIN)
        return steps.warnings()[:MOST_SHOWN]
    return []


def check(exercise: Program, workbook: Workbook, file: Path | None = None) -> Checked:
    """Checks the learner's file, or the given `file` instead, in the simulator; if that passes and there is a GPU, also
    on the GPU. Raises UsageError for a seed or shapes in the environment that the tests cannot use, and WorkbookError
    if there is no file, or if the workbook's own build fails.
    """
    require_sensible_settings(os.environ)
    cpu_limit_s()  # raises UsageError before the build
    tree = exercise_tree(workbook, exercise.chapter)
    if file:
        build_parts(exercise, tree)
    result = check_exercise(exercise, workbook, tree, file, nvcc=find_nvcc(workbook, tree))
    refused = refused_shape(result.words) if result.outcome is Outcome.CRASHED else ""
    if refused:
        raise UsageError(refused)
    gpu_tree = tree if tree.is_shared else main_tree(workbook, with_tests=True, chapter=exercise.chapter)
    goes_to_gpu = result.passed and not file and gpu_tree.backend == "cuda"
    left_out = gpu_tree.left_out(exercise.target) if goes_to_gpu else ""
    on_gpu = _check_on_gpu(exercise, gpu_tree) if goes_to_gpu and not left_out else None

    warnings = _compiler_warnings(result, exercise, workbook, tree)

    def text(columns: int) -> str:
        if on_gpu and not on_gpu.passed:
            failure = explain(on_gpu, workbook.shown(result.file), exercise.target, columns=columns)
            return f"The answer passes in the simulator, but fails on the GPU:\n{failure}"
        right = answer_to(result, exercise, workbook, columns, warnings)
        if left_out:
            return f"{right} It was not tested on the GPU, because {left_out}."
        return right + (" It also passes on the GPU." if on_gpu else "")

    last = on_gpu if on_gpu and not on_gpu.passed else result
    return Checked(last, text(DEFAULT_WIDTH_COLUMNS), text(prose_columns()))


def _check_on_gpu(exercise: Program, tree: BuildTree) -> CheckResult:
    target = f"{exercise.target}_test"
    tree.build(target, source=exercise.source)
    sanitizer = tree.cached("WORKBOOK_SANITIZER")
    found = Path(sanitizer) if sanitizer and not sanitizer.endswith("NOTFOUND") else None
    programs = Programs(tree.program(target), sanitizer=found)

    def run(command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
        return run_with_limits([*tree.launcher, *command], folder, environment)

    return check_programs(exercise.source, programs, [], tree.folder, Rooms(run))


def check_and_record(exercise: Program, workbook: Workbook) -> Checked:
    """Checks the learner's file, and prints and records the result. Raises as check does."""
    progress = Progress(workbook.root)
    checked = check(exercise, workbook)
    tell(checked, exercise, workbook, progress)
    return checked


def tell(checked: Checked, exercise: Program, workbook: Workbook, progress: Progress) -> None:
    """Prints and records the result of a check, and a hint if it failed: the first hint, or the last one that was given
    for the same failure.
    """
    result = checked.result
    checked.say()
    failures: list[str] | None = None  # an answer that does not compile keeps its hints
    if result.passed:
        failures = []
    elif result.outcome not in (Outcome.NOT_BUILT, Outcome.REFUSED):
        failures = choose_hints(hints_in(sheet_of(exercise, workbook)), facts_of(result)) or [NO_HINT]
    progress.record_check(exercise.target, exercise.source, result.passed, failures, today())
    if result.passed:
        comparison = comparison_with_reference(exercise, workbook)
        if comparison:
            say(f"Compare with the reference answer: {comparison}")
        say(f"The next exercise: {ON_THE_COURSE}")
        return
    if failures == [NO_HINT]:
        say(f"\nNo hint is about this failure. Steps to the solution: ./workbook hint {exercise.target}")
    elif failures:
        give_hint(exercise, workbook, progress, again=True)
    if is_starter(exercise, workbook):
        file = workbook.shown(exercise.source)
        say(f"Your file is still the starter. Edit {file}, then check again: ./workbook check {exercise.target}")


def give_hint(exercise: Program, workbook: Workbook, progress: Progress, again: bool = False) -> bool:
    """Prints the next hint for the last failure, or, with `again`, the last given hint; false if there is no hint."""
    entry = progress[exercise.target]
    hints = hints_under(hints_in(sheet_of(exercise, workbook)), [*(entry.failures if entry else ()), STEPS])
    number = (entry.hints if entry else 0) + 1
    if again and number > 1:
        number = min(number - 1, len(hints))
    if number > len(hints):
        return False
    say(wrapped(f"\nHint {number} of {len(hints)}: {hints[number - 1]}"))
    if number < len(hints):
        say(f"Next hint: ./workbook hint {exercise.target}")
    progress.record_hint(exercise.target, number, today())
    return True
