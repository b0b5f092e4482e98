"""`./workbook list`"""

from __future__ import annotations

from cli.catalogue import Chapter, Program
from cli.errors import EXIT_OK
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say, table
from cli.terminal.json_output import say_json
from cli.workbook import Workbook

SUMMARY = "every chapter, stage and exercise"
USAGE = "list [CHAPTER] [--json]"
DETAILS = """
Shows what `run` and `inspect` take, in the order of the lesson. A target may be shortened where that is
unambiguous (`naive`), or given as its file (`chapters/ch3_transpose/01_naive.cu`). --json prints an object for other programs (docs/json.md).
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("list", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--json", action="store_true")
    parsed = parser.parse_args(arguments)
    chapter_name = parsed.chapter
    chapters = [workbook.catalogue.find_chapter(chapter_name)] if chapter_name else workbook.catalogue.chapters
    if parsed.json:
        say_json({"chapters": [_as_json(chapter, workbook) for chapter in chapters]})
        return EXIT_OK
    say("\n\n".join(_describe(chapter) for chapter in chapters))
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


def _describe(chapter: Chapter) -> str:
    lines = [f"{chapter.name}  {chapter.title()}".rstrip()]
    rows = [
        [program.target, program.description() + (" (needs a GPU)" if program.needs_gpu else "")]
        for program in chapter.of_kind("stage", "operation", "exercise")
    ]
    if rows:
        lines.append(table(rows))
    if chapter.of_kind("exercise"):
        lines.append("  './workbook check' tests your answer; the target with _solution behind it is the reference.")
    return "\n".join(lines)
