"""Pictures of copies that overlap with computation: buffers of ch6_matmul, streams of ch7_vector_map."""

from __future__ import annotations

from typing import NamedTuple

from cli.pictures.svg_drawing import (
    FAINT,
    MARGIN,
    QUIET,
    READ_COLOUR,
    VERMILION,
    WIDTH,
    WRITE_COLOUR,
    Drawing,
    tint,
)


class Span(NamedTuple):
    begin: float
    end: float


class Step(NamedTuple):
    """The times of a step along k: when its copies are in flight, and when the block multiplies."""

    copied: Span
    used: Span


COPY_TIME = 1.5  # relative to the multiply-adds of a step


def steps_one_after_another(steps: int) -> list[Step]:
    """As in stage 04: the block waits for its loads."""
    times, now = [], 0.0
    for _ in range(steps):
        times.append(Step(Span(now, now + COPY_TIME), Span(now + COPY_TIME, now + COPY_TIME + 1)))
        now = times[-1].used.end
    return times


def steps_with_buffers(steps: int, buffers: int) -> list[Step]:
    """As in stages 05 and 06: the copies of step s + buffers - 1 start when step s is multiplied."""
    starts = [0.0] * (buffers - 1)
    times, now = [], 0.0
    for step in range(steps):
        now = max(now, starts[step] + COPY_TIME)  # __pipeline_wait_prior()
        starts.append(now)
        times.append(Step(Span(starts[step], starts[step] + COPY_TIME), Span(now, now + 1)))
        now += 1
    return times


_STEPS = 5


def buffers_in_turn() -> str:
    """Stages 04 to 06: the same five steps."""
    panels = (
        ("Stage 04: one tile, loaded and then used", 1, steps_one_after_another(_STEPS)),
        ("Stage 05: two buffers alternate", 2, steps_with_buffers(_STEPS, 2)),
        ("Stage 06: three buffers, two steps in flight", 3, steps_with_buffers(_STEPS, 3)),
    )
    drawing = Drawing(
        420,
        "Copies and multiply-adds: the same five steps along k",
        "Three time lines. With one tile, copies and multiply-adds alternate. With two buffers, the copies of a step "
        "run while the previous step is multiplied, and the block waits only for the rest. With three buffers two "
        "steps are in flight, and after the first step the block does not wait.",
    )
    left, top, row = MARGIN + 68, 82, 28
    unit = (WIDTH - MARGIN - left) / panels[0][2][-1].used.end
    for title, buffers, steps in panels:
        drawing.text(MARGIN, top, title, 14, bold=True)
        for buffer in range(buffers):
            drawing.text(MARGIN, top + 29 + row * buffer, "tile" if buffers == 1 else f"buffer {buffer}", 12, QUIET)
            drawing.line(left, top + 36 + row * buffer, WIDTH - MARGIN, top + 36 + row * buffer, FAINT)
        for number, step in enumerate(steps):
            y = top + 12 + row * (number % buffers)
            for span, colour in ((step.copied, READ_COLOUR), (step.used, WRITE_COLOUR)):
                x, width = left + unit * span.begin, unit * (span.end - span.begin)
                drawing.box(x, y, width - 2, 23, tint(colour, 0.6), radius=3)
                drawing.text(x + width / 2, y + 16, str(number), 12, anchor="middle")
        top += 46 + row * buffers
    y = 380
    for x, colour, words in (
        (MARGIN, READ_COLOUR, "the step's copies are in flight"),
        (MARGIN + 240, WRITE_COLOUR, "the block multiplies that step"),
    ):
        drawing.box(x, y - 11, 14, 14, tint(colour, 0.6), radius=2)
        drawing.text(x + 21, y, words, 12)
    words = f"Drawn with copies that take {COPY_TIME} times as long as a step's multiply-adds."
    drawing.text(MARGIN, 404, f"{words} Barriers and addresses are left out.", 12, QUIET)
    return drawing.svg()


CHUNK_BYTES = 4 << 20
STREAMS = 3
BUS_GB_PER_S = 50.0  # in each direction
KERNEL_GB_PER_S = 4000.0  # read and written
_CHUNKS = 6


