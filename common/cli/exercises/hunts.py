"""A hunt: a stage with one bug of the catalogue, for a learner to find, fix and name. In a chapter whose stages are
whole programs, which have no tests, the bug is in the answer to an exercise.

An open hunt is only a file in the workbook's folder. Its first line names the chapter, the seed and the pool from which
the bug was drawn. These three determine the bug, even if the learner solves more exercises in the meantime.
"""

from __future__ import annotations

import difflib
import random
import re
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Chapter, Program
from cli.errors import UsageError, WorkbookError
from cli.exercises.course import core_programs, current_step, steps
from cli.exercises.progress import Progress
from cli.mistakes.catalogue import Mistake, read_catalogue
from cli.mistakes.spoiling import spoiled_file, spoiled_source
from cli.workbook import Workbook

CHOICES = 4
MAX_SEED = 999_999
_MAX_LINES = 8  # of all edits of lines together; a larger change is too easy to see
_FILE = "hunt_{chapter}.cu"
_POOL = r"(?P<path>core|advanced) (?:stages|exercises)(?: before (?P<before>ch\d+_ex\d+))?"
_FIRST_LINE = re.compile(rf"// Hunt in (?P<chapter>ch\d+_\w+), seed (?P<seed>\d{{1,6}})(?:, {_POOL})?:")


@dataclass(frozen=True)
class Pool:
    """The programs from which a hunt is drawn: the stages of one path, or only those before an exercise."""

    is_advanced: bool = False
    before: str = ""  # an exercise of the core path; empty for the whole path

    def has(self, program: Program, core: list[Program]) -> bool:
        """core: the programs of the chapter's core path, in its order."""
        if self.is_advanced:
            return program not in core
        targets = [one.target for one in core]
        return program.target in (targets[: targets.index(self.before)] if self.before else targets)


@dataclass(frozen=True)
class PlantedBug:
    mistake: Mistake
    choices: tuple[str, ...]  # descriptions of bugs, one of which is the right one
    file: Path  # the learner's file

    @property
    def answer(self) -> int:
        """The number of the right choice, from 1 on."""
        return self.choices.index(self.mistake.words) + 1

    def difference(self, workbook: Workbook) -> str:
        right = spoiled_file(self.mistake, workbook.root).read_text(encoding="utf-8").splitlines()
        spoiled = spoiled_source(self.mistake, workbook.root).splitlines()
        lines = list(difflib.unified_diff(spoiled, right, lineterm="", n=1))[2:]
        return "\n".join(line for line in lines if not line.startswith("@@"))


@dataclass(frozen=True)
class Hunt(PlantedBug):
    program: Program  # a stage or an exercise
    seed: int
    pool: Pool | None  # None for all of the chapter

    @property
    def origin(self) -> str:
        """The file in which the bug was planted."""
        name = self.program.file
        return f"stage {name}" if self.program.kind == "stage" else f"the answer to {name}"

    def text(self, workbook: Workbook) -> str:
        """The content of the learner's file."""
        pool = f", {_words_of(self.pool, self.program.kind)}" if self.pool else ""
        return (
            f"// Hunt in {self.mistake.chapter}, seed {self.seed}{pool}: one bug was put into\n"
            f"// {self.origin}. Fix it, then: ./workbook hunt\n"
            f"{spoiled_source(self.mistake, workbook.root)}"
        )


