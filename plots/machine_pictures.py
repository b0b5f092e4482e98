"""Pictures of ch0_machine, drawn from the output of its programs."""

from __future__ import annotations

from collections.abc import Callable

from cli.pictures.svg_drawing import (
    Drawing,
    FAINT,
    INK,
    MARGIN,
    PAPER,
    QUIET,
    READ_COLOUR,
    SKY,
    VERMILION,
    WARP_COLOURS,
    WIDTH,
    WRITE_COLOUR,
    tint,
)

WARP = 32
SECTOR_BYTES = 32
INT_BYTES = 4
_BLOCK_COLOURS = WARP_COLOURS[:3]


def host_and_device() -> str:
    """The seven steps of stage 01, between two memories."""
    drawing = Drawing(
        352,
        "Two memories, and the steps between them",
        "The host's memory holds h_x and h_y, the device's memory d_x and d_y. Step 1 allocates on the device, step 2 "
        "copies h_x to d_x, step 3 launches the kernel, which reads d_x and writes d_y, step 4 waits, step 5 copies "
        "d_y back to h_y, step 6 frees.",
    )
    top, height, width = 62, 212, 236
    right = WIDTH - MARGIN - width
    for x, name, what in ((MARGIN, "host", "the CPU with its memory"), (right, "device", "the GPU with its memory")):
        drawing.box(x, top, width, height, tint(SKY, 0.1), FAINT, radius=6)
        drawing.text(x + width / 2, top + 24, name, 15, anchor="middle", bold=True)
        drawing.text(x + width / 2, top + 43, what, 12, QUIET, "middle")
    arrays = (("x", top + 62, (3, 1, 4), (3, 1, 4), READ_COLOUR), ("y", top + 156, (6, 2, 8), (6, 2, 8), WRITE_COLOUR))
    for name, y, host_numbers, device_numbers, colour in arrays:
        for x, prefix, numbers in ((MARGIN, "h", host_numbers), (right, "d", device_numbers)):
            drawing.text(x + 16, y + 24, f"{prefix}_{name}", 14, code=True)
            for place, number in enumerate(numbers):
                drawing.cell(x + 66 + 38 * place, y, 36, tint(colour, 0.45), str(number), 14)
            drawing.text(x + 66 + 38 * 3 + 6, y + 24, "...", 14)
    middle, gap = MARGIN + width, right - MARGIN - width
    drawing.arrow_right(middle + 12, right - 12, top + 80)
    drawing.text(middle + gap / 2, top + 70, "2  copy there", 13, anchor="middle")
    drawing.arrow(right - 12, top + 174, middle + 12, top + 174)
    drawing.text(middle + gap / 2, top + 164, "5  copy back", 13, anchor="middle")
    drawing.arrow(right + 40, top + 102, right + 40, top + 152)
    drawing.text(right + 52, top + 132, "3  the kernel runs", 13)
    for place, step in enumerate(("1  allocate", "2  copy there", "3  launch", "4  wait", "5  copy back", "6  free")):
        drawing.text(MARGIN + 118 * place, 302, step, 13)
    words = "A kernel can use only pointers that start with d_; host code can use only those that start with h_."
    drawing.text(MARGIN, 328, words, 13, QUIET)
    return drawing.svg()


def grid_of_blocks() -> str:
    """Stage 02: 3 blocks of 4 threads for 10 elements."""
    blocks, threads, elements, size = 3, 4, 10, 46
    drawing = Drawing(
        300,
        "A grid of 3 blocks of 4 threads, for 10 elements",
        "Three boxes, the blocks, with four threads each. Thread t of block b takes element 4 b + t. The last two "
        "threads of block 2 have the numbers 10 and 11, and no element.",
    )
    pitch = (WIDTH - 2 * MARGIN + 20) / blocks
    for block in range(blocks):
        left = MARGIN + pitch * block
        drawing.box(left, 66, pitch - 20, 98, tint(_BLOCK_COLOURS[block], 0.12), FAINT, radius=6)
        drawing.text(left + 12, 86, f"blockIdx.x = {block}", 13, code=True)
        for thread in range(threads):
            x = left + 12 + (size + 6) * thread
            i = block * threads + thread
            is_idle = i >= elements
            drawing.cell(x, 98, size, PAPER if is_idle else tint(_BLOCK_COLOURS[block], 0.55), str(thread), 15)
            if is_idle:
                drawing.box(x, 98, size, size, stroke=QUIET, dashed=True)
                drawing.text(x + size / 2, 204, "none", 13, VERMILION, "middle")
            else:
                drawing.arrow(x + size / 2, 150, x + size / 2, 188)
                drawing.cell(x, 190, size, tint(_BLOCK_COLOURS[block], 0.25), str(i), 15)
    drawing.text(MARGIN, 264, "threadIdx.x above, element i below:", 13, QUIET)
    drawing.text(MARGIN + 300, 264, "i = blockIdx.x * blockDim.x + threadIdx.x", 13, code=True)
    words = "blockDim.x is 4, gridDim.x is 3. The guard `if (i < n)` keeps the last two from writing."
    drawing.text(MARGIN, 286, words, 13, QUIET)
    return drawing.svg()


