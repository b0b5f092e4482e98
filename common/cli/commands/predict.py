"""`./workbook predict`"""

from __future__ import annotations

import sys

from cli.catalogue import Chapter
from cli.errors import EXIT_OK, UsageError, WorkbookError
from cli.exercises.course import current_step, steps
from cli.exercises.predictions import Choice, Prompt, Question
from cli.exercises.progress import FILE_NAME, Progress
from cli.exercises.question_sheet import QuestionSheet
from cli.exercises.typed_answers import TypedError, typed_choice, typed_number
from cli.measuring.measurements import today
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say, verdict, wrapped
from cli.terminal.json_output import say_json
from cli.workbook import Workbook

SUMMARY = "answer the Predict questions of a chapter"
USAGE = "predict [CHAPTER] [--again] [--json]"
DETAILS = f"""
Asks the questions of a chapter's page that you have not answered right, one after the other; without a chapter, those
of the one that './workbook next' names. Read the page up to each. An answer is a number (a product, a quotient or a
power will do: 132 * 2048, 10^8), or the number of an option. It is compared with the simulator's counts, with the
measured results in plots/results, or with the arithmetic; then the page's explanation follows.

s skips a question, q ends, and so do Ctrl-D and Ctrl-C. What you have answered is kept in {FILE_NAME}. --again asks
all questions; who has answered one right keeps that. Without a terminal, answers are read from the standard input, one
per line. --json asks nothing, and prints the questions as an object for other programs (docs/json.md).
"""

_SKIP, _QUIT = ("s", "skip"), ("q", "quit", "exit")


class _Ended(Exception):
    """The learner does not go on."""


class _Skipped(Exception):
    """The learner leaves this question out."""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("predict", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--json", action="store_true")
    parsed = parser.parse_args(arguments)
    chapter = workbook.catalogue.find_chapter(parsed.chapter) if parsed.chapter else _current_chapter(workbook)
    progress = Progress(workbook.root)
    sheet = QuestionSheet(chapter, workbook)
    if not sheet.prompts:
        raise UsageError(f"{chapter.name} has no questions to predict, its page has none.")
    if parsed.json:
        questions = [_as_json(prompt, one, sheet, progress) for prompt in sheet.prompts for one in prompt.questions]
        say_json({"chapter": chapter.name, "file": workbook.shown(chapter.files.readme), "questions": questions})
        return EXIT_OK
    score = sheet.score(progress)
    if score.right == score.asked and not parsed.again:
        say(f"{chapter.name}: {score}. --again asks them again.")
        return EXIT_OK
    say(f"{workbook.shown(chapter.files.readme)}: {score}.")
    say("Type a number, or that of an option; s skips, q ends.")
    if sys.stdin is not None:
        sys.stdin.reconfigure(errors="replace")  # what is no text is no answer
    try:
        for prompt in sheet.prompts:
            _ask_prompt(prompt, sheet, progress, parsed.again)
    except _Ended:
        pass
    except KeyboardInterrupt:
        say()
        _tell_score(sheet, progress)
        raise
    _tell_score(sheet, progress)
    return EXIT_OK


def _as_json(prompt: Prompt, question: Question, sheet: QuestionSheet, progress: Progress) -> dict[str, object]:
    """An answer, and the explanation with the answers to all questions of a prompt, only once they were given."""
    is_right = sheet.is_right(prompt, question, progress)
    all_right = all(sheet.is_right(prompt, one, progress) for one in prompt.questions)
    return {
        "heading": prompt.heading,
        "line": prompt.line,
        "text": prompt.text,
        "question": question.ask,
        "options": list(question.options) if isinstance(question, Choice) else None,
        "unit": None if isinstance(question, Choice) else question.unit,
        "answered_right": is_right,
        "answer": sheet.right_answer(question) if is_right else None,
        "explanation": prompt.explanation if all_right else None,
    }


def _current_chapter(workbook: Workbook) -> Chapter:
    step = current_step(steps(workbook), Progress(workbook.root))
    if step is None:
        raise UsageError("All exercises are solved: name the chapter that you mean, as in './workbook predict ch1'.")
    return step.chapter


def _tell_score(sheet: QuestionSheet, progress: Progress) -> None:
    score = sheet.score(progress)
    say(f"\n{sheet.chapter.name}: {score}. Kept in {FILE_NAME}.")
    if score.right < score.asked:
        say(f"The others: ./workbook predict {sheet.chapter.name}")


def _ask_prompt(prompt: Prompt, sheet: QuestionSheet, progress: Progress, again: bool) -> None:
    """The explanation has all answers in it, so it comes when none is open."""
    open_questions = [one for one in prompt.questions if again or not sheet.is_right(prompt, one, progress)]
    if not open_questions:
        return
    say(f"\n{prompt.heading} (line {prompt.line})\n")
    say(wrapped(prompt.text))
    skipped = False
    for question in open_questions:
        try:
            right = _ask(question, sheet)
        except _Skipped:
            skipped = True
            continue
        progress.record_prediction(sheet.key(prompt, question), right, today())
        say(verdict(right, f"{'Right' if right else 'No'}: {sheet.right_answer(question)}"))
    if not skipped:
        say(f"\n{wrapped(prompt.explanation)}")


def _ask(question: Question, sheet: QuestionSheet) -> bool:
    """Whether the answer is right. Asks again until there is one."""
    say(f"\n{question.ask}{_unit_words(question)}:")
    if isinstance(question, Choice):
        for number, option in enumerate(question.options, start=1):
            say(f"  {number}. {option}")
    while True:
        typed = _line()
        if typed.lower() in _SKIP:
            raise _Skipped
        if typed.lower() in _QUIT:
            raise _Ended
        try:
            if isinstance(question, Choice):
                return typed_choice(typed, question.options) == question.right
            return question.is_right(typed_number(typed, question.unit), sheet.value(question.made_of))
        except TypedError as error:
            say(str(error) if typed else "Nothing was typed. Type an answer; s skips this question, q ends.")


def _unit_words(question: Question) -> str:
    """What to say of the unit, if the question itself does not name it."""
    if isinstance(question, Choice) or not question.unit or question.unit.rstrip("s") in question.ask.lower():
        return ""
    if question.unit == "times":
        return "" if "multiple" in question.ask else ", as a factor"
    return f", in {question.unit}"


def _line() -> str:
    """What was typed, without the white space around it. Raises _Ended at the end of the input."""
    if sys.stdin is None:  # closed, as by <&-
        raise _Ended
    print("> ", end="", flush=True)
    try:
        line = sys.stdin.readline()
    except OSError as error:
        raise WorkbookError(f"The answers cannot be read: {error.strerror}.") from error
    if not sys.stdin.isatty():
        say(line.rstrip("\n"))  # as if it had been typed
    if not line:
        raise _Ended
    return line.strip()