class Trip(NamedTuple):
    """The times of a chunk: copy to the GPU, kernel, and copy back. The unit is the time of one copy."""

    there: Span
    kernel: Span
    back: Span


KERNEL_TIME = 2 * BUS_GB_PER_S / KERNEL_GB_PER_S  # time for a chunk, relative to its copy in one direction


def trips_in_streams(chunks: int) -> list[Trip]:
    """As in host_pinned_streams: chunk c uses stream c % 3; the bus makes one copy in each direction at a time."""
    stream_free = [0.0] * STREAMS
    there_free = kernel_free = back_free = 0.0
    trips = []
    for chunk in range(chunks):
        stream = chunk % STREAMS
        begin = max(stream_free[stream], there_free)
        there = Span(begin, begin + 1)
        begin = max(there.end, kernel_free)
        kernel = Span(begin, begin + KERNEL_TIME)
        begin = max(kernel.end, back_free)
        back = Span(begin, begin + 1)
        there_free, kernel_free, back_free = there.end, kernel.end, back.end
        stream_free[stream] = back.end
        trips.append(Trip(there, kernel, back))
    return trips


def trip_at_once(chunks: int) -> Trip:
    """As in host_pinned: each step handles the whole array."""
    there = Span(0, chunks)
    kernel = Span(there.end, there.end + chunks * KERNEL_TIME)
    return Trip(there, kernel, Span(kernel.end, kernel.end + chunks))


def streams() -> str:
    """host_pinned and host_pinned_streams: the same six chunks."""
    at_once, trips = trip_at_once(_CHUNKS), trips_in_streams(_CHUNKS)
    drawing = Drawing(
        340,
        "Six chunks copied, mapped and copied back: in one stream, and in three",
        "Two time lines to scale. In host_pinned all six chunks are copied to the device, the kernel runs, and all are "
        "copied back. In host_pinned_streams the chunks are distributed over three streams. While a chunk "
        "is copied to the device, the previous one is copied back: the total time is little more than half.",
    )
    left, row = MARGIN + 84, 34
    unit = (WIDTH - MARGIN - left) / at_once.back.end

    def span(when: Span, y: float, colour: str, words: str) -> None:
        x, width = left + unit * when.begin, unit * (when.end - when.begin)
        drawing.box(x + 0.5, y, max(width - 1, 1.6), 27, colour)
        drawing.text(x + width / 2, y + 18, words, 13, anchor="middle")

    def trip(one: Trip, y: float, there: str, back: str) -> None:
        span(one.there, y, tint(READ_COLOUR, 0.6), there)
        span(one.back, y, tint(WRITE_COLOUR, 0.6), back)
        span(one.kernel, y, VERMILION, "")

    drawing.text(MARGIN, 78, "host_pinned", 13, code=True)
    drawing.line(left, 124, WIDTH - MARGIN, 124, FAINT)
    trip(at_once, 92, "all six there", "all six back")
    drawing.text(MARGIN, 158, "host_pinned_streams", 13, code=True)
    for stream in range(STREAMS):
        y = 172 + row * stream
        drawing.text(MARGIN, y + 18, f"stream {stream}", 13)
        drawing.line(left, y + 31, WIDTH - MARGIN, y + 31, FAINT)
    for chunk, one in enumerate(trips):
        trip(one, 172 + row * (chunk % STREAMS), str(chunk), str(chunk))
    there, kernel, back = tint(READ_COLOUR, 0.6), VERMILION, tint(WRITE_COLOUR, 0.6)
    for x, colour, words in ((0, there, "copy there"), (130, kernel, "kernel"), (236, back, "copy back")):
        drawing.box(MARGIN + x, 288, 14, 14, colour)
        drawing.text(MARGIN + x + 21, 299, words, 12)
    drawing.text(WIDTH - MARGIN, 299, f"Numbers are chunks of {CHUNK_BYTES >> 20} MiB.", 12, QUIET, "end")
    words = f"Time goes right, to scale, for {BUS_GB_PER_S:g} GB/s each way and a kernel of {KERNEL_GB_PER_S:g} GB/s."
    drawing.text(MARGIN, 324, words, 12, QUIET)
    return drawing.svg()
