"""Pictures of ch2_subset_sum: the table, a column as bits, and the entries in a warp's request. Formulas as in the
stages."""

from __future__ import annotations

from typing import NamedTuple

from cli.pictures.svg_drawing import (
    FAINT,
    GREY,
    INK,
    MARGIN,
    PAPER,
    QUIET,
    READ_COLOUR,
    SKY,
    VERMILION,
    WARP_COLOURS,
    WIDTH,
    Drawing,
    tint,
)

WARP = 32
SECTOR_BYTES = 32
_ITEMS, _TARGET = (2, 6, 8, 19), 10  # the README's first example
_ROOM = WIDTH - 2 * MARGIN


def table_of_sums(items: tuple[int, ...], target: int) -> list[list[int]]:
    """Column j has a 1 at each subset sum of the first j items, as in 01_naive.cu."""
    columns = [[int(i == 0) for i in range(target + 1)]]
    for item in items:
        before = columns[-1]
        columns.append([before[i] | (before[i - item] if i >= item else 0) for i in range(target + 1)])
    return columns


def table_by_columns() -> str:
    columns = table_of_sums(_ITEMS, _TARGET)
    size, pitch, top = 24, 138, 100
    drawing = Drawing(
        top + size * (_TARGET + 1) + 66,
        "Items 2, 6, 8, 19 and S = 10: a column of F for each item",
        "Five columns of eleven entries: for no item, and after the items 2, 6, 8 and 19. Entry 10 after item 8 is 1 "
        "because entry 2 of the previous column is 1. Entry 3 depends on one entry, because 3 is less than the item. "
        "The last entry of the last column is the answer.",
    )
    left = MARGIN + 70
    drawing.text(MARGIN, top - 12, "sum i", 12, QUIET)
    for i in range(_TARGET + 1):
        drawing.text(MARGIN + 34, top + size * i + 17, str(i), 12, anchor="end")
    for number, column in enumerate(columns):
        x = left + pitch * number
        heading = f"item {_ITEMS[number - 1]}" if number else "no item"
        drawing.text(x + size / 2, top - 12, heading, 13, anchor="middle", bold=True)
        if number:
            drawing.text(x - (pitch - size) / 2, top - 32, f"launch {number}", 12, QUIET, "middle")
        for i, entry in enumerate(column):
            colour = tint(SKY, 0.7) if entry else PAPER
            drawing.box(x, top + size * i, size, size, colour, FAINT)
            drawing.text(x + size / 2, top + size * i + 17, str(entry), 13, INK if entry else QUIET, "middle")
    for number, i in ((2, 8), (3, 3), (3, 10)):
        _draw_reads(drawing, left + pitch * number, top, i, _ITEMS[number - 1], size, pitch)
    drawing.box(left + pitch * len(_ITEMS), top + size * _TARGET, size, size, stroke=INK, stroke_width=2.4)
    y = top + size * (_TARGET + 1)
    drawing.text(MARGIN, y + 28, "F[i, j] = F[i, j-1] or F[i - s_j, j-1], the second only if s_j <= i", 12, code=True)
    words = "Three entries and their inputs. Horizontal: F[i, j-1]. Diagonal: F[i - s_j, j-1]. Framed: the answer."
    drawing.text(MARGIN, y + 50, words, 12, QUIET)
    return drawing.svg()


def _draw_reads(drawing: Drawing, x: float, top: float, i: int, item: int, size: float, pitch: float) -> None:
    """Arrows from one or two entries of the previous column to entry i."""
    begin, middle = x - pitch + size + 3, top + size * i + size / 2
    drawing.arrow(begin, middle, x - 3, middle)
    if i >= item:
        drawing.arrow(begin, middle - size * item, x - 3, middle - 4, VERMILION)


