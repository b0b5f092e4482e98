"""Hints for exercises, in the section "Hints" of an exercise's sheet, and which of them fits how an answer failed."""

from __future__ import annotations

import re

from cli.errors import WorkbookError
from cli.exercises.check_result import CheckResult, Outcome
from cli.exercises.sheet import Sheet
from cli.tracing.findings import SIMULATOR_KINDS

ANY = "any"
# What a test's words show of a wrong result: tests/support/wrong_pattern.h writes the first five.
PATTERNS = (
    ("launch", "a launch failed|cannot be launched"),
    ("exchanged", "rows and columns are exchanged"),
    ("border", "they are all at the border|elements (?:before|after) .* overwritten"),
    ("first_part", "elements 0 to .* are right, and all from .* on are wrong"),
    ("unwritten", "none of them was written"),
)
_MEASURES = {"sectors_per_request": "sectors", "conflict_ways": "ways", "requests": "requests"}
FAILURES = (
    *("crash", "endless", "varies", "block_order", "wrong", "mistake", "goal", "bytes", "threads", ANY),
    *_MEASURES.values(),
    *SIMULATOR_KINDS,
    *(name for name, _ in PATTERNS),
)

_FAILURE = re.compile(r"^### (.+)")

Hints = dict[str, list[str]]  # by failure


def failures_of(result: CheckResult) -> list[str]:
    """What hints are chosen by, the most telling first."""
    if result.outcome is Outcome.STOPPED:
        return ["endless", "crash"]
    if result.outcome is Outcome.CRASHED:
        return ["crash"]
    if result.outcome is Outcome.MISTAKE:
        kinds = list(dict.fromkeys(mistake.kind for mistake in result.mistakes))
        return [*kinds, "mistake"]
    if result.outcome is Outcome.GOAL_MISSED:
        unmet = [goal.claim.measure for goal in result.goals if not goal.is_met]
        return [*dict.fromkeys(_MEASURES.get(measure, measure.split("_")[0]) for measure in unmet), "goal"]
    if result.outcome is Outcome.WRONG_IN_REVERSE:
        return ["block_order", "wrong"]
    if result.outcome is Outcome.WRONG:
        said = "\n".join(message for test in result.failed_tests for message in test.messages)
        return [*(name for name, words in PATTERNS if re.search(words, said)), *["varies"] * result.varies, "wrong"]
    return []


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
    """An exercise's hints in the order in which they are given, each once."""
    chosen = [hint for name in (*failures, ANY) for hint in hints.get(name, ())]
    return list(dict.fromkeys(chosen))
