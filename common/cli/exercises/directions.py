"""Directions for a step of the course: the page to read, the questions, the file to write, and the check."""

from __future__ import annotations

from pathlib import Path

from cli.exercises.course import Step
from cli.exercises.next_command import check_of
from cli.exercises.progress import Progress
from cli.exercises.question_sheet import QuestionSheet, all_due
from cli.measuring.measurements import today
from cli.workbook import Workbook


def directions(step: Step, progress: Progress, workbook: Workbook) -> str:
    """The directions, one per line."""
    lines = [f"  read   {workbook.shown(page_of(step))}"]
    if step.stages:
        lines.append(f"         with its stages: {', '.join(stage.source.stem for stage in step.stages)}")
    sheet = QuestionSheet(step.chapter, workbook)
    score = sheet.score(progress, sheet.of_step(step))
    old = sum(len(prompt.questions) for _, prompt in all_due(workbook, progress, today()))
    if old or score.right < score.asked:
        again = f", and {old} to repeat" if old else ""
        lines.append(f"  guess  ./workbook predict  ({score.right} of {score.asked} right{again})")
    is_there = step.exercise.source.is_file()
    if is_there:
        duration = f" ({step.exercise.duration})" if step.exercise.duration else ""
        lines.append(f"  write  {workbook.shown(step.exercise.source)}{duration}")
    lines.append(f"  {'check' if is_there else 'reset'}  {check_of(step.exercise)}")
    return "\n".join(lines)


def page_of(step: Step) -> Path:
    """The chapter's page with the section of the exercise, or its first page."""
    files, heading_end = step.chapter.files, f"(`{step.exercise.source.name}`)\n"
    return next((page for page in files.pages if heading_end in page.read_text("utf-8", "replace")), files.readme)
