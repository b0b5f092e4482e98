"""Pictures of ch8_tsne: the triangle of pairs, its tiles, and the swizzle. Formulas as in its headers."""

from __future__ import annotations

import math

from cli.pictures.svg_drawing import (
    FAINT,
    INK,
    MARGIN,
    ORANGE,
    PAPER,
    QUIET,
    READ_COLOUR,
    SKY,
    VERMILION,
    WIDTH,
    WRITE_COLOUR,
    Drawing,
    tint,
)

Pair = tuple[int, int]
_EMPTY = "#f3f5f7"


def pair_count(count: int) -> int:
    """As in pair_index.h."""
    return count * (count - 1) // 2


def pair_index(i: int, j: int, count: int) -> int:
    """As in pair_index.h."""
    return i * (2 * count - i - 1) // 2 + (j - i - 1)


def pair_at(index: int, count: int) -> Pair:
    """As in pair_index.h."""
    from_end = pair_count(count) - 1 - index
    row_from_end = int((math.sqrt(8.0 * from_end + 1.0) - 1.0) / 2.0)
    i = count - 2 - row_from_end
    return i, index - pair_index(i, i + 1, count) + i + 1


def tile_at(index: int, tiles_across: int) -> Pair:
    """As in tile_index.h."""
    i, j = pair_at(index, tiles_across + 1)
    return i, j - 1


_COUNT = 7


def triangle_of_pairs() -> str:
    """The number of each pair (i, j)."""
    cell, left, top = 34, MARGIN + 46, 104
    drawing = Drawing(
        386,
        f"The {pair_count(_COUNT)} pairs of {_COUNT} vectors, as they are numbered and stored",
        "A matrix with a row for each vector i and a column for each vector j. Only above the diagonal it has numbers, "
        f"0 to {pair_count(_COUNT) - 1}, row after row. Row i starts at i (2 n - i - 1) / 2.",
    )
    for v in range(_COUNT):
        drawing.text(left + cell * (v + 0.5), top - 8, str(v), 13, QUIET, "middle")
        drawing.text(left - 10, top + cell * (v + 0.5) + 5, str(v), 13, QUIET, "end")
    drawing.text(left + cell * _COUNT / 2, top - 28, "vector j", 13, anchor="middle")
    drawing.text(MARGIN + 10, top + cell * _COUNT / 2, "vector i", 13, anchor="middle", upwards=True)
    for i in range(_COUNT):
        for j in range(_COUNT):
            drawing.box(left + cell * j, top + cell * i, cell, cell, _EMPTY, PAPER)
    for index in range(pair_count(_COUNT)):
        i, j = pair_at(index, _COUNT)
        colour = WRITE_COLOUR if j == i + 1 else READ_COLOUR
        drawing.cell(left + cell * j, top + cell * i, cell, tint(colour, 0.6), str(index), 13)
    right = left + cell * _COUNT + 40
    drawing.text(right, top - 28, "row i starts at", 13)
    drawing.text(right, top - 8, "i * (2 * n - i - 1) / 2", 13, code=True)
    for i in range(_COUNT - 1):
        words = f"{i} * ({2 * _COUNT} - {i} - 1) / 2 = {pair_index(i, i + 1, _COUNT)}"
        drawing.text(right, top + cell * (i + 0.5) + 5, words, 13, code=True)
    words = "Orange: the first pair of a row. Grey is not computed: (j, i) is as far as (i, j), and (i, i) is 0."
    drawing.text(MARGIN, 368, words, 12, QUIET)
    return drawing.svg()


SUBSET = 16  # kSubset of stage 03
_TILES = 6
_FULL_TILE, _HALF_TILE = 8, 11
_PAIR_OF_TILE = (4, 9)


def pairs_of_tile(tile: Pair) -> list[Pair]:
    """The pairs that a block of stage 03 stores, by row and column in its tile."""
    return [
        (row, col)
        for row in range(SUBSET)
        for col in range(SUBSET)
        if tile[0] * SUBSET + row < tile[1] * SUBSET + col
    ]


