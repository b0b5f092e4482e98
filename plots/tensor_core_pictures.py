"""Pictures of ch11_tensor_cores: the sizes of instructions, and a float as two TF32 numbers."""

from __future__ import annotations

import struct
from typing import NamedTuple

from cli.pictures.svg_drawing import (
    Drawing,
    FAINT,
    GREEN,
    INK,
    MARGIN,
    ORANGE,
    QUIET,
    SKY,
    VERMILION,
    tint,
)

WARP = 32


class Instruction(NamedTuple):
    """An instruction that multiplies an m x k by a k x n matrix; a plain multiply-add has one product per lane."""

    name: str
    stages: str
    threads: str
    m: int
    n: int
    k: int

    def multiply_adds(self) -> int:
        return self.m * self.n * self.k


MMA_SYNC = Instruction("mma.sync", "stages 01 to 04", "a warp", 16, 8, 8)
WGMMA = Instruction("wgmma", "stages 05 to 07", "a warpgroup (4 warps)", 64, 128, 8)
_SCALE = 1.6  # side of a matrix element


def instruction_sizes() -> str:
    drawing = Drawing(
        306,
        "How many multiply-adds one instruction starts",
        f"An ordinary multiply-add of a warp: {WARP}. mma.sync of a warp, 16 x 8 by 8 x 8: {MMA_SYNC.multiply_adds()}. "
        f"wgmma of four warps, 64 x 8 by 8 x 128: {WGMMA.multiply_adds()}. The matrices are drawn to scale.",
    )
    x = MARGIN
    drawing.text(x, 78, "a * b + c", 14, code=True)
    drawing.text(x, 98, "a warp (chapter 6)", 12, QUIET)
    for lane in range(WARP):
        drawing.box(x + lane % 8 * 9, 124 + lane // 8 * 9, 7, 7, tint(GREEN, 0.7))
    _draw_count(drawing, x, WARP)
    _draw_product(drawing, MARGIN + 200, MMA_SYNC)
    _draw_product(drawing, MARGIN + 400, WGMMA)
    return drawing.svg()


def _draw_product(drawing: Drawing, x: float, instruction: Instruction) -> None:
    drawing.text(x, 78, instruction.name, 14, code=True)
    drawing.text(x, 98, f"{instruction.threads}, {instruction.stages}", 12, QUIET)
    width, height, depth = (_SCALE * extent for extent in (instruction.n, instruction.m, instruction.k))
    left, top = x + depth + 26, 124 + depth + 4
    drawing.box(left, 124, width, depth, tint(ORANGE, 0.8), INK)
    drawing.box(x, top, depth, height, tint(SKY, 0.8), INK)
    drawing.box(left, top, width, height, tint(GREEN, 0.7), INK)
    drawing.text(left + width + 6, 124 + depth / 2 + 4, "`b`", 12)
    drawing.text(x + depth + 4, top + height / 2 + 4, "`a`", 12)
    drawing.text(left + width + 6, top + height / 2 + 4, "`c`", 12)
    _draw_count(drawing, x, instruction.multiply_adds())
    sizes = f"{instruction.m} x {instruction.k} by {instruction.k} x {instruction.n}"
    drawing.text(x, 288, sizes, 12, QUIET)


def _draw_count(drawing: Drawing, x: float, count: int) -> None:
    drawing.text(x, 268, f"{count:,} multiply-adds", 14, bold=True)


SIGN_BITS, EXPONENT_BITS, MANTISSA_BITS, TF32_MANTISSA_BITS = 1, 8, 23, 10
_CUT_BITS = MANTISSA_BITS - TF32_MANTISSA_BITS
_EXAMPLE = 0.7  # not exactly representable as a float


def bits_of(value: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def float_of(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def cut_off(value: float) -> float:
    """The TF32 number of a float: its last 13 bits are 0."""
    return float_of(bits_of(value) >> _CUT_BITS << _CUT_BITS)


def tf32_parts() -> str:
    value = float_of(bits_of(_EXAMPLE))
    part = cut_off(value)
    residual = value - part
    drawing = Drawing(
        270,
        "A float, its TF32 part and the residual",
        f"A float has a sign bit, {EXPONENT_BITS} bits of exponent and {MANTISSA_BITS} of mantissa. TF32 keeps "
        f"{TF32_MANTISSA_BITS} bits of the mantissa. The residual is the float minus its TF32 part: it is exact and small, "
        "and it is cut off in the same way.",
    )
    rows = (
        ("`a`", value, f"{value:.9g}", bits_of(value)),
        ("TF32 part of `a`", part, f"{part:.9g}", bits_of(part)),
        ("residual", residual, f"{residual:.5g}", bits_of(residual)),
    )
    for line, (name, _, decimal, bits) in enumerate(rows):
        _draw_bits(drawing, 86 + 52 * line, name, decimal, bits)
    drawing.text(MARGIN, 248, "Grey bits are ignored by the instruction. The residual has its own exponent.", 12, QUIET)
    return drawing.svg()


def _draw_bits(drawing: Drawing, y: float, name: str, decimal: str, bits: int) -> None:
    left, cell = MARGIN + 126, 14
    drawing.text(MARGIN, y + 16, name, 13)
    for bit in range(32):  # from the left
        mantissa_bit = bit - SIGN_BITS - EXPONENT_BITS
        if mantissa_bit >= TF32_MANTISSA_BITS:
            colour = FAINT
        elif mantissa_bit >= 0:
            colour = tint(SKY, 0.7)
        else:
            colour = tint(ORANGE, 0.6) if bit else tint(VERMILION, 0.5)
        gap = 4 * ((bit >= SIGN_BITS) + (mantissa_bit >= 0) + (mantissa_bit >= TF32_MANTISSA_BITS))
        drawing.cell(left + cell * bit + gap, y + 4, cell, colour, str(bits >> (31 - bit) & 1), 11)
    if name == "`a`":
        drawing.text(left + 5 * cell, y - 4, "exponent", 11, QUIET, "middle")
        drawing.text(left + 14 * cell + 8, y - 4, f"{TF32_MANTISSA_BITS} bits of mantissa", 11, QUIET, "middle")
        drawing.text(left + 25.5 * cell + 12, y - 4, f"{_CUT_BITS} more bits", 11, QUIET, "middle")
    drawing.text(left + 32 * cell + 24, y + 16, decimal, 13, code=True)
