"""Pictures of ch9_embedding, stage 07: sums that rotate among lanes, and pairs of tiles. Formulas as in the stage."""

from __future__ import annotations

import math
from typing import NamedTuple

from cli.pictures.svg_drawing import (
    INK,
    MARGIN,
    PAPER,
    QUIET,
    WARP_COLOURS,
    Drawing,
    tint,
)

_LANES = 4  # drawn instead of 32


class Carried(NamedTuple):
    """The sum of one other point, and the lanes whose points have pushed it so far."""

    other: int
    pushed_by: tuple[int, ...]


def slot_read(lane: int, step: int) -> int:
    """The lane's index into shared memory: others[threadIdx.x + step]."""
    return lane + step


def round_of_sums(lanes: int) -> list[list[Carried]]:
    """The sum that each lane has after the pushes of each step; the last entry is after the sums are back.

    Raises ValueError if the sum of a lane does not belong to its other.
    """
    others = [*range(lanes), *range(lanes)]
    travelling = [Carried(lane, ()) for lane in range(lanes)]
    states = []
    for step in range(lanes):
        for lane in range(lanes):
            if travelling[lane].other != others[slot_read(lane, step)]:
                raise ValueError(f"lane {lane} adds to the sum of a different other")
        pushed = [Carried(other, (*by, lane)) for lane, (other, by) in enumerate(travelling)]
        states.append(pushed)
        travelling = [pushed[(lane + 1) % lanes] for lane in range(lanes)]  # __shfl_sync(.., threadIdx.x + 1)
    return [*states, travelling]


def sums_go_round() -> str:
    """Stage 07: a warp's own points, and the sums of 4 other points (instead of 32)."""
    states = round_of_sums(_LANES)
    left, pitch, width, row = 130, 148, 132, 76
    drawing = Drawing(
        562,
        "Stage 07: the sums of the other points move from lane to lane",
        "Four lanes instead of 32. In step 0 each lane pushes the other point with the lane's number. Then each lane "
        "gets the sum of the next lane, and loads the point that belongs to it. After four steps all lanes have added "
        "to each sum, and it is back in the lane where it started.",
    )
    for lane in range(_LANES):
        x = left + pitch * lane
        drawing.text(x + width / 2, 70, f"lane {lane}", 14, anchor="middle", bold=True)
    for number, state in enumerate(states):
        top = 84 + row * number
        is_end = number == _LANES
        drawing.text(MARGIN, top + 28, "back again" if is_end else f"step {number}", 13, bold=True)
        for lane, carried in enumerate(state):
            x = left + pitch * lane
            colour = WARP_COLOURS[carried.other]
            share = 0.12 + 0.14 * len(carried.pushed_by)
            drawing.box(x, top, width, 46, tint(colour, share), INK if is_end else QUIET, radius=4)
            drawing.text(x + width / 2, top + 19, f"sum of other {carried.other}", 13, anchor="middle")
            words = f"pushed by {', '.join(map(str, carried.pushed_by))}"
            drawing.text(x + width / 2, top + 37, words, 12, anchor="middle")
            if not is_end:
                drawing.arrow(x + 30, top + 49, x - 32, top + row - 3)
        if not is_end:
            drawing.arrow(left + pitch * _LANES + 20, top + 49, left + pitch * _LANES - 32, top + row - 3)
            drawing.text(MARGIN, top + 62, "to lane 3", 12, QUIET)
    _draw_others_twice(drawing, 84 + row * len(states) + 8)
    words = "Each lane keeps its own points. Drawn with 4 lanes and 4 steps instead of 32 lanes and 32 steps."
    drawing.text(MARGIN, 544, words, 12, QUIET)
    return drawing.svg()


def _draw_others_twice(drawing: Drawing, top: float) -> None:
    """The other points in shared memory, and those that the last lane reads."""
    left, size, lane = 290, 34, _LANES - 1
    drawing.text(MARGIN, top + 14, "others in shared memory,", 13)
    drawing.text(MARGIN, top + 32, "twice, so that no index wraps around:", 13)
    loaded = [slot_read(lane, step) for step in range(_LANES)]
    for slot in range(2 * _LANES):
        drawing.cell(left + size * slot, top, size, tint(WARP_COLOURS[slot % _LANES], 0.5), str(slot % _LANES), 14)
    drawing.box(left + size * loaded[0], top, size * _LANES, size, stroke=INK, stroke_width=2)
    drawing.text(left + size * 2 * _LANES + 12, top + 22, f"framed: those of lane {lane}", 12)


def tiles_of_block(block: int, tiles: int) -> tuple[int, int]:
    """The two tiles of a block, as in stage 07."""
    row = block % tiles
    return row, (row + block // tiles) % tiles


def blocks_of(tiles: int) -> int:
    """The number of blocks, as in stage 07."""
    return tiles * (tiles + 1) // 2


_TILES = 6


def tiles_meet() -> str:
    """Stage 07: the pairs of tiles, on a circle and as a table."""
    blocks = blocks_of(_TILES)
    drawing = Drawing(
        372,
        f"Stage 07: {_TILES} tiles make {blocks} pairs, with one block each",
        f"{_TILES} tiles form a circle. Each is paired with itself and with the next two tiles; half of them are also "
        "paired with the opposite tile. A table shows the two tiles of each block: block b has tile "
        f"b % {_TILES} and the tile b / {_TILES} further on.",
    )
    _draw_circle(drawing, MARGIN + 130, 200, 104)
    left, top, width, height = 390, 110, 57, 48
    drawing.text(left, 74, "`row` = b % 6", 13)
    for tile in range(_TILES):
        drawing.text(left + width * (tile + 0.5), top - 12, str(tile), 13, anchor="middle", bold=True)
    words = ("itself", "1 further on", "2 further on", "3 further on")
    for distance in range(math.ceil(blocks / _TILES)):
        drawing.text(left - 10, top + height * distance + 28, words[distance], 12, anchor="end")
    for block in range(blocks):
        row, col = tiles_of_block(block, _TILES)
        distance = block // _TILES
        x, y = left + width * row, top + height * distance
        drawing.box(x, y, width - 3, height - 3, tint(WARP_COLOURS[distance], 0.5), radius=3)
        drawing.text(x + (width - 3) / 2, y + 19, f"{row} and {col}", 12, anchor="middle")
        drawing.text(x + (width - 3) / 2, y + 37, f"b = {block}", 12, QUIET, "middle")
    note = "The last row is half as long: with an even number of tiles, opposite tiles form one pair, not two."
    drawing.text(MARGIN, 352, note, 12, QUIET)
    return drawing.svg()


def _draw_circle(drawing: Drawing, middle_x: float, middle_y: float, radius: float) -> None:
    centres = []
    for tile in range(_TILES):
        angle = 2 * math.pi * tile / _TILES - math.pi / 2
        centres.append((middle_x + radius * math.cos(angle), middle_y + radius * math.sin(angle)))
    for block in range(_TILES, blocks_of(_TILES)):
        row, col = tiles_of_block(block, _TILES)
        drawing.line(*centres[row], *centres[col], tint(WARP_COLOURS[block // _TILES], 0.9), 3)
    for tile, (x, y) in enumerate(centres):
        drawing.box(x - 17, y - 17, 34, 34, tint(WARP_COLOURS[0], 0.5), PAPER, 2, radius=17)
        drawing.text(x, y + 5, str(tile), 14, anchor="middle", bold=True)