def tiles_of_pairs() -> str:
    """Stage 03: the numbers of the tiles, and the pairs of two blocks."""
    count = _TILES * SUBSET
    blocks = pair_count(_TILES + 1)
    drawing = Drawing(
        388,
        f"Stage 03: {count} vectors are {_TILES} subsets, and {blocks} blocks compute their pairs",
        f"A matrix of {_TILES} x {_TILES} tiles. Those on and above the diagonal are numbered row after row, 0 to "
        f"{blocks - 1}: the blocks. Block {_FULL_TILE} computes all 256 pairs of two subsets of 16 vectors; block "
        f"{_HALF_TILE}, which lies on the diagonal, the 120 pairs inside one subset.",
    )
    cell, left, top = 38, MARGIN + 26, 106
    for subset in range(_TILES):
        drawing.text(left + cell * (subset + 0.5), top - 8, str(subset), 13, QUIET, "middle")
        drawing.text(left - 8, top + cell * (subset + 0.5) + 5, str(subset), 13, QUIET, "end")
    drawing.text(left + cell * _TILES / 2, top - 26, "subset j", 13, anchor="middle")
    drawing.text(MARGIN + 4, top + cell * _TILES / 2, "subset i", 13, anchor="middle", upwards=True)
    for i in range(_TILES):
        for j in range(_TILES):
            drawing.box(left + cell * j, top + cell * i, cell, cell, _EMPTY, PAPER)
    for block in range(blocks):
        i, j = tile_at(block, _TILES)
        drawing.cell(left + cell * j, top + cell * i, cell, tint(READ_COLOUR, 0.4), str(block), 13)
    for block, x in ((_FULL_TILE, 334), (_HALF_TILE, 556)):
        i, j = tile_at(block, _TILES)
        drawing.box(left + cell * j, top + cell * i, cell, cell, stroke=VERMILION, stroke_width=2)
        _draw_tile(drawing, x, top + 26, block)
    i, j = tile_at(_FULL_TILE, _TILES)
    row, col = _PAIR_OF_TILE
    vector_i, vector_j = i * SUBSET + row, j * SUBSET + col
    index = pair_index(vector_i, vector_j, count)
    words = f"Red in block {_FULL_TILE}: vectors {vector_i} and {vector_j}, pair {index} of {pair_count(count)}."
    drawing.text(MARGIN, 368, f"{words} Each block has {SUBSET**2} threads, for one pair each.", 12, QUIET)
    return drawing.svg()


def _draw_tile(drawing: Drawing, left: float, top: float, block: int) -> None:
    """One block's pairs: its vectors i go down, its vectors j across."""
    size, strip = 10, 12
    i, j = tile_at(block, _TILES)
    side, stored = SUBSET * size, pairs_of_tile((i, j))
    drawing.text(left, top - 52, f"block {block}", 14, bold=True)
    drawing.text(left + side, top - 52, f"{len(stored)} pairs", 13, anchor="end")
    drawing.text(left + side / 2, top - 24, f"j: {j * SUBSET} to {(j + 1) * SUBSET - 1}", 12, anchor="middle")
    vectors_i = f"i: {i * SUBSET} to {(i + 1) * SUBSET - 1}"
    drawing.text(left - 22, top + side / 2, vectors_i, 12, anchor="middle", upwards=True)
    for v in range(SUBSET):
        drawing.box(left + size * v, top - strip - 4, size, strip, tint(WRITE_COLOUR, 0.6), PAPER)
        drawing.box(left - strip - 4, top + size * v, strip, size, tint(WRITE_COLOUR, 0.6), PAPER)
    drawing.box(left, top, side, side, _EMPTY, FAINT)
    for row, col in stored:
        is_marked = block == _FULL_TILE and (row, col) == _PAIR_OF_TILE
        colour = VERMILION if is_marked else tint(READ_COLOUR, 0.6)
        drawing.box(left + size * col, top + size * row, size, size, colour, PAPER)
    drawing.box(left, top, side, side, stroke=INK)


_BANKS = 8  # in the small example; a GPU has 32
_STORED = 2  # the vector that the warp stores


def swizzled(vector: int, row: int) -> int:
    """The column of stage 04, `v ^ p`."""
    return vector ^ row


def columns_of(vector: int, is_swizzled: bool) -> list[int]:
    """The column, which is also the bank, of one vector in each row of the small tile."""
    return [swizzled(vector, row) if is_swizzled else vector for row in range(_BANKS)]


def wavefronts(banks: list[int]) -> int:
    """The wavefronts of a request: a bank serves one word per wavefront, so the busiest bank decides."""
    return max(banks.count(bank) for bank in banks)


