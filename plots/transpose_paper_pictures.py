"""Pictures of ch3_transpose that are small enough for a pencil: a transpose in memory, eight banks, a halo."""

from __future__ import annotations

from typing import NamedTuple

from cli.pictures.svg_drawing import (
    BANK_COLOURS,
    Drawing,
    INK,
    MARGIN,
    QUIET,
    VERMILION,
    WARP_COLOURS,
    tint,
)
from transpose_layouts import Layout, TILE_DIM, banks_down_column, padded, plain, wavefronts

_CELL = 26


def transposed_in_memory(rows: int, cols: int) -> list[tuple[int, int]]:
    """The (row, column) in `in` of each element of `out`, in the order of `out` in memory."""
    return [(r, c) for c in range(cols) for r in range(rows)]


def matrix_and_memory() -> str:
    rows, cols = 3, 4
    drawing = Drawing(
        318,
        "A transpose, drawn as matrices and as memory",
        f"A matrix of {rows} rows and {cols} columns and its transpose, of {cols} rows and {rows} columns. In memory "
        f"the {cols} elements of a row of in are consecutive; in out they lie {rows} elements apart.",
    )
    source = [(r, c) for r in range(rows) for c in range(cols)]
    result = transposed_in_memory(rows, cols)
    _draw_matrix(drawing, MARGIN, "`in`: 3 x 4", source, cols)
    _draw_matrix(drawing, MARGIN + 200, "`out`: 4 x 3", result, rows)
    drawing.text(MARGIN + 330, 120, "out[c][r] = in[r][c]", 14, code=True)
    drawing.text(MARGIN + 330, 146, "A colour is a row of `in`,", 13)
    drawing.text(MARGIN + 330, 164, "and a column of `out`.", 13)
    for y, name, elements in ((228, "`in` in memory", source), (270, "`out` in memory", result)):
        drawing.text(MARGIN, y + 18, name, 13)
        for place, (r, c) in enumerate(elements):
            _draw_element(drawing, MARGIN + 130 + place * _CELL, y, r, c)
    return drawing.svg()


