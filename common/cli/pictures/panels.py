"""Common parts of the panels of a picture: sizes, headings and names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cli.pictures.svg_drawing import (
    INK,
    MARGIN,
    ORANGE,
    PURPLE,
    QUIET,
    SKY,
    WIDTH,
    Drawing,
    text_width,
    wrapped,
)
from cli.terminal.source_lines import SourceLines, short_name
from cli.tracing.report import Access, Kernel

ROOM = WIDTH - 2 * MARGIN
LEFT = MARGIN + 62  # the left end of memory lines and rows of banks; their labels are to the left
CELLS_WIDTH = 640
CELL = 20  # 32 cells fill the width
LABEL_SIZE = 10
IDLE = "#eceff2"

OPERATION_COLOURS = {"load": SKY, "store": ORANGE, "copy": ORANGE, "atomic": PURPLE}
_OPERATION_WORDS = {"load": "Load from", "store": "Store to", "copy": "Copy to", "atomic": "Atomic function on"}

_CODE_SIZE, _WORDS_SIZE = 11, 12
_GUESSED = " The simulator guessed which lanes belong together."


@dataclass(frozen=True)
class Panel:
    """A part of a picture. draw(drawing, top) draws it; words describe it for screen readers."""

    height: float
    words: str
    draw: Callable[[Drawing, float], None]


@dataclass(frozen=True)
class Subject:
    """An access to draw, with its kernel and, if known, the array's name in the source."""

    kernel: Kernel
    access: Access
    name: str | None
    source: SourceLines

    @property
    def colour(self) -> str:
        return OPERATION_COLOURS[self.access.operation]

    @property
    def title(self) -> str:
        return f"{_OPERATION_WORDS[self.access.operation]} `{self.name or self.access.example.array}`"

    @property
    def size(self) -> str:
        """ "allocation 2, 4,096 bytes" """
        example = self.access.example
        size = count(example.array_bytes, "byte")
        return f"{example.array}, {size}" if self.name and self.name != example.array else size

    @property
    def lanes(self) -> str:
        """ "Warp 0 of block (3, 1): 32 lanes of 4 bytes" """
        example = self.access.example
        lanes = f"{count(len(example.lanes), 'lane')} of {count(self.access.bytes_per_lane, 'byte')}"
        return f"Warp {example.warp} of {block_name(example.block, self.kernel.grid)}: {lanes}"


class Heading:
    """A description of an access on three or four lines: its cost, its source, and a sentence."""

    def __init__(self, subject: Subject, verdict: str, sentence: str) -> None:
        self._subject, self._verdict = subject, verdict
        self._lines = wrapped(sentence + (_GUESSED if subject.access.example.approximate else ""), _WORDS_SIZE, ROOM)
        self.height = 46 + 16 * len(self._lines)
        self.words = f"{subject.title.replace('`', '')}: {verdict}. {' '.join(self._lines)}"

    def draw(self, drawing: Drawing, top: float) -> None:
        subject = self._subject
        drawing.box(MARGIN, top + 1, 14, 14, subject.colour, INK, 0.8)
        drawing.text(MARGIN + 22, top + 13, subject.title, 14, bold=True)
        drawing.text(WIDTH - MARGIN, top + 13, self._verdict, 14, anchor="end", bold=True)
        drawing.text(WIDTH - MARGIN, top + 32, subject.size, _CODE_SIZE, QUIET, "end")
        drawing.text(MARGIN, top + 32, self._source_line(), _CODE_SIZE, QUIET, code=True)
        for number, line in enumerate(self._lines):
            drawing.text(MARGIN, top + 50 + 16 * number, line, _WORDS_SIZE)

    def _source_line(self) -> str:
        access = self._subject.access
        place = f"{short_name(access.file)}:{access.line}  " if access.file else ""
        room = ROOM - text_width(self._subject.size, _CODE_SIZE) - 12
        columns = int(room / text_width(" ", _CODE_SIZE, code=True)) - len(place)
        return place + self._subject.source.excerpt(access.file, access.line, access.column, columns)


def block_name(block: tuple[int, ...], grid: tuple[int, ...]) -> str:
    """The block's name, with one index per dimension of the grid."""
    extents = max((axis + 1 for axis, size in enumerate(grid) if size > 1), default=1)
    return f"block {block[0]}" if extents == 1 else f"block ({', '.join(map(str, block[:extents]))})"


def lanes_label(lanes: tuple[int, ...], width: float) -> str:
    """A label that fits the width: "7", "0-3", or "x32" for many lanes."""
    if len(lanes) == 1:
        return str(lanes[0])
    label = f"{lanes[0]}\u2013{lanes[-1]}"
    is_range = lanes == tuple(range(lanes[0], lanes[-1] + 1))
    return label if is_range and text_width(label, LABEL_SIZE) <= width else f"\u00d7{len(lanes)}"


def count(number: int, singular: str, plural: str = "") -> str:
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
