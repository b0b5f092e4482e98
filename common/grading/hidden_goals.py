"""Goals at a hidden shape, so that an answer cannot reach its goals only at the public one.

The answer's costs there are compared with the reference answer's. Answers with other tiles handle the borders of a
matrix in other ways, so an average can be twice, and a sum four times, as large. A goal that is a limit leaves at least
as much room as at the public shape. At a small shape the borders are all that costs, so no goals are counted there.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable

from cli.checking.check_result import Goal
from cli.measuring.claims import AT_LEAST, AT_MOST, SECTORS, THREADS, WAYS, Claim

_ROOM, _ROOM_OF_SUMS = 2.0, 4.0
# The tests write the shape of a matrix product as m x k x n.
_PRODUCT = ("--m", "--n", "--k")
# The shapes at which goals are counted, by the product of their numbers: at least this share of the public shape, and at
# most a number for which a traced run takes a few seconds.
_LEAST_SHARE = 1 / 16
_MOST_ELEMENTS = 1 << 22


def claims_at_hidden_shape(goals: Iterable[Claim], shapes: Iterable[str]) -> tuple[Claim, ...]:
    """The goals that are costs, at the largest hidden shape that is neither too small nor too large, and without a limit
    yet; none if there is no such shape. The shape's numbers are the first options of the goals, in their order; a number
    for which the program has no option is left out.
    """
    costs = list(filter(_is_cost, goals))
    largest = max(costs, key=lambda goal: _elements(goal.options), default=None)
    fitting = [shape for shape in shapes if largest and _fits(shape, largest.options)]
    if not fitting:
        return ()
    shape = max(fitting, key=lambda shape: math.prod(_numbers(shape)))
    return tuple(
        dataclasses.replace(goal, options=_at(shape, goal.options), value=math.inf, tolerance=0.0, limit=AT_MOST)
        for goal in costs
    )


def limits_of(goals: Iterable[Goal], at_shape: Iterable[Goal]) -> tuple[float | None, ...]:
    """The limits of claims_at_hidden_shape, in their order, from the counts of the reference answer; None where the
    reference answer has no such access. A cost that the reference answer does not have at the public shape, such as
    divergence, keeps its limit.
    """
    costs = [goal for goal in goals if _is_cost(goal.claim)]
    return tuple(
        None if at.counted is None else public.claim.value if public.counted == 0 else at.counted * _room(public)
        for public, at in zip(costs, at_shape)
    )


def with_limits(claims: Iterable[Claim], limits: Iterable[float | None]) -> tuple[Claim, ...]:
    """The claims with these limits; of several claims about the same accesses, the one with the largest limit."""
    limited: dict[tuple[object, ...], Claim] = {}
    for claim, limit in zip(claims, limits):
        kind = (claim.options, claim.memory, claim.operation, claim.measure)
        if limit is not None and (kind not in limited or limit > limited[kind].value):
            limited[kind] = dataclasses.replace(claim, value=limit)
    return tuple(limited.values())


def _is_cost(goal: Claim) -> bool:
    return goal.limit != AT_LEAST and goal.measure != THREADS


def _numbers(shape: str) -> list[int]:
    return [int(number) for number in shape.split("x")]


def _elements(options: tuple[str, ...], numbers: int = 9) -> int:
    """The product of the options' values, of the first so many options."""
    return math.prod(map(int, options[1 : 2 * numbers : 2]))


def _fits(shape: str, options: tuple[str, ...]) -> bool:
    numbers = _numbers(shape)
    public = _elements(options, len(numbers))
    return public * _LEAST_SHARE <= math.prod(numbers[: len(options) // 2]) <= _MOST_ELEMENTS


def _at(shape: str, options: tuple[str, ...]) -> tuple[str, ...]:
    names, values = options[::2], list(options[1::2])
    order = (0, 2, 1) if names[:3] == _PRODUCT else range(len(names))
    for place, number in zip(order, shape.split("x")):
        values[place] = number
    return tuple(word for option in zip(names, values) for word in option)


def _room(goal: Goal) -> float:
    room = _ROOM if goal.claim.measure in (SECTORS, WAYS) else _ROOM_OF_SUMS
    is_limit = goal.claim.limit == AT_MOST and goal.counted
    return max(room, goal.claim.value / goal.counted) if is_limit else room