def candidates(chapter: str, workbook: Workbook) -> list[tuple[Mistake, Program]]:
    """The bugs that a hunt can plant, with their programs: small bugs, in programs that the simulator runs, that show
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
        if sum((edit.old + edit.new).count("\n") for edit in mistake.edits) <= _MAX_LINES
    ]


def _tested_programs(chapter: Chapter) -> dict[str, Program]:
    """The stages, or the exercises if no stage has tests, by the file names that the catalogue uses. No projects: a hunt
    would show the answer.
    """
    stages = [
        stage for stage in chapter.of_kind("stage") if not (stage.needs_gpu or stage.is_whole or stage.is_on_cpu)
    ]
    if stages:
        return {stage.file: stage for stage in stages}
    exercises = [exercise for exercise in chapter.of_kind("exercise") if not exercise.is_project]
    return {f"solutions/{exercise.source.name}": exercise for exercise in exercises}


def pool_for(chapter: str, is_advanced: bool, workbook: Workbook) -> Pool:
    """The advanced stages, or the core stages. If the learner's current exercise is in this chapter, only the core
    stages before it.
    """
    step = current_step(steps(workbook), Progress(workbook.root))
    if not is_advanced and step and step.is_core and step.chapter.name == chapter:
        return Pool(before=step.exercise.target)
    return Pool(is_advanced)


def hunt_of(chapter: str, seed: int, pool: Pool | None, workbook: Workbook) -> Hunt:
    """The hunt that chapter, seed and pool determine. Raises UsageError if there is no bug to plant."""
    found = candidates(chapter, workbook)
    different = len({mistake.words for mistake, _ in found})
    if different < CHOICES:
        raise UsageError(
            f"{chapter} has no hunt: a hunt needs {CHOICES} different small bugs in stages that the simulator runs, "
            f"and tests/{chapter}/mistakes.txt has {different}."
        )
    core = core_programs(workbook.catalogue.find_chapter(chapter), workbook)
    drawn = [one for one in found if pool is None or pool.has(one[1], core)]
    if not drawn:
        spoiled = {program for _, program in found}
        raise UsageError(_nothing_in(pool or Pool(), chapter, [program for program in core if program in spoiled]))
    chance = random.Random(f"{chapter} {seed}")
    mistake, program = chance.choice(drawn)
    on_core = [one for one in found if one[1] in core]
    # If the pool has too few different bugs, the wrong choices come from a larger set.
    wordings = (_others(mistake, pairs) for pairs in (drawn, on_core, found))
    others = next(words for words in wordings if len(words) >= CHOICES - 1)
    choices = [mistake.words, *chance.sample(others, CHOICES - 1)]
    chance.shuffle(choices)
    file = workbook.root / _FILE.format(chapter=chapter)
    return Hunt(mistake, tuple(choices), file, program, seed, pool)


def _others(mistake: Mistake, found: list[tuple[Mistake, Program]]) -> list[str]:
    """The descriptions of the other bugs."""
    return sorted({other.words for other, _ in found} - {mistake.words})


def _words_of(pool: Pool, kind: str) -> str:
    before = f" before {pool.before}" if pool.before else ""
    return f"{'advanced' if pool.is_advanced else 'core'} {kind}s{before}"


def _nothing_in(pool: Pool, chapter: str, core: list[Program]) -> str:
    """core: the programs of the core path in which a bug can be planted."""
    short = chapter.split("_", 1)[0]
    if pool.is_advanced:
        return f"{chapter} has no advanced hunts: all its bugs are on the core path. './workbook hunt {short}' starts a hunt."
    if not core:
        return f"The stages of {chapter} are all advanced: './workbook hunt {short} --advanced' starts a hunt in them."
    if core[0].kind == "exercise":
        return (
            f"A hunt in {chapter} is in the answer to an exercise before your current one, but your current exercise, "
            f"{pool.before}, is the first. Solve it, then start a hunt: './workbook next' shows what to do."
        )
    return (
        f"A hunt in {chapter} is in a stage before your current exercise, {pool.before}, but no bug can be planted in "
        f"these stages. First read {core[0].file} and solve {pool.before}: './workbook next' shows what to do."
    )


def open_hunt(workbook: Workbook) -> Hunt | None:
    """The open hunt, if there is one. Raises WorkbookError if the first line of its file has been changed, or names a
    chapter or an exercise that does not exist.
    """
    files = sorted(workbook.root.glob(_FILE.format(chapter="ch*")))
    if not files:
        return None
    if len(files) > 1:
        raise WorkbookError(f"Two hunts are open: {', '.join(file.name for file in files)}. Remove one of these files.")
    first = files[0].read_text(encoding="utf-8", errors="replace").split("\n", 1)[0]
    match = _FIRST_LINE.match(first)
    if not match or files[0].name != _FILE.format(chapter=match["chapter"]):
        raise WorkbookError(
            f"{files[0].name} no longer begins with 'Hunt in ..., seed ...:'. Restore that line, or remove the file."
        )
    pool = Pool(match["path"] == "advanced", match["before"] or "") if match["path"] else None
    try:
        return hunt_of(match["chapter"], int(match["seed"]), pool, workbook)
    except (UsageError, ValueError) as error:
        raise WorkbookError(
            f"{files[0].name} begins with '{match.group()[3:-1]}', but this workbook has no such hunt. Remove the file, and "
            "start a new hunt."
        ) from error
