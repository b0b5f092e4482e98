"""`workbook targets`: prints the text of the root's `make help`."""

from __future__ import annotations

import textwrap

from cli.catalogue import Chapter
from cli.errors import EXIT_OK
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook

SUMMARY = ""
USAGE = "targets"
DETAILS = "Lists the targets that make can build, by chapter. Needs no build folder."

_HEAD = """\
make            builds the programs of every chapter
make test       tests them, as ./workbook test does
make clean      removes what was built
make TARGET     builds one of the targets below, or a whole chapter by its name

After a chapter's name: _check tests it, _bench measures it on a GPU. After a program's name: _inspect builds the
traced program, which ./workbook inspect runs. After an exercise's name: _check tests your answer, _solution is the
reference answer."""
_WIDTH = 119


def run(arguments: list[str], workbook: Workbook) -> int:
    ArgumentParser("targets", USAGE).parse_args(arguments)
    say("\n\n".join([_HEAD, *(_about(chapter) for chapter in workbook.catalogue.chapters)]))
    return EXIT_OK


def _about(chapter: Chapter) -> str:
    programs = chapter.of_kind("stage", "operation")
    lists = (
        ("", [program.target for program in programs if not program.needs_gpu]),
        ("with a GPU: ", [program.target for program in programs if program.needs_gpu]),
        ("your answers: ", [program.target for program in chapter.of_kind("exercise")]),
    )
    lines = [f"{chapter.name}  ({chapter.title()})" if chapter.title() else chapter.name]
    for head, targets in lists:
        text = head + " ".join(targets)
        lines += textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ") if targets else []
    return "\n".join(lines)
