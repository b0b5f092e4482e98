"""Each Predict prompt of a lesson has a folded answer, and questions that `./workbook predict` can ask.

common/cli/exercises/predictions.py says how they are written. What is shown as right must be what the committed counts
and results say, and stand in the folded answer. Prints what is wrong and exits with 1.

Usage: check_predictions.py [ROOT]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import Chapter
from cli.errors import WorkbookError
from cli.exercises.predictions import problems_of, read_prompts
from cli.exercises.question_sheet import QuestionSheet
from cli.workbook import Workbook


def problems(chapter: Chapter, workbook: Workbook) -> Iterator[str]:
    """What is wrong with a chapter's prompts, one text each."""
    page = chapter.files.readme
    if not page.is_file():
        return
    try:
        sheet = QuestionSheet(chapter, workbook)
        prompts = read_prompts(page.read_text(encoding="utf-8"))
    except WorkbookError as error:
        yield str(error)
        return
    keys = [sheet.key(prompt, question) for prompt in prompts for question in prompt.questions]
    if len(set(keys)) < len(keys):
        yield f"{workbook.shown(page)}: the same question stands there twice."
    for prompt in prompts:
        where = f"{workbook.shown(page)}, line {prompt.line}"
        try:
            yield from (f"{where}: {problem}." for problem in problems_of(prompt, sheet.value))
        except WorkbookError as error:
            yield f"{where}: {error}"


def main(arguments: list[str]) -> int:
    workbook = Workbook(Path(arguments[0]) if arguments else ROOT)
    chapters = workbook.catalogue.chapters
    found = [problem for chapter in chapters for problem in problems(chapter, workbook)]
    print("\n".join(found) or f"Each prompt of {len(chapters)} chapters has an answer and questions that can be asked.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
