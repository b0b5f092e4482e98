"""The Predict questions of a chapter, with what is right by the counts and the results that are committed."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from cli.catalogue import Chapter
from cli.errors import WorkbookError
from cli.exercises.predictions import Choice, PredictionError, Prompt, Question, read_prompts
from cli.exercises.progress import SOLVED, Progress
from cli.measuring.claims import claims_of
from cli.measuring.figures import Counts, FigureError, Results, is_counted, is_measured, value_of
from cli.workbook import Workbook

RESULTS = "plots/results/nvidia-h200"  # those that the pages quote


@dataclass(frozen=True)
class Score:
    asked: int
    right: int
    at_first: int  # of the right ones, at the first try
    wrong: int  # answered, and not right yet

    def __str__(self) -> str:
        first = f", {self.at_first} at the first try" if self.right else ""
        wrong = f"; {self.wrong} answered wrong" if self.wrong else ""
        return f"{self.right} of {self.asked} questions answered right{first}{wrong}"


class QuestionSheet:
    """Of a chapter's page; without one, without prompts. Raises WorkbookError if a question cannot be read."""

    def __init__(self, chapter: Chapter, workbook: Workbook) -> None:
        self.chapter = chapter
        self._workbook = workbook
        try:
            page = chapter.files.readme.read_text(encoding="utf-8", errors="replace")
        except OSError:
            page = ""
        try:
            self.prompts = [prompt for prompt in read_prompts(page) if prompt.questions]
        except PredictionError as error:
            raise WorkbookError(f"{workbook.shown(chapter.files.readme)}, {error}") from error

    def key(self, prompt: Prompt, question: Question) -> str:
        """What a question is called in progress.csv."""
        return f"{self.chapter.name.split('_', 1)[0]}_predict_{prompt.name_of(question)}"

    def is_right(self, prompt: Prompt, question: Question, progress: Progress) -> bool:
        entry = progress[self.key(prompt, question)]
        return entry is not None and entry.state == SOLVED

    def score(self, progress: Progress) -> Score:
        entries = [progress[self.key(prompt, one)] for prompt in self.prompts for one in prompt.questions]
        answered = [entry for entry in entries if entry and entry.checks]
        right = [entry for entry in answered if entry.state == SOLVED]
        # `failure` tells a right answer after a wrong one from one at the first try.
        return Score(len(entries), len(right), sum(not one.failure for one in right), len(answered) - len(right))

    def value(self, made_of: str) -> float:
        """Raises WorkbookError where what is committed does not have it."""
        try:
            return value_of(made_of, self._results if is_measured(made_of) else None, self.chapter.name, self._counts)
        except FigureError as error:
            raise WorkbookError(f"'{made_of}' cannot be looked up: {error}") from error

    def right_answer(self, question: Question) -> str:
        """In words, with where it comes from."""
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
