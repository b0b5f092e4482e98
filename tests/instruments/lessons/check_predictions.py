"""Checks that each Predict prompt of a lesson has a folded answer, and questions for `./workbook predict`.

common/cli/exercises/predictions.py describes their format. The correct answers must agree with the committed counts and
results, and must be in the folded answer. The answer is at the end of its page, at least MIN_LINES below its question:
who reads the file in an editor does not see both. Prints the errors and exits with 1. --write moves each answer that is
below its question to the end of the page, and writes the links in both directions.

Usage: check_predictions.py [--write] [ROOT]
"""

from __future__ import annotations

import contextlib
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import Chapter
from cli.errors import WorkbookError
from cli.exercises.predictions import SECTION, Prompt, problems_of, read_prompts, with_answers_below
from cli.exercises.question_sheet import QuestionSheet
from cli.workbook import Workbook

from check_links import anchors

MIN_LINES = 30
_FOLD = re.compile(
    r"^(?P<indent>[ ]*)<details><summary>Answer</summary>\n.*?^[ ]*id (?P<id>\S+)$.*?^(?P=indent)</details>$",
    re.MULTILINE | re.DOTALL,
)
_CODE = re.compile(r"^(```).*?^\1$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ .*$", re.MULTILINE)
_LINK = re.compile(r"^[ ]*\[Answer\]\(#answer-(?P<id>\S+)\)$", re.MULTILINE)


def with_answers_at_end(page: str) -> str:
    """The page with its folded answers in a section at its end, in the order of their questions."""
    below = with_answers_below(page)
    entries: list[str] = []

    def link(fold: re.Match[str]) -> str:
        question = f"[Question](#{_anchor_above(below[: fold.start()])})"
        entries.append(f"### Answer: {fold['id']}\n\n{question}\n\n{textwrap.dedent(fold[0])}\n")
        return f"{fold['indent']}[Answer](#answer-{fold['id']})"

    asked = _FOLD.sub(link, below).rstrip("\n")
    return f"{asked}\n{SECTION}\n" + "\n".join(entries) if entries else below


def _anchor_above(text: str) -> str:
    """The anchor of the last heading."""
    text = _CODE.sub("", text)
    *_, last = _HEADING.finditer(text)
    return (anchors(text[: last.end()]) - anchors(text[: last.start()])).pop()


def near_answers(page: str) -> Iterator[str]:
    """The errors for answers that an editor shows together with the question."""
    for link in _LINK.finditer(page):
        between = page.count("\n", link.end(), page.find(f"\n### Answer: {link['id']}\n"))
        if between < MIN_LINES:
            yield f"the answer {link['id']} is {between} lines below its question. Move another answer between them."


def problems(chapter: Chapter, workbook: Workbook) -> Iterator[str]:
    """The errors in a chapter's prompts, one text each."""
    try:
        sheet = QuestionSheet(chapter, workbook)
        prompts = [one for page in chapter.files.pages for one in prompts_of(page, workbook.shown(page))]
    except WorkbookError as error:
        yield str(error)
        return
    for page in chapter.files.pages:
        text = page.read_text(encoding="utf-8")
        if with_answers_at_end(text) != text:
            yield f"{workbook.shown(page)}: answers are not at the end of the page, in the order of the questions: --write."
        yield from (f"{workbook.shown(page)}: {problem}" for problem in near_answers(text))
        asked = sum(bool(prompt.questions) for prompt in prompts if prompt.page == workbook.shown(page))
        if stray := text.count("<!-- predict\n") - asked:
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
    wants_to_write = arguments[:1] == ["--write"]
    roots = arguments[wants_to_write:]
    workbook = Workbook(Path(roots[0]) if roots else ROOT)
    chapters = workbook.catalogue.chapters
    for page in [page for chapter in chapters for page in chapter.files.pages] if wants_to_write else []:
        page.write_text(with_answers_at_end(page.read_text(encoding="utf-8")), encoding="utf-8")
    found = [problem for chapter in chapters for problem in problems(chapter, workbook)]
    found += ids_used_twice(chapters)
    print("\n".join(found) or f"Each prompt of {len(chapters)} chapters has an answer and questions.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
