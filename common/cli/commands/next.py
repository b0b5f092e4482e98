"""`./workbook next`"""

from __future__ import annotations

from cli.catalogue import PROJECTS
from cli.errors import EXIT_OK
from cli.exercises.course import Step, current_step, is_solved, open_projects, steps
from cli.exercises.directions import directions, page_of
from cli.exercises.progress import Progress
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say, table
from cli.workbook import Workbook

SUMMARY = "what to read, write and check next"
USAGE = "next"
DETAILS = """
Shows your next exercise, and what to read before it. The exercises of the core path come first, in the order of
docs/course.md. After them you choose, for example one of the projects. A project is named earlier if you have solved all
core exercises of the chapters that it requires. './workbook check' and './workbook hint' without a name are about the same
exercise.
"""


# The chapters from which the learner chooses after the core path, as long as they have unsolved exercises.
_CHOICES = (
    ("closer to the hardware limit", "ch6_matmul"),
    ("a whole application", "ch9_embedding"),
    ("several GPUs", "ch10_many_gpus"),
    ("a program from a blank file", PROJECTS),
)

_AFTER_THE_COURSE = "docs/after_the_course.md"


def run(arguments: list[str], workbook: Workbook) -> int:
    ArgumentParser("next", USAGE).parse_args(arguments)
    progress = Progress(workbook.root)
    all_steps = steps(workbook)
    step = current_step(all_steps, progress)
    if step is None:
        say(f"All exercises are solved. {_AFTER_THE_COURSE} suggests what to do after them.")
        return EXIT_OK
    path = [one for one in all_steps if _path_of(one) == _path_of(step)]
    solved = f"{sum(is_solved(one.exercise, progress) for one in path)} of {len(path)} exercises solved"
    if step.is_core:
        say(f"{step.chapter.title() or step.chapter.name}. {_path_of(step)}: {solved}.")
    else:
        choices = _choices([one for one in all_steps if not is_solved(one.exercise, progress)], workbook)
        head = f"You have finished the core path. {_path_of(step)}: {solved}."
        say(f"{head} Choose what to do next:\n\n{choices}\n\nOr solve the next exercise:" if choices else head)
    say(f"\n{directions(step, progress, workbook)}")
    projects = open_projects(workbook, progress) if step.is_core else []
    if projects:
        page = workbook.shown(workbook.files_of(PROJECTS).readme)
        names = " or ".join(project.target for project in projects)
        say(f"\nOr write a program from a blank file: {names}. {page} specifies it.")
    return EXIT_OK


def _path_of(step: Step) -> str:
    return "Core path" if step.is_core else "Projects" if step.exercise.is_project else "Advanced path"


def _choices(unsolved: list[Step], workbook: Workbook) -> str:
    first = {step.chapter.name: step for step in reversed(unsolved)}
    rows = [[words, workbook.shown(page_of(first[name]))] for words, name in _CHOICES if name in first]
    return table(rows) if rows else ""
