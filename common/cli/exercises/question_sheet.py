"""The Predict questions of a chapter, with the right answers from the committed counts and results."""

from __future__ import annotations

import dataclasses
import datetime
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.errors import UsageError, WorkbookError
from cli.exercises.course import Step, core_stages
from cli.exercises.predictions import Choice, PredictionError, Prompt, Question, read_prompts
from cli.exercises.progress import SOLVED, WRONG, Progress
from cli.exercises.question_names import QUESTION_PREFIX
from cli.measuring.claims import claims_of
from cli.measuring.figures import Counts, FigureError, Results, is_counted, is_measured, value_of
from cli.workbook import Workbook

REPEAT_AFTER_DAYS = 3
RESULTS = "plots/results/nvidia-h200"  # the results that the pages quote


def key_of(question: Question) -> str:
    """The name of a question in progress.csv."""
    return f"{QUESTION_PREFIX}{question.id}"


def is_answered_right(question: Question, progress: Progress) -> bool:
    entry = progress[key_of(question)]
    return entry is not None and entry.state == SOLVED


def is_due(question: Question, progress: Progress, today: str) -> bool:
    """Whether it was answered wrong some days ago, and should be asked again."""
    entry = progress[key_of(question)]
    if entry is None or entry.failure != WRONG:
        return False
    try:
        last, now = (datetime.date.fromisoformat(day) for day in (entry.date, today))
    except ValueError:  # an impossible date, written by hand
        return False
    return (now - last).days >= REPEAT_AFTER_DAYS


@dataclass(frozen=True)
class Score:
    asked: int
    right: int
    at_first: int  # answered correctly at the first try
    wrong: int  # answered, but not correctly yet

    def __str__(self) -> str:
        first = f", {self.at_first} at the first try" if self.right else ""
        wrong = f"; {self.wrong} answered wrong" if self.wrong else ""
        return f"{self.right} of {self.asked} questions answered right{first}{wrong}"


def _number(stage: Program) -> str:
    return stage.source.stem.partition("_")[0]


class QuestionSheet:
    """The prompts of a chapter's pages. Raises WorkbookError if a question cannot be read."""

    def __init__(self, chapter: Chapter, workbook: Workbook) -> None:
        self.chapter = chapter
        self._workbook = workbook
        self._core_page = workbook.shown(chapter.files.readme)
        self.prompts = [prompt for page in chapter.files.pages for prompt in self._read(page) if prompt.questions]

    def _read(self, page: Path) -> list[Prompt]:
        name = self._workbook.shown(page)
        try:
            return read_prompts(page.read_text(encoding="utf-8", errors="replace"), name)
        except PredictionError as error:
            raise WorkbookError(f"{name}, {error}") from error

    def due(self, progress: Progress, today: str) -> list[Prompt]:
        """The prompts with questions that are due again, each with only these questions."""
        found = ((one, [q for q in one.questions if is_due(q, progress, today)]) for one in self.prompts)
        return [dataclasses.replace(prompt, questions=tuple(questions)) for prompt, questions in found if questions]

    def of_page(self, page: Path) -> list[Prompt]:
        return [prompt for prompt in self.prompts if prompt.page == self._workbook.shown(page)]

    def is_core(self, prompt: Prompt) -> bool:
        """Whether a prompt is on the core page, in the section of a core stage or before all advanced stages. If the
        chapter has no core stages, all its prompts are core.
        """
        core = {_number(stage) for stage in core_stages(self.chapter, self._workbook)}
        own = (prompt.stage,) if prompt.stage else prompt.stages_before
        return not core or prompt.page == self._core_page and core.issuperset(own)

    def core_first(self) -> tuple[list[Prompt], list[Prompt]]:
        """The prompts of the core path, and those of the advanced path."""
        core = [prompt for prompt in self.prompts if self.is_core(prompt)]
        return core, [prompt for prompt in self.prompts if prompt not in core]

    def of_step(self, step: Step) -> list[Prompt]:
        """The prompts of a step: those of its stages and those before all stages; all prompts if it has no stages."""
        numbers = {_number(stage) for stage in step.stages}
        prompts = self.core_first()[0] if step.is_core else self.prompts
        return [one for one in prompts if not numbers or one.stage in numbers or not one.stages_before]

    def of_stage(self, name: str) -> list[Prompt]:
        """The prompts of a stage: 4, 04, 04b, or a file's name. Raises UsageError if its section has no questions."""
        typed = name.partition("_")[0]
        number = typed.zfill(2 if typed.isdigit() else 3)  # 4 is 04, and 4b is 04b
        prompts = [prompt for prompt in self.prompts if prompt.stage == number]
        if not prompts:
            asked = ", ".join(dict.fromkeys(prompt.stage for prompt in self.prompts if prompt.stage))
            there = f"There are questions in the sections of stages {asked}." if asked else "Leave --stage out."
            raise UsageError(f"{self.chapter.name} has no questions about a stage '{name}'. {there}")
        return prompts

    def score(self, progress: Progress, prompts: Sequence[Prompt] | None = None) -> Score:
        """The score of these prompts, or of all."""
        asked = self.prompts if prompts is None else prompts
        entries = [progress[key_of(one)] for prompt in asked for one in prompt.questions]
        answered = [entry for entry in entries if entry and entry.checks]
        right = [entry for entry in answered if entry.state == SOLVED]
        # `failure` is empty for an answer that was right at the first try.
        return Score(len(entries), len(right), sum(not one.failure for one in right), len(answered) - len(right))

    def value(self, made_of: str) -> float:
        """The value of an expression. Raises WorkbookError if the committed data do not contain it."""
        try:
            return value_of(made_of, self._results if is_measured(made_of) else None, self.chapter.name, self._counts)
        except FigureError as error:
            raise WorkbookError(f"'{made_of}' cannot be looked up: {error}") from error

    def right_answer(self, question: Question) -> str:
        """The right answer in words, with its source."""
        if isinstance(question, Choice):
            return f"{question.options[question.right]}."
        if is_measured(question.made_of):
            return f"{question.with_unit}, as measured on an NVIDIA H200."
        if is_counted(question.made_of):
            return f"{question.with_unit}, as the simulator counts."
        return f"{question.with_unit}."

    @functools.cached_property
    def _results(self) -> Results:
        return Results(self._workbook.root / RESULTS)

    @functools.cached_property
    def _counts(self) -> Counts:
        return Counts(claims_of(self.chapter.files))


def all_due(workbook: Workbook, progress: Progress, today: str) -> list[tuple[QuestionSheet, Prompt]]:
    """The prompts of all chapters with questions that are due again, and their sheets. Raises as QuestionSheet does."""
    if not progress.has_wrong_answers:  # saves reading the pages
        return []
    sheets = [QuestionSheet(chapter, workbook) for chapter in workbook.catalogue.chapters]
    return [(sheet, prompt) for sheet in sheets for prompt in sheet.due(progress, today)]
