"""Pictures of ch6_matmul and ch11_tensor_cores: the operands of a block, and the elements of a thread and of a lane.
Formulas as in the stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from cli.pictures.svg_drawing import (
    BLUE,
    FAINT,
    INK,
    MARGIN,
    ORANGE,
    PAPER,
    QUIET,
    SKY,
    VERMILION,
    WARP_COLOURS,
    WIDTH,
    Drawing,
    tint,
)

_EMPTY = "#eceff2"

STEP_TILE_DIM = 32  # kTileDim of stage 02
_TILES_M, _TILES_N, _TILES_K = 3, 4, 4
_BLOCK = 6


def tile_of_block(block: int, tiles_across: int) -> tuple[int, int]:
    """Row and column of the block's tile of c, in tiles, as in stage 02: blocks are counted along x first."""
    return block // tiles_across, block % tiles_across


def tile_and_strips() -> str:
    """Stage 02: a tile of c, and the strips of a and b that it needs, step by step."""
    row, col = tile_of_block(_BLOCK, _TILES_N)
    drawing = Drawing(
        424,
        "Stage 02: a tile of c needs a strip of a and a strip of b",
        f"Block {_BLOCK} computes the tile in row {row} and column {col} of the tiles of c. It needs row {row} of the "
        f"tiles of a and column {col} of the tiles of b, {_TILES_K} tiles each. In each step along k it copies "
        "one tile of each into shared memory, and adds their product to its tile of c.",
    )
    size = 32
    left, top = MARGIN + _TILES_K * size + 26, 88 + _TILES_K * size + 34
    a_left, b_top = MARGIN, 88

    def step_colour(step: int) -> str:
        return tint(WARP_COLOURS[step], 0.7)

    a_strip = {(row, step): step for step in range(_TILES_K)}
    b_strip = {(step, col): step for step in range(_TILES_K)}
    for name, x, y, rows, cols, strip in (
        ("a", a_left, top, _TILES_M, _TILES_K, a_strip),
        ("b", left, b_top, _TILES_K, _TILES_N, b_strip),
        ("c", left, top, _TILES_M, _TILES_N, {}),
    ):
        drawing.text(x + cols * size / 2, y - 9, f"`{name}`", 14, anchor="middle", bold=True)
        for r in range(rows):
            for c in range(cols):
                step = strip.get((r, c))
                drawing.box(x + size * c, y + size * r, size, size, _EMPTY, PAPER)
                if step is not None:
                    number = str(STEP_TILE_DIM * step)
                    drawing.cell(x + size * c, y + size * r, size, step_colour(step), number, 13)
    drawing.box(left + size * col, top + size * row, size, size, PAPER, INK, 2)
    middle_x, middle_y = left + size * (col + 0.5), top + size * (row + 0.5)
    drawing.line(left - 24, middle_y, left + size * col - 3, middle_y, dashed=True)
    drawing.line(middle_x, b_top + size * _TILES_K + 3, middle_x, top + size * row - 3, dashed=True)
    _draw_steps(drawing, 372, 92, step_colour)
    m, n, k = (STEP_TILE_DIM * tiles for tiles in (_TILES_M, _TILES_N, _TILES_K))
    words = f"A square is a tile of {STEP_TILE_DIM} x {STEP_TILE_DIM}, its number is the `step` that copies it."
    drawing.text(MARGIN, 402, f"{words} Block {_BLOCK} of m = {m}, n = {n}, k = {k}.", 12, QUIET)
    return drawing.svg()


