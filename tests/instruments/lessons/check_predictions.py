"""Rule: each Predict prompt of a lesson has a folded answer, and questions for `./workbook predict`.

common/cli/exercises/predictions.py describes their format. The correct answers must agree with the committed counts and
results, and must be in the folded answer. The answer is at the end of its page, at least MIN_LINES below its question:
who reads the file in an editor does not see both. --write moves each answer that is below its question to the end of
the page, and writes the links in both directions.
"""

from __future__ import annotations

import re
import textwrap
from collections import defaultdict
from collections.abc import Iterator

from cli.errors import WorkbookError
from cli.exercises.predictions import SECTION, problems_of, read_prompts, with_answers_below
from cli.exercises.question_sheet import QuestionSheet
from cli.workbook import Workbook
from pages import Found, Rewritten, anchors, read

MIN_LINES = 30
_FOLD = re.compile(
    r"^(?P<indent>[ ]*)<details><summary>Answer</summary>\n.*?^[ ]*id (?P<id>\S+)$.*?^(?P=indent)</details>$",
    re.MULTILINE | re.DOTALL,
)
_LINK = re.compile(r"^[ ]*\[Answer\]\(#answer-(?P<id>\S+)\)$", re.MULTILINE)


def with_answers_at_end(page: str) -> str:
    """The page with its folded answers in a section at its end, in the order of their questions."""
    below = with_answers_below(page)
    entries: list[str] = []

    def link(fold: re.Match[str]) -> str:
        question = f"[Question](#{anchors(below[: fold.start()])[-1]})"
        entries.append(f"### Answer: {fold['id']}\n\n{question}\n\n{textwrap.dedent(fold[0])}\n")
        return f"{fold['indent']}[Answer](#answer-{fold['id']})"

    asked = _FOLD.sub(link, below).rstrip("\n")
    return f"{asked}\n{SECTION}\n" + "\n".join(entries) if entries else below


def near_answers(page: str) -> Iterator[str]:
    """The errors for answers that an editor shows together with the question."""
    for link in _LINK.finditer(page):
        between = page.count("\n", link.end(), page.find(f"\n### Answer: {link['id']}\n"))
        if between < MIN_LINES:
            yield f"the answer {link['id']} is {between} lines below its question. Move another answer between them."


def predictions(workbook: Workbook) -> Found:
    places: dict[str, list[str]] = defaultdict(list)  # of each id
    for chapter in workbook.catalogue.chapters:
        try:
            sheet = QuestionSheet(chapter, workbook)
        except WorkbookError as error:
            yield str(error)
            continue
        for page in chapter.files.pages:
            name, text = workbook.shown(page), read(page)
            yield Rewritten(page, with_answers_at_end(text))
            yield from (f"{name}: {problem}" for problem in near_answers(text))
            prompts = read_prompts(text, name)  # the sheet has read them
            if stray := text.count("<!-- predict\n") - sum(bool(prompt.questions) for prompt in prompts):
                yield (
                    f"{name}: {stray} comment(s) '<!-- predict' belong to no prompt. A prompt is a paragraph "
                    "with **Predict:** and a folded answer below it."
                )
            for prompt in prompts:
                where = f"{name}, line {prompt.line}"
                for question in prompt.questions:
                    places[question.id].append(where)
                try:
                    yield from (f"{where}: {problem}." for problem in problems_of(prompt, sheet.value))
                except WorkbookError as error:
                    yield f"{where}: {error}"
    for id, where in places.items():
        if len(where) > 1:
            yield f"{' and '.join(where)}: two questions have the id {id}."