def swizzled_banks() -> str:
    """Stage 04: the store of one vector's components, in a plain tile and in a swizzled one."""
    plain, permuted = (wavefronts(columns_of(_STORED, is_swizzled)) for is_swizzled in (False, True))
    drawing = Drawing(
        376,
        f"Stage 04 with {_BANKS} banks: a warp stores vector {_STORED}, one component per row",
        f"Two tiles of {_BANKS} x {_BANKS}. A column is a bank, a row holds one component of {_BANKS} vectors. In the plain "
        f"tile, all components of vector {_STORED} are in column {_STORED}: {plain} wavefronts. In the swizzled tile, "
        f"vector v of row p is in column v ^ p, and vector {_STORED} is in a different column of each row: {permuted} wavefront.",
    )
    cell, top = 29, 112
    for is_swizzled, left in ((False, MARGIN + 50), (True, MARGIN + 400)):
        name = "swizzled: column v ^ p" if is_swizzled else "plain: column v"
        drawing.text(left, top - 46, name, 13, bold=True)
        drawing.text(left + cell * _BANKS / 2, top - 26, "column = bank", 12, QUIET, "middle")
        drawing.text(left - 34, top + cell * _BANKS / 2, "component p", 12, QUIET, "middle", upwards=True)
        for place in range(_BANKS):
            drawing.text(left + cell * (place + 0.5), top - 8, str(place), 12, QUIET, "middle")
            drawing.text(left - 10, top + cell * (place + 0.5) + 5, str(place), 12, QUIET, "end")
        for vector in range(_BANKS):
            is_stored = vector == _STORED
            fill = tint(ORANGE, 0.8) if is_stored else tint(SKY, 0.3)
            for row, column in enumerate(columns_of(vector, is_swizzled)):
                x, y = left + cell * column, top + cell * row
                drawing.cell(x, y, cell, fill, str(vector), 12, INK if is_stored else QUIET)
        count = permuted if is_swizzled else plain
        banks = len(set(columns_of(_STORED, is_swizzled)))
        words = f"{banks} bank{'s' * (banks > 1)}: {count} wavefront{'s' * (count > 1)}"
        drawing.text(left + cell * _BANKS / 2, top + cell * _BANKS + 22, words, 13, anchor="middle")
    return drawing.svg()


THREAD_COLS = 8  # kThreadCols of packed_tiles.h
GROUP = 4 * THREAD_COLS


def vector_at(place: int) -> int:
    """As in packed_tiles.h."""
    return place // GROUP * GROUP + place % 4 * THREAD_COLS + place % GROUP // 4


def packed_order() -> str:
    """Stage 07: one component of 32 vectors, before and after."""
    drawing = Drawing(
        254,
        "Stage 07: the four vectors of a thread become adjacent",
        "One component of 32 vectors. In order, the vectors of the threads in column 2, which are 2, 10, 18 and 26, "
        "are 8 apart. Packed, they are adjacent, at positions 8 to 11, and one load of 16 bytes loads them.",
    )
    thread, cell = 2, (WIDTH - 2 * MARGIN) / GROUP
    packed = list(map(vector_at, range(GROUP)))
    for name, top, vectors in (("in order", 82, list(range(GROUP))), ("packed", 174, packed)):
        drawing.text(MARGIN, top - 12, name, 13, bold=True)
        for place, vector in enumerate(vectors):
            is_own = vector % THREAD_COLS == thread
            fill = tint(ORANGE, 0.8) if is_own else tint(SKY, 0.3)
            drawing.cell(MARGIN + cell * place, top, cell, fill, str(vector), 11, INK if is_own else QUIET)
    for vector in range(thread, GROUP, THREAD_COLS):
        x = MARGIN + cell * 0.5
        drawing.line(x + cell * vector, 82 + cell + 3, x + cell * packed.index(vector), 171, QUIET)
    first = min(packed.index(vector) for vector in range(thread, GROUP, THREAD_COLS))
    drawing.box(MARGIN + cell * first, 174, 4 * cell, cell, stroke=INK, stroke_width=2)
    words = f"One component of {GROUP} vectors. Orange: those of threads in column {thread}."
    drawing.text(MARGIN, 236, f"{words} Framed: one load of 16 bytes.", 12, QUIET)
    return drawing.svg()