def _draw_steps(drawing: Drawing, left: float, top: float, colour: Callable[[int], str]) -> None:
    """One row per step: the tiles in shared memory, and the sum that their product is added to."""
    size, pitch = 40, 66
    drawing.box(left, top - 30, 212, pitch * _TILES_K + 30, "#f3f5f7", FAINT, radius=6)
    drawing.text(left + 106, top - 12, "shared memory, step by step", 12, anchor="middle")
    drawing.text(left + 76, top + 8, "`a_tile`", 12, anchor="middle")
    drawing.text(left + 150, top + 8, "`b_tile`", 12, anchor="middle")
    sums_left = WIDTH - MARGIN - 72
    sums_top = top + 20 + pitch * _TILES_K / 2 - 36 - (pitch - size) / 2
    for step in range(_TILES_K):
        y = top + 20 + pitch * step
        for x in (left + 56, left + 130):
            drawing.cell(x, y, size, colour(step), str(STEP_TILE_DIM * step), 14)
        drawing.text(left + 113, y + 26, "\u00d7", 16, anchor="middle")
        drawing.arrow(left + 176, y + size / 2, sums_left - 4, sums_top + 15 + 14 * step)
    drawing.box(sums_left, sums_top, 72, 72, PAPER, INK, 2)
    drawing.text(sums_left + 36, sums_top + 41, "+=", 16, anchor="middle", code=True)
    drawing.text(sums_left + 36, sums_top + 92, "tile of `c`:", 12, anchor="middle")
    drawing.text(sums_left + 36, sums_top + 108, "a `sum` in", 12, anchor="middle")
    drawing.text(sums_left + 36, sums_top + 124, "each thread", 12, anchor="middle")


TILE_DIM = 128  # side of a tile of c, from stage 03 on
THREAD_TILE = 8
BLOCK_DIM = TILE_DIM // THREAD_TILE
FLOATS_OF_VECTOR = 4  # kWidth<float>
LANES = 32


def place_apart(thread: int, i: int) -> int:
    """Row or column of a thread's element i, as in stage 03."""
    return thread + i * BLOCK_DIM


def place_in_groups(thread: int, i: int) -> int:
    """Row or column of a thread's element i, as in stages 04 to 08, of floats."""
    width = FLOATS_OF_VECTOR
    return thread * width + i // width * width * BLOCK_DIM + i % width


class ThreadTile(NamedTuple):
    stages: str
    a_part: str
    place: Callable[[int, int], int]


THREAD_TILES = (
    ThreadTile("Stage 03", "column p of `a_tile`", place_apart),
    ThreadTile("Stages 04 to 08", "row p of `a_tile`, transposed", place_in_groups),
)
_THREAD = 53


def runs(places: Iterable[int]) -> list[tuple[int, int]]:
    """The first position and the length of each run of consecutive positions."""
    found: list[tuple[int, int]] = []
    for place in sorted(places):
        if found and sum(found[-1]) == place:
            found[-1] = found[-1][0], found[-1][1] + 1
        else:
            found.append((place, 1))
    return found


