"""Checks that each Predict prompt of a lesson has a folded answer, and questions for `./workbook predict`.

common/cli/exercises/predictions.py describes their format. The correct answers must agree with the committed counts and
results, and must be in the folded answer. Prints the errors and exits with 1.

Usage: check_predictions.py [ROOT]
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import Chapter
from cli.errors import WorkbookError
from cli.exercises.predictions import Prompt, problems_of, read_prompts
from cli.exercises.question_sheet import QuestionSheet
from cli.workbook import Workbook


def problems(chapter: Chapter, workbook: Workbook) -> Iterator[str]:
    """The errors in a chapter's prompts, one text each."""
    try:
        sheet = QuestionSheet(chapter, workbook)
        prompts = [one for page in chapter.files.pages for one in prompts_of(page, workbook.shown(page))]
    except WorkbookError as error:
        yield str(error)
        return
    for page in chapter.files.pages:
        asked = sum(bool(prompt.questions) for prompt in prompts if prompt.page == workbook.shown(page))
        if stray := page.read_text(encoding="utf-8").count("<!-- predict\n") - asked:
            yield (
                f"{workbook.shown(page)}: {stray} comment(s) '<!-- predict' belong to no prompt. A prompt is a paragraph "
                "with **Predict:** and a folded answer below it."
            )
    for prompt in prompts:
        where = f"{prompt.page}, line {prompt.line}"
        try:
            yield from (f"{where}: {problem}." for problem in problems_of(prompt, sheet.value))
        except WorkbookError as error:
            yield f"{where}: {error}"


def prompts_of(page: Path, name: str) -> list[Prompt]:
    return read_prompts(page.read_text(encoding="utf-8"), name)


def ids_used_twice(chapters: Iterable[Chapter]) -> Iterator[str]:
    """The errors for ids that more than one question of the workbook has."""
    places: dict[str, list[str]] = {}
    for chapter in chapters:
        with contextlib.suppress(OSError, WorkbookError):  # problems() reports it
            for prompt in (one for page in chapter.files.pages for one in prompts_of(page, f"{chapter.name}/{page.name}")):
                for question in prompt.questions:
                    places.setdefault(question.id, []).append(f"{prompt.page}, line {prompt.line}")
    for id, where in places.items():
        if len(where) > 1:
            yield f"{' and '.join(where)}: two questions have the id {id}."


def main(arguments: list[str]) -> int:
    workbook = Workbook(Path(arguments[0]) if arguments else ROOT)
    chapters = workbook.catalogue.chapters
    found = [problem for chapter in chapters for problem in problems(chapter, workbook)]
    found += ids_used_twice(chapters)
    print("\n".join(found) or f"Each prompt of {len(chapters)} chapters has an answer and questions.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
