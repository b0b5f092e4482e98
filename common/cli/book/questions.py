"""Predict questions in a page of the book. The browser checks an answer before the fold below the question opens."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cli.errors import WorkbookError
from cli.exercises.predictions import Choice, Number, Prompt, Question
from cli.exercises.question_names import other_names
from cli.exercises.question_sheet import QuestionSheet, key_of

_ANSWER = re.compile(r"^(?P<indent>[ ]*)<details><summary>Answer</summary>\n", re.MULTILINE)
_END = re.compile(r"^[ ]*</details>$", re.MULTILINE)
_QUESTIONS = "<!-- predict\n"


def answer_places(page: str) -> Iterator[tuple[int, str]]:
    """The positions of folded answers with questions, in the order of the page, and their indentation."""
    for answer in _ANSWER.finditer(page):
        end = _END.search(page, answer.end())
        if end and _QUESTIONS in page[answer.end() : end.start()]:
            yield answer.start(), answer["indent"]


def forms(page: str, sheet: QuestionSheet, file: Path) -> list[tuple[int, str]]:
    """The forms to insert into a chapter's page, each with its position. The code blocks of `page` are set aside.

    Raises WorkbookError for questions without a prompt.
    """
    places, prompts = list(answer_places(page)), sheet.of_page(file)
    if len(places) != len(prompts):
        raise WorkbookError(
            f"{file.name} of {sheet.chapter.name}: {len(places)} folded answers have questions, and {len(prompts)} "
            "**Predict:** paragraphs are followed by one."
        )
    return [(place, _indented(_form(prompt, sheet), indent)) for (place, indent), prompt in zip(places, prompts)]


def _form(prompt: Prompt, sheet: QuestionSheet) -> str:
    asked = "\n".join(_question(one, sheet) for one in prompt.questions)
    return (
        f'<div class="predict" hidden>\n{asked}\n'
        '<p class="predict-then"><button type="button" class="predict-open">Show the answer anyway</button></p>\n'
        "</div>"
    )


def _question(question: Question, sheet: QuestionSheet) -> str:
    key = key_of(question)
    data = html.escape(json.dumps(_check_data(question, sheet)))
    fields = _options(question) if isinstance(question, Choice) else _number(question, key)
    return (
        f'<form class="predict-question" data-key="{key}" data-question="{data}"'
        f' data-other-keys="{" ".join(other_names(question.id))}" autocomplete="off">\n{fields}\n'
        '<button type="submit">Check</button>\n<p class="predict-verdict" role="status"></p>\n</form>'
    )


def _check_data(question: Question, sheet: QuestionSheet) -> dict[str, Any]:
    """The data with which the page's script checks an answer, as ./workbook predict does."""
    says = sheet.right_answer(question)
    if isinstance(question, Choice):
        return {"right": question.right, "usual": question.usual, "says": says}
    value = sheet.value(question.made_of)
    return {
        "value": value,
        "unit": question.unit,
        "share": question.share,
        "factor": question.factor,
        "rounding": 0.0 if question.is_exact(value) else question.rounding,
        "usual": question.usual,
        "says": says,
    }


def _number(question: Number, key: str) -> str:
    unit = f' <span class="predict-unit">{html.escape(question.unit)}</span>' if question.unit else ""
    return (
        f'<label for="{key}">{html.escape(question.ask)}</label>\n'
        f'<span><input id="{key}" name="answer" size="10" aria-describedby="{key}_how">{unit}</span>'
        f' <small id="{key}_how">{_how_exact(question)}</small>'
    )


def _how_exact(question: Number) -> str:
    if question.factor > 1:
        return f"right within a factor of {question.factor:g}"
    if question.share:
        return f"right within {100 * question.share:g} %"
    return ""


def _options(question: Choice) -> str:
    options = "\n".join(
        f'<label class="predict-option"><input type="radio" name="answer" value="{number}"> {_inline(option)}</label>'
        for number, option in enumerate(question.options)
    )
    return f"<fieldset><legend>{_inline(question.ask)}</legend>\n{options}\n</fieldset>"


def _inline(text: str) -> str:
    """HTML for a text that contains `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def _indented(block: str, indent: str) -> str:
    return "\n".join(f"{indent}{line}" for line in block.splitlines())
