"""All beginners' bugs in one exercise as one program; the environment selects one of them."""

from __future__ import annotations

import sys
from pathlib import Path

from support import ROOT

from cli.building.build_tree import BuildTree
from cli.catalogue import Program
from cli.checking.answer_build import BuildSteps, Programs
from cli.mistakes.catalogue import Mistake
from cli.running.runner import run_with_limits
from cli.workbook import Workbook

sys.path.insert(0, str(ROOT / "tests/mistakes"))  # here `mistakes` is another package
from make_units import Headers, choice_file, make_unit, unit_file  # noqa: E402

CHOICE = "WORKBOOK_MISTAKE"


def build_together(
    exercise: Program, mistakes: list[Mistake], workbook: Workbook, tree: BuildTree, folder: Path
) -> Programs:
    """Builds them as `check --file` builds one answer. `build_parts` has run. Raises BuildError."""
    files = workbook.files_of(exercise.chapter)
    headers = Headers(folder / "headers", list(files.include_folders))
    units = [make_unit(mistake, headers) for mistake in mistakes]
    steps = BuildSteps(exercise, folder / "answer.cpp", workbook, tree, folder, run_with_limits)
    steps.rewritten.write_text(unit_file(units), encoding="utf-8")
    steps.compile(steps.rewritten)

    choice, chosen = folder / "choice.cpp", folder / "choice.o"
    choice.write_text(choice_file(units, files.folder), encoding="utf-8")
    options = [f"-I{folder}" for folder in (*files.include_folders, ROOT, ROOT / "common/simulator/include")]
    options += ["-include", str(ROOT / "tests/mistakes/choose_mistake.cpp")]  # both in one go: they read the same headers
    steps.do(["g++", "-std=c++17", "-w", *options, "-c", str(choice), "-o", str(chosen)])
    programs = [
        steps.link(f"{exercise.target}_{name}", [steps.answer_object, chosen], name)
        for name in ("test", "inspect")
    ]
    return Programs(*programs)
