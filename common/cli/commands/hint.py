"""`./workbook hint`"""

from __future__ import annotations

from cli.errors import EXIT_OK
from cli.exercises.attempt import give_hint
from cli.exercises.course import current_exercise
from cli.exercises.lookup import find_exercise, solution_of
from cli.exercises.progress import SOLVED, Progress, text_digest
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = "the next hint for an exercise"
USAGE = "hint [EXERCISE]"
DETAILS = """
Hints get plainer from one to the next. The first ones are for the way in which your answer failed the last
'./workbook check': at the border of the data, by a race, by too many sectors. After them come general ones, for all
answers. When yours fails in another way, other hints begin. They are in solutions/.../exN_name.md. Without a name the
hint is for the exercise that './workbook next' names.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("hint", USAGE)
    parser.add_argument("exercise", nargs="?")
    name = parser.parse_args(arguments).exercise
    exercise = find_exercise(name, workbook) if name else current_exercise(workbook)
    reference = ""
    if not workbook.is_class_copy:
        reference = f"The reference answer: {workbook.shown(solution_of(exercise, workbook).source)}"
    progress = Progress(workbook.root)
    entry = progress[exercise.target]
    if not entry:
        say(f"These hints are for all answers. './workbook check {exercise.target}' finds those that fit yours.")
    elif entry.state == SOLVED and not entry.failure and entry.answer != text_digest(exercise.source):
        say(
            f"{exercise.target} is solved, and its file is another one since. './workbook check {exercise.target}' finds "
            "the hints that fit it; these are for all answers."
        )
    elif entry.state == SOLVED and not entry.failure:
        say(f"{exercise.target} is solved. {reference}".rstrip())
        return EXIT_OK
    if not give_hint(exercise, workbook, progress):
        if entry and entry.failure:
            say(f"You have seen all hints for the way in which {exercise.target} failed last.")
        else:
            fitting = f"'./workbook check {exercise.target}' finds those that fit yours."
            say(f"You have seen the hints for all answers. {fitting}")
        if reference:
            say(reference)
    return EXIT_OK
