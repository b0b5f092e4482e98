"""Hints for exercises, from the section "Hints" of an exercise's sheet, and the choice of those that fit a failure.

A heading there has the id of its hints, and the facts (facts.py) under which they hold: "### at_the_border:
finding=out_of_bounds access=load, pattern=border" is for a failure with a fact that has both of the first two words, or
a fact that has the last word. The hints below "### steps" hold for every answer, and lead to the solution.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cli.checking.facts import fits, read_selectors
from cli.checking.sheet import Line, Sheet
from cli.errors import WorkbookError

STEPS = "steps"  # the id of the hints that hold for every answer
NO_HINT = "other"  # recorded for a failure that no hint is about
_GENERAL = Path(__file__).parent / "general_hints.md"
_HEADING = re.compile(r"### (?P<id>[a-z][a-z0-9_]*)(?:: (?P<facts>\S.*))?")


@dataclass(frozen=True)
class Topic:
    """Hints with the same condition, the vaguest first. Each selector is some words of a fact; none in STEPS."""

    selectors: tuple[str, ...]
    hints: list[str] = field(default_factory=list)

    def words_in(self, fact: str) -> int:
        """The number of words of the longest selector that fits this fact; 0 if none fits."""
        return max((len(one.split()) for one in self.selectors if fits(one, fact)), default=0)


Hints = dict[str, Topic]  # keys: ids


@functools.lru_cache(maxsize=None)
def general_hints() -> Hints:
    """The hints for failures that mean the same in all exercises."""
    lines = _GENERAL.read_text(encoding="utf-8").splitlines()
    begin = next(number for number, text in enumerate(lines) if text.startswith("### "))
    return own_hints(Sheet(_GENERAL, (), (), tuple(Line(number + 1, lines[number]) for number in range(begin, len(lines)))))


def hints_in(sheet: Sheet) -> Hints:
    """The general hints, and those of a sheet. Raises WorkbookError as own_hints() does, and for an id of both."""
    own = own_hints(sheet)
    for name in general_hints().keys() & own.keys():
        raise WorkbookError(f"{sheet.file}: '### {name}' is the id of general hints. Give these hints another id.")
    return {**general_hints(), **own}


def own_hints(sheet: Sheet) -> Hints:
    """The hints of a sheet. Raises WorkbookError for a line that is neither '### ID: FACT, FACT' nor an item of a list,
    and for an id that is used twice.
    """
    hints: Hints = {}
    topic: Topic | None = None
    is_in_item = False
    for line in sheet.hints:
        heading = _HEADING.fullmatch(line.text)
        if heading:
            topic = Topic(_selectors(sheet, line, heading))
            if hints.setdefault(heading["id"], topic) is not topic:
                raise WorkbookError(f"{sheet.file}:{line.number}: '### {heading['id']}' is there already.")
        elif line.text.startswith("- ") and topic:
            topic.hints.append(line.text[2:].strip())
        elif is_in_item and topic and line.text.startswith("  ") and line.text.strip():
            topic.hints[-1] += f" {line.text.strip()}"
        elif line.text.strip():
            raise WorkbookError(f"{sheet.file}:{line.number}: this line is neither '### ID: FACT, FACT' nor a hint '- '.")
        is_in_item = line.text.startswith(("- ", "  ")) and topic is not None
    return hints


def _selectors(sheet: Sheet, line: Line, heading: re.Match[str]) -> tuple[str, ...]:
    try:
        if (heading["id"] == STEPS) == bool(heading["facts"]):
            raise WorkbookError(f"hints need the facts under which they hold, and '{STEPS}' has none")
        return read_selectors(heading["facts"]) if heading["facts"] else ()
    except WorkbookError as error:
        raise WorkbookError(f"{sheet.file}:{line.number}: {error}.") from error


def choose_hints(hints: Hints, facts: Iterable[str]) -> list[str]:
    """The ids of the hints for these facts, in the order in which the hints are given: for each fact those first that
    name most of its words. A general hint is given only if no other general hint, and no hint of the exercise, names
    more; it comes before one that names as many.
    """
    chosen: dict[str, None] = {}
    for fact in facts:
        words = {name: topic.words_in(fact) for name, topic in hints.items()}
        fitting = sorted(filter(words.get, words), key=lambda name: -words[name])
        chosen.update(dict.fromkeys(name for name in fitting if name == fitting[0] or name not in general_hints()))
    return list(chosen)


def hints_under(hints: Hints, ids: Iterable[str]) -> list[str]:
    """The hints with these ids, without repetitions. Unknown ids, as of another version, have none."""
    return list(dict.fromkeys(hint for name in ids if name in hints for hint in hints[name].hints))
