"""Hunts in whole programs, each with a bug that a published program has: chapters/published.

Such a hunt has a name. Its file's name contains it, so the file needs no particular first line.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from cli.exercises.hunts import PlantedBug
from cli.mistakes.catalogue import read_catalogue
from cli.mistakes.spoiling import spoiled_source
from cli.workbook import Workbook

PAGE = "docs/found_in_published_code.md"
_CATALOGUE = "chapters/published/bugs.txt"


@dataclass(frozen=True)
class PublishedHunt(PlantedBug):
    @property
    def origin(self) -> str:
        return f"a program, {self.mistake.spoiled}"

    def text(self, workbook: Workbook) -> str:
        """The content of the learner's file."""
        return (
            "// This program has one bug, which a published program had too. Fix it, then: ./workbook hunt\n//\n"
            f"{spoiled_source(self.mistake, workbook.root)}"
        )


def published_hunts(workbook: Workbook) -> dict[str, PublishedHunt]:
    """All of them by their names, in the order of the chapters that they need. Raises CatalogueError."""
    found = {}
    for mistake in read_catalogue(workbook.root / _CATALOGUE):
        choices = [mistake.words, *mistake.others]
        random.Random(mistake.name).shuffle(choices)
        found[mistake.name] = PublishedHunt(mistake, tuple(choices), workbook.root / f"hunt_{mistake.name}.cu")
    return found


def open_published_hunt(workbook: Workbook) -> PublishedHunt | None:
    return next((hunt for hunt in published_hunts(workbook).values() if hunt.file.is_file()), None)
