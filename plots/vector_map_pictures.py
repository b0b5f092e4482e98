"""A picture of ch7_vector_map: the number of elements from which a GPU is worth the copies."""

from __future__ import annotations

from cli.pictures.svg_drawing import FAINT, MARGIN, QUIET, READ_COLOUR, VERMILION, WIDTH, Drawing, tint

CPU_NS_PER_ELEMENT = 1.0
GPU_NS_PER_ELEMENT = 0.15  # with both copies, of pinned memory
GPU_FIXED_US = 25.0
_MOST_ELEMENTS = 60_000


def cpu_us(elements: float) -> float:
    return CPU_NS_PER_ELEMENT * elements / 1000


def gpu_us(elements: float) -> float:
    return GPU_FIXED_US + GPU_NS_PER_ELEMENT * elements / 1000


def crossover() -> float:
    """The number of elements for which both take the same time."""
    return 1000 * GPU_FIXED_US / (CPU_NS_PER_ELEMENT - GPU_NS_PER_ELEMENT)


def worth_the_copies() -> str:
    drawing = Drawing(
        350,
        "When is a GPU worth the copies?",
        "Time over the number of elements, as two straight lines. The line of the CPU starts at 0 and rises fast. The line "
        "of the GPU, with both copies, starts at 25 microseconds and rises slowly. They cross near 29,000 elements.",
    )
    left, bottom, right, top = MARGIN + 44, 286, WIDTH - MARGIN - 12, 66
    highest = cpu_us(_MOST_ELEMENTS)

    def x(elements: float) -> float:
        return left + (right - left) * elements / _MOST_ELEMENTS

    def y(microseconds: float) -> float:
        return bottom - (bottom - top) * microseconds / highest

    drawing.box(x(crossover()), top, right - x(crossover()), bottom - top, tint(READ_COLOUR, 0.18))
    drawing.line(left, bottom, right, bottom)
    drawing.line(left, bottom, left, top)
    for microseconds in (20, 40, 60):
        drawing.line(left - 4, y(microseconds), left, y(microseconds))
        drawing.text(left - 8, y(microseconds) + 4, str(microseconds), 12, QUIET, "end")
    for elements in (20_000, 40_000, 60_000):
        drawing.line(x(elements), bottom, x(elements), bottom + 4)
        drawing.text(x(elements), bottom + 18, f"{elements:,}", 12, QUIET, "middle")
    drawing.text(left - 8, bottom + 18, "elements", 12, QUIET)
    drawing.text(MARGIN, top - 8, "microseconds", 12, QUIET)
    drawing.line(x(crossover()), y(cpu_us(crossover())), x(crossover()), bottom, FAINT, dashed=True)
    drawing.line(x(0), y(cpu_us(0)), x(_MOST_ELEMENTS), y(cpu_us(_MOST_ELEMENTS)), VERMILION, 2.5)
    drawing.line(x(0), y(gpu_us(0)), x(_MOST_ELEMENTS), y(gpu_us(_MOST_ELEMENTS)), READ_COLOUR, 2.5)
    drawing.text(x(43_000), y(51), "one core of the CPU", 13, anchor="end")
    drawing.text(x(59_000), y(36.5), "copy, kernel, copy", 13, anchor="end")
    drawing.text(x(34_000), y(5), "here the GPU is worth it", 13)
    words = f"Drawn for {CPU_NS_PER_ELEMENT:g} ns per element on the CPU, and {GPU_FIXED_US:g} microseconds and"
    drawing.text(MARGIN, 332, f"{words} {GPU_NS_PER_ELEMENT:g} ns per element on the GPU.", 12, QUIET)
    return drawing.svg()
