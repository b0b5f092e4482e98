"""`./workbook list`"""

from __future__ import annotations

from cli.catalogue import Chapter, Program
from cli.errors import EXIT_OK
from cli.exercises.course import core_stages, exercises_of, is_solved, steps
from cli.exercises.progress import Progress
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say, table, terminal_columns
from cli.terminal.json_output import say_json
from cli.workbook import Workbook

SUMMARY = "list the chapters, or the programs of one chapter"
USAGE = "list [CHAPTER] [--json]"
DETAILS = """
Without CHAPTER: one line per chapter. With CHAPTER: its programs, core stages first, and its exercises. `run` and
`inspect` take the names in the first column. You can shorten a name if it stays unambiguous (`naive`), or give the file
(`chapters/ch3_transpose/01_naive.cu`). --json prints all programs as an object for other programs (docs/json.md).
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("list", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--json", action="store_true")
    parsed = parser.parse_args(arguments)
    name = parsed.chapter
    chapters = [workbook.catalogue.find_chapter(name)] if name else workbook.catalogue.chapters
    if parsed.json:
        say_json({"chapters": [_as_json(chapter, workbook) for chapter in chapters]})
    elif name:
        say(_programs_of(chapters[0], workbook))
    else:
        progress = Progress(workbook.root)
        head = ["chapter", "exercises", "topic"]
        say(table([head, *(_chapter_row(one, progress) for one in chapters)], columns=terminal_columns()))
        say(f"\nThe programs of one chapter: ./workbook list {_number(chapters[min(3, len(chapters) - 1)])}")
    return EXIT_OK


def _as_json(chapter: Chapter, workbook: Workbook) -> dict[str, object]:
    def program_as_json(program: Program) -> dict[str, object]:
        return {
            "target": program.target,
            "kind": program.kind,
            "file": workbook.shown(program.source),
            "description": program.description(),
            "needs_gpu": program.needs_gpu,
        }

    programs = [program_as_json(program) for program in chapter.programs]
    return {"name": chapter.name, "title": chapter.title(), "programs": programs}


def _chapter_row(chapter: Chapter, progress: Progress) -> list[str]:
    exercises = chapter.of_kind("exercise")
    solved = sum(is_solved(exercise, progress) for exercise in exercises)
    topic = chapter.title().partition(": ")[2] or chapter.title()
    return [chapter.name, f"{solved} of {len(exercises)} solved" if exercises else "none", topic]


def _number(chapter: Chapter) -> str:
    return chapter.name.partition("_")[0]


def _programs_of(chapter: Chapter, workbook: Workbook) -> str:
    core = core_stages(chapter, workbook)
    groups = (
        ("Core stages", core),
        ("Advanced stages" if core else "Stages", [one for one in chapter.of_kind("stage") if one not in core]),
        ("Other programs", chapter.of_kind("operation")),
        ("Exercises, in the order of the course (./workbook check tests your answer)", exercises_of(chapter, steps(workbook))),
    )
    width = max((len(one.target) for one in chapter.of_kind("stage", "operation")), default=0)
    lines = [chapter.title() or chapter.name]
    for title, programs in groups:
        pad = 0 if title.startswith("Exercises") else width  # their names are short, and their topics long
        rows = [[one.target.ljust(pad), _about(one)] for one in programs]
        lines += ["", title, table(rows, columns=terminal_columns())] if rows else []
    return "\n".join(lines)


def _about(program: Program) -> str:
    return program.description() + (" (needs a GPU)" if program.needs_gpu else "")