def register_tile() -> str:
    """Stages 03 and 04: which elements of the block's tile a thread and its warp compute."""
    thread_row, thread_col, warp = _THREAD // BLOCK_DIM, _THREAD % BLOCK_DIM, _THREAD // LANES
    drawing = Drawing(
        470,
        f"Which elements of its block's tile thread {_THREAD} computes",
        f"Thread {_THREAD} has row {thread_row} and column {thread_col} of the threads. In stage 03 its 64 elements "
        "are 16 rows and 16 columns apart. In stages 04 to 08 they are four squares of 4 x 4. For one p it loads 8 "
        "values of a_tile and 8 of b_tile: in stage 03 one at a time, then in two groups of four each.",
    )
    scale = 2.25
    side = scale * TILE_DIM
    for number, (stages, a_part, place) in enumerate(THREAD_TILES):
        left, top = MARGIN + 34 + number * (side + 84), 118
        drawing.text(left, 72, stages, 14, bold=True)
        drawing.text(left + side, 92, "row p of `b_tile`", 12, QUIET, "end")
        drawing.text(left - 23, top + side / 2, a_part, 12, QUIET, "middle", upwards=True)
        rows = runs(place(thread_row, i) for i in range(THREAD_TILE))
        cols = runs(place(thread_col, j) for j in range(THREAD_TILE))
        first_row = warp * LANES // BLOCK_DIM
        of_warp = runs(place(first_row + r, i) for r in range(LANES // BLOCK_DIM) for i in range(THREAD_TILE))
        _draw_thread_tile(drawing, left, top, scale, rows, cols, of_warp)
        loads, bytes_each = len(rows) + len(cols), 4 * rows[0][1]
        drawing.text(left, top + side + 22, f"{loads} loads of {bytes_each} bytes", 13, bold=True)
        drawing.text(left + 154, top + side + 22, f"for {THREAD_TILE**2} multiply-adds", 13)
    drawing.box(MARGIN, 442, 12, 12, BLUE)
    drawing.text(MARGIN + 18, 453, f"thread {_THREAD}: row {thread_row}, column {thread_col} of the threads", 12)
    drawing.box(MARGIN + 296, 442, 12, 12, tint(SKY, 0.35))
    drawing.text(MARGIN + 314, 453, f"all of warp {warp}", 12)
    drawing.text(MARGIN + 420, 453, f"{TILE_DIM} x {TILE_DIM} elements, to scale", 12, QUIET)
    return drawing.svg()


def _draw_thread_tile(
    drawing: Drawing,
    left: float,
    top: float,
    scale: float,
    rows: list[tuple[int, int]],
    cols: list[tuple[int, int]],
    rows_of_warp: list[tuple[int, int]],
) -> None:
    """The block's tile of c, the column of a_tile on the left and the row of b_tile above, with marked runs."""
    side, strip, grow = scale * TILE_DIM, 9, 0.6  # marks are a little larger, so that they are visible
    drawing.box(left, top, side, side, "#f3f5f7")
    for first, length in rows_of_warp:
        drawing.box(left, top + scale * first, side, scale * length, tint(SKY, 0.35))
    drawing.box(left - strip - 6, top, strip, side, "#f3f5f7", FAINT)
    drawing.box(left, top - strip - 6, side, strip, "#f3f5f7", FAINT)

    def mark(x: float, y: float, width: float, height: float, colour: str) -> None:
        drawing.box(x - grow, y - grow, width + 2 * grow, height + 2 * grow, colour)

    for row, height in rows:
        mark(left - strip - 6, top + scale * row, strip, scale * height, ORANGE)
        for col, width in cols:
            mark(left + scale * col, top + scale * row, scale * width, scale * height, BLUE)
    for col, width in cols:
        mark(left + scale * col, top - strip - 6, scale * width, strip, ORANGE)
    drawing.box(left, top, side, side, stroke=INK)


class Fragment(NamedTuple):
    """A matrix of mma.sync: the element (row, column) in each register of each lane."""

    name: str
    rows: int
    cols: int
    elements: Callable[[int, int], tuple[tuple[int, int], ...]]  # function of g = lane / 4 and t = lane % 4


# As in mma.h.
FRAGMENTS = (
    Fragment("a", 16, 8, lambda g, t: ((g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4))),
    Fragment("b", 8, 8, lambda g, t: ((t, g), (t + 4, g))),
    Fragment("c", 16, 8, lambda g, t: ((g, 2 * t), (g, 2 * t + 1), (g + 8, 2 * t), (g + 8, 2 * t + 1))),
)
_LANE = 22


def holders(fragment: Fragment) -> dict[tuple[int, int], tuple[int, int]]:
    """The lane and the register that hold each element of the matrix."""
    return {
        element: (lane, register)
        for lane in range(LANES)
        for register, element in enumerate(fragment.elements(lane // 4, lane % 4))
    }


def fragments() -> str:
    """Chapter 11, stage 01: the lane of each element."""
    drawing = Drawing(
        526,
        "Stage 01: which lane holds which element of a small product",
        "Three matrices of lane numbers: a with 16 x 8 elements, b with 8 x 8 and c with 16 x 8. Each lane "
        f"has four elements of a, two of b and four of c. Those of lane {_LANE} are marked with their registers.",
    )
    cell, top = 24, 96
    pitch = (WIDTH - 2 * MARGIN - 8 * cell) / 2
    for number, fragment in enumerate(FRAGMENTS):
        left = MARGIN + pitch * number
        words = f"`{fragment.name}`: {fragment.rows} x {fragment.cols}"
        drawing.text(left + 4 * cell, 80, words, 14, anchor="middle", bold=True)
        for (row, col), (lane, register) in sorted(holders(fragment).items()):
            x, y = left + cell * col, top + cell * row
            if lane == _LANE:
                drawing.cell(x, y, cell, VERMILION, f"{fragment.name}{register}", 12, PAPER)
            else:
                drawing.cell(x, y, cell, tint(WARP_COLOURS[lane % 4], 0.45), str(lane), 11)
        drawing.box(left, top, fragment.cols * cell, fragment.rows * cell, stroke=INK)
    left, y = MARGIN + pitch, top + 8 * cell + 34
    g, t = _LANE // 4, _LANE % 4
    drawing.text(left, y, f"lane {_LANE}", 14, VERMILION, bold=True)
    drawing.text(left, y + 24, f"g = {_LANE} / 4 = {g}", 13, code=True)
    drawing.text(left, y + 44, f"t = {_LANE} % 4 = {t}", 13, code=True)
    drawing.text(left, y + 74, "a0 to a3, b0 and b1,", 13)
    drawing.text(left, y + 93, "c0 to c3: its registers", 13)
    drawing.text(MARGIN, 508, "A number is the lane that holds the element. The colour depends on t.", 12, QUIET)
    return drawing.svg()


def tile_in_band(block: int, tiles_down: int, tiles_across: int, band_height: int) -> tuple[int, int]:
    """Row and column of the block's tile, in tiles, as in tile_order.h."""
    band, in_band = divmod(block, band_height * tiles_across)
    first_row = band * band_height
    height = min(band_height, tiles_down - first_row)
    return first_row + in_band % height, in_band // height


def strips_of(tiles: Iterable[tuple[int, int]]) -> tuple[set[int], set[int]]:
    """The rows of tiles of a, and the columns of tiles of b, that these tiles of c need."""
    rows, cols = zip(*tiles)
    return set(rows), set(cols)


_BAND_TILES, _BAND_HEIGHT, _RUNNING = 8, 4, 12


def tile_bands() -> str:
    """Stage 09: the tiles that blocks compute at the same time, and the strips of a and b that they need."""
    blocks = range(_BAND_TILES**2)
    orders = (
        ("Along rows, up to stage 08", [tile_of_block(block, _BAND_TILES) for block in blocks]),
        ("In bands, stage 09", [tile_in_band(block, _BAND_TILES, _BAND_TILES, _BAND_HEIGHT) for block in blocks]),
    )
    strips = [strips_of(tiles[:_RUNNING]) for _, tiles in orders]
    needed = [len(rows) + len(cols) for rows, cols in strips]
    drawing = Drawing(
        406,
        f"{_RUNNING} blocks at the same time: which strips of a and b they need",
        f"Two grids of {_BAND_TILES} x {_BAND_TILES} tiles of c with the numbers of their blocks. With blocks along "
        f"rows, the first {_RUNNING} need {needed[0]} strips of a and b. In bands of {_BAND_HEIGHT} tiles they cover "
        f"nearly a square, and need {needed[1]}.",
    )
    for number, (name, tiles) in enumerate(orders):
        left = MARGIN + 32 + 366 * number
        drawing.text(left, 72, name, 14, bold=True)
        _draw_running_tiles(drawing, left, 116, tiles)
        words = f"{needed[number]} strips"
        drawing.text(left + _BAND_CELL * _BAND_TILES / 2, 367, words, 13, anchor="middle", bold=True)
    words = "Blue: tiles of `c` whose blocks run. Orange: strips that they need."
    drawing.text(MARGIN, 390, f"{words} Drawn with bands {_BAND_HEIGHT} tiles high for 16.", 12, QUIET)
    return drawing.svg()


_BAND_CELL = 29


def _draw_running_tiles(drawing: Drawing, left: float, top: float, tiles: list[tuple[int, int]]) -> None:
    """The tiles of c by block, with the strips of a on the left and those of b above."""
    cell, strip = _BAND_CELL, 14
    rows, cols = strips_of(tiles[:_RUNNING])
    for block, (row, col) in enumerate(tiles):
        fill, colour = (tint(SKY, 0.8), INK) if block < _RUNNING else (_EMPTY, QUIET)
        drawing.cell(left + cell * col, top + cell * row, cell, fill, str(block), 12, colour)
    for place in range(_BAND_TILES):
        of_a, of_b = (ORANGE if place in needed else _EMPTY for needed in (rows, cols))
        drawing.box(left - strip - 6, top + cell * place, strip, cell, of_a, PAPER)
        drawing.box(left + cell * place, top - strip - 6, cell, strip, of_b, PAPER)
    drawing.text(left - 28, top + cell * _BAND_TILES / 2, "`a`", 13, anchor="middle")
    drawing.text(left + cell * _BAND_TILES / 2, top - 25, "`b`", 13, anchor="middle")
