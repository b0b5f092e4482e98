"""`./workbook watch`"""

from __future__ import annotations

from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.errors import EXIT_OK, UsageError, WorkbookError
from cli.exercises.attempt import check_and_record, exercise_tree
from cli.exercises.lookup import all_exercises, find_exercise
from cli.exercises.watching import saved
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say
from cli.workbook import Workbook

SUMMARY = "check an exercise each time you save its file"
USAGE = "watch [EXERCISE|CHAPTER]"
DETAILS = """
Waits for a file of an exercise to be saved, and checks it as './workbook check' does. Without a name it watches all
exercises. Ctrl-C ends it.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("watch", USAGE)
    parser.add_argument("exercise", nargs="?")
    watched = {exercise.source: exercise for exercise in _watched(parser.parse_args(arguments).exercise, workbook)}
    exercise_tree(workbook)  # what is missing shows now, and not at the first save
    saves = saved(watched)
    try:
        if len(watched) == 1:
            _check(next(iter(watched.values())), workbook)
        say(_waiting(watched, workbook))
        for file in saves:
            say(f"\n{workbook.shown(file)} was saved.")
            _check(watched[file], workbook)
            say(_waiting(watched, workbook))
    except KeyboardInterrupt:
        say("\nNo longer watching.")
    return EXIT_OK


def _watched(name: str | None, workbook: Workbook) -> list[Program]:
    if not name:
        return all_exercises(workbook)
    found = workbook.catalogue.find(name)
    if not isinstance(found, Chapter):
        return [find_exercise(name, workbook)]
    if not found.of_kind("exercise"):
        raise UsageError(f"{found.name} has no exercises yet.")
    return list(found.of_kind("exercise"))


def _waiting(watched: dict[Path, Program], workbook: Workbook) -> str:
    names = [workbook.shown(file) for file in watched]
    what = names[0] if len(names) == 1 else f"{len(names)} exercises"
    return f"\nWatching {what}. Save to check; Ctrl-C ends this."


def _check(exercise: Program, workbook: Workbook) -> None:
    try:
        check_and_record(exercise, workbook)
    except WorkbookError as error:
        complain(str(error))
