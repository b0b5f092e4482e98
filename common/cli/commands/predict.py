"""`./workbook predict`"""

from __future__ import annotations

import sys

from cli.errors import EXIT_OK, UsageError, WorkbookError
from cli.exercises.course import Step, current_step, steps
from cli.exercises.predictions import Choice, Prompt, Question
from cli.exercises.progress import Progress
from cli.exercises.question_sheet import QuestionSheet, all_due, is_answered_right, key_of
from cli.exercises.typed_answers import TypedError, typed_choice, typed_numbers
from cli.measuring.measurements import today
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say, verdict, wrapped
from cli.terminal.json_output import say_json
from cli.workbook import PROGRESS, Workbook

SUMMARY = "answer the Predict questions of a chapter"
USAGE = "predict [CHAPTER [--stage N | --advanced]] [--again] [--json]"
DETAILS = f"""
Asks the questions of a chapter's page that you have not answered correctly yet, one at a time. Read the page up to each
question before you answer.

  predict                  questions that you answered wrong some days ago, then questions about the stages that
                           './workbook next' shows
  predict ch1              questions of the core path (docs/course.md), then of the advanced path
  predict ch1 --stage 02   questions about one stage
  predict ch1 --advanced   questions of the advanced path

Type a number, or the number of an option. A number can be a product, a quotient or a power (132 * 2048, 10^8), and can
have a unit (22 %, 2 KB, 1 million). It is compared with the simulator's counts, with the measured results in
plots/results, or with a computed value. A wrong answer is explained, and you can try again. After the answer you see
the explanation of the page.

a shows the answer, s skips a question, q ends; Ctrl-D and Ctrl-C also end. Your answers are recorded in {PROGRESS}.
--again asks answered questions again; a question that you once answered correctly stays correct. Without a terminal,
answers are read from standard input, one per line. --json asks nothing, and prints the questions as an object for other
programs (docs/json.md).
"""

_SHOW, _SKIP, _QUIT = ("a", "answer"), ("s", "skip"), ("q", "quit", "exit")
_HOW_TO_ANSWER = "Type a number, or the number of an option; a shows the answer, s skips, q ends."
_MOST_REPEATED = 5


class _Ended(Exception):
    """The learner has stopped."""


class _Skipped(Exception):
    """The learner skips this question."""


