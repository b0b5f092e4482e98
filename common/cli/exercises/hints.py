"""Hints for exercises, in the section "Hints" of an exercise's sheet, and which of them fits how an answer failed.

A heading there names facts (facts.py): "### finding=out_of_bounds access=load, pattern=border" is for a failure with a
fact that has both of the first words, or the last one.
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

Hints = dict[str, list[str]]  # by selector: some words of a fact


@functools.lru_cache(maxsize=None)
def general_hints() -> Hints:
    """Those for failures that mean the same in all exercises."""
    lines = _GENERAL.read_text(encoding="utf-8").splitlines()
    begin = next(number for number, text in enumerate(lines) if text.startswith("### "))
    numbered = tuple(Line(number, text) for number, text in enumerate(lines[begin:], start=begin + 1))
    return hints_in(Sheet(_GENERAL, (), (), numbered))


def hints_in(sheet: Sheet) -> Hints:
    """Raises WorkbookError, with the line, for what is neither '### FACT, FACT' nor an item of a list."""
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
            raise WorkbookError(f"{sheet.file}:{line.number}: this is no heading '### FACT' and no hint ('- ').")
        is_in_item = line.text.startswith(("- ", "  ")) and bool(lists)
    return hints


def choose_selectors(hints: Hints, facts: Iterable[str]) -> list[str]:
    """Under which headings the hints for these facts are, in the order in which they are given: for each fact those of
    the exercise that fit it, the one with the most words first; or else the general ones; and in the end ANY.
    """
    chosen: list[str] = []
    for fact in facts:
        chosen += _fitting(hints, fact) or _fitting(general_hints(), fact)
    return list(dict.fromkeys([*chosen, ANY]))


def _fitting(hints: Hints, fact: str) -> list[str]:
    return sorted((s for s in hints if s != ANY and fits(s, fact)), key=lambda s: -len(s.split()) - s.count("="))


def hints_under(hints: Hints, selectors: Iterable[str]) -> list[str]:
    """The hints below these headings, each once."""
    chosen = [hints.get(selector) or general_hints().get(selector, []) for selector in selectors]
    return list(dict.fromkeys(hint for some in chosen for hint in some))
