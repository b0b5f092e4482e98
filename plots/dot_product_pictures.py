"""Pictures of ch5_dot_product: the addition of the partial sums, and a chunk of a matrix in two orders. Formulas as in
the programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from cli.pictures.svg_drawing import (
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
    Drawing,
    tint,
)

WARP, BANKS = 32, 32
SECTOR_BYTES, FLOAT_BYTES = 32, 4
CHUNK_ROWS, COLUMNS = 1024, 10
_ROOM = WIDTH - 2 * MARGIN

_BLOCKS = 4
_TICKETS = (2, 0, 3, 1)  # tickets of blocks 0 to 3: one possible order


def ways_to_finish() -> str:
    drawing = Drawing(
        366,
        "Who adds the partial sums?",
        "Three ways. In stage 01 each block stores its sum, and the host copies the sums and adds them in the order "
        "of the blocks. In stage 03 each block adds its sum to the result, in the order in which the blocks arrive. In "
        "stage 06 each block stores its sum and takes a ticket; the block with the last ticket adds the sums in the "
        "order of the blocks.",
    )
    for position, draw in enumerate((_host_finishes, _atomics_finish, _last_block_finishes)):
        draw(drawing, MARGIN + 246 * position)
    for position in (1, 2):
        x = MARGIN + 246 * position - 16
        drawing.line(x, 58, x, 316, FAINT, 1)
    order = ", ".join(map(str, arrival(_TICKETS)))
    words = f"Drawn with {_BLOCKS} blocks; s0 is the sum of block 0. The order of the blocks is not defined: here {order}."
    drawing.text(MARGIN, 346, words, 12, QUIET)
    return drawing.svg()


_CELL = 52


def _draw_blocks(drawing: Drawing, x: float, title: str, last: int | None = None) -> None:
    drawing.text(x, 74, title, 14, bold=True)
    for block in range(_BLOCKS):
        left = x + _CELL * block
        stroke, width = (INK, 2.4) if block == last else (FAINT, 1)
        drawing.box(left, 90, _CELL - 6, 40, tint(WARP_COLOURS[block], 0.5), stroke, width, radius=4)
        drawing.text(left + (_CELL - 6) / 2, 107, "block", 11, anchor="middle")
        drawing.text(left + (_CELL - 6) / 2, 123, str(block), 13, anchor="middle", bold=True)


def _draw_sums(drawing: Drawing, x: float, y: float, label: str) -> None:
    for block in range(_BLOCKS):
        left = x + _CELL * block
        drawing.box(left, y, _CELL - 6, 24, tint(WARP_COLOURS[block], 0.3), INK)
        drawing.text(left + (_CELL - 6) / 2, y + 17, f"s{block}", 13, anchor="middle")
    drawing.text(x, y + 40, label, 12, QUIET)


def _draw_result(drawing: Drawing, x: float, order: tuple[int, ...], by: str) -> None:
    width = _CELL * _BLOCKS - 6
    drawing.box(x, 262, width, 26, PAPER, INK)
    sums = " + ".join(f"s{block}" for block in order)
    drawing.text(x + width / 2, 280, sums, 13, anchor="middle", code=True)
    drawing.text(x, 308, by, 13, VERMILION)


def _host_finishes(drawing: Drawing, x: float) -> None:
    _draw_blocks(drawing, x, "Stage 01: the host")
    for block in range(_BLOCKS):
        middle = x + _CELL * block + (_CELL - 6) / 2
        drawing.arrow(middle, 132, middle, 148)
    _draw_sums(drawing, x, 150, "in global memory")
    drawing.arrow(x + 150, 178, x + 150, 258)
    drawing.text(x, 226, "copied to the host", 12)
    _draw_result(drawing, x, tuple(range(_BLOCKS)), "the host adds, in this order")


def arrival(tickets: tuple[int, ...]) -> tuple[int, ...]:
    """The blocks in the order of their tickets."""
    return tuple(sorted(range(len(tickets)), key=tickets.__getitem__))


def _atomics_finish(drawing: Drawing, x: float) -> None:
    _draw_blocks(drawing, x, "Stage 03: every block")
    width = _CELL * _BLOCKS - 6
    for block, ticket in enumerate(_TICKETS):
        middle = x + _CELL * block + (_CELL - 6) / 2
        drawing.arrow(middle, 154, x + width / 2 + (middle - x - width / 2) * 0.4, 258)
        drawing.text(middle, 147, ("1st", "2nd", "3rd", "4th")[ticket], 12, anchor="middle")
    drawing.box(x + 50, 192, width - 100, 20, PAPER)
    drawing.text(x + width / 2, 206, "atomicAdd", 12, anchor="middle", code=True)
    _draw_result(drawing, x, arrival(_TICKETS), "each adds its own sum")


def _last_block_finishes(drawing: Drawing, x: float) -> None:
    last = _TICKETS.index(_BLOCKS - 1)
    _draw_blocks(drawing, x, "Stage 06: the last block", last)
    for block in range(_BLOCKS):
        middle = x + _CELL * block + (_CELL - 6) / 2
        drawing.arrow(middle, 132, middle, 148)
    _draw_sums(drawing, x, 150, "in global memory")
    for block, ticket in enumerate(_TICKETS):
        middle = x + _CELL * block + (_CELL - 6) / 2
        drawing.text(middle, 214, f"ticket {ticket}", 11, INK if block == last else QUIET, "middle", block == last)
    middle = x + _CELL * last + (_CELL - 6) / 2
    drawing.arrow(middle, 220, middle, 258)
    _draw_result(drawing, x, tuple(range(_BLOCKS)), f"block {last} adds, in this order")


class ChunkOrder(NamedTuple):
    """The layout of a program's matrix, and of its chunk in shared memory."""

    name: str
    code: str
    in_memory: Callable[[int, int], int]  # (thread, column) -> element of the matrix, in the first chunk
    in_chunk: Callable[[int, int], int]  # -> word of the chunk

    def sectors(self, column: int) -> list[int]:
        """The sectors that warp 0 accesses when it loads this column."""
        return sorted({self.in_memory(lane, column) * FLOAT_BYTES // SECTOR_BYTES for lane in range(WARP)})

    def lanes_at_banks(self, column: int) -> Counter[int]:
        return Counter(self.in_chunk(lane, column) % BANKS for lane in range(WARP))


_ROWS = 10**7  # as published
CHUNK_ORDERS = (
    ChunkOrder(
        "by column", "x[c * rows + first + threadIdx.x]", lambda t, c: c * _ROWS + t, lambda t, c: c * CHUNK_ROWS + t
    ),
    ChunkOrder(
        "by row", "x[(first + threadIdx.x) * columns + c]", lambda t, c: t * COLUMNS + c, lambda t, c: t * COLUMNS + c
    ),
)


def chunk_requests() -> str:
    pitch = 190
    by_column, by_row = ([len(order.sectors(0)), max(order.lanes_at_banks(0).values())] for order in CHUNK_ORDERS)
    drawing = Drawing(
        90 + pitch * len(CHUNK_ORDERS),
        "A warp copies one column of 32 rows into shared memory",
        f"By column the 32 floats are consecutive: {by_column[0]} sectors, all used, and each in its own bank. By "
        f"row they lie 40 bytes apart: {by_row[0]} of the 40 sectors that the 32 rows fill, with 4 bytes used of each, "
        f"and only every second bank is used, by {by_row[1]} lanes.",
    )
    for number, order in enumerate(CHUNK_ORDERS):
        _draw_order(drawing, 68 + pitch * number, order)
    y = 72 + pitch * len(CHUNK_ORDERS)
    words = "Upper boxes: sectors, filled where this load uses them. Lower boxes: lanes, above their bank."
    drawing.text(MARGIN, y, words, 12, QUIET)
    return drawing.svg()


def _draw_order(drawing: Drawing, top: float, order: ChunkOrder) -> None:
    sectors, lanes = order.sectors(0), order.lanes_at_banks(0)
    span = WARP * COLUMNS * FLOAT_BYTES // SECTOR_BYTES  # the sectors of 32 whole rows
    width = _ROOM / span
    drawing.text(MARGIN, top + 8, f"Stored {order.name}", 14, bold=True)
    drawing.text(WIDTH - MARGIN, top + 8, order.code, 12, anchor="end", code=True)
    used = WARP * FLOAT_BYTES // len(sectors)
    uses = "all their bytes" if used == SECTOR_BYTES else f"{used} bytes of each"
    drawing.text(MARGIN, top + 32, f"reads {len(sectors)} sectors, uses {uses}", 13)
    for sector in range(span):
        touched = sector in sectors
        drawing.box(MARGIN + width * sector, top + 40, width - 2, 22, PAPER, INK if touched else FAINT)
    for lane in range(WARP):
        byte = order.in_memory(lane, 0) * FLOAT_BYTES
        x = MARGIN + width * (byte // SECTOR_BYTES) + (width - 2) * (byte % SECTOR_BYTES) / SECTOR_BYTES
        drawing.box(x, top + 41, (width - 2) * FLOAT_BYTES / SECTOR_BYTES, 20, tint(READ_COLOUR, 0.9))
    ways = max(lanes.values())
    met = f"{len(lanes)} banks, {ways} lane{'s' if ways > 1 else ''} at each"
    drawing.text(MARGIN, top + 90, f"writes to {met}: {ways} wavefront{'s' if ways > 1 else ''}", 13)
    bank_width, bottom = _ROOM / BANKS, top + 136
    for bank in range(BANKS):
        x = MARGIN + bank_width * bank
        for lane in range(lanes[bank]):
            drawing.box(x + 2, bottom - 16 * (lane + 1), bank_width - 4, 15, tint(WRITE_COLOUR, 0.7))
        drawing.line(x + 1, bottom + 0.5, x + bank_width - 1, bottom + 0.5)
        drawing.text(x + bank_width / 2, bottom + 14, str(bank), 11, QUIET, "middle")
