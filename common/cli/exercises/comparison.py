"""An answer compared with the reference answer: tests, counts, times, and the differences between the files."""

from __future__ import annotations

import difflib
import itertools
import statistics
from collections.abc import Callable, Iterable
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.catalogue import Program
from cli.checking.check import goals_of
from cli.checking.check_result import CheckResult, Outcome
from cli.errors import BuildError, WorkbookError
from cli.measuring.claims import Counts, counts_in_report, measure_words
from cli.measuring.measurements import parse_program_output, usual_options
from cli.running.children import temporary_folder
from cli.running.processes import run_program
from cli.running.runner import clean_environment, run_with_limits
from cli.terminal.console import table
from cli.tracing.traced_run import run_traced
from cli.workbook import Workbook

ROUNDS = 3  # both programs run once per round


def count_options(exercise: Program, workbook: Workbook) -> tuple[str, ...]:
    """The options to count with: those of the exercise's goals, or the chapter's usual ones."""
    goals = goals_of(exercise, workbook)
    return goals[0].options if goals else tuple(usual_options(workbook.files_of(exercise.chapter).inspect_size))


def counts_of(program: Path, options: tuple[str, ...]) -> Counts:
    """The costs of a traced program's kernels; empty if it leaves no report."""
    with temporary_folder() as folder:
        environment = clean_environment({})
        traced = run_traced(program, [*options, "--check"], folder, run_with_limits, environment)
    return counts_in_report(traced.report)


def tests_row(results: Iterable[CheckResult]) -> list[str]:
    cells = []
    for result in results:
        total = len(result.failed_tests) + len(result.passed_tests)
        passed = f"{len(result.passed_tests)} of {total} pass"
        cells.append(passed if total else result.outcome.value)
    return ["tests", *cells]


def verdict_row(results: Iterable[CheckResult]) -> list[str]:
    return ["check", *(result.outcome.value for result in results)]


def count_rows(both: Iterable[Counts]) -> list[list[str]]:
    """A row for each measure that at least one of the programs has."""
    counts = list(both)
    kinds = list(dict.fromkeys(kind for one in counts for kind in one))
    rows = []
    for memory, operation, measure in kinds:
        cells = [one.get((memory, operation, measure)) for one in counts]
        title = f"{memory} {operation}: {measure_words(measure)}"
        rows.append([title, *("-" if cell is None else f"{cell:.6g}" for cell in cells)])
    return rows


def time_row(programs: list[Program], tree: BuildTree) -> list[str] | None:
    """Median times on the GPU, in interleaved rounds; None if the programs print no times."""
    targets = [program.target for program in programs]
    times_ms: dict[str, list[float]] = {target: [] for target in targets}
    try:
        tree.build(targets[0], targets, source=programs[0].source)
        for _, target in itertools.product(range(ROUNDS), targets):
            output = run_program(tree.program(target), ["--csv"], capture=True, launched_by=tree.launcher).output
            times_ms[target].append(float(parse_program_output(output)[0]["median_ms"]))
    except (BuildError, WorkbookError, KeyError, ValueError):
        return None
    return ["time on this GPU, ms", *(f"{statistics.median(times_ms[target]):.4g}" for target in targets)]


def as_table(rows: list[list[str]], columns: int | None = None) -> str:
    head = ["", "yours", "reference", "second"][: len(rows[0])]
    return table([head, *rows], right_aligned=(1, 2, 3), columns=columns)


def difference(answer: Path, reference: Path, shown: Callable[[Path], str]) -> str:
    """A unified diff of the two files without the comments at their top; empty if they are the same."""
    texts = [_below_the_comment(file) for file in (answer, reference)]
    lines = difflib.unified_diff(*texts, shown(answer), shown(reference), n=2, lineterm="")
    return "\n".join(lines)


def _below_the_comment(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    return list(itertools.dropwhile(lambda line: line.startswith("//") or not line.strip(), lines))


def is_built(result: CheckResult) -> bool:
    return result.outcome not in (Outcome.NOT_BUILT, Outcome.REFUSED)
