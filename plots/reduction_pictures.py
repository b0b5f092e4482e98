"""Pictures of ch4_reduction: trees in shared memory, shuffles in a warp, and the way to one sum. The formulas are the
stages'."""

from __future__ import annotations

from collections.abc import Iterable
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
_WARP = 4  # lanes, for 32


class TreeStep(NamedTuple):
    """A step: who adds which term to its own, and the terms after it."""

    partners: dict[int, int]  # of each thread that adds
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


def tree_of_halves() -> str:
    description = (
        "Sixteen threads with a term each, in four warps of four. In the first step threads 0 to 7 add the terms of "
        "threads 8 to 15: two warps are at work, with all their lanes. Then threads 0 to 3 add, one whole warp, then "
        "threads 0 and 1, then thread 0, which has the sum."
    )
    return _tree("Stage 02: the upper half is added to the lower half", description, tree_by_halves(_TERMS))


def tree_of_leaves() -> str:
    description = (
        "Sixteen threads with a term each, in four warps of four. In the first step every second thread adds its "
        "neighbour's term: all four warps are at work, with half of their lanes. Then every fourth thread adds: four "
        "warps, with one lane each. Then threads 0 and 8, then thread 0, which has the sum."
    )
    return _tree("Exercise 4: the tree from the leaves up", description, tree_from_leaves(_TERMS))


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
    words = "The others wait at the barrier that ends it."
    drawing.text(MARGIN, y + 18, words, 12, QUIET)
    return drawing.svg()


def shuffle_steps(values: Iterable[int]) -> list[tuple[int, list[int]]]:
    """The offset of each step of warp_sum(), and what the lanes have after it.

    A lane that asks for one past the last gets its own value, as __shfl_down_sync() says.
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
        "Stage 03: a warp adds up in registers",
        "Eight lanes with a value each. With offset 4, lanes 0 to 3 add the values of lanes 4 to 7. With offset 2, "
        "lanes 0 and 1 add those of lanes 2 and 3. With offset 1, lane 0 adds that of lane 1, and has the sum. The "
        "other lanes add too, but nobody asks for what they get.",
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
    words = "Drawn with 8 lanes for 32, which begin with offset 16 and need five steps. All lanes take part in each."
    drawing.text(MARGIN, y, words, 12, QUIET)
    words = "Grey: nobody needs this value again. A lane that has none so far on gets its own value."
    drawing.text(MARGIN, y + 18, words, 12, QUIET)
    return drawing.svg()


class Level(NamedTuple):
    name: str
    where: str
    groups: int  # boxes to draw
    how_many: str  # of n elements
    how: str  # it is made from the level above


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
        "Four levels. Each thread has a term in a register. Five shuffles make a sum for each warp, which goes to "
        "shared memory. After a barrier the first warp of each block adds these up by five shuffles. Each block adds "
        "its sum to the result by an atomic addition. Of n terms there are n / 32 sums of warps and n / 1024 sums of "
        "blocks.",
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


_TICKETS = (2, 0, 3, 1)  # of blocks 0 to 3: an order in which they may come


class Span(NamedTuple):
    """Something that a block does, in units of the time axis."""

    begin: int
    end: int
    what: str


def block_spans(block: int) -> list[Span]:
    """What thread 0 of a block does in 06_single_pass.cu, one after the other."""
    ticket = _TICKETS[block]
    durations = [(11 + 4 * ticket, "adds its terms"), (6, f"stores s{block}"), (5, "fence"), (6, f"ticket {ticket}")]
    if ticket == len(_TICKETS) - 1:
        sums = " + ".join(f"s{other}" for other in range(len(_TICKETS)))
        durations += [(5, "fence"), (15, sums)]
    begin, spans = 0, []
    for duration, what in durations:
        spans.append(Span(begin, begin + duration, what))
        begin += duration
    return spans


def last_ticket() -> str:
    left, top, row, unit = MARGIN + 70, 70, 48, 10.5
    last = _TICKETS.index(len(_TICKETS) - 1)
    drawing = Drawing(
        top + row * len(_TICKETS) + 62,
        "Stage 06: the block with the last ticket adds up the sums",
        "Four blocks over time. Each adds its terms, stores its sum, passes a fence and takes a ticket. Block 1 comes "
        f"first, with ticket 0, then blocks 3 and 0. Block {last} draws ticket 3, the last one. It passes another "
        "fence and adds the sums of blocks 0, 1, 2 and 3 in this order.",
    )
    for block in range(len(_TICKETS)):
        y = top + row * block
        drawing.text(MARGIN, y + 21, f"block {block}", 13, bold=block == last)
        for span in block_spans(block):
            x, width = left + unit * span.begin, unit * (span.end - span.begin) - 2
            is_fence, is_sum = span.what == "fence", "+" in span.what
            fill = tint(VERMILION, 0.25) if is_fence else tint(WARP_COLOURS[block], 0.75 if is_sum else 0.4)
            drawing.box(x, y, width, 32, fill, INK if is_sum else FAINT, 1.6 if is_sum else 1, radius=3)
            drawing.text(x + width / 2, y + 21, span.what, 12, anchor="middle")
    y = top + row * len(_TICKETS) + 16
    words = "Time goes to the right. A sum is stored and fenced before its ticket is taken, so the block with the last"
    drawing.text(MARGIN, y, words, 12, QUIET)
    words = "ticket finds all sums there. In which order the blocks come is chance."
    drawing.text(MARGIN, y + 18, words, 12, QUIET)
    return drawing.svg()
