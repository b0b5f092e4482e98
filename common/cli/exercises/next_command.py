"""The command to run next. Every command gets its suggestion here, so all suggestions work on this machine."""

from __future__ import annotations

import shlex
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.kernel_use import launches_kernels
from cli.building.own_program import OwnProgram
from cli.catalogue import Chapter, Program
from cli.exercises.course import core_stages
from cli.workbook import Workbook

ON_THE_COURSE = "./workbook next"
_TEACHES_COUNTS = "ch0_machine_sectors"  # explains the last of the words in the tables of `inspect`


def after_program(program: Program, tree: BuildTree) -> str:
    """What to do after a program that ran, or that cannot run here."""
    if program.kind == "exercise":
        return check_of(program)
    if _is_before_counts(program, tree.workbook):
        page = tree.workbook.shown(tree.workbook.files_of(program.chapter).readme)
        title = program.description().partition(":")[0].lower()
        return f"read {title} in {page}, which explains this program, then {ON_THE_COURSE}"
    if _has_counts(program, tree):
        return f"./workbook inspect {program.target}"
    stage = _stage_after(program, tree)
    return f"./workbook run {stage.target}" if stage else ON_THE_COURSE


def after_chapter(chapter: Chapter, tree: BuildTree) -> str:
    """The command after a chapter whose programs ran, or which has no times here."""
    programs = chapter.of_kind("stage", "operation")
    counted = (one for one in programs if _has_counts(one, tree) and not _is_before_counts(one, tree.workbook))
    first = next(counted, None)
    return f"./workbook inspect {first.target}" if first else ON_THE_COURSE


def after_own_program(program: OwnProgram, options: list[str]) -> str:
    """The command that shows the bug in a learner's own program line by line."""
    words = [str(source) for source in program.sources]
    words += program.options.words()
    words += ["--", *options] if options else []
    return f"./workbook inspect {shlex.join(words)}"


def after_bench(chapter: Chapter, results: Path, workbook: Workbook) -> str:
    """The command that draws the measurements in the file `results`."""
    is_usual = results.resolve() == workbook.root.resolve() / "build/results" / f"{chapter.name}.csv"
    return f"./workbook plot {chapter.name}" + ("" if is_usual else f" --results {shlex.quote(str(results))}")


def comparison_with_reference(exercise: Program, workbook: Workbook) -> str:
    """The command that compares the answer with the reference; empty in a class's copy, which has no references."""
    return "" if workbook.is_class_copy else f"./workbook compare {exercise.target}"


def check_of(exercise: Program) -> str:
    """The command that checks an exercise or, if the learner's file is missing, restores it."""
    return f"./workbook {'check' if exercise.source.is_file() else 'reset'} {exercise.target}"


def _has_counts(program: Program, tree: BuildTree) -> bool:
    """Whether `inspect` has something to show."""
    return not program.needs_gpu and not tree.left_out(program.target) and launches_kernels(program, tree.workbook)


def _is_before_counts(program: Program, workbook: Workbook) -> bool:
    """Whether the learner cannot know yet what `inspect` counts."""
    stages = core_stages(workbook.catalogue.find_chapter(program.chapter), workbook)
    targets = [stage.target for stage in stages]
    return _TEACHES_COUNTS in targets and program.target in targets[: targets.index(_TEACHES_COUNTS)]


def _stage_after(program: Program, tree: BuildTree) -> Program | None:
    """The next stage of the chapter that has a kernel and runs here; the first for a program that is not a stage."""
    stages = tree.workbook.catalogue.find_chapter(program.chapter).of_kind("stage")
    rest = stages[stages.index(program) + 1 :] if program in stages else stages
    return next((stage for stage in rest if _has_counts(stage, tree)), None)
