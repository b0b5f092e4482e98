"""`./workbook compare`"""

from __future__ import annotations

import os

from cli.building.build_tree import main_tree
from cli.checking.check import check_exercise
from cli.checking.hidden_cases import require_sensible_settings
from cli.errors import EXIT_FAILED, EXIT_OK
from cli.exercises.attempt import exercise_tree
from cli.exercises.comparison import (
    as_table,
    count_options,
    count_rows,
    counts_of,
    difference,
    is_built,
    tests_row,
    time_row,
    verdict_row,
)
from cli.exercises.lookup import find_exercise, solutions_of, source_or_reset
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say, terminal_columns
from cli.workbook import Workbook

SUMMARY = "compare your answer with the reference answer"
USAGE = "compare EXERCISE [--diff]"
DETAILS = """
Checks both answers, and counts their memory accesses at the size of the exercise's goals. With a GPU it also measures
their times at the default size, in alternation. If your answer passes, the differences between the two files follow.
They show the reference answer, so before that you only get them with --diff.

A project has a second reference answer, of a different kind. After a pass its counts are shown too.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("compare", USAGE)
    parser.add_argument("exercise")
    parser.add_argument("--diff", action="store_true")
    parsed = parser.parse_args(arguments)
    exercise = find_exercise(parsed.exercise, workbook)
    source_or_reset(exercise, workbook)
    require_sensible_settings(os.environ)
    solution, *others = solutions_of(exercise, workbook)
    tree = exercise_tree(workbook, exercise.chapter)

    programs = [exercise, solution]
    results = [check_exercise(program, workbook, tree) for program in programs]
    mine = results[0]
    if mine.passed:
        programs += others
        results += [check_exercise(program, workbook, tree) for program in others]
    rows = [verdict_row(results), tests_row(results)]
    options = count_options(exercise, workbook)
    if is_built(mine):
        rows += count_rows(counts_of(tree.program(f"{program.target}_inspect"), options) for program in programs)
    gpu_tree = main_tree(workbook, with_tests=True, chapter=exercise.chapter)
    times = time_row(programs, gpu_tree) if mine.passed and gpu_tree.backend == "cuda" else None
    rows += [times] if times else []
    say(f"\n{as_table(rows, terminal_columns())}")
    if is_built(mine):
        say(f"  Counted in the simulator with {' '.join(options) or 'the default options'}.")
    if programs[2:]:
        say("".join(f"\n  {workbook.shown(program.source)}: {program.description()}" for program in programs[1:]))

    if mine.passed or parsed.diff:
        changes = difference(exercise.source, solution.source, workbook.shown)
        if changes:
            say(f"\n{changes}", whole_lines=True)
        else:
            say("\nThe two files are the same, apart from the comments at their top.")
    else:
        say(f"\nYour answer does not pass yet: ./workbook check {exercise.target}. (--diff shows the reference answer.)")
    return EXIT_OK if all(result.passed for result in results) else EXIT_FAILED
