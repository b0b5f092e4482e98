"""Hints for exercises, in the section "Hints" of an exercise's sheet, and which of them fits how an answer failed."""

from __future__ import annotations

import functools
import re
from pathlib import Path

from cli.errors import WorkbookError
from cli.exercises.check_result import CheckResult, Outcome
from cli.exercises.sheet import Line, Sheet
from cli.tracing.findings import SIMULATOR_KINDS, Mistake

ANY = "any"
# What a test's words show of a wrong result: tests/support/wrong_pattern.h writes those from "exchanged" on.
PATTERNS = (
    ("no_launch", "no kernel was launched|nothing was launched"),
    ("unchecked_launch", "nothing looked at the error|returned as if all were well"),
    ("block_size", "asks for blocks of|launched others in place"),
    ("empty_launch", "blocks is empty|threads is empty"),
    ("large_block", "a block has at most"),
    ("launch", "a launch failed|cannot be launched"),
    ("block_count", "and the launch has"),
    ("exchanged", "rows and columns are exchanged"),
    ("untouched", r"Pattern: each of them is -1\b"),
    ("border", "they are all at the border|elements (?:before|after) .* overwritten"),
    ("first_part", "elements 0 to .* are right, and all from .* on are wrong"),
    ("unwritten", "none of them was written"),
)
_MEASURES = {"sectors_per_request": "sectors", "conflict_ways": "ways", "requests": "requests"}
FAILURES = (
    *("crash", "endless", "varies", "block_order", "wrong", "mistake", "goal", "bytes", "threads", "wavefronts", ANY),
    *("race_of_blocks", "race_of_threads", "last_element"),
    *_MEASURES.values(),
    *SIMULATOR_KINDS,
    *(name for name, _ in PATTERNS),
)
# A failure of which another one is a special case: an exercise's hints for it are better than general ones for that.
_WIDER = {
    **dict.fromkeys(("race_of_blocks", "race_of_threads"), "race"),
    **dict.fromkeys(("unchecked_launch", "empty_launch", "large_block"), "launch"),
}
_BETWEEN_BLOCKS = "two blocks of one launch"
_WRONG_COUNT = re.compile(r"(\d+) of (\d+) elements are wrong\. The first is \w+\[(\d+)\]")
_GENERAL = Path(__file__).parent / "general_hints.md"

_FAILURE = re.compile(r"^### (.+)")

Hints = dict[str, list[str]]  # by failure


def failures_of(result: CheckResult) -> list[str]:
    """What hints are chosen by, the most telling first."""
    if result.outcome is Outcome.STOPPED:
        return ["endless", "crash"]
    if result.outcome is Outcome.CRASHED:
        return ["crash"]
    if result.outcome is Outcome.MISTAKE:
        kinds = [kind for mistake in result.mistakes for kind in _kinds(mistake)]
        return [*dict.fromkeys(kinds), "mistake"]
    if result.outcome is Outcome.GOAL_MISSED:
        unmet = [goal.claim.measure for goal in result.goals if not goal.is_met]
        return [*dict.fromkeys(_MEASURES.get(measure, measure.split("_")[0]) for measure in unmet), "goal"]
    if result.outcome is Outcome.WRONG_IN_REVERSE:
        return ["block_order", "wrong"]
    if result.outcome is Outcome.WRONG:
        said = "\n".join(message for test in result.failed_tests for message in test.messages)
        found = [name for name, words in PATTERNS if re.search(words, said)]
        return [*["last_element"] * _is_only_the_last(said), *found, *["varies"] * result.varies, "wrong"]
    return []


def _kinds(mistake: Mistake) -> tuple[str, ...]:
    if mistake.kind != "race":
        return (mistake.kind,)
    return ("race_of_blocks" if _BETWEEN_BLOCKS in " ".join(mistake.text.split()) else "race_of_threads", "race")


def _is_only_the_last(said: str) -> bool:
    """Whether in every array that has a wrong element, it is the last one and no other."""
    found = {(int(count), int(size), int(first)) for count, size, first in _WRONG_COUNT.findall(said)}
    return len(found) > 2 and all(count == 1 and first == size - 1 for count, size, first in found)


@functools.lru_cache(maxsize=None)
def general_hints() -> Hints:
    """Those for failures that mean the same in all exercises."""
    lines = _GENERAL.read_text(encoding="utf-8").splitlines()
    begin = next(number for number, text in enumerate(lines) if text.startswith("### "))
    numbered = tuple(Line(number, text) for number, text in enumerate(lines[begin:], start=begin + 1))
    return hints_in(Sheet(_GENERAL, (), (), numbered))


def hints_in(sheet: Sheet) -> Hints:
    """Raises WorkbookError, with the line, for what is neither '### FAILURE, FAILURE' nor an item of a list."""
    hints: Hints = {}
    lists: list[list[str]] = []
    is_in_item = False
    for line in sheet.hints:
        failures = _FAILURE.match(line.text)
        if failures:
            names = [name.strip() for name in failures[1].split(",")]
            unknown = [name for name in names if name not in FAILURES]
            if unknown:
                raise WorkbookError(
                    f"{sheet.file}:{line.number}: no check fails by '{unknown[0]}', but by {', '.join(FAILURES)}."
                )
            lists = [hints.setdefault(name, []) for name in names]
        elif line.text.startswith("- ") and lists:
            for one in lists:
                one.append(line.text[2:].strip())
        elif is_in_item and line.text.startswith("  ") and line.text.strip():
            for one in lists:
                one[-1] += f" {line.text.strip()}"
        elif line.text.strip():
            raise WorkbookError(f"{sheet.file}:{line.number}: this is no heading '### FAILURE' and no hint ('- ').")
        is_in_item = line.text.startswith(("- ", "  ")) and bool(lists)
    return hints


def choose_hints(hints: Hints, failures: list[str]) -> list[str]:
    """An exercise's hints in the order in which they are given, each once. For a failure of which it has none, and
    none for what that is a case of, it has the general ones.
    """
    chosen: list[str] = []
    for name in (*failures, ANY):
        has_own = name in hints or _WIDER.get(name) in hints
        chosen += hints.get(name, ()) if has_own else general_hints().get(name, ())
    return list(dict.fromkeys(chosen))
