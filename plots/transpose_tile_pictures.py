"""Pictures of ch3_transpose about tiles: how a tile is transposed, and the order of the blocks' tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from cli.pictures.svg_drawing import (
    Drawing,
    FAINT,
    INK,
    MARGIN,
    PAPER,
    QUIET,
    READ_COLOUR,
    VERMILION,
    WARP_COLOURS,
    WIDTH,
    WRITE_COLOUR,
    tint,
)
from transpose_layouts import (
    Cells,
    FLOAT_BYTES,
    TILE_DIM,
    Tile,
    mirrored,
    tile_along_rows,
    tile_down_columns,
    turn_tile,
)

_TURN_DIM = 4
_TURN_CELL = 32
_MATRIX_TILES = (3, 5)  # in `in`: down, across
_TURNED_TILE = (1, 3)


class TurnStep(NamedTuple):
    does: str
    code: str


TURN_STEPS = (
    TurnStep("a warp reads a row", "`in` at `in_row`, `in_col`"),
    TurnStep("a warp writes a row", "`tile[y][x]`"),
    TurnStep("a warp reads a column", "`tile[x][y]`"),
    TurnStep("a warp writes a row", "`out` at `out_row`, `out_col`"),
)


def tile_turn() -> str:
    drawing = Drawing(
        526,
        "Stage 02: the tile is transposed in shared memory",
        "Each warp of a block reads a row of a tile of in and writes it to a row of shared memory. After the barrier "
        "each warp reads a column of the shared tile, and writes it as a row of the mirrored tile of out.",
    )
    left, pitch, top = MARGIN, 192, 262
    side = _TURN_DIM * _TURN_CELL
    _draw_shared_memory(drawing, left + pitch, pitch + side, top, side)
    for position, (step, cells) in enumerate(zip(TURN_STEPS, turn_tile(_TURN_DIM), strict=True)):
        x = left + position * pitch
        _draw_cells(drawing, x, top, cells)
        drawing.text(x + side / 2, top + side + 62, step.does, 13, anchor="middle", bold=True)
        drawing.text(x + side / 2, top + side + 80, step.code, 12, QUIET, "middle")
        if position:
            drawing.arrow_right(x - pitch + side + 14, x - 14, top + side / 2)
    _draw_matrix(drawing, left + side / 2, 146, "in", _MATRIX_TILES, _TURNED_TILE, (left, top, side))
    out_left, out_tile = left + 3 * pitch, mirrored(_TURNED_TILE)
    _draw_matrix(drawing, out_left + side / 2, 146, "out", mirrored(_MATRIX_TILES), out_tile, (out_left, top, side))
    _draw_turn_text(drawing, WIDTH / 2)
    caption = f"Drawn with {_TURN_DIM} x {_TURN_DIM} for 32 x 32. Numbers are an element's row and column in the tile"
    drawing.text(MARGIN, 506, f"{caption} of `in`; `y` is the warp, `x` the lane.", 12, QUIET)
    return drawing.svg()


def _draw_shared_memory(drawing: Drawing, x: float, width: float, top: float, side: float) -> None:
    drawing.box(x - 22, top - 42, width + 44, side + 78, "#f3f5f7", FAINT, radius=6)
    drawing.text(x - 10, top - 22, "`tile`, in shared memory", 12)
    middle = x + width / 2
    drawing.line(middle, top - 8, middle, top + side + 8, VERMILION, 1.5, dashed=True)
    drawing.text(middle, top + side + 25, "__syncthreads()", 12, "#9c4500", "middle")


def _draw_cells(drawing: Drawing, x: float, y: float, cells: Cells) -> None:
    for (row, col), moved in sorted(cells.items()):
        fill = tint(WARP_COLOURS[moved.warp], 0.75)
        drawing.cell(x + col * _TURN_CELL, y + row * _TURN_CELL, _TURN_CELL, fill, f"{moved.r},{moved.c}", 12)
    drawing.box(x, y, _TURN_DIM * _TURN_CELL, _TURN_DIM * _TURN_CELL, stroke=INK, stroke_width=1.5)


def _draw_matrix(
    drawing: Drawing,
    middle: float,
    centre: float,
    name: str,
    tiles: tuple[int, int],
    tile: Tile,
    magnified: tuple[float, float, float],
) -> None:
    """The tiles of a matrix; lines lead from the block's tile to the magnified one: its left, top and side."""
    size = 22
    x, y = middle - tiles[1] * size / 2, centre - tiles[0] * size / 2
    tile_x, tile_y = x + tile[1] * size, y + tile[0] * size
    for row in range(tiles[0]):
        for col in range(tiles[1]):
            drawing.box(x + col * size, y + row * size, size, size, "#eceff2", PAPER, 1.5)
    drawing.text(middle, y - 8, f"`{name}`", 14, anchor="middle", bold=True)
    left, top, side = magnified
    drawing.line(tile_x, tile_y + size, left, top, "#aab1b9")
    drawing.line(tile_x + size, tile_y + size, left + side, top, "#aab1b9")
    for stripe in range(_TURN_DIM):
        height = size / _TURN_DIM
        drawing.box(tile_x, tile_y + stripe * height, size, height, tint(WARP_COLOURS[stripe], 0.75))
    drawing.box(tile_x, tile_y, size, size, stroke=INK, stroke_width=1.5)


