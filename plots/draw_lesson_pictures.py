#!/usr/bin/env python3
"""Draws the pictures of a chapter's lesson, from the index formulas of its stages.

    python3 plots/draw_lesson_pictures.py ch3_transpose            writes chapters/ch3_transpose/pictures/*.svg
    python3 plots/draw_lesson_pictures.py ch3_transpose --check    exits 1 when a picture is out of step
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]


# ---- What the stages compute ----

WARP_SIZE = 32  # lanes; as many as the tile is wide, and as there are banks
TILE_DIM = 32
FLOAT_BYTES = 4
SECTOR_BYTES = 32


def naive_read_bytes(row: int, first_col: int, cols: int) -> list[int]:
    """The byte in `in` at which each lane of a warp of stage 01 reads."""
    return [FLOAT_BYTES * (row * cols + first_col + lane) for lane in range(WARP_SIZE)]


def naive_write_bytes(row: int, first_col: int, rows: int) -> list[int]:
    """The byte in `out` at which each lane of that warp writes."""
    return [FLOAT_BYTES * ((first_col + lane) * rows + row) for lane in range(WARP_SIZE)]


def sectors(addresses: Iterable[int]) -> list[int]:
    """The numbers of the sectors that a request touches."""
    return sorted({address // SECTOR_BYTES for address in addresses})


Layout = Callable[[int, int, int], int]  # (r, c, tile width) -> where the float lies in the tile


def plain(r: int, c: int, dim: int) -> int:
    return r * dim + c


def padded(r: int, c: int, dim: int) -> int:
    return r * (dim + 1) + c


def swizzled(r: int, c: int, dim: int) -> int:
    return r * dim + (c ^ r)


def banks_down_column(layout: Layout, c: int, dim: int = TILE_DIM) -> list[int]:
    """The bank that each lane meets when a warp reads column c; there are as many banks as columns."""
    return [layout(r, c, dim) % dim for r in range(dim)]


def banks_along_row(layout: Layout, r: int, dim: int = TILE_DIM) -> list[int]:
    return [layout(r, c, dim) % dim for c in range(dim)]


def passes(banks: Iterable[int]) -> int:
    """A bank gives one float a pass, so the busiest bank decides."""
    return max(Counter(banks).values())


class Moved(NamedTuple):
    """What lies in a cell: an element, by its place in the tile of `in`, and the warp that moved it."""

    r: int
    c: int
    warp: int


Cells = dict[tuple[int, int], Moved]


def turn_tile(dim: int) -> tuple[Cells, Cells, Cells, Cells]:
    """Cells of `in`, of the tile as written, of the tile as read, and of `out`, in stage 02."""
    threads = [(y, x) for y in range(dim) for x in range(dim)]
    read_in = {(y, x): Moved(y, x, warp=y) for y, x in threads}
    tile = {(y, x): read_in[y, x] for y, x in threads}  # tile[threadIdx.y][threadIdx.x]
    read_tile = {(x, y): tile[x, y]._replace(warp=y) for y, x in threads}  # tile[threadIdx.x][threadIdx.y]
    out = {(y, x): read_tile[x, y] for y, x in threads}
    return read_in, tile, read_tile, out


Tile = tuple[int, int]  # row and column, counted in tiles


def tile_along_rows(block: int, tiles_down: int, tiles_across: int) -> Tile:
    """The tile of `in` that block blockIdx.x moves in stages 01 to 05."""
    return block // tiles_across, block % tiles_across


def tile_down_columns(block: int, tiles_down: int, tiles_across: int) -> Tile:
    """The same from stage 06 on."""
    return block % tiles_down, block // tiles_down


def mirrored(tile: Tile) -> Tile:
    return tile[1], tile[0]


# ---- SVG ----

WIDTH = 760
MARGIN = 28
INK = "#1f2328"
QUIET = "#57606a"
FAINT = "#c9ced4"
PAPER = "#ffffff"
FONT = "Helvetica Neue, Helvetica, Arial, Liberation Sans, DejaVu Sans, sans-serif"

# Okabe and Ito's colours, which differ to colour-blind eyes too.
BLUE, SKY, GREEN, YELLOW = "#0072b2", "#56b4e9", "#009e73", "#f0e442"
ORANGE, VERMILION, PURPLE, GREY = "#e69f00", "#d55e00", "#cc79a7", "#999999"
BANK_COLOURS = (SKY, ORANGE, GREEN, YELLOW, BLUE, VERMILION, PURPLE, GREY)
WARP_COLOURS = (SKY, ORANGE, GREEN, PURPLE)
READ_COLOUR, WRITE_COLOUR = SKY, ORANGE


def tint(colour: str, share: float) -> str:
    """That share of the colour on white."""
    channels = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - channel)):02x}" for channel in channels)


class Drawing:
    """A white card, which stays legible on a dark page. In texts, `names` of the program are set in italics."""

    def __init__(self, height: int, title: str, description: str) -> None:
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
            f'viewBox="0 0 {WIDTH} {height}" role="img" aria-labelledby="title description" font-family="{FONT}">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="description">{escape(description)}</desc>',
        ]
        self.box(0.5, 0.5, WIDTH - 1, height - 1, PAPER, "#d0d7de", radius=8)
        self.text(MARGIN, 38, title, 17, bold=True)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str = "none",
        stroke: str = "none",
        stroke_width: float = 1,
        radius: float = 0,
        dashed: bool = False,
    ) -> None:
        self._lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="{fill}" stroke="{stroke}" '
            f'stroke-width="{stroke_width:g}"'
            + (f' rx="{radius:g}"' if radius else "")
            + (' stroke-dasharray="3 3"' if dashed else "")
            + "/>"
        )

    def cell(self, x: float, y: float, size: float, fill: str, label: str, font_size: float, colour: str = INK) -> None:
        """A square with a label in its middle."""
        self.box(x, y, size, size, fill, PAPER)
        self.text(x + size / 2, y + size / 2 + 0.36 * font_size, label, font_size, colour, "middle")

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float = 13,
        colour: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        content = re.sub(r"`(.+?)`", r'<tspan font-style="italic">\1</tspan>', escape(words))
        self._lines.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{colour}" text-anchor="{anchor}"'
            + (' font-weight="bold"' if bold else "")
            + f">{content}</text>"
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str = QUIET, width: float = 1.2, dashed: bool = False
    ) -> None:
        self._lines.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" stroke-width="{width:g}"'
            + (' stroke-dasharray="3 3"' if dashed else "")
            + "/>"
        )

    def arrow_right(self, x1: float, x2: float, y: float, colour: str = QUIET) -> None:
        self.line(x1, y, x2 - 7, y, colour, 2)
        self._arrow_head(((x2, y), (x2 - 9, y - 5), (x2 - 9, y + 5)), colour)

    def arrow_down(self, x: float, y1: float, y2: float, colour: str = QUIET) -> None:
        self.line(x, y1, x, y2 - 5, colour, 1.5)
        self._arrow_head(((x, y2), (x - 4, y2 - 7), (x + 4, y2 - 7)), colour)

    def _arrow_head(self, corners: Iterable[tuple[float, float]], colour: str) -> None:
        points = " ".join(f"{x:g},{y:g}" for x, y in corners)
        self._lines.append(f'<polygon points="{points}" fill="{colour}"/>')

    def svg(self) -> str:
        return "\n".join([*self._lines, "</svg>"]) + "\n"


# ---- warp_requests.svg ----

_ROWS, _COLS = 2048, 4096  # the matrix `in` of the example
_ROW = 2  # of `in`, which the warp reads from column 0 on
_FLOATS = SECTOR_BYTES // FLOAT_BYTES  # in a sector
_LANE = 22  # side of a float's square; 32 of them fill the card from margin to margin


def warp_requests() -> str:
    reads, writes = naive_read_bytes(_ROW, 0, _COLS), naive_write_bytes(_ROW, 0, _ROWS)
    asked = WARP_SIZE * FLOAT_BYTES
    read_count, write_count = len(sectors(reads)), len(sectors(writes))
    read_verdict = f"{read_count} sectors, {_used(asked, read_count * SECTOR_BYTES)}"
    write_verdict = f"{write_count} sectors, {_used(asked, write_count * SECTOR_BYTES)}"
    drawing = Drawing(
        482,
        "Stage 01: one warp reads along a row and writes down a column",
        f"The 32 lanes of a warp read 32 neighbouring floats in a row of in: {read_verdict}. They write 32 floats "
        f"below each other in a column of out, each in a sector of its own: {write_verdict}.",
    )
    _heading(drawing, 76, READ_COLOUR, f"Read: 32 lanes along row {_ROW} of `in`", read_verdict)
    _draw_reads(drawing, 94, reads)
    _heading(drawing, 184, WRITE_COLOUR, f"Write: 32 lanes down column {_ROW} of `out`", write_verdict)
    _draw_writes(drawing, 202, writes)
    _draw_sectors_moved(drawing, 464, 256, writes)
    drawing.text(
        MARGIN, 460, "Squares are floats, numbers are lanes, and black frames are sectors of 32 bytes.", 12, QUIET
    )
    return drawing.svg()


def _used(used: int, moved: int) -> str:
    return f"all {moved} bytes used" if used == moved else f"{used} of {moved} bytes used"


def _heading(drawing: Drawing, y: float, colour: str, words: str, verdict: str) -> None:
    drawing.box(MARGIN, y - 12, 14, 14, colour)
    drawing.text(MARGIN + 22, y, words, 14)
    drawing.text(WIDTH - MARGIN, y, verdict, 14, anchor="end", bold=True)


def _draw_sector(drawing: Drawing, x: float, y: float, lanes: dict[int, int], colour: str) -> None:
    """lanes: the lane that asks for each float of the sector, where one does."""
    for place in range(_FLOATS):
        asked = place in lanes
        drawing.cell(
            x + place * _LANE, y, _LANE, colour if asked else "#eceff2", str(lanes[place]) if asked else "", 11
        )
    drawing.box(x, y, _FLOATS * _LANE, _LANE, stroke=INK, stroke_width=1.8)


def _lanes_of(sector: int, addresses: list[int]) -> dict[int, int]:
    return {
        address % SECTOR_BYTES // FLOAT_BYTES: lane
        for lane, address in enumerate(addresses)
        if address // SECTOR_BYTES == sector
    }


def _draw_reads(drawing: Drawing, y: float, reads: list[int]) -> None:
    width = _FLOATS * _LANE
    for position, sector in enumerate(sectors(reads)):
        x = MARGIN + position * width
        lanes = _lanes_of(sector, reads)
        _draw_sector(drawing, x, y, lanes, READ_COLOUR)
        first = sector * SECTOR_BYTES - reads[0]
        used = "all used" if len(lanes) == _FLOATS else f"{FLOAT_BYTES * len(lanes)} used"
        drawing.text(x + width / 2, y + 40, f"bytes {first} to {first + SECTOR_BYTES - 1}, {used}", 12, QUIET, "middle")


def _draw_writes(drawing: Drawing, top: float, writes: list[int]) -> None:
    x, pitch = MARGIN + 62, 41
    row_bytes = _ROWS * FLOAT_BYTES
    shown = (0, 1, 2, 3, WARP_SIZE - 1)
    for position, lane in enumerate(shown):
        y = top + pitch * (position if lane < 4 else position + 0.7)
        _draw_rest_of_row(drawing, x + _FLOATS * _LANE, y)
        drawing.text(x - 12, y + 15, f"row {writes[lane] // row_bytes}", 12, QUIET, "end")
        sector = writes[lane] // SECTOR_BYTES
        _draw_sector(drawing, x, y, _lanes_of(sector, writes), WRITE_COLOUR)
    column = x + (_ROW + 0.5) * _LANE
    for position in range(3):
        drawing.arrow_down(column, top + pitch * position + _LANE + 2, top + pitch * (position + 1) - 2, VERMILION)
    drawing.text(column + 12, top + 35.5, f"{writes[1] - writes[0]} bytes further on", 11, "#9c4500")
    for dot in range(3):
        drawing.box(column - 1.5, top + pitch * 3 + _LANE + 13 + 8 * dot, 3, 3, INK)
    more = f"{len(writes) - len(shown)} more rows, one sector each"
    drawing.text(column + 12, top + pitch * 3 + _LANE + 26.5, more, 12, QUIET)


def _draw_rest_of_row(drawing: Drawing, x: float, y: float) -> None:
    """The floats beside the sector, which this request leaves alone."""
    for place in range(4):
        drawing.box(x + place * _LANE, y, _LANE, _LANE, PAPER, "#e3e6ea")
    drawing.text(x + 4 * _LANE + 8, y + 13, "\u2026", 13, QUIET)


def _draw_sectors_moved(drawing: Drawing, x: float, y: float, writes: list[int]) -> None:
    across, width, height = 8, 30, 16
    drawing.text(x, y - 14, "What this one write request touches:", 12)
    for position, sector in enumerate(sectors(writes)):
        left, top = x + position % across * (width + 4), y + position // across * (height + 6)
        drawing.box(left, top, width, height, "#eceff2")
        for place in _lanes_of(sector, writes):
            drawing.box(left + place * width / _FLOATS, top, width / _FLOATS, height, WRITE_COLOUR)
        drawing.box(left, top, width, height, stroke=INK)
    below = y + 4 * (height + 6) + 14
    drawing.box(x, below - 10, 12, 12, WRITE_COLOUR, INK)
    drawing.text(x + 20, below, f"{FLOAT_BYTES} bytes of each sector are this warp's", 12)
    drawing.box(x, below + 12, 12, 12, "#eceff2", INK)
    drawing.text(x + 20, below + 22, f"{SECTOR_BYTES - FLOAT_BYTES} bytes are other warps', which", 12)
    drawing.text(x + 20, below + 38, "ask for the same sector again", 12)


# ---- banks.svg ----

_DRAWN_BANKS = 8
_BANK = 22  # side of an element's square
_COLUMN = 0  # which the warp reads


class BankPanel(NamedTuple):
    name: str
    stage: str
    layout: Layout


BANK_PANELS = (
    BankPanel("`tile[32][32]`", "stage 02", plain),
    BankPanel("`tile[32][33]`", "stage 03, padded", padded),
    BankPanel("`tile[32][32]`, column `c ^ r`", "stage 05, swizzled", swizzled),
)


def banks() -> str:
    counts = [passes(banks_down_column(panel.layout, _COLUMN)) for panel in BANK_PANELS]
    drawing = Drawing(
        536,
        "The banks that a warp meets down a column of the tile",
        "Three tiles, each square an element with the number of its bank; one column is read by a warp. "
        f"As tile[32][32] the column lies in one bank: {_passes(counts[0])}. As tile[32][33] it runs over all "
        f"banks: {_passes(counts[1])}. With column c ^ r it meets all banks too: {_passes(counts[2])}.",
    )
    for position, panel in enumerate(BANK_PANELS):
        x = MARGIN + 249 * position
        drawing.text(x, 74, panel.name, 14, bold=True)
        drawing.text(x, 92, panel.stage, 12, QUIET)
        _draw_banks(drawing, x + 30, 122, panel.layout)
        _draw_lanes_by_bank(drawing, x + 30, 358, panel.layout)
        _draw_passes(drawing, x, 464, panel.layout)
    drawing.text(
        MARGIN,
        516,
        f"Drawn with {_DRAWN_BANKS} banks for 32; passes are those of 32. A row of the tile meets every bank "
        "in all three.",
        12,
        QUIET,
    )
    return drawing.svg()


def _passes(count: int) -> str:
    return "1 pass" if count == 1 else f"{count} passes"


def _draw_banks(drawing: Drawing, x: float, y: float, layout: Layout) -> None:
    drawing.text(x - 8, y - 6, "lane", 11, QUIET, "end")
    for r in range(_DRAWN_BANKS):
        drawing.text(x - 8, y + r * _BANK + 15, str(r), 11, QUIET, "end")
        for c in range(_DRAWN_BANKS):
            bank = layout(r, c, _DRAWN_BANKS) % _DRAWN_BANKS
            fill = tint(BANK_COLOURS[bank], 0.8 if c == _COLUMN else 0.3)
            drawing.cell(x + c * _BANK, y + r * _BANK, _BANK, fill, str(bank), 12, INK if c == _COLUMN else QUIET)
    if layout is padded:
        _draw_padding(drawing, x + _DRAWN_BANKS * _BANK, y)
    drawing.text(x, y - 6, "bank of each element", 11, QUIET)
    drawing.box(x + _COLUMN * _BANK, y, _BANK, _DRAWN_BANKS * _BANK, stroke=INK, stroke_width=2.4)
    drawing.text(x, y + _DRAWN_BANKS * _BANK + 17, "\u2191 read by one warp", 12)


def _draw_padding(drawing: Drawing, x: float, y: float) -> None:
    for r in range(_DRAWN_BANKS):
        drawing.box(x + 2, y + r * _BANK + 2, _BANK - 4, _BANK - 4, stroke="#aab1b9", dashed=True)
    drawing.text(x + _BANK, y + _DRAWN_BANKS * _BANK + 17, "unused", 11, QUIET, "end")


def _draw_lanes_by_bank(drawing: Drawing, x: float, y: float, layout: Layout) -> None:
    height = 8
    bottom = y + height * _DRAWN_BANKS
    waiting: Counter[int] = Counter()
    drawing.text(x, y - 8, "Lanes that ask each bank", 12)
    for bank in banks_down_column(layout, _COLUMN, _DRAWN_BANKS):
        waiting[bank] += 1
        left, top = x + bank * _BANK + 2, bottom - waiting[bank] * height
        drawing.box(left, top, _BANK - 4, height, tint(BANK_COLOURS[bank], 0.8), PAPER)
    drawing.line(x, bottom + 0.5, x + _DRAWN_BANKS * _BANK, bottom + 0.5)
    drawing.text(x - 8, bottom + 14, "bank", 11, QUIET, "end")
    for bank in range(_DRAWN_BANKS):
        drawing.text(x + (bank + 0.5) * _BANK, bottom + 14, str(bank), 11, QUIET, "middle")


def _draw_passes(drawing: Drawing, x: float, y: float, layout: Layout) -> None:
    met = banks_down_column(layout, _COLUMN)
    if len(set(met)) == 1:
        where = f"{len(met)} lanes at bank {met[0]}"
    else:
        where = f"{len(set(met))} banks, {passes(met)} lane at each"
    drawing.text(x + 30, y, f"{where}:", 13)
    drawing.text(x + 30, y + 20, _passes(passes(met)), 15, bold=True)


# ---- tile_turn.svg ----

_TURN_DIM = 4
_TURN_CELL = 32
_MATRIX_TILES = (3, 5)  # of `in`: down, across
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
        "Stage 02: the turn happens in shared memory",
        "A block reads a tile of in, a row a warp, and writes it to shared memory, a row a warp. After the barrier "
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


# ---- tile_order.svg ----

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
    """What some tiles hold: as many rows of the matrix, and that many bytes of each."""

    rows: int
    row_bytes: int


def stretch(tiles: Iterable[Tile]) -> Stretch:
    """Raises ValueError if the rows do not have equally many tiles."""
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


# ---- The command ----

PICTURES: dict[str, dict[str, Callable[[], str]]] = {
    "ch3_transpose": {
        "warp_requests.svg": warp_requests,
        "banks.svg": banks,
        "tile_turn.svg": tile_turn,
        "tile_order.svg": tile_order,
    },
}


def main(arguments: list[str]) -> int:
    """Exit code 1 for a picture that is missing, out of step or cannot be written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter", choices=sorted(PICTURES))
    parser.add_argument("--check", action="store_true", help="compare the pictures with what would be drawn")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parsed = parser.parse_args(arguments)
    try:
        return (check if parsed.check else write)(parsed.root, parsed.chapter)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1


def write(root: Path, chapter: str) -> int:
    for file, draw in _files(root, chapter):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(draw().encode())
        print(f"Wrote {file.relative_to(root)}")
    return 0


def check(root: Path, chapter: str) -> int:
    out_of_step = [
        str(file.relative_to(root))
        for file, draw in _files(root, chapter)
        if not file.exists() or file.read_bytes() != draw().encode()
    ]
    if not out_of_step:
        return 0
    print(
        f"Out of step with plots/draw_lesson_pictures.py: {', '.join(out_of_step)}\n"
        f"Fix it with: python3 plots/draw_lesson_pictures.py {chapter}",
        file=sys.stderr,
    )
    return 1


def _files(root: Path, chapter: str) -> list[tuple[Path, Callable[[], str]]]:
    folder = root / "chapters" / chapter / "pictures"
    return [(folder / name, draw) for name, draw in PICTURES[chapter].items()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
