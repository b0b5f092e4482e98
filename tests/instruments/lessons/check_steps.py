"""Checks that no step between stages is too large: the length of each stage, and its lines that the previous stage
lacks.

check_steps.py

Prints a row per stage, and exits with 1 if a stage exceeds a limit of its path (docs/course.md) and is not in EXCEPTED.
The length is the length of the file. A line is new if the previous stage has no such line in that order; comments,
blank lines and indentation do not count. A chapter's header that no earlier stage includes belongs to the step, so no
step can be hidden in a header; its lines from the previous stage, or from that stage's headers, are not new. The
previous stage of a variant, such as 06b_name, is the one with the same number and no letter. A chapter that uses
another chapter's interface continues after the last stage of that chapter that the simulator runs.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.building.kernel_use import launches_kernels
from cli.exercises.course import PAGE, read_paths
from cli.workbook import Workbook


@dataclass(frozen=True)
class Limits:
    lines: int
    new_lines: int


LIMITS = {"core": Limits(80, 40), "advanced": Limits(180, 80)}

# Stages that can exceed a limit, and the reason.
EXCEPTED: dict[tuple[str, str], str] = {}

_STAGE = re.compile(r"(?:\w+/)?(\d+)([a-z]?)_\w+\Z")
_INCLUDE = re.compile(r'#include "((?:\w+/)?\w+\.h)"')


@dataclass(frozen=True)
class Step:
    chapter: str
    stage: str
    path: str
    lines: int
    new_lines: int

    @property
    def is_over(self) -> bool:
        limits = LIMITS[self.path]
        return self.lines > limits.lines or self.new_lines > limits.new_lines


def code_lines(text: str) -> list[str]:
    """The lines of C++ without comments, indentation and blank lines."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    lines = (re.sub(r"(^|\s)//.*", "", line).strip() for line in text.splitlines())
    return [line for line in lines if line]


def new_lines(before: list[str], after: list[str]) -> int:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return len(after) - sum(block.size for block in matcher.get_matching_blocks())


def find_header(folders: list[Path], name: str) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def headers(folders: list[Path], text: str) -> set[str]:
    """The chapters' own headers that a stage includes, directly or indirectly."""
    found: set[str] = set()
    waiting = set(_INCLUDE.findall(text))
    while waiting:
        name = waiting.pop()
        file = find_header(folders, name)
        if name not in found and file:
            found.add(name)
            waiting |= set(_INCLUDE.findall(file.read_text(encoding="utf-8")))
    return found


def steps(folder: Path, stages: list[str], core: set[str], earlier: Sequence[Path] = ()) -> list[Step]:
    """A step for each stage, in the order of their numbers. The headers of the first stage are not counted, unless it
    follows `earlier` stages of another chapter.
    """
    found = []
    folders = list(dict.fromkeys([folder, *(file.parent for file in earlier)]))
    before: list[str] | None = None
    known: set[str] = set()

    def code_of(names: set[str]) -> list[str]:
        files = filter(None, (find_header(folders, name) for name in sorted(names)))
        return [line for file in files for line in code_lines(file.read_text(encoding="utf-8"))]

    seen: list[str] = []  # the lines of the previous stage and its headers
    for file in earlier:
        text = file.read_text(encoding="utf-8")
        before, included = code_lines(text), headers(folders, text)
        known |= included
        seen = code_of(included) + before
    for stage in sorted(stages, key=lambda one: one.rpartition("/")[2]):
        text = (folder / f"{stage}.cu").read_text(encoding="utf-8")
        code = code_lines(text)
        included = headers(folders, text)
        new = 0
        if before is not None:
            new = new_lines(before, code) + sum(new_lines(seen, code_of({name})) for name in included - known)
        path = "core" if stage.rpartition("/")[2] in core else "advanced"
        found.append(Step(folder.name, stage, path, len(text.splitlines()), new))
        known |= included
        match = _STAGE.match(stage)
        if match and not match[2]:
            before = code
            seen = code_of(included) + code
    return found


def _limits_text() -> str:
    return "; ".join(f"{path}: {at.lines} lines, {at.new_lines} of them new" for path, at in LIMITS.items())


def main() -> int:
    core = {row.core.chapter: row.core for row in read_paths((ROOT / PAGE).read_text(encoding="utf-8"))}
    over, unlisted = [], []
    excepted = set(EXCEPTED)
    print(f"{'stage':45} {'path':8} {'lines':>5} {'new':>4}")
    workbook = Workbook(ROOT)
    catalogue = workbook.catalogue
    for chapter in catalogue.chapters:
        earlier = [
            program.source
            for folder in chapter.files.include_folders[1:]
            for program in catalogue.find_chapter(folder.name).of_kind("stage")
            if not program.needs_gpu and launches_kernels(program, workbook)
        ]
        stages = [p.file.removesuffix(".cu") for p in chapter.of_kind("stage") if _STAGE.match(p.source.stem)]
        if not stages:
            continue
        if chapter.name not in core:
            unlisted.append(chapter.name)
            continue
        path = core[chapter.name]
        names = set(stages) if path.has_everything else set(path.names)
        for step in steps(ROOT / "chapters" / chapter.name, stages, names, earlier):
            key = (step.chapter, step.stage)
            mark = ""
            if step.is_over:
                mark = f"  excepted: {EXCEPTED[key]}" if key in EXCEPTED else "  OVER"
                excepted.discard(key)
                over += [key] if key not in EXCEPTED else []
            print(f"{step.chapter + '/' + step.stage:45} {step.path:8} {step.lines:5} {step.new_lines:4}{mark}")
    for chapter_name in unlisted:
        print(f"{chapter_name} is in no row of the table of paths in {PAGE}, so no stage was checked: add a row.")
    for chapter, stage in over:
        print(f"{chapter}/{stage} exceeds a limit of its path ({_limits_text()}).")
        print(f"  Divide it, or give a reason in EXCEPTED of {Path(__file__).name}.")
    for chapter, stage in sorted(excepted):
        print(f"{chapter}/{stage} is in EXCEPTED, but does not exceed a limit: remove it from EXCEPTED.")
    return 1 if over or unlisted or excepted else 0


if __name__ == "__main__":
    sys.exit(main())
