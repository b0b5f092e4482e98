"""The order of the course: the table of paths in docs/course.md."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.errors import UsageError
from cli.exercises.lookup import all_exercises
from cli.exercises.progress import SOLVED, Progress
from cli.workbook import Workbook

PAGE = Path("docs/course.md")
EVERYTHING = "all stages, all exercises"
_ROW = re.compile(r"^\| (?P<chapter>ch\d+_\w+) \|(?P<core>[^|\n]*)\|[^|\n]*\|(?P<advanced>[^|\n]*)\|$", re.MULTILINE)
# A project, and the chapter whose core exercises, with those of all chapters before it, come before the project.
_PROJECT_ROW = re.compile(r"^\| `(?P<project>project_\w+)` \| (?P<chapter>ch\d+_\w+) \|", re.MULTILINE)
_NAME = re.compile(r"`(\w+)`")


@dataclass(frozen=True)
class PathOfChapter:
    """The files of a chapter on one path, in the path's order, without .cu."""

    chapter: str
    names: tuple[str, ...]
    has_everything: bool = False

    def has(self, program: Program) -> bool:
        return self.has_everything or program.source.stem in self.names


@dataclass(frozen=True)
class Row:
    core: PathOfChapter
    advanced: PathOfChapter


def read_paths(page: str) -> list[Row]:
    """The rows of the table, in its order; none if the page has no such table."""
    return [
        Row(_path(row["chapter"], row["core"]), _path(row["chapter"], row["advanced"])) for row in _ROW.finditer(page)
    ]


def read_projects(page: str) -> dict[str, str]:
    """The projects, each with the chapter whose core path comes before it; empty without a table of projects."""
    return dict(_PROJECT_ROW.findall(page))


def _path(chapter: str, cell: str) -> PathOfChapter:
    return PathOfChapter(chapter, tuple(_NAME.findall(cell)), cell.strip() == EVERYTHING)


@dataclass(frozen=True)
class Step:
    """An exercise of the course, and the stages of its chapter that come before it on the same path."""

    chapter: Chapter
    exercise: Program
    stages: tuple[Program, ...]
    is_core: bool


def steps(workbook: Workbook) -> list[Step]:
    """All exercises: those of the core path in the course's order, then the projects, then the others in the order of the
    chapters.
    """
    chapters = {chapter.name: chapter for chapter in workbook.catalogue.chapters}
    core = [step for path in _core_paths(workbook) for step in _steps_of(path, chapters[path.chapter])]
    on_core = {step.exercise.target for step in core}
    advanced = [
        Step(chapters[exercise.chapter], exercise, (), is_core=False)
        for exercise in all_exercises(workbook)
        if exercise.target not in on_core
    ]
    return core + sorted(advanced, key=lambda step: not step.exercise.is_project)


def open_projects(workbook: Workbook, progress: Progress) -> list[Program]:
    """The unsolved projects that the learner can write: all core exercises up to the chapter in the table of projects are
    solved.
    """
    needed = read_projects(_course_page(workbook))
    solved: set[str] = set()  # the chapters without an unsolved core exercise up to their end
    for path in _core_paths(workbook):
        chapter = workbook.catalogue.find_chapter(path.chapter)
        if not all(is_solved(step.exercise, progress) for step in _steps_of(path, chapter)):
            break
        solved.add(path.chapter)
    projects = [exercise for exercise in all_exercises(workbook) if exercise.is_project]
    return [one for one in projects if needed.get(one.target) in solved and not is_solved(one, progress)]


def core_programs(chapter: Chapter, workbook: Workbook) -> list[Program]:
    """The stages and exercises of a chapter that are on the core path, in its order; none without a table of paths."""
    return [one for path in _core_paths(workbook) if path.chapter == chapter.name for one in _on_path(path, chapter)]


def exercises_of(chapter: Chapter, all_steps: list[Step]) -> list[Program]:
    """All exercises of a chapter, in the order of the course."""
    return [step.exercise for step in all_steps if step.chapter.name == chapter.name]


def core_stages(chapter: Chapter, workbook: Workbook) -> list[Program]:
    return [program for program in core_programs(chapter, workbook) if program.kind == "stage"]


def _core_paths(workbook: Workbook) -> list[PathOfChapter]:
    """The core paths of the chapters in the catalogue, in the table's order."""
    there = {chapter.name for chapter in workbook.catalogue.chapters}
    return [row.core for row in read_paths(_course_page(workbook)) if row.core.chapter in there]


def _course_page(workbook: Workbook) -> str:
    """The text of the page; empty if it cannot be read."""
    try:
        return (workbook.root / PAGE).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _on_path(path: PathOfChapter, chapter: Chapter) -> list[Program]:
    programs = [program for program in chapter.of_kind("stage", "exercise") if path.has(program)]
    return programs if path.has_everything else sorted(programs, key=lambda one: path.names.index(one.source.stem))


def _steps_of(path: PathOfChapter, chapter: Chapter) -> list[Step]:
    programs = _on_path(path, chapter)
    return [
        Step(chapter, one, tuple(stage for stage in programs[:index] if stage.kind == "stage"), is_core=True)
        for index, one in enumerate(programs)
        if one.kind == "exercise"
    ]


def is_solved(exercise: Program, progress: Progress) -> bool:
    entry = progress[exercise.target]
    return entry is not None and entry.state == SOLVED


def current_step(all_steps: list[Step], progress: Progress) -> Step | None:
    """The first step that is not solved; None when all are solved."""
    return next((step for step in all_steps if not is_solved(step.exercise, progress)), None)


def step_after(exercise: Program, all_steps: list[Step], progress: Progress) -> Step | None:
    """The next unsolved step after an exercise, from the start again after the last; None if no other is unsolved."""
    position = next((index for index, step in enumerate(all_steps) if step.exercise == exercise), 0)
    others = [*all_steps[position + 1 :], *all_steps[:position]]
    return current_step(others, progress)


def current_exercise(workbook: Workbook) -> Program:
    """The first unsolved exercise. Raises UsageError when all are solved."""
    step = current_step(steps(workbook), Progress(workbook.root))
    if step is None:
        raise UsageError("All exercises are solved, so name one of them. './workbook progress ch3' lists those of chapter 3.")
    return step.exercise
