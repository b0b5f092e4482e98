"""Pictures of ch3_transpose about single requests: sectors in global memory, banks in shared memory."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from svg_drawing import (
    BANK_COLOURS,
    Drawing,
    INK,
    MARGIN,
    PAPER,
    QUIET,
    READ_COLOUR,
    VERMILION,
    WIDTH,
    WRITE_COLOUR,
    tint,
)
from transpose_layouts import (
    FLOAT_BYTES,
    Layout,
    SECTOR_BYTES,
    WARP_SIZE,
    banks_down_column,
    naive_read_bytes,
    naive_write_bytes,
    padded,
    passes,
    plain,
    sectors,
    swizzled,
)

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
