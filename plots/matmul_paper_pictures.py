"""Pictures of ch6_matmul's core page: one element of a product, and a product of 4 x 4 on paper, in tiles of 2 x 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cli.pictures.svg_drawing import BLUE, FAINT, INK, MARGIN, ORANGE, PAPER, QUIET, WARP_COLOURS, Drawing, tint

_EMPTY = "#eceff2"
_SHARE = 0.6  # share of the colour in a cell, so that its text is legible


class Place(NamedTuple):
    """The row and column of an element in its matrix."""

    row: int
    col: int


class Factors(NamedTuple):
    """The elements of `a` and of `b` that one thread loads in one step."""

    a: Place
    b: Place


SIDE, TILE = 4, 2  # side lengths of the product on paper, and of its tiles
BLOCK = Place(0, 1)  # the block that is shown step by step


def loads_without_tiles(element: Place) -> list[Factors]:
    """The elements that the thread of one element of c loads in stage 01, for each p."""
    return [Factors(Place(element.row, p), Place(p, element.col)) for p in range(SIDE)]


def loads_of_step(block: Place, step: int) -> dict[Place, Factors]:
    """The elements that each thread of the block loads in the step that starts at column `step` of a, as in stage 02.
    A thread is given by its row and column in the block."""
    loads = {}
    for thread in (Place(y, x) for y in range(TILE) for x in range(TILE)):
        row, col = block.row * TILE + thread.row, block.col * TILE + thread.col
        loads[thread] = Factors(Place(row, step + thread.col), Place(step + thread.row, col))
    return loads


def name(matrix: str, place: Place) -> str:
    return f"{matrix}{place.row}{place.col}"


def row_by_column() -> str:
    """One element of c, with its row of a and its column of b."""
    m, k, n, size = 3, 5, 4, 34
    element = Place(1, 2)
    drawing = Drawing(
        418,
        "One element of c needs a row of a and a column of b",
        f"a has {m} rows and {k} columns, b has {k} rows and {n} columns, c has {m} rows and {n} columns. Element "
        "(1, 2) of c is the sum of the products of row 1 of a and column 2 of b. All elements of row 1 of c need the same row "
        "of a, and all elements of column 2 of c need the same column of b.",
    )
    left, top = MARGIN + 30 + k * size + 30, 88 + k * size + 34
    a_row = {Place(element.row, p): (tint(BLUE, _SHARE), "") for p in range(k)}
    b_col = {Place(p, element.col): (tint(ORANGE, _SHARE), "") for p in range(k)}
    _draw_matrix(drawing, "a", MARGIN + 30, top, size, (m, k), a_row)
    _draw_matrix(drawing, "b", left, 88, size, (k, n), b_col)
    _draw_matrix(drawing, "c", left, top, size, (m, n), {})
    x, y = left + size * element.col, top + size * element.row
    drawing.line(left - 26, y + size / 2, x - 3, y + size / 2, dashed=True)
    drawing.line(x + size / 2, 88 + k * size + 3, x + size / 2, y - 3, dashed=True)
    drawing.box(x, y, size, size, PAPER, INK, 2)
    words = left + n * size + 34
    drawing.text(words, 120, "row of `a`, column of `b`:", 13)
    drawing.text(words, 142, f"{k} products, added up,", 13)
    drawing.text(words, 164, "are one element of `c`", 13)
    drawing.text(words, top + 20, f"each row of `a` is needed {n} times,", 13)
    drawing.text(words, top + 42, "once for each column of `c`;", 13)
    drawing.text(words, top + 64, f"each column of `b` {m} times", 13)
    return drawing.svg()


def _draw_matrix(
    drawing: Drawing,
    matrix: str,
    left: float,
    top: float,
    size: float,
    extents: tuple[int, int],
    cells: Mapping[Place, tuple[str, str]],
) -> None:
    """All cells; the given ones have a colour and a text."""
    rows, cols = extents
    drawing.text(left + cols * size / 2, top - 9, f"`{matrix}`", 14, anchor="middle", bold=True)
    for place in (Place(r, c) for r in range(rows) for c in range(cols)):
        colour, text = cells.get(place, (_EMPTY, ""))
        drawing.cell(left + size * place.col, top + size * place.row, size, colour, text, 12)


def tiles_on_paper() -> str:
    """The product of 4 x 4 in tiles of 2 x 2: one block's copies into shared memory, and its threads' additions."""
    steps = range(0, SIDE, TILE)
    drawing = Drawing(
        512,
        f"On paper: {SIDE} x {SIDE}, in tiles of {TILE} x {TILE}",
        "The block computes c02, c03, c12 and c13. In step 0 it copies a00, a01, a10, a11 and b02, b03, b12, b13 into "
        "shared memory, and each of its four threads adds two products to its sum. In step 2 it does the same with "
        "a02, a03, a12, a13 and b22, b23, b32, b33.",
    )
    size = 34

    def colour(step: int) -> str:
        return tint(WARP_COLOURS[step // TILE], _SHARE)

    a_cells: dict[Place, tuple[str, str]] = {}
    b_cells: dict[Place, tuple[str, str]] = {}
    for step in steps:
        for load in loads_of_step(BLOCK, step).values():
            a_cells[load.a] = colour(step), name("a", load.a)
            b_cells[load.b] = colour(step), name("b", load.b)
    left, top = MARGIN + SIDE * size + 26, 88 + SIDE * size + 34
    _draw_matrix(drawing, "a", MARGIN, top, size, (SIDE, SIDE), a_cells)
    _draw_matrix(drawing, "b", left, 88, size, (SIDE, SIDE), b_cells)
    of_block = [Place(BLOCK.row * TILE + y, BLOCK.col * TILE + x) for y in range(TILE) for x in range(TILE)]
    _draw_matrix(drawing, "c", left, top, size, (SIDE, SIDE), {place: (PAPER, name("c", place)) for place in of_block})
    drawing.box(left + size * TILE * BLOCK.col, top + size * TILE * BLOCK.row, size * TILE, size * TILE, "none", INK, 2)
    for number, step in enumerate(steps):
        _draw_step(drawing, 430, 64 + 212 * number, step, colour)
    words = "Each thread loads one element of `a` and one of `b` per step, and uses two of each."
    drawing.text(MARGIN, 497, words, 12, QUIET)
    return drawing.svg()


def _draw_step(drawing: Drawing, left: float, top: float, step: int, colour: Callable[[int], str]) -> None:
    """Both tiles in shared memory, and the products that each thread adds."""
    size, loads = 40, loads_of_step(BLOCK, step)
    drawing.box(left, top, 240, 202, "#f3f5f7", FAINT, radius=6)
    drawing.text(left + 14, top + 22, f"step = {step}: in shared memory", 12, bold=True)
    for matrix, x in (("a", left + 24), ("b", left + 136)):
        drawing.text(x + size, top + 42, f"`{matrix}_tile`", 12, anchor="middle")
        for thread, load in loads.items():
            place = load.a if matrix == "a" else load.b
            cell_x, cell_y = x + size * thread.col, top + 50 + size * thread.row
            drawing.cell(cell_x, cell_y, size, colour(step), name(matrix, place), 13)
    for line, thread in enumerate(loads):
        row, col = BLOCK.row * TILE + thread.row, BLOCK.col * TILE + thread.col
        products = " + ".join(
            f"{name('a', Place(row, step + p))} {name('b', Place(step + p, col))}" for p in range(TILE)
        )
        drawing.text(left + 14, top + 150 + 14 * line, f"c{row}{col} += {products}", 11, code=True)