def warps_of_shapes() -> str:
    """Stage 04: how 64 threads of three shapes become two warps."""
    shapes = ((32, 2), (16, 4), (8, 8))
    cell, row = 9, 13
    drawing = Drawing(
        296,
        "64 threads in three shapes: which of them are a warp?",
        "A block of 32 x 2 threads has a warp in each row. In a block of 16 x 4 a warp is two rows, in one of 8 x 8 "
        "four rows. Threads are numbered along x first.",
    )
    left = MARGIN
    for across, down in shapes:
        drawing.text(left, 78, f"dim3({across}, {down})", 14, code=True)
        for y in range(down):
            for x in range(across):
                thread = y * across + x
                colour = tint(WARP_COLOURS[thread // WARP], 0.6)
                drawing.box(left + cell * x, 92 + row * y, cell, row, colour, PAPER)
        for y in range(0, down, WARP // across):
            middle = 92 + row * (y + WARP / across / 2) + 4.5
            drawing.text(left + cell * across + 6, middle, f"warp {y * across // WARP}", 12)
        left += cell * across + 84
    drawing.text(MARGIN, 230, "number of a thread = threadIdx.y * blockDim.x + threadIdx.x", 13, code=True)
    drawing.text(MARGIN, 254, "warp = number / 32      lane = number % 32", 13, code=True)
    words = "x counts fastest: threads that are consecutive in x are consecutive lanes, until the row ends."
    drawing.text(MARGIN, 280, words, 13, QUIET)
    return drawing.svg()


def two_ways() -> str:
    """Stage 05: a warp that diverges, and two warps that take one branch each; 8 of 32 lanes are drawn."""
    lanes, size = 8, 22
    drawing = Drawing(
        330,
        "A warp that diverges executes both branches of an if",
        "Left: the lanes of one warp diverge. In the first step the even lanes are active and the odd ones wait, in "
        "the second the odd lanes are active. Right: all lanes of a warp take the same branch, and one step is enough.",
    )

    def steps(left: float, title: str, rows: tuple[tuple[str, Callable[[int], bool]], ...]) -> None:
        drawing.text(left, 78, title, 14, bold=True)
        for number, (name, works) in enumerate(rows):
            top = 98 + 78 * number
            drawing.text(left, top + 14, name, 13, code=True)
            for lane in range(lanes):
                colour = tint(WARP_COLOURS[0], 0.6) if works(lane) else PAPER
                x = left + (size + 3) * lane
                drawing.cell(x, top + 24, size, colour, str(lane), 12, INK if works(lane) else QUIET)
                if not works(lane):
                    drawing.box(x, top + 24, size, size, stroke=FAINT, dashed=True)
            drawing.text(left + (size + 3) * lanes + 8, top + 40, "..." if lanes < WARP else "", 13)

    by_lane = (("if", lambda lane: lane % 2 == 0), ("else", lambda lane: lane % 2 == 1))
    by_warp = (("warp 0: if", lambda lane: True), ("warp 1: else", lambda lane: True))
    steps(MARGIN, "the warp diverges: two steps", by_lane)
    steps(WIDTH / 2 + 20, "no warp diverges: one step each", by_warp)
    drawing.text(MARGIN, 276, "Filled: the lane is active. Dashed: it waits. The first 8 of 32 lanes are drawn.", 13, QUIET)
    words = "`threadIdx.x % 2` differs within a warp. `threadIdx.x / 32 % 2` is the same for a whole warp."
    drawing.text(MARGIN, 302, words, 13, QUIET)
    return drawing.svg()


def memories() -> str:
    """Stage 06: the memories of threads, blocks and the grid."""
    drawing = Drawing(
        412,
        "Which threads can access which memory",
        "Each thread has its own registers. Each block has shared memory, which its threads can access. All threads of "
        "all blocks, and the host's copies, can access global memory. Kernels only read constant memory.",
    )
    pitch = (WIDTH - 2 * MARGIN + 24) / 2
    for block in range(2):
        left, width = MARGIN + pitch * block, pitch - 24
        colour = WARP_COLOURS[block]
        drawing.box(left, 60, width, 178, tint(colour, 0.12), FAINT, radius=6)
        drawing.text(left + 12, 80, f"block {block}", 13, bold=True)
        for thread in range(3):
            x = left + 12 + 106 * thread
            drawing.box(x, 92, 96, 62, PAPER, FAINT, radius=4)
            drawing.text(x + 48, 111, f"thread {thread}", 12, anchor="middle")
            drawing.box(x + 8, 122, 80, 22, tint(colour, 0.55), radius=3)
            drawing.text(x + 48, 137, "registers", 12, anchor="middle")
            drawing.arrow(x + 48, 156, x + 48, 182)
        drawing.box(left + 12, 184, width - 24, 36, tint(colour, 0.55), radius=4)
        drawing.text(left + width / 2, 207, "shared memory of the block", 13, anchor="middle")
        drawing.arrow(left + width / 2, 240, left + width / 2, 266)
    width = WIDTH - 2 * MARGIN
    drawing.box(MARGIN, 268, width, 40, tint(READ_COLOUR, 0.35), FAINT, radius=4)
    drawing.text(WIDTH / 2, 293, "global memory: gigabytes, allocated with cudaMalloc", 13, anchor="middle")
    drawing.box(MARGIN, 316, width, 32, tint(WRITE_COLOUR, 0.3), FAINT, radius=4)
    drawing.text(WIDTH / 2, 337, "constant memory: 64 KB, read-only for kernels", 13, anchor="middle")
    drawing.text(MARGIN, 374, "Registers exist until the thread ends, shared memory until the block ends.", 13, QUIET)
    words = "Global memory exists until cudaFree. All threads of all blocks, and the host's copies, can access it."
    drawing.text(MARGIN, 396, words, 13, QUIET)
    return drawing.svg()


def sectors() -> str:
    """Stage 07: the sectors that a warp's 32 lanes access."""
    cases = (("x[lane]", 0, 1), ("x[lane + 1]", 1, 1), ("x[32 * lane]", 0, 32))
    drawing = Drawing(
        330,
        "32 lanes load one int each: how many sectors of 32 bytes?",
        "Consecutive elements: 4 sectors. Consecutive elements that start one late: 5 sectors. Elements 128 bytes "
        "apart: 32 sectors, each with 4 bytes used of its 32.",
    )
    for number, (code, first, stride) in enumerate(cases):
        touched = [(first + stride * lane) * INT_BYTES // SECTOR_BYTES for lane in range(WARP)]
        distinct = sorted(set(touched))
        top = 68 + 82 * number
        drawing.text(MARGIN, top + 14, code, 14, code=True)
        moved = len(distinct) * SECTOR_BYTES
        words = f"{len(distinct)} sectors, {moved} bytes transferred for {WARP * INT_BYTES}"
        drawing.text(WIDTH - MARGIN, top + 14, words, 13, anchor="end")
        per_sector = SECTOR_BYTES // INT_BYTES
        # The sectors that fit; distant sectors are drawn without the gaps between them.
        width = (WIDTH - 2 * MARGIN) / max(len(distinct), 8)
        for place, sector in enumerate(distinct):
            x = MARGIN + width * place
            drawing.box(x + 1, top + 26, width - 2, 30, PAPER, QUIET)
            step = (width - 4) / per_sector
            for slot in range(per_sector):
                element = sector * per_sector + slot
                wanted = element >= first and (element - first) % stride == 0 and (element - first) // stride < WARP
                if wanted:
                    drawing.box(x + 2 + step * slot, top + 28, max(step - 0.6, 1), 26, tint(READ_COLOUR, 0.8))
    words = "A box is a sector of 32 bytes, 8 ints. Filled: requested. Sectors that no lane requests are left out."
    drawing.text(MARGIN, 318, words, 13, QUIET)
    return drawing.svg()


def time_lines() -> str:
    """Stage 09: when the host waits for the device."""
    drawing = Drawing(
        262,
        "A launch returns at once; the host waits when it needs the result",
        "Two lines of time. The host launches, continues with other work while the kernel runs on the device, and "
        "waits in cudaDeviceSynchronize until the kernel has finished. Then the copy runs, and the host waits for it too.",
    )
    left, unit = MARGIN + 70, 58
    rows = {"host": 84, "device": 146}
    for name, y in rows.items():
        drawing.text(MARGIN, y + 20, name, 14, bold=True)
        drawing.line(left, y + 34, WIDTH - MARGIN, y + 34, FAINT)
    spans = (
        ("host", 0, 1, "launch", tint(WARP_COLOURS[0], 0.6), False),
        ("host", 1, 3, "continues", tint(WARP_COLOURS[2], 0.35), False),
        ("host", 3, 7, "cudaDeviceSynchronize()", PAPER, True),
        ("host", 7, 10.2, "cudaMemcpy()", PAPER, True),
        ("device", 1.2, 7, "the kernel runs", tint(WARP_COLOURS[1], 0.6), False),
        ("device", 7.2, 10.2, "the copy runs", tint(WARP_COLOURS[3], 0.4), False),
    )
    for row, begin, end, words, colour, waits in spans:
        x, y = left + unit * begin, rows[row]
        drawing.box(x, y, unit * (end - begin) - 3, 32, colour, QUIET, radius=3, dashed=waits)
        drawing.text(x + (unit * (end - begin) - 3) / 2, y + 21, words, 13, anchor="middle")
    drawing.arrow(left + unit * 0.8, 118, left + unit * 1.25, 144)
    drawing.text(MARGIN, 220, "Time goes to the right. Dashed: the host only waits.", 13, QUIET)
    drawing.text(MARGIN, 244, "A stream is a queue: the copy starts when the kernel before it has finished.", 13, QUIET)
    return drawing.svg()
