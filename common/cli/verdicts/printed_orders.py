"""Compares the output of a program in two orders of its blocks, and classifies the difference."""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import IntEnum

# Printed numbers; a word such as "x2" contains no number.
_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)(?![\w])", re.IGNORECASE)
_WHOLE = re.compile(r"[-+]?\d+")
# A different order of additions rounds differently. A float has about 7 digits; a sum of many terms loses some of them.
_ROUNDING = 1e-3


class Kind(IntEnum):
    """The kinds of differences, from harmless to wrong."""

    SAME = 0
    ORDER_OF_LINES = 1  # kernels print in any order
    ROUNDING = 2  # floating-point numbers differ in their last digits
    OTHER = 3


@dataclass(frozen=True)
class Difference:
    """The first difference: `line` is the number of the line, and `first` and `second` are its text in each output."""

    kind: Kind
    line: int = 0
    first: str = ""
    second: str = ""


def compare(first: str, second: str, ignored: Collection[int] = ()) -> Difference:
    """The difference of two outputs. ignored: the lines, counted from 0, that also differ between runs in one order."""
    ours, theirs = first.splitlines(), second.splitlines()
    if ignored and len(ours) == len(theirs):
        ours = ["" if number in ignored else line for number, line in enumerate(ours)]
        theirs = ["" if number in ignored else line for number, line in enumerate(theirs)]
    if ours == theirs:
        return Difference(Kind.SAME)
    in_place = _compare_lines(ours, theirs)
    if in_place.kind is Kind.ROUNDING:
        return in_place
    sorted_lines = _compare_lines(sorted(ours), sorted(theirs))
    if sorted_lines.kind is Kind.SAME:
        return Difference(Kind.ORDER_OF_LINES, in_place.line, in_place.first, in_place.second)
    return sorted_lines if sorted_lines.kind is Kind.ROUNDING else in_place


def varying_lines(first: str, again: str) -> set[int] | None:
    """The lines that differ between two runs in one order, such as times; None if the number of lines differs."""
    ours, theirs = first.splitlines(), again.splitlines()
    if len(ours) != len(theirs):
        return None
    return {number for number, (one, other) in enumerate(zip(ours, theirs)) if one != other}


def _compare_lines(ours: list[str], theirs: list[str]) -> Difference:
    """The first of the worst differences between the lines."""
    worst = Difference(Kind.SAME)
    for number in range(max(len(ours), len(theirs))):
        first = ours[number] if number < len(ours) else None
        second = theirs[number] if number < len(theirs) else None
        kind = Kind.OTHER if first is None or second is None else _compare_line(first, second)
        if kind > worst.kind:
            worst = Difference(kind, number + 1, first or "", second or "")
    return worst


def _compare_line(first: str, second: str) -> Kind:
    if first == second:
        return Kind.SAME
    numbers, others = _NUMBER.findall(first), _NUMBER.findall(second)
    if _NUMBER.sub("0", first).split() != _NUMBER.sub("0", second).split() or len(numbers) != len(others):
        return Kind.OTHER
    return Kind.ROUNDING if all(map(_is_near, numbers, others)) else Kind.OTHER


def _is_near(one: str, other: str) -> bool:
    if one == other:
        return True
    if _WHOLE.fullmatch(one) and _WHOLE.fullmatch(other):
        return False
    return math.isclose(float(one), float(other), rel_tol=_ROUNDING)
