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
Each hint gives away more than the previous one. The first hints fit the failure of your last './workbook check', for
example a race or too many sectors. General hints follow. If your answer fails in a different way, the hints for that
failure start. All hints are in solutions/.../exN_name.md. Without a name the hint is for the exercise that
'./workbook next' shows.
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
        say(f"These are general hints. './workbook check {exercise.target}' finds the hints that fit your answer.")
    elif entry.state == SOLVED and not entry.failure and entry.answer != text_digest(exercise.source):
        say(
            f"{exercise.target} is solved, but you have changed its file since. These are general hints. './workbook check "
            f"{exercise.target}' finds the hints that fit your answer."
        )
    elif entry.state == SOLVED and not entry.failure:
        say(f"{exercise.target} is solved. {reference}".rstrip())
        return EXIT_OK
    if not give_hint(exercise, workbook, progress):
        if entry and entry.failure:
            say(f"You have seen all hints for the last failure of {exercise.target}.")
        else:
            fitting = f"'./workbook check {exercise.target}' finds the hints that fit your answer."
            say(f"You have seen all general hints. {fitting}")
        if reference:
            say(reference)
    return EXIT_OK
