"""The picture of ch3_transpose that shows the bank of each element of three tiles."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from cli.pictures.svg_drawing import (
    BANK_COLOURS,
    Drawing,
    INK,
    MARGIN,
    PAPER,
    QUIET,
    tint,
)
from transpose_layouts import (
    Layout,
    banks_down_column,
    padded,
    plain,
    swizzled,
    wavefronts,
)

_DRAWN_BANKS = 8
_BANK = 22  # side of an element's square
_COLUMN = 0  # column that the warp reads


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
    counts = [wavefronts(banks_down_column(panel.layout, _COLUMN)) for panel in BANK_PANELS]
    drawing = Drawing(
        536,
        "The banks that a warp uses down a column of the tile",
        "Three tiles, each square an element with the number of its bank; one column is read by a warp. "
        f"As tile[32][32] the column lies in one bank: {_wavefront_words(counts[0])}. As tile[32][33] it runs over all "
        f"banks: {_wavefront_words(counts[1])}. With column c ^ r it uses all banks too: {_wavefront_words(counts[2])}.",
    )
    for position, panel in enumerate(BANK_PANELS):
        x = MARGIN + 249 * position
        drawing.text(x, 74, panel.name, 14, bold=True)
        drawing.text(x, 92, panel.stage, 12, QUIET)
        _draw_banks(drawing, x + 30, 122, panel.layout)
        _draw_lanes_by_bank(drawing, x + 30, 358, panel.layout)
        _draw_wavefronts(drawing, x, 464, panel.layout)
    drawing.text(
        MARGIN,
        516,
        f"Drawn with {_DRAWN_BANKS} banks for 32; wavefronts are those of 32. A row of the tile uses every "
        "bank in all three.",
        12,
        QUIET,
    )
    return drawing.svg()


def _wavefront_words(count: int) -> str:
    return "1 wavefront" if count == 1 else f"{count} wavefronts"


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
    drawing.text(x, y - 8, "Lanes that use each bank", 12)
    for bank in banks_down_column(layout, _COLUMN, _DRAWN_BANKS):
        waiting[bank] += 1
        left, top = x + bank * _BANK + 2, bottom - waiting[bank] * height
        drawing.box(left, top, _BANK - 4, height, tint(BANK_COLOURS[bank], 0.8), PAPER)
    drawing.line(x, bottom + 0.5, x + _DRAWN_BANKS * _BANK, bottom + 0.5)
    drawing.text(x - 8, bottom + 14, "bank", 11, QUIET, "end")
    for bank in range(_DRAWN_BANKS):
        drawing.text(x + (bank + 0.5) * _BANK, bottom + 14, str(bank), 11, QUIET, "middle")


def _draw_wavefronts(drawing: Drawing, x: float, y: float, layout: Layout) -> None:
    met = banks_down_column(layout, _COLUMN)
    if len(set(met)) == 1:
        where = f"{len(met)} lanes at bank {met[0]}"
    else:
        where = f"{len(set(met))} banks, {wavefronts(met)} lane at each"
    drawing.text(x + 30, y, f"{where}:", 13)
    drawing.text(x + 30, y + 20, _wavefront_words(wavefronts(met)), 15, bold=True)
