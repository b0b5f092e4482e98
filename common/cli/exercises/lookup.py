"""Finding an exercise, its reference answer, and the learner's file."""

from __future__ import annotations

from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.errors import UsageError, WorkbookError
from cli.workbook import Workbook


def all_exercises(workbook: Workbook) -> list[Program]:
    return [program for chapter in workbook.catalogue.chapters for program in chapter.of_kind("exercise")]


def find_exercise(name: str, workbook: Workbook) -> Program:
    """The exercise with this name. Raises UsageError if it is not an exercise."""
    found = workbook.catalogue.find(name)
    if isinstance(found, Chapter):
        choices = "\n".join(f"  {exercise.target}" for exercise in found.of_kind("exercise"))
        raise UsageError(f"'{name}' is a whole chapter; name one of its exercises:\n{choices}")
    if found.kind == "solution":
        answered = found.target.rpartition("_")[0]
        raise UsageError(f"{found.target} is a reference answer. Your answer is {answered}.")
    if found.kind != "exercise":
        choices = ", ".join(exercise.target for exercise in all_exercises(workbook))
        raise UsageError(f"{found.target} is not an exercise. The exercises are: {choices}.")
    return found


def solution_of(exercise: Program, workbook: Workbook) -> Program:
    """The reference answer. Raises WorkbookError in a class's copy, which has none."""
    require_answers(workbook)
    return workbook.catalogue.find_program(f"{exercise.target}_solution")


def solutions_of(exercise: Program, workbook: Workbook) -> list[Program]:
    """The reference answer and, for a project, the second one. Raises WorkbookError in a class's copy."""
    first = solution_of(exercise, workbook)
    return [first, workbook.catalogue.find_program(f"{exercise.target}_second")] if exercise.is_project else [first]


def require_answers(workbook: Workbook) -> None:
    """Raises WorkbookError in a class's copy."""
    if workbook.is_class_copy:
        raise WorkbookError("This copy of the workbook is for a class: it does not contain the reference answers.")


def source_or_reset(exercise: Program, workbook: Workbook) -> Path:
    """The learner's file. Raises WorkbookError if it is missing."""
    if not exercise.source.is_file():
        shown = workbook.shown(exercise.source)
        raise WorkbookError(
            f"There is no file {shown}. './workbook reset {exercise.target}' restores the original file, the starter."
        )
    return exercise.source
