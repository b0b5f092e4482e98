"""The pairs of kernels: their names, from the program, and the expected findings, from the sources."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError
from cli.running.processes import run_program

VARIANTS = ("right", "wrong")
MISSED = "missed"  # instead of a kind: the simulator is known not to find it
TOOLS_ALARM = "tool's alarm"  # instead of a variant: a tool of compute-sanitizer reports a correct kernel
_MARK = re.compile(r"// (?P<what>wrong|false alarm|tool's alarm) in (?P<pair>[\w*]+): (?P<kind>\w+)$")
_VARIANT_OF = {"wrong": "wrong", "false alarm": "right", TOOLS_ALARM: TOOLS_ALARM}


@dataclass(frozen=True)
class Pair:
    topic: str
    name: str
    mistake: str


@dataclass(frozen=True)
class Mark:
    """A line of the source with an expected finding, in the correct or in the wrong kernel."""

    variant: str
    kind: str
    file: str  # without its folder
    line: int


def read_pairs(program: Path) -> list[Pair]:
    """Raises WorkbookError if the program does not list any pairs."""
    listed = run_program(program, ["--list"], capture=True)
    rows = [line.split("\t") for line in listed.output.splitlines()]
    if not listed.passed or not rows or any(len(row) != 3 for row in rows):
        raise WorkbookError(f"{program} --list gives no list of pairs:\n{listed.output}")
    return [Pair(*row) for row in rows]


def read_marks(folder: Path, pairs: list[Pair]) -> dict[str, list[Mark]]:
    """The marks by the pair's name. Raises WorkbookError for a mark without a pair, and a pair without a bug."""
    marks: dict[str, list[Mark]] = {pair.name: [] for pair in pairs}
    for source in sorted(folder.glob("*.cu")):
        above = []  # marks in lines of their own, which belong to the next line
        for number, text in enumerate(source.read_text(encoding="utf-8").splitlines(), start=1):
            mark = _MARK.search(text)
            above += [mark] if mark else []
            if mark and text.lstrip().startswith("//"):
                continue
            for mark in above:
                names = fnmatch.filter(marks, mark["pair"])
                if not names:
                    raise WorkbookError(f"{source}:{number}: there is no pair '{mark['pair']}'.")
                for name in names:
                    marks[name].append(Mark(_VARIANT_OF[mark["what"]], mark["kind"], source.name, number))
            above = []
    unmarked = [name for name in marks if not any(mark.variant == "wrong" for mark in marks[name])]
    if unmarked:
        raise WorkbookError(f"No line in {folder} states the bug of {', '.join(unmarked)}.")
    return marks


def is_missed(marks: list[Mark]) -> bool:
    return any(mark.kind == MISSED for mark in marks)


def is_false_alarm(marks: list[Mark]) -> bool:
    return any(mark.variant == "right" for mark in marks)
