"""Pictures of ch1_saxpy: the elements of each thread, and the sectors that a warp accesses. The formulas are those of
the stages."""

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
    WRITE_COLOUR,
    Drawing,
    tint,
)
from measurements import ROOT, read_measurements

WARP = 32
SECTOR_BYTES = 32
FLOAT_BYTES = 4
_ROOM = WIDTH - 2 * MARGIN
_SMS = 132  # of an H200


class Request(NamedTuple):
    """The request of each lane of a warp in one load: its first byte in the array, and the number of bytes."""

    name: str
    code: str
    first_byte: Callable[[int], int]  # argument: the lane
    bytes_per_lane: int

    def sectors(self) -> list[int]:
        """The 32-byte sectors that the lanes access, from the first to the last."""
        ends = ((self.first_byte(lane), self.first_byte(lane) + self.bytes_per_lane - 1) for lane in range(WARP))
        return sorted({byte // SECTOR_BYTES for first, last in ends for byte in (first, last)})


REQUESTS = (
    Request("consecutive floats", "x[i]", lambda lane: FLOAT_BYTES * lane, FLOAT_BYTES),
    Request("consecutive floats, one element late", "x[i + 1]", lambda lane: FLOAT_BYTES * (lane + 1), FLOAT_BYTES),
    Request("a chunk of 32 elements for each thread", "x[32 * i]", lambda lane: FLOAT_BYTES * 32 * lane, FLOAT_BYTES),
    Request("16 bytes for each thread (stage 04)", "x4[i]", lambda lane: 4 * FLOAT_BYTES * lane, 4 * FLOAT_BYTES),
)


def warp_to_sectors() -> str:
    pitch = 88
    counts = [len(request.sectors()) for request in REQUESTS]
    drawing = Drawing(
        96 + pitch * len(REQUESTS),
        "One load of a warp, and the sectors of 32 bytes that it accesses",
        f"Lanes above, sectors below. 32 consecutive floats are in {counts[0]} sectors, or in {counts[1]} if they "
        "start one element late. If each thread has its own chunk, each lane accesses a different sector: "
        f"{counts[2]} of them, with 4 bytes used of each. 32 consecutive float4 are in {counts[3]} sectors, all used.",
    )
    for number, request in enumerate(REQUESTS):
        _draw_request(drawing, 66 + pitch * number, request)
    words = "A box is a sector, the filled part is requested. Numbers are lanes. Whole sectors are transferred."
    drawing.text(MARGIN, 80 + pitch * len(REQUESTS), words, 12, QUIET)
    return drawing.svg()


def _draw_request(drawing: Drawing, top: float, request: Request) -> None:
    sectors = request.sectors()
    drawing.text(MARGIN, top + 10, request.code, 14, code=True)
    drawing.text(MARGIN + 96, top + 10, request.name, 13)
    moved, asked = SECTOR_BYTES * len(sectors), WARP * request.bytes_per_lane
    words = f"{len(sectors)} sectors: {moved} bytes transferred for {asked}"
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
    lanes: list[int]  # number of lanes with an element, for each warp


def last_block(n: int, threads: int) -> LastBlock:
    blocks = -(-n // threads)
    first = (blocks - 1) * threads
    with_element = [max(0, min(WARP, n - first - WARP * warp)) for warp in range(threads // WARP)]
    return LastBlock(blocks - 1, first, with_element)


def elements_and_guard() -> str:
    """Stage 02 at the size of its section: the last warps of the last block have no elements."""
    n, threads, cell, row = 100003, 256, 14, 22
    last = last_block(n, threads)
    drawing = Drawing(
        376,
        f"{n} elements in blocks of {threads}: the guard is needed in the last block",
        f"Blocks 0 to {last.number} of {threads} threads, back to back. The last one is drawn as eight warps of 32 "
        f"lanes. It starts at element {last.first}. {sum(last.lanes)} of its threads have an element: five "
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
    """The division of the elements in a stage: the number of blocks, the threads per block, and whether a thread has a
    loop, whose stride is the number of all threads."""

    name: str
    code: str
    blocks: int
    threads: int
    has_loop: bool

    def taken(self, n: int) -> dict[int, tuple[int, int, int]]:
        """The block, the thread in the block, and the iteration of the loop that compute an element."""
        found: dict[int, tuple[int, int, int]] = {}
        for block in range(self.blocks):
            for thread in range(self.threads):
                first = block * self.threads + thread
                end = n if self.has_loop else min(n, first + 1)
                elements = range(first, end, self.blocks * self.threads)
                found.update({i: (block, thread, iteration) for iteration, i in enumerate(elements)})
        return found


_DRAWN_ELEMENTS, _DRAWN_THREADS = 14, 4
_FULL_GRID = -(-_DRAWN_ELEMENTS // _DRAWN_THREADS)
SHARINGS = (
    Sharing("Stage 01: one block", "i += blockDim.x", 1, _DRAWN_THREADS, True),
    Sharing("Stage 02: one thread per element", "if (i < n)", _FULL_GRID, _DRAWN_THREADS, False),
    Sharing("Stage 03: two blocks, with a loop", "i += gridDim.x * blockDim.x", 2, _DRAWN_THREADS, True),
)


def who_takes_what() -> str:
    """Stages 01 to 03 with blocks of 4 threads and 14 elements."""
    cell, pitch = 42, 104
    drawing = Drawing(
        108 + pitch * len(SHARINGS),
        f"Three ways to divide {_DRAWN_ELEMENTS} elements among blocks of {_DRAWN_THREADS} threads",
        "Stage 01: the four threads of one block compute elements 0 to 3, then 4 to 7, and so on, in four iterations. "
        "Stage 02: four blocks compute four elements each, without a loop; two threads of the last block have none. "
        "Stage 03: two blocks compute elements 0 to 7 in the first iteration and 8 to 13 in the second.",
    )
    left = MARGIN + 84
    for number, sharing in enumerate(SHARINGS):
        top = 66 + pitch * number
        drawing.text(MARGIN, top + 10, sharing.name, 14, bold=True)
        drawing.text(WIDTH - MARGIN, top + 10, sharing.code, 13, anchor="end", code=True)
        drawing.text(MARGIN, top + 44, "thread", 12, QUIET)
        drawing.text(MARGIN, top + 74, "iteration", 12, QUIET)
        taken = sharing.taken(_DRAWN_ELEMENTS)
        for i, (block, thread, iteration) in taken.items():
            x = left + cell * i
            drawing.cell(x, top + 18, cell, tint(WARP_COLOURS[block], 0.3 + 0.12 * (thread % 4)), str(thread), 15)
            drawing.text(x + cell / 2, top + 74, str(iteration + 1), 12, QUIET, "middle")
            if i and iteration != taken[i - 1][2]:
                drawing.line(x, top + 62, x, top + 78, INK, 1.6)
    words = "A box is an element, from element 0 on. In it is the thread that computes it, in the colour of its block."
    drawing.text(MARGIN, 74 + pitch * len(SHARINGS), words, 12, QUIET)
    words = "In every iteration consecutive threads have consecutive elements."
    drawing.text(MARGIN, 92 + pitch * len(SHARINGS), words, 12, QUIET)
    return drawing.svg()


def saxpy_elements() -> str:
    """The chapter's computation, with numbers that can be checked by hand."""
    a, xs, ys = 2, (3, 1, 4, 1, 5, 9), (10, 20, 30, 40, 50, 60)
    cell, pitch, left = 52, 88, MARGIN + 110
    drawing = Drawing(
        290,
        f"y = a x + y with a = {a}: one thread per element",
        "Three rows of six numbers: x, y, and the new y. Thread i reads x[i] and y[i], and writes y[i]: "
        + ", ".join(f"{a} * {x} + {y} = {a * x + y}" for x, y in zip(xs, ys)) + ".",
    )
    rows = ((66, "x", READ_COLOUR), (128, "y", READ_COLOUR), (206, "new y", WRITE_COLOUR))
    for top, name, colour in rows:
        drawing.text(MARGIN, top + 31, name, 15, code=True)
        for i, (x, y) in enumerate(zip(xs, ys)):
            number = {"x": x, "y": y, "new y": a * x + y}[name]
            drawing.cell(left + pitch * i, top, cell, tint(colour, 0.45), str(number), 17)
        drawing.text(left + pitch * len(xs) - 22, top + 31, "...", 15)
    for i in range(len(xs)):
        x = left + pitch * i + cell / 2
        drawing.arrow(x, 182, x, 204)
        drawing.text(x + 10, 198, f"thread {i}", 11, QUIET)
    words = "Each thread reads 8 bytes and writes 4. No thread needs the result of another thread."
    drawing.text(MARGIN, 280, words, 12, QUIET)
    return drawing.svg()


_PAPER_BLOCKS, _PAPER_THREADS, _PAPER_ELEMENTS = 2, 4, 19


def grid_stride_on_paper() -> str:
    """Stage 03 on paper: the loop of 2 blocks of 4 threads, iteration by iteration."""
    threads = _PAPER_BLOCKS * _PAPER_THREADS
    sharing = Sharing("on paper", "", _PAPER_BLOCKS, _PAPER_THREADS, True)
    taken = sharing.taken(_PAPER_ELEMENTS)
    at = {(block * _PAPER_THREADS + thread, iteration): i for i, (block, thread, iteration) in taken.items()}
    iterations = 1 + max(iteration for _, iteration in at)
    cell, pitch, left, top = 44, 64, MARGIN + 142, 132
    drawing = Drawing(
        top + 58 * iterations + 78,
        f"Grid-stride loop: {_PAPER_BLOCKS} blocks of {_PAPER_THREADS} threads, n = {_PAPER_ELEMENTS}",
        f"A table with a column for each of the {threads} threads and a row for each iteration. Iteration 1 has "
        "elements 0 to 7, iteration 2 elements 8 to 15, iteration 3 elements 16 to 18 in threads 0 to 2 of block 0. "
        "The other threads stop before iteration 3.",
    )
    for block in range(_PAPER_BLOCKS):
        x = left + pitch * _PAPER_THREADS * block
        drawing.box(x - 8, 62, pitch * _PAPER_THREADS - 6, 26, tint(WARP_COLOURS[block], 0.4), radius=4)
        drawing.text(x + pitch * _PAPER_THREADS / 2 - 11, 80, f"blockIdx.x = {block}", 13, anchor="middle", code=True)
    drawing.text(MARGIN, 110, "threadIdx.x", 13, code=True)
    for column in range(threads):
        drawing.text(left + pitch * column + cell / 2, 110, str(column % _PAPER_THREADS), 13, anchor="middle")
    for iteration in range(iterations):
        y = top + 58 * iteration - 10
        drawing.text(MARGIN, y + 27, f"iteration {iteration + 1}", 13)
        for column in range(threads):
            x, i = left + pitch * column, column + threads * iteration
            if (column, iteration) in at:
                colour = tint(WARP_COLOURS[column // _PAPER_THREADS], 0.55)
                drawing.cell(x, y, cell, colour, str(at[column, iteration]), 16)
            else:
                drawing.box(x, y, cell, cell, stroke=QUIET, dashed=True)
                drawing.text(x + cell / 2, y + 28, str(i), 14, VERMILION, "middle")
        if iteration + 1 < iterations:
            drawing.text(left - 46, y + 56, f"+ {threads}", 13, QUIET)
    y = top + 58 * iterations
    words = f"stride = gridDim.x * blockDim.x = {_PAPER_BLOCKS} * {_PAPER_THREADS} = {threads}"
    drawing.text(MARGIN, y + 22, words, 13, code=True)
    words = f"Filled: element i. Dashed: `i < n` is false, so the thread leaves its loop. 8 + 8 + 3 = {_PAPER_ELEMENTS}."
    drawing.text(MARGIN, y + 48, words, 12, QUIET)
    return drawing.svg()


class InFlight(NamedTuple):
    """Bytes in flight per SM, and how fast a kernel reads with them."""

    kb_per_sm: int
    tb_per_s: float
    microseconds: float  # until a byte arrives, by Little's law


def bytes_in_flight() -> str:
    points = read_measurements(ROOT / "plots/results/nvidia-h200/ch1_in_flight.csv").points
    rates = {kb: point.rate for (_, (_, kb)), point in points.items()}
    measured = [InFlight(kb, rate / 1e3, _SMS * 1024 * kb / rate / 1e3) for kb, rate in rates.items()]
    drawing = Drawing(
        330,
        "32 KB in flight per SM are enough to read at full speed",
        "The rate at which an H200 reads, and the time until a byte arrives: "
        + "; ".join(f"{at.kb_per_sm} KB {at.tb_per_s:.2f} TB/s, {at.microseconds:.2f} microseconds" for at in measured)
        + ".",
    )
    left, right, top, bottom = MARGIN + 128, WIDTH - MARGIN - 34, 84, 230
    step = (right - left) / (len(measured) - 1)

    def y(tb_per_s: float) -> float:
        return bottom - (bottom - top) * tb_per_s / 5

    for tb_per_s in range(5):
        drawing.line(left - 34, y(tb_per_s), right + 20, y(tb_per_s), FAINT)
        drawing.text(left - 40, y(tb_per_s) + 4, str(tb_per_s), 12, QUIET, "end")
    drawing.text(MARGIN, top - 14, "TB/s read", 12, QUIET)
    places = [(left + i * step, y(at.tb_per_s)) for i, at in enumerate(measured)]
    for (x1, y1), (x2, y2) in zip(places, places[1:]):
        drawing.line(x1, y1, x2, y2, READ_COLOUR, 2.5)
    drawing.text(MARGIN, bottom + 24, "KB per SM", 12, QUIET)
    drawing.text(MARGIN, bottom + 46, "microseconds", 12, QUIET)
    for (x, above), at in zip(places, measured):
        drawing.box(x - 3, above - 3, 6, 6, READ_COLOUR)
        drawing.text(x, above - 10, f"{at.tb_per_s:.2f}", 12, anchor="middle")
        drawing.text(x, bottom + 24, str(at.kb_per_sm), 13, anchor="middle")
        drawing.text(x, bottom + 46, f"{at.microseconds:.2f}", 13, anchor="middle")
    words = f"microseconds: bytes in flight on {_SMS} SMs divided by the rate (Little's law). Measured on an H200."
    drawing.text(MARGIN, 312, words, 12, QUIET)
    return drawing.svg()
