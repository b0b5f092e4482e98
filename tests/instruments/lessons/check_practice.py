"""Tries each stage as an answer to each exercise with the same interface. If one passes, the exercise must be for
practice: a section Practice in its sheet names a file with an answer.

Usage: check_practice.py [EXERCISE...]

It takes an hour for all exercises, so no test runs it. Prints the errors and exits with 1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import Chapter, Program
from cli.checking.answer_build import build_parts
from cli.checking.check import check_exercise
from cli.checking.sheet import sheet_of
from cli.exercises.attempt import exercise_tree
from cli.workbook import Workbook

_OWN_HEADER = re.compile(r'^#include "(?!common/)([^"]+)"', re.MULTILINE)


def headers(program: Program) -> set[str]:
    return set(_OWN_HEADER.findall(program.source.read_text(encoding="utf-8")))


def passing_stages(exercise: Program, chapter: Chapter, workbook: Workbook) -> Iterator[str]:
    tree = exercise_tree(workbook, chapter.name)
    build_parts(exercise, tree)
    for stage in chapter.of_kind("stage"):
        if stage.source.suffix == ".cu" and headers(stage) & headers(exercise):
            if check_exercise(exercise, workbook, tree, stage.source).passed:
                yield workbook.shown(stage.source)


def main(names: list[str]) -> int:
    workbook = Workbook(ROOT)
    found = []
    for chapter in workbook.catalogue.chapters:
        for exercise in chapter.of_kind("exercise"):
            if names and exercise.target not in names:
                continue
            recorded, passing = sheet_of(exercise, workbook).answer, list(passing_stages(exercise, chapter, workbook))
            print(f"{exercise.target}: {', '.join(passing) or 'no stage passes'}", flush=True)
            if passing and not recorded:
                found.append(f"{exercise.target}: the sheet lacks ## Practice and - `{passing[0]}`")
            if recorded.endswith(".cu") and recorded not in passing:
                found.append(f"{exercise.target}: {recorded}, named in the sheet, does not pass.")
    print("\n".join(found) or "The sheets name the exercises that a stage solves.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