def _draw_matrix(drawing: Drawing, x: float, name: str, elements: list[tuple[int, int]], width: int) -> None:
    drawing.text(x, 78, name, 14, bold=True)
    for place, (r, c) in enumerate(elements):
        _draw_element(drawing, x + place % width * _CELL, 90 + place // width * _CELL, r, c)


def _draw_element(drawing: Drawing, x: float, y: float, r: int, c: int) -> None:
    drawing.cell(x, y, _CELL, tint(WARP_COLOURS[r], 0.75), f"{r},{c}", 11)


_BANKS = 8
_COLUMN = 2  # column that the lanes read


class PaperTile(NamedTuple):
    name: str
    layout: Layout
    width: int

    def bank(self, r: int, c: int) -> int:
        return self.layout(r, c, _BANKS) % _BANKS


PAPER_TILES = (
    PaperTile("tile[8][8]: bank (8 * r + c) % 8", plain, _BANKS),
    PaperTile("tile[8][9]: bank (9 * r + c) % 8", padded, _BANKS + 1),
)


def banks_on_paper() -> str:
    counts = [wavefronts(banks_down_column(tile.layout, _COLUMN, _BANKS)) for tile in PAPER_TILES]
    drawing = Drawing(
        352,
        "Eight banks: the bank number of each element",
        f"Two tiles with the number of its bank in each element. With 8 columns, column {_COLUMN} is in one bank, so "
        f"reading it takes {counts[0]} wavefronts. With 9 columns each row starts one bank later, so the column uses "
        f"all 8 banks: {counts[1]} wavefront. Column 8 is unused.",
    )
    for position, (tile, count) in enumerate(zip(PAPER_TILES, counts, strict=True)):
        _draw_paper_tile(drawing, MARGIN + 26 + 360 * position, 106, tile, count)
    return drawing.svg()


def _draw_paper_tile(drawing: Drawing, x: float, y: float, tile: PaperTile, count: int) -> None:
    drawing.text(x - 26, 70, tile.name, 13, code=True)
    drawing.text(x - 10, y - 7, "c", 12, QUIET, "end")
    drawing.text(x - 20, y + 17, "r", 12, QUIET, "end")
    for c in range(tile.width):
        drawing.text(x + (c + 0.5) * _CELL, y - 7, str(c), 12, QUIET, "middle")
    for r in range(_BANKS):
        drawing.text(x - 6, y + r * _CELL + 17, str(r), 12, QUIET, "end")
        for c in range(tile.width):
            bank = tile.bank(r, c)
            if c == _BANKS:
                drawing.text(x + (c + 0.5) * _CELL, y + r * _CELL + 17, str(bank), 12, "#aab1b9", "middle")
                continue
            fill = tint(BANK_COLOURS[bank], 0.8 if c == _COLUMN else 0.2)
            drawing.cell(x + c * _CELL, y + r * _CELL, _CELL, fill, str(bank), 13, INK if c == _COLUMN else QUIET)
    bottom = y + _BANKS * _CELL
    drawing.box(x + _COLUMN * _CELL, y, _CELL, bottom - y, stroke=INK, stroke_width=2.4)
    words = f"8 lanes read column {_COLUMN}: {count} wavefront" + ("s" if count > 1 else "")
    drawing.text(x, bottom + 22, words, 13, bold=True)


_HALO_TILE = 4
_PLATE = (10, 12)  # rows, columns
_FIRST = (4, 4)  # row and column of the tile's first element
_STAR = (4, 6)  # the element whose neighbours are marked
_TILE_COLOUR, _HALO_COLOUR, _OTHER_COLOUR = tint(WARP_COLOURS[0], 0.75), tint(WARP_COLOURS[1], 0.75), "#eceff2"


def halo_elements(tile: int) -> int:
    """The number of elements outside a tile that its elements need: one row or column per side, without corners."""
    return 4 * tile


def halo() -> str:
    tile, around = TILE_DIM * TILE_DIM, halo_elements(TILE_DIM)
    drawing = Drawing(
        352,
        "A tile and the halo around it",
        f"A matrix with a tile of {_HALO_TILE} x {_HALO_TILE} elements, and around it the halo, one element wide. An "
        "element in the first row of the tile needs its neighbours below, left and right, which are in the tile, and "
        "the one above, which is in the halo.",
    )
    x, y = MARGIN, 66
    for r in range(_PLATE[0]):
        for c in range(_PLATE[1]):
            drawing.cell(x + c * _CELL, y + r * _CELL, _CELL, _halo_colour(r, c), "", 11)
    first_row, first_col = _FIRST
    drawing.box(x + first_col * _CELL, y + first_row * _CELL, *2 * (_HALO_TILE * _CELL,), stroke=INK, stroke_width=2)
    row, col = _STAR
    for r, c in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
        centre_x, centre_y = x + (c + 0.5) * _CELL, y + (r + 0.5) * _CELL
        to_x, to_y = x + (col + 0.5) * _CELL, y + (row + 0.5) * _CELL
        drawing.arrow(centre_x, centre_y, (centre_x + 3 * to_x) / 4, (centre_y + 3 * to_y) / 4, VERMILION)
    left = MARGIN + _PLATE[1] * _CELL + 30
    for line, (colour, words) in enumerate(
        (
            (_TILE_COLOUR, "tile: the elements that the block computes"),
            (_HALO_COLOUR, "halo: elements of other blocks that it reads too"),
            (_OTHER_COLOUR, "elements that the block does not read"),
        )
    ):
        drawing.box(left, 76 + 28 * line, 16, 16, colour, QUIET)
        drawing.text(left + 26, 89 + 28 * line, words, 13)
    drawing.text(left, 190, f"{_HALO_TILE} x {_HALO_TILE} here: {_HALO_TILE**2} + {halo_elements(_HALO_TILE)} elements", 13)
    drawing.text(left, 210, f"{TILE_DIM} x {TILE_DIM}: {tile} + {around} = {tile + around} elements", 13)
    drawing.text(left, 240, f"Without a tile, {tile} threads load", 13)
    drawing.text(left, 258, f"4 neighbours each: {4 * tile} elements.", 13)
    return drawing.svg()


def _halo_colour(r: int, c: int) -> str:
    down, across = r - _FIRST[0], c - _FIRST[1]
    inside = [0 <= place < _HALO_TILE for place in (down, across)]
    if all(inside):
        return _TILE_COLOUR
    near = [-1 <= place <= _HALO_TILE for place in (down, across)]
    return _HALO_COLOUR if all(near) and any(inside) else _OTHER_COLOUR
