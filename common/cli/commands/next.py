"""`./workbook next`"""

from __future__ import annotations

from cli.errors import EXIT_OK
from cli.exercises.course import PAGE, Step, current_step, is_solved, steps
from cli.exercises.directions import directions
from cli.exercises.progress import Progress
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = "what to read, write and check next"
USAGE = "next"
DETAILS = """
Leads through the exercises that are not solved yet: first those of the core path, in the order of docs/course.md, then
the others. './workbook check' and './workbook hint' without a name take the same exercise.
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    ArgumentParser("next", USAGE).parse_args(arguments)
    progress = Progress(workbook.root)
    all_steps = steps(workbook)
    step = current_step(all_steps, progress)
    if step is None:
        say(f"All exercises are solved. {PAGE} says what one can do after them.")
        return EXIT_OK
    say(_where(step, all_steps, progress))
    say(f"\n{directions(step, progress, workbook)}")
    return EXIT_OK


def _where(step: Step, all_steps: list[Step], progress: Progress) -> str:
    path = [one for one in all_steps if one.is_core == step.is_core]
    solved = sum(is_solved(one.exercise, progress) for one in path)
    name = "Core path" if step.is_core else "Further path"
    before = "" if step.is_core else "The core path is done. "
    return f"{before}{step.chapter.title() or step.chapter.name}. {name}: {solved} of {len(path)} exercises solved."
