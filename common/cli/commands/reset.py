"""`./workbook reset`"""

from __future__ import annotations

from cli.errors import EXIT_OK
from cli.exercises.backups import back_up
from cli.exercises.lookup import find_exercise
from cli.exercises.starters import is_starter, starter_content
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = "restore an exercise file; your version is kept as a backup"
USAGE = "reset EXERCISE"
DETAILS = """
Your version is kept as exN_name.cu.backup-1 in the same folder (or -2, -3, ..., if that name is taken). No file is ever
deleted. The original file, the starter, comes from git's history. Solved exercises stay solved in progress.csv.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("reset", USAGE)
    parser.add_argument("exercise")
    exercise = find_exercise(parser.parse_args(arguments).exercise, workbook)
    shown = workbook.shown(exercise.source)
    if is_starter(exercise, workbook):
        say(f"{shown} is still the original file, the starter: there is nothing to restore.")
        return EXIT_OK
    starter = starter_content(exercise, workbook)
    if exercise.source.exists():
        backup = back_up(exercise.source, "backup")
        say(f"Your version is kept as {workbook.shown(backup)}")
    exercise.source.write_bytes(starter)
    say(f"{shown} is the starter again.")
    return EXIT_OK