def _draw_turn_text(drawing: Drawing, middle: float) -> None:
    row, col = (TILE_DIM * index for index in _TURNED_TILE)
    drawing.text(middle, 98, "One block moves one tile of 32 x 32 floats", 14, anchor="middle")
    drawing.text(middle, 120, f"from row {row}, column {col} of `in`", 14, anchor="middle")
    drawing.text(middle, 142, f"to row {col}, column {row} of `out`", 14, anchor="middle")
    pitch = 72
    for warp in range(_TURN_DIM):
        x = middle + pitch * (warp - _TURN_DIM / 2) + 4
        drawing.box(x, 170, 14, 14, tint(WARP_COLOURS[warp], 0.75), INK, 0.8)
        drawing.text(x + 20, 182, f"warp {warp}", 12)


_ORDER_TILES = 6
_RUNNING = range(6)  # the blocks that run at the same time
_ORDER_CELL = 25


class TileOrder(NamedTuple):
    name: str
    stages: str
    tile_of: Callable[[int, int, int], Tile]


TILE_ORDERS = (
    TileOrder("Blocks along rows of tiles", "stages 01 to 05", tile_along_rows),
    TileOrder("Blocks down columns of tiles", "from stage 06 on", tile_down_columns),
)


class Stretch(NamedTuple):
    """The contents of some tiles: the number of matrix rows, and the bytes of each row."""

    rows: int
    row_bytes: int


def stretch(tiles: Iterable[Tile]) -> Stretch:
    """Raises ValueError if the rows have different numbers of tiles."""
    tiles_in_row = Counter(row for row, _ in tiles)
    if len(set(tiles_in_row.values())) != 1:
        raise ValueError("rows of tiles differ in length")
    return Stretch(TILE_DIM * len(tiles_in_row), TILE_DIM * FLOAT_BYTES * max(tiles_in_row.values()))


def running_tiles(order: TileOrder) -> list[Tile]:
    return [order.tile_of(block, _ORDER_TILES, _ORDER_TILES) for block in _RUNNING]


def tile_order() -> str:
    writes = [stretch(map(mirrored, running_tiles(order))) for order in TILE_ORDERS]
    drawing = Drawing(
        384,
        f"Which tiles {len(_RUNNING)} blocks read and write at the same time",
        "Grids of tiles with the number of the block that moves each. With blocks along rows of tiles, those that "
        f"run together write {writes[0].row_bytes} bytes in each of {writes[0].rows} rows of out; with blocks down "
        f"columns of tiles, {writes[1].row_bytes} bytes in each of {writes[1].rows} rows.",
    )
    for position, order in enumerate(TILE_ORDERS):
        _draw_order(drawing, MARGIN + 374 * position, order)
    drawing.line(WIDTH / 2, 58, WIDTH / 2, 334, FAINT, 1)
    drawing.text(
        MARGIN,
        364,
        f"Squares are tiles of 32 x 32 floats, numbers are blockIdx.x, and coloured blocks run now. "
        f"Drawn with {_ORDER_TILES} x {_ORDER_TILES} tiles.",
        12,
        QUIET,
    )
    return drawing.svg()


def _draw_order(drawing: Drawing, x: float, order: TileOrder) -> None:
    drawing.text(x, 74, order.name, 14, bold=True)
    drawing.text(x, 92, order.stages, 12, QUIET)
    blocks = range(_ORDER_TILES**2)
    in_tiles = {order.tile_of(block, _ORDER_TILES, _ORDER_TILES): block for block in blocks}
    out_tiles = {mirrored(tile): block for tile, block in in_tiles.items()}
    side = _ORDER_TILES * _ORDER_CELL
    for left, name, does, tiles, colour in (
        (x, "in", "read", in_tiles, READ_COLOUR),
        (x + side + 30, "out", "write", out_tiles, WRITE_COLOUR),
    ):
        drawing.text(left + side / 2, 122, f"`{name}`", 14, anchor="middle", bold=True)
        _draw_tiles(drawing, left, 132, tiles, colour)
        held = stretch(tile for tile, block in tiles.items() if block in _RUNNING)
        drawing.text(left + side / 2, 306, f"{does} {held.row_bytes} bytes", 13, anchor="middle", bold=True)
        drawing.text(left + side / 2, 324, f"in each of {held.rows} rows", 13, anchor="middle")
    drawing.arrow_right(x + side + 5, x + side + 25, 132 + side / 2)


def _draw_tiles(drawing: Drawing, x: float, y: float, tiles: dict[Tile, int], colour: str) -> None:
    for (row, col), block in sorted(tiles.items()):
        running = block in _RUNNING
        fill = colour if running else "#eceff2"
        left, top = x + col * _ORDER_CELL, y + row * _ORDER_CELL
        drawing.cell(left, top, _ORDER_CELL, fill, str(block), 12, INK if running else QUIET)
    drawing.box(x, y, _ORDER_TILES * _ORDER_CELL, _ORDER_TILES * _ORDER_CELL, stroke=INK)
