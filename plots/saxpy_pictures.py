"""Pictures of ch1_saxpy: which thread takes which element, and which sectors a warp touches. The formulas are the
stages'."""

from __future__ import annotations

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
    Drawing,
    tint,
)

WARP = 32
SECTOR_BYTES = 32
FLOAT_BYTES = 4
_ROOM = WIDTH - 2 * MARGIN


class Request(NamedTuple):
    """What each lane of a warp asks for in one load: a byte of the array, and how many from there on."""

    name: str
    code: str
    first_byte: Callable[[int], int]  # of a lane
    bytes_per_lane: int

    def sectors(self) -> list[int]:
        """The sectors of 32 bytes that the lanes touch, from the first to the last."""
        ends = ((self.first_byte(lane), self.first_byte(lane) + self.bytes_per_lane - 1) for lane in range(WARP))
        return sorted({byte // SECTOR_BYTES for first, last in ends for byte in (first, last)})


REQUESTS = (
    Request("neighbours", "x[i]", lambda lane: FLOAT_BYTES * lane, FLOAT_BYTES),
    Request("neighbours, one element late", "x[i + 1]", lambda lane: FLOAT_BYTES * (lane + 1), FLOAT_BYTES),
    Request("a piece of 32 elements for each thread", "x[32 * i]", lambda lane: FLOAT_BYTES * 32 * lane, FLOAT_BYTES),
    Request("neighbours, a float4 each (stage 04)", "x4[i]", lambda lane: 4 * FLOAT_BYTES * lane, 4 * FLOAT_BYTES),
)


def warp_to_sectors() -> str:
    pitch = 88
    counts = [len(request.sectors()) for request in REQUESTS]
    drawing = Drawing(
        96 + pitch * len(REQUESTS),
        "One load of a warp, and the sectors of 32 bytes that it touches",
        f"Lanes above, sectors below. 32 neighbouring floats lie in {counts[0]} sectors, neighbours that begin one "
        f"element late in {counts[1]}. Where each thread has a piece of its own, each lane touches another sector: "
        f"{counts[2]} of them, with 4 bytes used of each. 32 neighbouring float4 lie in {counts[3]} sectors, all used.",
    )
    for number, request in enumerate(REQUESTS):
        _draw_request(drawing, 66 + pitch * number, request)
    words = "A box is a sector, the filled part is what the warp asked for. Numbers are lanes. Whole sectors are moved."
    drawing.text(MARGIN, 80 + pitch * len(REQUESTS), words, 12, QUIET)
    return drawing.svg()


def _draw_request(drawing: Drawing, top: float, request: Request) -> None:
    sectors = request.sectors()
    drawing.text(MARGIN, top + 10, request.code, 14, code=True)
    drawing.text(MARGIN + 96, top + 10, request.name, 13)
    moved, asked = SECTOR_BYTES * len(sectors), WARP * request.bytes_per_lane
    words = f"{len(sectors)} sectors: {moved} bytes moved for {asked}"
    drawing.text(WIDTH - MARGIN, top + 10, words, 13, anchor="end", bold=True)
    width = _ROOM / max(len(sectors), 5)
    per_byte = (width - 3) / SECTOR_BYTES
    for place in range(len(sectors)):
        drawing.box(MARGIN + width * place, top + 36, width - 3, 24, PAPER, INK)
    for lane in range(WARP):
        byte = request.first_byte(lane)
        x = MARGIN + width * sectors.index(byte // SECTOR_BYTES) + per_byte * (byte % SECTOR_BYTES)
        lane_width = per_byte * request.bytes_per_lane
        drawing.box(x + 0.5, top + 37, max(lane_width - 1, 2.5), 22, tint(READ_COLOUR, 0.8))
        drawing.text(x + lane_width / 2, top + 31, str(lane), 11, QUIET, "middle")


class LastBlock(NamedTuple):
    """The last block of stage 02's launch."""

    number: int
    first: int  # element
    lanes: list[int]  # how many lanes of each warp have an element


def last_block(n: int, threads: int) -> LastBlock:
    blocks = -(-n // threads)
    first = (blocks - 1) * threads
    with_element = [max(0, min(WARP, n - first - WARP * warp)) for warp in range(threads // WARP)]
    return LastBlock(blocks - 1, first, with_element)


def elements_and_guard() -> str:
    """Stage 02 at the size of its section: the last warps of the last block have nothing to do."""
    n, threads, cell, row = 100003, 256, 14, 22
    last = last_block(n, threads)
    drawing = Drawing(
        376,
        f"{n} elements in blocks of {threads}: the guard works in the last block",
        f"Blocks 0 to {last.number} of {threads} threads lie one behind the other. The last one is drawn as eight "
        f"warps of 32 lanes. It begins at element {last.first}. {sum(last.lanes)} of its threads have an element: five "
        f"warps, and three lanes of the sixth. The other {threads - sum(last.lanes)} threads do nothing.",
    )
    left, top, width = MARGIN + 62, 142, cell * WARP
    shown = (("0", "0"), ("1", str(threads)), ("2", str(2 * threads)), ("...", ""), (str(last.number), str(last.first)))
    pitch = width / len(shown)
    for place, (number, element) in enumerate(shown):
        x = left + pitch * place
        if element:
            colour = tint(WARP_COLOURS[place % 4], 0.5)
            drawing.box(x, 62, pitch - 6, 28, colour, FAINT, radius=3)
            drawing.text(x + (pitch - 6) / 2, 81, f"block {number}", 12, anchor="middle")
            drawing.text(x, 105, f"from {element}", 11, QUIET)
        else:
            drawing.text(x + (pitch - 6) / 2, 81, "...", 14, anchor="middle")
    drawing.line(left + 4 * pitch, 112, left, top - 6, FAINT)
    drawing.line(left + width - 6, 112, left + width, top - 6, FAINT)
    for warp, with_element in enumerate(last.lanes):
        y = top + row * warp
        drawing.text(MARGIN, y + 14, f"warp {warp}", 12)
        for lane in range(WARP):
            if lane < with_element:
                drawing.box(left + cell * lane, y, cell - 1, row - 4, tint(WARP_COLOURS[0], 0.6))
            else:
                drawing.box(left + cell * lane + 0.5, y + 0.5, cell - 2, row - 5, PAPER, FAINT)
        first = last.first + WARP * warp
        words = f"elements {first} to {first + with_element - 1}" if with_element else "no element"
        drawing.text(left + width + 12, y + 14, words, 12, INK if with_element else VERMILION)
    y = top + row * len(last.lanes) + 22
    drawing.text(MARGIN, y, "i = blockIdx.x * blockDim.x + threadIdx.x", 12, code=True)
    words = "A box is a thread. In the empty ones `i < n` is false, and they do nothing."
    drawing.text(MARGIN, y + 20, words, 12, QUIET)
    return drawing.svg()


class Sharing(NamedTuple):
    """A stage's way to share out elements: the grid's blocks, a block's threads, and whether a thread goes on by the
    number of all threads when it has made its first element."""

    name: str
    code: str
    blocks: int
    threads: int
    goes_on: bool

    def taken(self, n: int) -> dict[int, tuple[int, int, int]]:
        """Who makes an element: its block, its thread in the block, and the turn of the loop."""
        found: dict[int, tuple[int, int, int]] = {}
        for block in range(self.blocks):
            for thread in range(self.threads):
                first = block * self.threads + thread
                end = n if self.goes_on else min(n, first + 1)
                elements = range(first, end, self.blocks * self.threads)
                found.update({i: (block, thread, turn) for turn, i in enumerate(elements)})
        return found


_DRAWN_ELEMENTS, _DRAWN_THREADS = 14, 4
_FULL_GRID = -(-_DRAWN_ELEMENTS // _DRAWN_THREADS)
SHARINGS = (
    Sharing("Stage 01: one block", "i += blockDim.x", 1, _DRAWN_THREADS, True),
    Sharing("Stage 02: a thread for each element", "if (i < n)", _FULL_GRID, _DRAWN_THREADS, False),
    Sharing("Stage 03: two blocks go round", "i += gridDim.x * blockDim.x", 2, _DRAWN_THREADS, True),
)


def who_takes_what() -> str:
    """Stages 01 to 03 with blocks of 4 threads and 14 elements."""
    cell, pitch = 42, 104
    drawing = Drawing(
        108 + pitch * len(SHARINGS),
        f"Three ways to share out {_DRAWN_ELEMENTS} elements among blocks of {_DRAWN_THREADS} threads",
        "Stage 01: the four threads of one block take elements 0 to 3, then 4 to 7, and so on, in four turns. "
        "Stage 02: four blocks take four elements each, in one turn; two threads of the last have none. Stage 03: two "
        "blocks take elements 0 to 7 in the first turn and 8 to 13 in the second.",
    )
    left = MARGIN + 84
    for number, sharing in enumerate(SHARINGS):
        top = 66 + pitch * number
        drawing.text(MARGIN, top + 10, sharing.name, 14, bold=True)
        drawing.text(WIDTH - MARGIN, top + 10, sharing.code, 13, anchor="end", code=True)
        drawing.text(MARGIN, top + 44, "thread", 12, QUIET)
        drawing.text(MARGIN, top + 72, "turn", 12, QUIET)
        taken = sharing.taken(_DRAWN_ELEMENTS)
        for i, (block, thread, turn) in taken.items():
            x = left + cell * i
            drawing.cell(x, top + 18, cell, tint(WARP_COLOURS[block], 0.3 + 0.12 * (thread % 4)), str(thread), 15)
            drawing.text(x + cell / 2, top + 74, str(turn + 1), 12, QUIET, "middle")
            if i and turn != taken[i - 1][2]:
                drawing.line(x, top + 62, x, top + 78, INK, 1.6)
    words = "A box is an element, from element 0 on; in it the thread that makes it, in the colour of its block."
    drawing.text(MARGIN, 74 + pitch * len(SHARINGS), words, 12, QUIET)
    words = "Threads with neighbouring numbers have neighbouring elements in every turn."
    drawing.text(MARGIN, 92 + pitch * len(SHARINGS), words, 12, QUIET)
    return drawing.svg()
