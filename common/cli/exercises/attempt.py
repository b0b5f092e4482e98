"""A learner's attempt at an exercise: checked here and on a GPU, told of, helped on with a hint, and remembered."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree, main_tree, simulator_tree
from cli.catalogue import Program
from cli.errors import UsageError
from cli.exercises.answer_build import Programs, build_reference
from cli.exercises.check import check_exercise, check_programs
from cli.exercises.check_result import CheckResult, Outcome
from cli.exercises.check_text import explain
from cli.exercises.hidden_cases import refused_shape, require_sensible_settings
from cli.exercises.hints import choose_hints, failures_of, hints_in
from cli.exercises.next_command import ON_THE_COURSE, comparison_with_reference
from cli.exercises.progress import Progress
from cli.exercises.sheet import sheet_of
from cli.machine.tools import BUILD_TOOLS, ensure
from cli.measuring.claims import Claim, claims_of
from cli.measuring.measurements import today
from cli.running.limited_run import Ended
from cli.running.runner import run_with_limits
from cli.terminal.console import DEFAULT_WIDTH_COLUMNS, prose_columns, say, verdict, wrapped
from cli.workbook import Workbook


def exercise_tree(workbook: Workbook, chapter: str | None = None) -> BuildTree:
    """A simulator tree with tests, of a chapter or of all. Raises MissingToolError or BuildError."""
    ensure([*BUILD_TOOLS, "gtest"])
    return simulator_tree(workbook, with_tests=True, chapter=chapter)


def stage_claims(exercise: Program, workbook: Workbook) -> list[Claim]:
    return claims_of(workbook.files_of(exercise.chapter))


@dataclass(frozen=True)
class Checked:
    result: CheckResult
    text: str  # as files have it: in lines of 100 columns
    text_on_terminal: str = ""  # in lines that fit the terminal, if they are others

    def say(self) -> None:
        say(verdict(self.result.passed, self.text_on_terminal or self.text))


def answer_to(
    result: CheckResult, exercise: Program, workbook: Workbook, columns: int = DEFAULT_WIDTH_COLUMNS
) -> str:
    """What a check says of an answer."""
    shown = workbook.shown(result.file)
    text = explain(result, shown, exercise.target, stage_claims(exercise, workbook), columns)
    return text.replace(f"{workbook.root}/", "")  # as the learner types it; compilers write whole paths


def check(exercise: Program, workbook: Workbook, file: Path | None = None) -> Checked:
    """Checks the learner's file, or another one in its place, in the simulator; then, if that passes and there is a
    GPU, on it. Raises UsageError for a seed or shapes in the environment that the tests cannot take, and WorkbookError
    if there is no file, or where the workbook's own build fails.
    """
    require_sensible_settings(os.environ)
    tree = exercise_tree(workbook, exercise.chapter)
    if file:
        build_reference(exercise, tree)
    result = check_exercise(exercise, workbook, tree, file)
    refused = refused_shape(result.words) if result.outcome is Outcome.CRASHED else ""
    if refused:
        raise UsageError(refused)
    gpu_tree = main_tree(workbook, with_tests=True, chapter=exercise.chapter)
    goes_to_gpu = result.passed and not file and gpu_tree.backend == "cuda"
    left_out = gpu_tree.left_out(exercise.target) if goes_to_gpu else ""
    on_gpu = _check_on_gpu(exercise, gpu_tree) if goes_to_gpu and not left_out else None

    def text(columns: int) -> str:
        if on_gpu and not on_gpu.passed:
            failure = explain(on_gpu, workbook.shown(result.file), exercise.target, columns=columns)
            return f"Right in the simulator, and on the GPU:\n{failure}"
        right = answer_to(result, exercise, workbook, columns)
        if left_out:
            return f"{right} Not on the GPU: the exercise is left out there, for {left_out}."
        return right + (" On the GPU too." if on_gpu else "")

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

    return check_programs(exercise.source, programs, [], tree.folder, run)


def check_and_record(exercise: Program, workbook: Workbook) -> Checked:
    """Checks the learner's file, and tells. Raises as check does."""
    progress = Progress(workbook.root)
    checked = check(exercise, workbook)
    tell(checked, exercise, workbook, progress)
    return checked


def tell(checked: Checked, exercise: Program, workbook: Workbook, progress: Progress) -> None:
    """Says what came of a check and, of a new failure, the first hint; and records it."""
    result = checked.result
    checked.say()
    failures = None if result.outcome in (Outcome.NOT_BUILT, Outcome.REFUSED) else failures_of(result)
    entry = progress.record_check(exercise.target, exercise.source, result.passed, failures, today())
    if result.passed:
        comparison = comparison_with_reference(exercise, workbook)
        if comparison:
            say(f"Compare with the reference answer: {comparison}")
        say(f"What comes next: {ON_THE_COURSE}")
    elif failures and (entry.hints or not give_hint(exercise, workbook, progress)):
        say(f"\nAnother hint: ./workbook hint {exercise.target}")


def hints_for(exercise: Program, failures: list[str], workbook: Workbook) -> list[str]:
    return choose_hints(hints_in(sheet_of(exercise, workbook)), failures)


def give_hint(exercise: Program, workbook: Workbook, progress: Progress) -> bool:
    """Prints the next hint for the last failure; false if there is none left."""
    entry = progress[exercise.target]
    hints = hints_for(exercise, entry.failure.split() if entry else [], workbook)
    given = entry.hints if entry else 0
    if given >= len(hints):
        return False
    say(wrapped(f"\nHint {given + 1} of {len(hints)}: {hints[given]}"))
    if given + 1 < len(hints):
        say(f"Next hint: ./workbook hint {exercise.target}")
    progress.record_hint(exercise.target, given + 1, today())
    return True