def one_launch() -> str:
    """The launch of item 8, after 2 and 6, with blocks of 4 threads."""
    launch, threads = 3, 4
    item = _ITEMS[launch - 1]
    columns = table_of_sums(_ITEMS, _TARGET)
    entries = _TARGET + 1
    blocks = -(-entries // threads)
    size, pitch, left, tops = 30, 49, MARGIN + 124, (88, 206)
    drawing = Drawing(
        352,
        f"Launch {launch}, for the item {item}: {blocks} blocks of {threads} threads for {entries} entries",
        f"Two rows of eleven entries, before and after the item {item}. Threads 0 to 7 copy their entry. Threads 8, 9 "
        f"and 10 also read the entry {item} positions below. Thread 8 finds a 1 in both, thread 9 a 0 in both, and "
        "thread 10 a 0 and a 1, which give a 1. Thread 11 has no entry and does nothing.",
    )
    drawing.text(MARGIN, tops[0] - 10, "sum i", 12, QUIET)
    for top, name, column in zip(tops, ("before", "column"), columns[launch - 1 : launch + 1], strict=True):
        drawing.text(MARGIN, top + 20, name, 12, code=True)
        for i, entry in enumerate(column):
            colour = tint(SKY, 0.7) if entry else PAPER
            drawing.cell(left + pitch * i, top, size, colour, str(entry), 13, INK if entry else QUIET)
    for i in range(entries):
        middle = left + pitch * i + size / 2
        drawing.text(middle, tops[0] - 10, str(i), 12, anchor="middle")
        drawing.arrow(middle, tops[0] + size + 3, middle, tops[1] - 3)
        if i >= item:
            drawing.arrow(middle - pitch * item, tops[0] + size + 3, middle - 5, tops[1] - 3, VERMILION)
    y = tops[1] + size + 24
    drawing.text(MARGIN, y, "thread", 12, QUIET)
    for thread in range(blocks * threads):
        middle = left + pitch * thread + size / 2
        drawing.text(middle, y, str(thread), 12, INK if thread < entries else VERMILION, "middle")
    for block in range(blocks):
        x, width = left + pitch * threads * block - 5, pitch * threads - 9
        drawing.box(x, y - 18, width, 48, stroke=QUIET)
        drawing.text(x + width / 2, y + 22, f"block {block}", 12, QUIET, "middle")
    words = f"Vertical: before[i]. Diagonal: before[i - {item}], where i >= {item}. Thread {entries} fails the guard: i > target."
    drawing.text(MARGIN, y + 68, words, 12, QUIET)
    return drawing.svg()


class PackedStep(NamedTuple):
    """A column of bits, the column shifted by an item, and the OR of both, without sums larger than the target."""

    before: list[int]
    shifted: list[int]
    column: list[int]


def packed_step(sums: set[int], item: int, target: int, bits: int) -> PackedStep:
    """As in 04_bit_packed.cu, word by word, with `bits` bits per word."""
    words = target // bits + 1
    before = [sum(1 << bit for bit in range(bits) if w * bits + bit in sums) for w in range(words)]
    shifted, column = [], []
    for w in range(words):
        start = w - item // bits
        high = before[start] if start >= 0 else 0
        low = before[start - 1] if start >= 1 else 0
        moved = ((high << bits | low) << item % bits) >> bits & ((1 << bits) - 1)  # __funnelshift_l
        shifted.append(moved)
        word = before[w] | moved
        if w == words - 1:
            word &= ((1 << bits) - 1) >> (bits - 1 - target % bits)
        column.append(word)
    return PackedStep(*(_bits_of(packed, bits) for packed in (before, shifted, column)))


def _bits_of(words: list[int], bits: int) -> list[int]:
    return [word >> bit & 1 for word in words for bit in range(bits)]


_BITS = 8  # per word, drawn instead of 32
_BEFORE = {0, 3, 5, 6, 8, 9, 11, 14}  # the sums of 3, 5 and 6
_ITEM, _LAST_SUM = 11, 21


def shift_and_or() -> str:
    step = packed_step(_BEFORE, _ITEM, _LAST_SUM, _BITS)
    size, left, tops = 24, MARGIN + 104, (86, 196, 266)
    count = len(step.before)
    drawing = Drawing(
        386,
        f"Stage 04: item {_ITEM} shifts all bits up by {_ITEM}, and an OR keeps the old bits",
        "Three rows of 24 bits, in three words of 8. The first has the sums of 3, 5 and 6. In the second each bit is "
        "11 positions higher. The third has both; the bits of sums 22 and 23, past the target 21, are masked out. The "
        "8 bits that thread 2 shifts are in words 0 and 1 of the first row.",
    )
    rows = (("before", step.before), (f"before << {_ITEM}", step.shifted), ("column", step.column))
    for i in range(count):
        drawing.text(left + size * (i + 0.5), tops[0] - 8, str(i), 11, QUIET, "middle")
    drawing.text(MARGIN, tops[0] - 8, "sum", 12, QUIET)
    for (name, bits), top in zip(rows, tops, strict=True):
        drawing.text(MARGIN, top + 17, name, 12, code=True)
        for i, bit in enumerate(bits):
            word = (i - _ITEM if bits is step.shifted else i) // _BITS
            is_drawn = bits is not step.shifted or i >= _ITEM
            shade = GREY if bits is step.column else WARP_COLOURS[word]
            colour = tint(shade, 0.7 if bit else 0.15) if is_drawn else PAPER
            drawing.cell(left + size * i, top, size, colour, str(bit), 13, INK if bit else QUIET)
        for word in range(count // _BITS):
            drawing.box(left + size * _BITS * word, top, size * _BITS, size, stroke=INK, stroke_width=1.4)
    thread = _LAST_SUM // _BITS
    first = thread * _BITS - _ITEM
    x, target_x, width = left + size * first, left + size * _BITS * thread, size * _BITS
    drawing.box(x, tops[0] - 2, width, size + 4, stroke=VERMILION, stroke_width=2.4)
    drawing.box(target_x, tops[1] - 2, width, size + 4, stroke=VERMILION, stroke_width=2.4)
    for distance in (0, width):
        drawing.line(x + distance, tops[0] + size + 2, target_x + distance, tops[1] - 2, VERMILION, 1.4)
    drawing.text(left, tops[0] + size + 42, f"thread {thread} takes {_BITS} bits", 12)
    code = f"__funnelshift_l(low, high, {_ITEM % _BITS})"
    drawing.text(left, tops[0] + size + 62, code, 12, code=True)
    for i in range(_LAST_SUM + 1, count):
        drawing.line(left + size * i + 3, tops[2] + size - 3, left + size * (i + 1) - 3, tops[2] + 3, VERMILION, 2)
    drawing.text(MARGIN, tops[2] - 8, "or:", 12, QUIET)
    for word in range(count // _BITS):
        middle = left + size * _BITS * (word + 0.5)
        drawing.text(middle, tops[2] + size + 18, f"thread {word} computes word {word}", 12, anchor="middle")
    y = tops[2] + size + 50
    up = f"{_ITEM // _BITS} word and {_ITEM % _BITS} bits"
    words = f"Drawn with {_BITS} sums per word for 32, the smallest on the left: {_ITEM} sums are {up}."
    drawing.text(MARGIN, y, words, 12, QUIET)
    words = f"Coloured as the word of `before` that a bit was in. Struck out: sums past the target {_LAST_SUM}."
    drawing.text(MARGIN, y + 18, words, 12, QUIET)
    return drawing.svg()


class WarpLoad(NamedTuple):
    stage: str
    bytes_per_lane: int
    sums_per_byte: int


WARP_LOADS = (
    WarpLoad("Stage 01: a byte per lane, a sum per byte", 1, 1),
    WarpLoad("Stage 04: a word per lane, a sum per bit", 4, 8),
    WarpLoad("Stage 05: a vector per lane, a sum per bit", 16, 8),
)


def request_sizes() -> str:
    pitch = 76
    sums = [WARP * load.bytes_per_lane * load.sums_per_byte for load in WARP_LOADS]
    drawing = Drawing(
        84 + pitch * len(WARP_LOADS),
        "The number of sums that one request of a warp loads",
        f"With a byte per lane a request is one sector and loads {sums[0]} sums. With a word of bits per lane it is 4 "
        f"sectors and loads {sums[1]:,} sums. With a vector per lane it is 16 sectors and loads {sums[2]:,} sums.",
    )
    width = _ROOM / (WARP * WARP_LOADS[-1].bytes_per_lane // SECTOR_BYTES)
    for number, (load, count) in enumerate(zip(WARP_LOADS, sums, strict=True)):
        top = 62 + pitch * number
        sectors = WARP * load.bytes_per_lane // SECTOR_BYTES
        drawing.text(MARGIN, top + 12, load.stage, 13)
        words = f"{count:,} sums in {WARP * load.bytes_per_lane} bytes"
        drawing.text(WIDTH - MARGIN, top + 12, words, 13, anchor="end", bold=True)
        for sector in range(sectors):
            drawing.box(MARGIN + width * sector, top + 22, width - 3, 28, tint(READ_COLOUR, 0.7), INK)
    drawing.text(MARGIN, 70 + pitch * len(WARP_LOADS), "A box is a sector of 32 bytes.", 12, QUIET)
    return drawing.svg()
