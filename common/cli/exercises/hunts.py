"""A hunt: a stage with one mistake of the catalogue in it, for a learner to find, mend and name. Where stages are whole
programs, which have no tests, it is the answer to an exercise.

All that belongs to an open hunt is its file, in the workbook's folder: the first line says which chapter and which seed,
and these say which mistake.
"""

from __future__ import annotations

import difflib
import random
import re
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.errors import UsageError, WorkbookError
from cli.mistakes.catalogue import Mistake, read_catalogue
from cli.mistakes.spoiling import spoiled_file, spoiled_source
from cli.workbook import Workbook

CHOICES = 4
MAX_SEED = 999_999
_MAX_LINES = 8  # of all edits: more would be seen at once
_FILE = "hunt_{chapter}.cu"
_FIRST_LINE = re.compile(r"// Hunt in (?P<chapter>ch\d+_\w+), seed (?P<seed>\d{1,6})\b")


@dataclass(frozen=True)
class Hunt:
    program: Program  # a stage or an exercise
    mistake: Mistake
    seed: int
    choices: tuple[str, ...]  # mistakes in words, of which one is it
    file: Path

    @property
    def answer(self) -> int:
        """The number of the right choice, from 1 on."""
        return self.choices.index(self.mistake.words) + 1

    @property
    def origin(self) -> str:
        """What the file is, but for the mistake."""
        name = self.program.source.name
        return f"stage {name}" if self.program.kind == "stage" else f"the answer to {name}"

    def text(self, workbook: Workbook) -> str:
        """What the file begins as."""
        return (
            f"// Hunt in {self.mistake.chapter}, seed {self.seed}: one mistake is in this file, which is else\n"
            f"// {self.origin}. Mend it, then: ./workbook hunt\n"
            f"{spoiled_source(self.mistake, workbook.root)}"
        )

    def difference(self, workbook: Workbook) -> str:
        right = spoiled_file(self.mistake, workbook.root).read_text(encoding="utf-8").splitlines()
        spoiled = spoiled_source(self.mistake, workbook.root).splitlines()
        lines = list(difflib.unified_diff(spoiled, right, lineterm="", n=1))[2:]
        return "\n".join(line for line in lines if not line.startswith("@@"))


def candidates(chapter: str, workbook: Workbook) -> list[tuple[Mistake, Program]]:
    """The mistakes that a hunt may plant, with what they are planted in: small ones, in what the simulator runs, and seen
    with the blocks in order or in reverse. Raises CatalogueError.
    """
    catalogue = workbook.files_of(chapter).tests / "mistakes.txt"
    if not catalogue.is_file():
        return []
    programs = _tested_programs(workbook.catalogue.find_chapter(chapter))
    return [
        (mistake, programs[mistake.spoiled])
        for mistake in sorted(read_catalogue(catalogue), key=lambda one: one.name)
        if mistake.spoiled in programs and mistake.edits and mistake.block_order in ("", "reverse")
        if sum(len(edit.new) + len(edit.old) for edit in mistake.edits) <= _MAX_LINES
    ]


def _tested_programs(chapter: Chapter) -> dict[str, Program]:
    """The stages, or else the exercises, by what the catalogue calls the file that is spoilt."""
    stages = [stage for stage in chapter.of_kind("stage") if not stage.needs_gpu and not stage.is_whole]
    if stages:
        return {stage.source.name: stage for stage in stages}
    return {f"solutions/{exercise.source.name}": exercise for exercise in chapter.of_kind("exercise")}


def hunt_of(chapter: str, seed: int, workbook: Workbook) -> Hunt:
    """The same for the same seed. Raises UsageError for a chapter without mistakes to plant."""
    found = candidates(chapter, workbook)
    if len({mistake.words for mistake, _ in found}) < CHOICES:
        raise UsageError(f"{chapter} has no mistakes for a hunt.")
    chance = random.Random(f"{chapter} {seed}")
    mistake, program = chance.choice(found)
    others = sorted({other.words for other, _ in found} - {mistake.words})
    choices = [mistake.words, *chance.sample(others, CHOICES - 1)]
    chance.shuffle(choices)
    return Hunt(program, mistake, seed, tuple(choices), workbook.root / _FILE.format(chapter=chapter))


def open_hunt(workbook: Workbook) -> Hunt | None:
    """Raises WorkbookError for a file of a hunt whose first line has been changed."""
    files = sorted(workbook.root.glob(_FILE.format(chapter="ch*")))
    if not files:
        return None
    if len(files) > 1:
        raise WorkbookError(f"Two hunts are open: {', '.join(file.name for file in files)}. Remove one of these files.")
    first = files[0].read_text(encoding="utf-8", errors="replace").split("\n", 1)[0]
    match = _FIRST_LINE.match(first)
    if not match or files[0].name != _FILE.format(chapter=match["chapter"]):
        raise WorkbookError(f"{files[0].name} no longer begins with 'Hunt in ..., seed ...'. Put that back, or remove the file.")
    return hunt_of(match["chapter"], int(match["seed"]), workbook)
