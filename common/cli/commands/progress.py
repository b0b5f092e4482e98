"""`./workbook progress`"""

from __future__ import annotations

from collections.abc import Sequence

from cli.catalogue import Chapter, Program
from cli.errors import EXIT_OK
from cli.exercises.course import current_step, exercises_of, is_solved, steps
from cli.exercises.next_command import check_of
from cli.exercises.progress import SOLVED, Progress, text_digest
from cli.exercises.question_sheet import QuestionSheet
from cli.exercises.starters import is_starter
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import Palette, colours_wanted, mark, say, table, terminal_columns
from cli.terminal.json_output import say_json
from cli.workbook import PROGRESS, Workbook

SUMMARY = "which exercises you have solved"
USAGE = "progress [CHAPTER] [--json]"
DETAILS = """
Shows one line per chapter or, with CHAPTER, one line per exercise.

Reads progress.csv in the workbook's folder, which './workbook check' and './workbook predict' write. It is a small text
file: commit it, so that your progress is also in every clone. --json prints an object for other programs
(docs/json.md).
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("progress", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--json", action="store_true")
    parsed = parser.parse_args(arguments)
    name = parsed.chapter
    chapters = [workbook.catalogue.find_chapter(name)] if name else workbook.catalogue.chapters
    progress = Progress(workbook.root)
    all_steps = steps(workbook)
    step = current_step(all_steps, progress)
    exercises = [exercise for chapter in chapters for exercise in exercises_of(chapter, all_steps)]
    if parsed.json:
        listed = [_as_json(exercise, progress, workbook) for exercise in exercises]
        scores = {c.name: QuestionSheet(c, workbook).score(progress) for c in chapters}
        predictions = [{"chapter": c, "right": score.right, "asked": score.asked} for c, score in scores.items()]
        say_json({"exercises": listed, "predictions": predictions, "next": step.exercise.target if step else None})
        return EXIT_OK
    if name:
        _show_chapter(chapters[0], exercises, progress, workbook)
    else:
        rows = [_chapter_row(one, exercises_of(one, all_steps), progress, workbook) for one in chapters]
        say(table(rows, right_aligned=(3,), indent="", columns=terminal_columns()))  # it fits on one screen
    solved = [exercise for exercise in exercises if is_solved(exercise, progress)]
    say(f"\n{len(solved)} of {len(exercises)} exercises solved. Recorded in {PROGRESS}; commit it with your work.")
    # The next exercise is in the chapter that was named, or, if all of its exercises are solved, in any chapter.
    of_chapter = [one for one in all_steps if name and one.exercise in exercises]
    following = current_step(of_chapter, progress) or step
    if following:
        file = following.exercise.source
        say(f"Next: {f'{workbook.shown(file)}, then ' if file.is_file() else ''}{check_of(following.exercise)}")
    return EXIT_OK


def _chapter_row(chapter: Chapter, exercises: Sequence[Program], progress: Progress, workbook: Workbook) -> list[str]:
    solved = sum(is_solved(exercise, progress) for exercise in exercises)
    score = QuestionSheet(chapter, workbook).score(progress)
    is_done = solved == len(exercises) and score.right == score.asked
    solved_of = f"{solved} of {len(exercises)}" if exercises else ""
    right_of = f"{score.right} of {score.asked} predictions right" if score.asked else ""
    return [mark(True) if is_done else "", chapter.name, _bar(exercises, progress), solved_of, right_of]


def _show_chapter(chapter: Chapter, exercises: Sequence[Program], progress: Progress, workbook: Workbook) -> None:
    if exercises:
        say(f"{chapter.name}  {_bar(exercises, progress)}")
        say(table([_row(exercise, progress, workbook) for exercise in exercises], columns=terminal_columns()))
    sheet = QuestionSheet(chapter, workbook)
    if sheet.prompts:
        say(f"  predict  {sheet.score(progress)}")
    speeds = progress.speeds(chapter.name)
    if speeds:
        say("measured on a GPU")
        say(table([[target, entry.answer, entry.date] for target, entry in speeds.items()], columns=terminal_columns()))


def _bar(exercises: Sequence[Program], progress: Progress) -> str:
    return "".join("#" if is_solved(exercise, progress) else "." for exercise in exercises)


def _as_json(exercise: Program, progress: Progress, workbook: Workbook) -> dict[str, object]:
    entry = progress[exercise.target]
    return {
        "exercise": exercise.target,
        "chapter": exercise.chapter,
        "file": workbook.shown(exercise.source),
        "solved": is_solved(exercise, progress),
        "checks": entry.checks if entry else 0,
        "last_failure": (entry.failure or None) if entry else None,
        "date": (entry.date or None) if entry else None,
    }


def _row(exercise: Program, progress: Progress, workbook: Workbook) -> list[str]:
    palette = Palette(colours_wanted())
    entry = progress[exercise.target]
    sign = ""
    if not exercise.source.is_file():
        sign = mark(False)
        state = palette.bad(f"the file is missing: ./workbook reset {exercise.target}")
    elif not entry or not entry.checks:
        state = "not started" if is_starter(exercise, workbook) else "not checked yet"
    else:
        checks = f"{entry.checks} check{'s' if entry.checks != 1 else ''}"
        passed, paint = (True, palette.good) if entry.state == SOLVED else (None, palette.warning)
        sign = mark(passed)
        state = f"{paint(entry.state)} {entry.date}, {checks}"
        if entry.answer != text_digest(exercise.source):
            state += "; changed since the last check"
        elif entry.state == SOLVED and entry.failure:
            state += "; the present file fails"
    return [sign, exercise.target, exercise.topic, state]
