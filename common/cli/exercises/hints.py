"""Hints for exercises, from the section "Hints" of an exercise's sheet, and the choice of those that fit a failure.

A heading there names facts (facts.py): "### finding=out_of_bounds access=load, pattern=border" is for a failure with a
fact that has both of the first two words, or a fact that has the last word.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from pathlib import Path

from cli.errors import WorkbookError
from grading.facts import ANY, fits, read_selectors
from grading.sheet import Line, Sheet

_GENERAL = Path(__file__).parent / "general_hints.md"

_HEADING = re.compile(r"^### (.+)")

Hints = dict[str, list[str]]  # keys: selectors, which are words of a fact


@functools.lru_cache(maxsize=None)
def general_hints() -> Hints:
    """The hints for failures that mean the same in all exercises."""
    lines = _GENERAL.read_text(encoding="utf-8").splitlines()
    begin = next(number for number, text in enumerate(lines) if text.startswith("### "))
    numbered = tuple(Line(number, text) for number, text in enumerate(lines[begin:], start=begin + 1))
    return hints_in(Sheet(_GENERAL, (), (), numbered))


def hints_in(sheet: Sheet) -> Hints:
    """The hints of a sheet. Raises WorkbookError for a line that is neither '### FACT, FACT' nor an item of a list."""
    hints: Hints = {}
    lists: list[list[str]] = []
    is_in_item = False
    for line in sheet.hints:
        heading = _HEADING.match(line.text)
        if heading:
            try:
                selectors = read_selectors(heading[1], also=ANY)
            except WorkbookError as error:
                raise WorkbookError(f"{sheet.file}:{line.number}: {error}.") from error
            lists = [hints.setdefault(selector, []) for selector in selectors]
        elif line.text.startswith("- ") and lists:
            for one in lists:
                one.append(line.text[2:].strip())
        elif is_in_item and line.text.startswith("  ") and line.text.strip():
            for one in lists:
                one[-1] += f" {line.text.strip()}"
        elif line.text.strip():
            raise WorkbookError(f"{sheet.file}:{line.number}: this line is neither a heading '### FACT' nor a hint '- '.")
        is_in_item = line.text.startswith(("- ", "  ")) and bool(lists)
    return hints


def choose_selectors(hints: Hints, facts: Iterable[str]) -> list[str]:
    """The headings of the hints for these facts, in the order in which the hints are given: for each fact the fitting
    headings of the exercise, those with the most words first, or the general ones if none fits; at the end ANY.
    """
    chosen: list[str] = []
    for fact in facts:
        chosen += _fitting(hints, fact) or _fitting(general_hints(), fact)
    return list(dict.fromkeys([*chosen, ANY]))


def _fitting(hints: Hints, fact: str) -> list[str]:
    return sorted((s for s in hints if s != ANY and fits(s, fact)), key=lambda s: -len(s.split()) - s.count("="))


def hints_under(hints: Hints, selectors: Iterable[str]) -> list[str]:
    """The hints below these headings, without repetitions."""
    chosen = [hints.get(selector) or general_hints().get(selector, []) for selector in selectors]
    return list(dict.fromkeys(hint for some in chosen for hint in some))