class _Shown(Exception):
    """The learner asks for the answer."""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("predict", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--stage", metavar="N")
    parser.add_argument("--advanced", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--json", action="store_true")
    parsed = parser.parse_args(arguments)
    has_stage = parsed.stage is not None
    if (has_stage or parsed.advanced) and not parsed.chapter or has_stage and parsed.advanced:
        raise UsageError("Name a chapter and one of its stages, or --advanced: './workbook predict ch1 --stage 02'.")
    if sys.stdin is not None:
        sys.stdin.reconfigure(errors="replace")  # bytes that are not text: a wrong answer, not an exception
    progress = Progress(workbook.root)
    if not parsed.chapter and not parsed.json and not _ask_old_questions(progress, workbook):
        return EXIT_OK
    step = None if parsed.chapter else _current_step(workbook)
    chapter = step.chapter if step else workbook.catalogue.find_chapter(parsed.chapter)
    sheet = QuestionSheet(chapter, workbook)
    if not sheet.prompts:
        raise UsageError(f"{chapter.name} has no Predict questions.")
    prompts = _chosen(sheet, step, parsed.stage, parsed.advanced, parsed.again, progress)
    if parsed.json:
        wanted = prompts if has_stage or parsed.advanced else sheet.prompts
        questions = [_as_json(prompt, one, sheet, progress) for prompt in wanted for one in prompt.questions]
        say_json({"chapter": chapter.name, "file": workbook.shown(chapter.files.readme), "questions": questions})
        return EXIT_OK
    score = sheet.score(progress, prompts)
    if score.right == score.asked and not parsed.again:
        say(f"{chapter.name}: {score}. --again asks the questions again.")
        _tell_others(sheet, prompts, progress)
        return EXIT_OK
    pages = " and ".join(dict.fromkeys(prompt.page for prompt in prompts))
    say(f"{pages}{_path_words(sheet, prompts)}: {score}.")
    say(_HOW_TO_ANSWER)
    try:
        for prompt in prompts:
            _ask_prompt(prompt, sheet, progress, parsed.again)
    except _Ended:
        pass
    except KeyboardInterrupt:
        say()
        _tell_score(sheet, prompts, progress)
        raise
    _tell_score(sheet, prompts, progress)
    return EXIT_OK


def _ask_old_questions(progress: Progress, workbook: Workbook) -> bool:
    """Asks some of the questions that are due again. False if the learner stops."""
    due = all_due(workbook, progress, today())
    if not due:
        return True
    say("You answered these questions wrong some days ago. Here they are again.")
    say(_HOW_TO_ANSWER)
    try:
        for sheet, prompt in due[:_MOST_REPEATED]:
            _ask_prompt(prompt, sheet, progress, again=True)
    except _Ended:
        say(f"\nKept in {PROGRESS}.")
        return False
    say()
    return True


def _chosen(
    sheet: QuestionSheet, step: Step | None, stage: str | None, is_advanced: bool, again: bool, progress: Progress
) -> list[Prompt]:
    """The prompts of a stage, a path or a step; of a chapter, the core path first. Raises UsageError."""
    if stage is not None:
        return sheet.of_stage(stage)
    core, advanced = sheet.core_first()
    if is_advanced:
        if not advanced:
            raise UsageError(f"{sheet.chapter.name} has no questions on the advanced path. Leave --advanced out.")
        return advanced
    if step:
        return sheet.of_step(step)
    score = sheet.score(progress, core)
    return advanced if advanced and score.right == score.asked and not again else core


def _path_words(sheet: QuestionSheet, prompts: list[Prompt]) -> str:
    """The path to which the prompts belong; empty for all prompts of the chapter."""
    core, advanced = sheet.core_first()
    if not core or not advanced:
        return ""
    return {tuple(core): ", core path", tuple(advanced): ", advanced path"}.get(tuple(prompts), "")


def _as_json(prompt: Prompt, question: Question, sheet: QuestionSheet, progress: Progress) -> dict[str, object]:
    """A question for --json. Its answer is in it only after the learner has given it; the explanation contains the
    answers to all questions of the prompt, so it is there only after all of them.
    """
    is_right = is_answered_right(question, progress)
    all_right = all(is_answered_right(one, progress) for one in prompt.questions)
    return {
        "id": question.id,
        "file": prompt.page,
        "heading": prompt.heading,
        "line": prompt.line,
        "stage": prompt.stage or None,
        "path": "core" if sheet.is_core(prompt) else "advanced",
        "text": prompt.text,
        "question": question.ask,
        "options": list(question.options) if isinstance(question, Choice) else None,
        "unit": None if isinstance(question, Choice) else question.unit,
        "answered_right": is_right,
        "answer": sheet.right_answer(question) if is_right else None,
        "explanation": prompt.explanation if all_right else None,
    }


def _current_step(workbook: Workbook) -> Step:
    with_questions = [step for step in steps(workbook) if not step.exercise.is_project]
    step = current_step(with_questions, Progress(workbook.root))
    if step is None:
        raise UsageError("All exercises are solved, so name a chapter: './workbook predict ch1'.")
    return step


def _tell_score(sheet: QuestionSheet, prompts: list[Prompt], progress: Progress) -> None:
    score = sheet.score(progress, prompts)
    say(f"\n{sheet.chapter.name}: {score}. Kept in {PROGRESS}.")
    _tell_others(sheet, prompts, progress)


def _tell_others(sheet: QuestionSheet, prompts: list[Prompt], progress: Progress) -> None:
    """Prints the command for the other open questions of the chapter, if there are any."""
    core, advanced = sheet.core_first()
    asked, rest = sheet.score(progress, prompts), sheet.score(progress)
    is_core_open = any(not is_answered_right(one, progress) for prompt in core for one in prompt.questions)
    if rest.right < rest.asked:
        others = "The other questions" if asked.right < asked.asked else "The rest of the chapter"
        option = " --advanced" if core and advanced and not is_core_open else ""
        say(f"{others}: ./workbook predict {sheet.chapter.name}{option}")


def _ask_prompt(prompt: Prompt, sheet: QuestionSheet, progress: Progress, again: bool) -> None:
    """Asks the questions of a prompt, then prints the explanation unless a question was skipped."""
    open_questions = [one for one in prompt.questions if again or not is_answered_right(one, progress)]
    if not open_questions:
        return
    say(f"\n{prompt.heading} (line {prompt.line} of {prompt.page})\n")
    say(wrapped(prompt.text))
    skipped = False
    for question in open_questions:
        try:
            _ask(question, sheet, progress)
        except _Skipped:
            skipped = True
    if not skipped:
        say(f"\n{wrapped(prompt.explanation)}")


def _ask(question: Question, sheet: QuestionSheet, progress: Progress) -> None:
    """Asks until the answer is right or the learner asks for it; records each try."""
    say(f"\n{question.ask}{_unit_words(question)}:")
    if isinstance(question, Choice):
        for number, option in enumerate(question.options, start=1):
            say(f"  {number}. {option}")
    is_either_or = isinstance(question, Choice) and len(question.options) == 2
    try:
        while wrong := _wrong_words(question, sheet):
            progress.record_prediction(key_of(question), False, today())
            if is_either_or:  # the other option is right
                say(verdict(False, wrapped(wrong)))
                break
            say(verdict(False, wrapped(f"{wrong} Try again, or type a for the answer.")))
        else:
            progress.record_prediction(key_of(question), True, today())
            say(verdict(True, f"Right: {sheet.right_answer(question)}"))
            return
    except _Shown:
        progress.record_prediction(key_of(question), False, today())
    say(f"The answer: {sheet.right_answer(question)}")


def _wrong_words(question: Question, sheet: QuestionSheet) -> str:
    """The explanation of a wrong answer; empty if the answer is right. Reads lines until one of them is an answer."""
    while True:
        typed = _line()
        if typed.lower() in _SHOW:
            raise _Shown
        if typed.lower() in _SKIP:
            raise _Skipped
        if typed.lower() in _QUIT:
            raise _Ended
        try:
            if isinstance(question, Choice):
                chosen = typed_choice(typed, question.options)
                usual = question.usual[chosen]
                return "" if chosen == question.right else f"No: {usual}" if usual else "No."
            value, readings = sheet.value(question.made_of), typed_numbers(typed, question.unit)
            is_right = any(question.is_right(reading, value) for reading in readings)
            return "" if is_right else f"No: {question.how_wrong(readings, value)}"
        except TypedError as error:
            say(str(error) if typed else "You typed nothing. Type an answer; s skips this question, q ends.")


def _unit_words(question: Question) -> str:
    """Names the unit, if the question itself does not."""
    if isinstance(question, Choice) or not question.unit or question.unit.rstrip("s") in question.ask.lower():
        return ""
    if question.unit == "times":
        return "" if "multiple" in question.ask else ", as a factor"
    return f", in {question.unit}"


def _line() -> str:
    """A line of input, without the white space around it. Raises _Ended at the end of the input."""
    if sys.stdin is None:  # closed, for example with <&-
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
