"""The index formulas of ch3_transpose's stages: the bytes, banks and tiles that a warp or a block accesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

TILE_DIM = 32  # the number of lanes in a warp, and of banks
FLOAT_BYTES = 4


Layout = Callable[[int, int, int], int]  # (r, c, tile width) -> position of the float in the tile


def plain(r: int, c: int, dim: int) -> int:
    return r * dim + c


def padded(r: int, c: int, dim: int) -> int:
    return r * (dim + 1) + c


def swizzled(r: int, c: int, dim: int) -> int:
    return r * dim + (c ^ r)


def banks_down_column(layout: Layout, c: int, dim: int = TILE_DIM) -> list[int]:
    """The bank of each lane when a warp reads column c; the number of banks equals the number of columns."""
    return [layout(r, c, dim) % dim for r in range(dim)]


def wavefronts(banks: Iterable[int]) -> int:
    """The wavefronts of a request: a bank serves one float per wavefront, so the busiest bank decides."""
    return max(Counter(banks).values())


class Moved(NamedTuple):
    """The contents of a cell: an element, by its position in the tile of `in`, and the warp that moved it."""

    r: int
    c: int
    warp: int


Cells = dict[tuple[int, int], Moved]


def turn_tile(dim: int) -> tuple[Cells, Cells, Cells, Cells]:
    """The cells of `in`, of the tile when written and when read, and of `out`, in stage 02."""
    threads = [(y, x) for y in range(dim) for x in range(dim)]
    read_in = {(y, x): Moved(y, x, warp=y) for y, x in threads}
    tile = {(y, x): read_in[y, x] for y, x in threads}  # tile[threadIdx.y][threadIdx.x]
    read_tile = {(x, y): tile[x, y]._replace(warp=y) for y, x in threads}  # tile[threadIdx.x][threadIdx.y]
    out = {(y, x): read_tile[x, y] for y, x in threads}
    return read_in, tile, read_tile, out


Tile = tuple[int, int]  # row and column, counted in tiles


def tile_along_rows(block: int, tiles_down: int, tiles_across: int) -> Tile:
    """The tile of `in` that a block moves in stages 01 to 05. Blocks are counted along x first, as on a GPU."""
    return block // tiles_across, block % tiles_across


def tile_down_columns(block: int, tiles_down: int, tiles_across: int) -> Tile:
    """The tile that a block moves in stage 06 and later stages."""
    return block % tiles_down, block // tiles_down


def mirrored(tile: Tile) -> Tile:
    return tile[1], tile[0]
