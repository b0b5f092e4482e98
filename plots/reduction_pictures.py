"""Pictures of ch4_reduction: a loop and a tree, trees in shared memory, shuffles in a warp, and the last block. The
formulas are those of the stages."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import NamedTuple

from cli.pictures.svg_drawing import (
    FAINT,
    INK,
    MARGIN,
    PAPER,
    QUIET,
    VERMILION,
    WARP_COLOURS,
    WIDTH,
    Drawing,
    tint,
)

_TERMS = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3)
_WARP = 4  # lanes, drawn instead of 32


class TreeStep(NamedTuple):
    """A step: the term that each thread adds to its own, and the terms after the step."""

    partners: dict[int, int]  # for each thread that adds: the index of the term that it adds
    terms: list[int]

    def busy_warps(self, lanes: int) -> int:
        return len({thread // lanes for thread in self.partners})


def tree_by_halves(terms: Iterable[int]) -> list[TreeStep]:
    """As in 02_shared_tree.cu."""
    values, steps = list(terms), []
    half = len(values) // 2
    while half > 0:
        partners = {thread: thread + half for thread in range(half)}
        values = _after(values, partners)
        steps.append(TreeStep(partners, values))
        half //= 2
    return steps


def tree_from_leaves(terms: Iterable[int]) -> list[TreeStep]:
    """As in ex4_sleeping_lanes.cu."""
    values, steps = list(terms), []
    step = 1
    while step < len(values):
        partners = {thread: thread + step for thread in range(0, len(values), 2 * step)}
        values = _after(values, partners)
        steps.append(TreeStep(partners, values))
        step *= 2
    return steps


def _after(values: list[int], partners: dict[int, int]) -> list[int]:
    return [value + (values[partners[thread]] if thread in partners else 0) for thread, value in enumerate(values)]


def chain_and_tree() -> str:
    values = _TERMS[:8]
    steps = tree_by_halves(values)
    chain = list(accumulate(values))
    cell, height, pitch, top = 40, 24, 33, 102
    tree_left, rows = WIDTH - MARGIN - cell * len(values), len(values) - 1
    drawing = Drawing(
        top + pitch * rows + height + 44,
        "Adding 8 numbers: a loop and a tree",
        "Left, a loop adds eight numbers to a sum, one at a time, in seven steps. Each step needs the result of the "
        "previous one. Right, a tree: in step 1 four threads add the upper four numbers to the lower four, in step 2 two "
        "threads add, in step 3 one thread. Both end with 31.",
    )

    def number(left: float, column: int, y: float, value: int, fill: str) -> None:
        drawing.box(left + cell * column + 2, y, cell - 4, height, fill, INK, radius=3)
        drawing.text(left + cell * (column + 0.5), y + 17, str(value), 13, anchor="middle")

    for left, title in ((MARGIN, f"a loop: {rows} steps"), (tree_left, f"a tree: {len(steps)} steps")):
        drawing.text(left, top - 18, title, 14, bold=True)
        for column, value in enumerate(values):
            number(left, column, top, value, PAPER)
    for step in range(1, len(values)):
        y, x = top + pitch * step, MARGIN + cell * (step + 0.5)
        drawing.arrow(x, y - pitch * step + height + 2, x, y - 2, FAINT)
        drawing.arrow(x - cell, y - pitch + height + 2, x - 6, y - 2, WARP_COLOURS[0])
        number(MARGIN, step, y, chain[step], tint(WARP_COLOURS[0], 0.6))
    above = top
    for number_of_step, step in enumerate(steps, 1):
        y = top + pitch * rows * number_of_step / len(steps)
        for thread, partner in step.partners.items():
            x, begin = tree_left + cell * (thread + 0.5), tree_left + cell * (partner + 0.5)
            drawing.arrow(x, above + height + 2, x, y - 2, WARP_COLOURS[thread])
            drawing.arrow(begin, above + height + 2, x + 5, y - 2, WARP_COLOURS[thread])
            number(tree_left, thread, y, step.terms[thread], tint(WARP_COLOURS[thread], 0.6))
        above = y
    drawing.text(MARGIN, top + pitch * rows + height + 26, "Each colour is a thread. One row is one step.", 12, QUIET)
    return drawing.svg()


def tree_of_halves() -> str:
    description = (
        "Sixteen threads with one term each, in four warps of four. In the first step threads 0 to 7 add the terms of "
        "threads 8 to 15: two warps are busy, with all their lanes. Then threads 0 to 3 add, one whole warp, then "
        "threads 0 and 1, then thread 0, which has the sum."
    )
    return _tree("Stage 02: the lower half adds the upper half", description, tree_by_halves(_TERMS))


def tree_of_leaves() -> str:
    description = (
        "Sixteen threads with one term each, in four warps of four. In the first step every second thread adds the "
        "next thread's term: all four warps are busy, with half of their lanes. Then every fourth thread adds: four "
        "warps, with one lane each. Then threads 0 and 8, then thread 0, which has the sum."
    )
    return _tree("Exercise 4: a tree that starts from the leaves", description, tree_from_leaves(_TERMS))


def _tree(title: str, description: str, steps: list[TreeStep]) -> str:
    cell, height, pitch, top, left = 33, 26, 68, 96, MARGIN + 66
    drawing = Drawing(top + pitch * len(steps) + 82, title, description)
    warps = len(_TERMS) // _WARP
    for warp in range(warps):
        x = left + cell * _WARP * warp
        drawing.text(x + cell * _WARP / 2, top - 28, f"warp {warp}", 12, anchor="middle")
        drawing.line(x + 4, top - 22, x + cell * _WARP - 4, top - 22, WARP_COLOURS[warp], 3)
    for thread in range(len(_TERMS)):
        drawing.text(left + cell * (thread + 0.5), top - 6, str(thread), 11, QUIET, "middle")
    drawing.text(MARGIN, top - 6, "thread", 12, QUIET)
    drawing.text(MARGIN, top + 18, "terms", 12, code=True)
    right = left + cell * len(_TERMS) + 14
    for number in range(len(steps) + 1):
        y = top + pitch * number
        step = steps[number - 1] if number else None
        if step:
            drawing.text(MARGIN, y + 18, f"step {number}", 13)
            busy = step.busy_warps(_WARP)
            drawing.text(right, y + 18, f"{busy} of {warps} warps", 13, bold=True)
            for thread, partner in step.partners.items():
                x, begin = left + cell * (thread + 0.5), left + cell * (partner + 0.5)
                drawing.arrow(begin, y - pitch + height + 2, x + 4, y - 3, WARP_COLOURS[thread // _WARP])
        working = step.partners if step else range(len(_TERMS))
        values = step.terms if step else _TERMS
        for thread, value in enumerate(values):
            x, works = left + cell * thread, thread in working
            fill = tint(WARP_COLOURS[thread // _WARP], 0.65) if works else PAPER
            drawing.box(x + 1, y, cell - 2, height, fill, INK if works and step else FAINT)
            drawing.text(x + cell / 2, y + 18, str(value), 13, INK if works else "#8b949e", "middle")
    y = top + pitch * len(steps) + height + 24
    words = "Drawn with 16 threads for 1024 and warps of 4 lanes for 32. In each step the filled threads add."
    drawing.text(MARGIN, y, words, 12, QUIET)
    words = "The others wait at the barrier that ends the step."
    drawing.text(MARGIN, y + 18, words, 12, QUIET)
    return drawing.svg()


def shuffle_steps(values: Iterable[int]) -> list[tuple[int, list[int]]]:
    """The offset of each step of warp_sum(), and the values of the lanes after it.

    A lane whose source would be past the last lane gets its own value, which __shfl_down_sync() specifies.
    """
    lanes = list(values)
    steps = []
    offset = len(lanes) // 2
    while offset > 0:
        asked = [lane + offset if lane + offset < len(lanes) else lane for lane in range(len(lanes))]
        lanes = [value + lanes[other] for value, other in zip(lanes, asked, strict=True)]
        steps.append((offset, lanes))
        offset //= 2
    return steps


def warp_shuffles() -> str:
    values = _TERMS[:8]
    steps = shuffle_steps(values)
    cell, height, pitch, top, left = 62, 30, 78, 78, MARGIN + 96
    drawing = Drawing(
        top + pitch * len(steps) + 92,
        "Stage 03: a warp adds in registers",
        "Eight lanes with one value each. With offset 4, lanes 0 to 3 add the values of lanes 4 to 7. With offset 2, "
        "lanes 0 and 1 add those of lanes 2 and 3. With offset 1, lane 0 adds that of lane 1, and has the sum. The "
        "other lanes add too, but their results do not reach lane 0.",
    )
    for lane in range(len(values)):
        drawing.text(left + cell * (lane + 0.5), top - 8, f"lane {lane}", 12, QUIET, "middle")
    drawing.text(MARGIN, top + 20, "value", 13, code=True)
    for number in range(len(steps) + 1):
        y = top + pitch * number
        offset, found = steps[number - 1] if number else (len(values), list(values))
        if number:
            drawing.text(MARGIN, y + 20, f"offset {offset}", 13)
            for lane in range(offset):
                begin, end = left + cell * (lane + offset + 0.5), left + cell * (lane + 0.5)
                drawing.arrow(begin, y - pitch + height + 2, end + 8, y - 3, WARP_COLOURS[0])
        for lane, value in enumerate(found):
            wanted = lane < offset
            x, fill = left + cell * lane, tint(WARP_COLOURS[0], 0.6) if wanted else PAPER
            drawing.box(x + 2, y, cell - 4, height, fill, INK if wanted else FAINT, radius=3)
            drawing.text(x + cell / 2, y + 20, str(value), 14, INK if wanted else "#8b949e", "middle")
    y = top + pitch * len(steps) + height + 24
    words = "Drawn with 8 lanes for 32, which start with offset 16 and need five steps. All lanes take part in each step."
    drawing.text(MARGIN, y, words, 12, QUIET)
    words = "Grey: this value does not reach lane 0. A lane whose source would be past the last lane gets its own value."
    drawing.text(MARGIN, y + 18, words, 12, QUIET)
    return drawing.svg()


class Level(NamedTuple):
    name: str
    where: str
    groups: int  # boxes to draw
    how_many: str  # number, as a formula of n
    how: str  # the operation that produces it from the level above


_LANES, _BLOCK_WARPS, _BLOCKS = 4, 2, 3
LEVELS = (
    Level("terms", "registers", _LANES * _BLOCK_WARPS * _BLOCKS, "n", ""),
    Level("sums of warps", "shared memory", _BLOCK_WARPS * _BLOCKS, "n / 32", "5 shuffles"),
    Level("sums of blocks", "register of thread 0", _BLOCKS, "n / 1024", "barrier, 5 shuffles"),
    Level("the sum", "global memory", 1, "1", "atomicAdd"),
)


def terms_to_sum() -> str:
    pitch, top, left, width = 84, 88, MARGIN + 150, 432
    drawing = Drawing(
        top + pitch * len(LEVELS) + 10,
        "Stage 03: from the terms to the sum",
        "Four levels. Each thread has one term in a register. Five shuffles compute the sum of each warp, which goes to "
        "shared memory. After a barrier the first warp of each block adds these with five shuffles. Each block adds "
        "its sum to the result with atomicAdd. n terms give n / 32 sums of warps and n / 1024 sums of blocks.",
    )
    drawing.text(WIDTH - MARGIN, top - 16, "how many", 12, QUIET, "end")
    for number, level in enumerate(LEVELS):
        y = top + pitch * number
        drawing.text(MARGIN, y + 13, level.name, 14, bold=True)
        drawing.text(MARGIN, y + 30, level.where, 12, QUIET)
        drawing.text(WIDTH - MARGIN, y + 20, level.how_many, 14, anchor="end", code=True)
        pitches = width / level.groups
        for group in range(level.groups):
            block = group * _BLOCKS // level.groups
            colour = tint(WARP_COLOURS[block], 0.6) if level.groups > 1 else PAPER
            drawing.box(left + pitches * group + 1.5, y, pitches - 3, 30, colour, INK, radius=2)
        if number:
            above = LEVELS[number - 1].groups
            for group in range(above):
                begin = left + width / above * (group + 0.5)
                into = left + pitches * (group * level.groups // above + 0.5)
                drawing.arrow(begin, y - pitch + 33, into + (begin - into) * 0.15, y - 3, "#aab1b9")
            drawing.text(MARGIN, y - 20, level.how, 12, VERMILION)
    y = top + pitch * len(LEVELS) - 12
    words = "Drawn with 3 blocks of 2 warps of 4 lanes; a block of the stage has 32 warps of 32."
    drawing.text(MARGIN, y, words, 12, QUIET)
    return drawing.svg()


_SUMS = (0.4, 10.0, 0.4)  # sums of three blocks
ORDERS = ((0, 1, 2), (2, 0, 1), (1, 2, 0))  # orders in which the blocks take their tickets


def two_digits(values: Iterable[float]) -> float:
    """The sum in the given order, with each result rounded to two digits."""
    total = 0.0
    for value in values:
        total = float(f"{total + value:.1e}")
    return total


class Span(NamedTuple):
    """An operation of a block, in units of the time axis."""

    begin: int
    end: int
    what: str


def block_spans(block: int, order: tuple[int, ...]) -> list[Span]:
    """The operations of thread 0 of a block in 06_single_pass.cu, in program order."""
    ticket = order.index(block)
    durations = [(4 + 6 * ticket, "adds"), (7, f"s{block} = {_SUMS[block]:g}"), (5, "fence"), (7, f"ticket {ticket}")]
    if ticket == len(order) - 1:
        sums = " + ".join(f"s{other}" for other in range(len(order)))
        durations += [(5, "fence"), (21, f"({sums[:7]}){sums[7:]} = {two_digits(_SUMS):g}")]
    begin, spans = 0, []
    for duration, what in durations:
        spans.append(Span(begin, begin + duration, what))
        begin += duration
    return spans


def last_block_orders() -> str:
    left, top, row, unit, panel = MARGIN + 62, 66, 30, 9.7, 128
    results = ", ".join(f"{two_digits(_SUMS[block] for block in order):g}" for order in ORDERS)
    drawing = Drawing(
        top + panel * len(ORDERS) + 34,
        "Stage 06: three blocks in three orders",
        "Three blocks over time, in three orders. Each adds its terms, stores its sum, executes a fence and takes a "
        "ticket. The block with ticket 2 is block 2, then block 1, then block 0. It executes a second fence and computes "
        f"(s0 + s1) + s2 = 10 each time. With atomicAdd the results would be {results}.",
    )
    for number, order in enumerate(ORDERS):
        y = top + panel * number
        names = ", ".join(map(str, order))
        drawing.text(MARGIN, y, f"order {names}", 13, bold=True)
        would = two_digits(_SUMS[block] for block in order)
        drawing.text(WIDTH - MARGIN, y, f"atomicAdd in this order: {would:g}", 12, QUIET, "end")
        for block in range(len(order)):
            above = y + 10 + row * block
            drawing.text(MARGIN, above + 18, f"block {block}", 12, bold=block == order[-1])
            for span in block_spans(block, order):
                x, width = left + unit * span.begin, unit * (span.end - span.begin) - 2
                is_fence, is_sum = span.what == "fence", "+" in span.what
                fill = tint(VERMILION, 0.25) if is_fence else tint(WARP_COLOURS[block], 0.75 if is_sum else 0.4)
                drawing.box(x, above, width, 26, fill, INK if is_sum else FAINT, 1.6 if is_sum else 1, radius=3)
                drawing.text(x + width / 2, above + 18, span.what, 12, anchor="middle")
    text = "Time goes to the right. Numbers have two digits. The last block always adds in the order of the block indices."
    drawing.text(MARGIN, top + panel * len(ORDERS) + 6, text, 12, QUIET)
    return drawing.svg()
