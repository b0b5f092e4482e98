#!/usr/bin/env python3
"""Checks pages, stages and settings by one rule: prints its messages, and exits with 1 if there are any.

    check.py RULE [BUILD_FOLDER] [--write]

--write writes the texts that a rule makes (address, course, editor, evening, first_hour, predictions, sources,
teachers_hour). The rules that run programs need a build folder of the simulator. Exit code 77: this machine cannot check.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

import check_course
import check_editor
import check_evening
import check_figures
import check_first_hour
import check_links
import check_predictions
import check_sources
import check_stages
import check_words
from cli.errors import WorkbookError
from cli.measuring.figures import FigureError
from cli.workbook import Workbook
from pages import CannotCheck, Found, Rewritten, read

CANNOT = 77
RULES: dict[str, Callable[[Workbook], Found]] = {
    "address": check_editor.address,
    "by_hand": check_stages.by_hand,
    "ceiling": check_stages.ceiling,
    "core": check_stages.core,
    "course": check_course.course,
    "editor": check_editor.editor,
    "figures": check_figures.figures,
    "links": check_links.links,
    "listings": check_links.listings,
    "orphans": check_words.orphans,
    "pages": check_course.pages_of_chapters,
    "predictions": check_predictions.predictions,
    "readme": check_figures.readme,
    "steps": check_stages.steps,
    "titles": check_stages.titles,
    "words": check_words.words,
}
IN_A_BUILD: dict[str, Callable[[Workbook, Path], Found]] = {
    "evening": check_evening.evening,
    "first_hour": check_first_hour.first_hour,
    "pictures": check_figures.picture_counts,
    "sources": check_sources.sources,
    "teachers_hour": check_first_hour.teachers_hour,
}


def messages(found: Found, rule: str, wants_to_write: bool) -> list[str]:
    said = []
    try:
        for one in found:
            if isinstance(one, str):
                said.append(one)
            elif one.text != read(one.file) and wants_to_write:
                one.file.write_text(one.text, encoding="utf-8")
            elif one.text != read(one.file):
                write = f"python3 tests/instruments/lessons/check.py {rule} --write"
                said.append(f"{one.file}: {_difference(one)}\nUpdate it with: {write}")
    except (FigureError, WorkbookError, ValueError, OSError) as error:
        said.append(str(error))
    return said


def _difference(wanted: Rewritten) -> str:
    old, new = read(wanted.file).splitlines(), wanted.text.splitlines()
    pairs = zip([*old, "(the end)"], [*new, "(the end)"])
    for number, (has, needs) in enumerate(pairs, start=1):
        if has != needs:
            return f"line {number} is\n  {has}\nbut must be\n  {needs}"
    return "its line breaks differ"


def main(arguments: list[str]) -> int:
    rule, *rest = arguments or [""]
    folders = [Path(argument) for argument in rest if argument != "--write"]
    if len(folders) != (rule in IN_A_BUILD) or rule not in {*RULES, *IN_A_BUILD}:
        print(__doc__, "\nRules:", ", ".join([*RULES, *IN_A_BUILD]), file=sys.stderr)
        return 2
    workbook = Workbook(ROOT)
    try:
        found = IN_A_BUILD[rule](workbook, folders[0].resolve()) if folders else RULES[rule](workbook)
        said = messages(found, rule, "--write" in rest)
    except CannotCheck as why:
        print(f"Not checked: {why}.")
        return CANNOT
    except subprocess.CalledProcessError as error:
        said = [f"{error}\n{error.stdout or ''}{error.stderr or ''}"]
    print("\n".join(said) or f"{rule}: nothing is wrong.")
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
