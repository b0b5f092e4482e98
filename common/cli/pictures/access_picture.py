"""The picture of a kernel's accesses: a panel for each, and one for the accessed elements."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cli.errors import UsageError, WorkbookError
from cli.pictures.array_names import array_names
from cli.pictures.element_panel import element_panel
from cli.pictures.global_panel import global_panel, row_bytes
from cli.pictures.panels import ROOM, Panel, Subject, count
from cli.pictures.request_layout import LINE_BYTES
from cli.pictures.shared_panel import shared_panel
from cli.pictures.svg_drawing import FAINT, MARGIN, QUIET, WIDTH, Drawing, text_width, wrapped
from cli.terminal.source_lines import SourceLines, short_name
from cli.tracing.report import SECTOR_BYTES, Access, ElementMap, Kernel, Report

_MOST_ACCESSES = 6
_GAP, _LINE = 30, 17


@dataclass(frozen=True)
class Choice:
    """A source line, and a column if the line has several accesses."""

    line: int
    column: int | None = None

    @property
    def words(self) -> str:
        return f"line {self.line}" + ("" if self.column is None else f", column {self.column}")

    def takes(self, access: Access) -> bool:
        return access.line == self.line and self.column in (None, access.column)


def parse_choice(text: str) -> Choice:
    """ "25" or "25:53". Raises UsageError for anything else."""
    found = re.fullmatch(r"([1-9]\d*)(?::([1-9]\d*))?", text)
    if not found:
        raise UsageError(f"--line takes a line or LINE:COLUMN, such as 25 or 25:53, not '{text}'.")
    return Choice(int(found[1]), int(found[2]) if found[2] else None)


def draw_accesses(report: Report, choice: Choice | None, program: str) -> str:
    """SVG of one kernel: the accesses of the choice or, without one, the costliest accesses of the costliest kernel.

    program: the traced command line. Raises WorkbookError if there is nothing to draw, and UsageError, with the
    positions of all accesses, if the choice has none.
    """
    kernel, accesses = _chosen(report, choice)
    title = f"Memory accesses of {kernel.name}"
    left_out = "" if choice else _left_out(kernel, accesses)
    return compose(title, kernel, accesses, SourceLines(), program, left_out)


def compose(
    title: str, kernel: Kernel, accesses: list[Access], source: SourceLines, program: str, left_out: str = ""
) -> str:
    """SVG with a panel for each access, in the order of execution, and one for the elements, if they were traced."""
    accesses = _in_order(accesses)
    names = array_names(kernel, source)
    panels = [_panel(kernel, access, names, source) for access in accesses]
    elements = _elements(kernel, accesses)
    if elements:
        panels.append(element_panel(kernel, elements, names))

    extents = f"{_extent(kernel.grid, 'block')} of {_extent(kernel.block, 'thread')}"
    launch = f"{program}: {extents}, traced by the simulator."
    top_lines = [line for words in (launch, _key(accesses) + left_out) for line in wrapped(words, 12, ROOM)]
    top_height = 54 + _LINE * len(top_lines)
    height = top_height + sum(panel.height + _GAP for panel in panels) + 6
    drawing = Drawing(round(height), _shortened(title, 17), " ".join(panel.words for panel in panels))
    for number, line in enumerate(top_lines):
        drawing.text(MARGIN, 60 + _LINE * number, line, 12, QUIET)
    y = top_height
    for panel in panels:
        drawing.line(MARGIN, y, WIDTH - MARGIN, y, FAINT, 1)
        panel.draw(drawing, y + 16)
        y += panel.height + _GAP
    return drawing.svg()


def _chosen(report: Report, choice: Choice | None) -> tuple[Kernel, list[Access]]:
    drawable = [
        (kernel, access) for kernel in report.kernels for access in kernel.costliest_first() if access.example
    ]
    if not drawable:
        why = "no kernel accessed memory" if report.kernels else "no kernel ran"
        raise WorkbookError(f"There is nothing to draw: {why}.")
    wanted = [pair for pair in drawable if not choice or choice.takes(pair[1])]
    if not wanted:
        places = sorted({(access.line, access.column, short_name(access.file)) for _, access in drawable})
        shown = ", ".join(f"{line}:{column} ({file})" for line, column, file in places)
        raise UsageError(f"There is no access at {choice.words}. The accesses are at {shown}.")
    kernel = max(wanted, key=lambda pair: (pair[1].excess, pair[1].units))[0]
    return kernel, [access for of, access in wanted if of is kernel][:_MOST_ACCESSES]


def _in_order(accesses: list[Access]) -> list[Access]:
    """The accesses in the order of execution; within a line, loads first."""
    first: dict[tuple[str, int], int] = {}
    for access in sorted(accesses, key=lambda access: access.order):
        first.setdefault((access.file, access.line), access.order)
    return sorted(
        accesses, key=lambda access: (first[access.file, access.line], access.operation != "load", access.order)
    )


def _panel(kernel: Kernel, access: Access, names: dict[tuple[str, str], str], source: SourceLines) -> Panel:
    subject = Subject(kernel, access, names.get((access.memory, access.example.array)), source)
    return shared_panel(subject) if access.memory == "shared" else global_panel(subject)


def _elements(kernel: Kernel, accesses: list[Access]) -> list[tuple[ElementMap, str]]:
    """The maps of the elements that the accesses load or store, in order; an atomic function stores."""
    found: dict[tuple[str, str, str], tuple[ElementMap, str]] = {}
    for access in accesses:
        operation = "load" if access.operation == "load" else "store"
        for elements in kernel.elements:
            touches = elements.loads if operation == "load" else elements.stores
            array = elements.memory, elements.array
            if any(map(any, touches or ())) and array == (access.memory, access.example.array):
                found.setdefault((*array, operation), (elements, operation))
    return list(found.values())


def _left_out(kernel: Kernel, accesses: list[Access]) -> str:
    others = _in_order([access for access in kernel.accesses if access.example and access not in accesses])
    if not others:
        return ""
    places = ", ".join(f"{access.line}:{access.column}" for access in others[:_MOST_ACCESSES])
    more = len(others) - _MOST_ACCESSES
    places += f" and {more} more" if more > 0 else ""
    return f" Not drawn, because they cost less: {places} (--line draws one)."


def _key(accesses: list[Access]) -> str:
    words = "Numbers in cells are lanes."
    in_global = [access for access in accesses if access.memory != "shared"]
    if in_global:
        are_lines = all(row_bytes(access) == LINE_BYTES for access in in_global)
        words += f" Rows are lines of {LINE_BYTES} bytes." if are_lines else ""
        words += f" Frames are sectors of {SECTOR_BYTES} bytes; their grey parts are transferred but not used."
    if len(in_global) < len(accesses):
        words += " A wavefront is one pass through the banks."
    if any(access.max_conflict_ways > 1 for access in accesses):
        words += " Red cells with bold numbers are in conflict."
    return words + " Each panel shows the costliest request of an access."


def _extent(sizes: tuple[int, ...], what: str) -> str:
    """ "512 blocks", "32 x 32 threads" """
    extents = max((axis + 1 for axis, size in enumerate(sizes) if size > 1), default=1)
    return count(sizes[0], what) if extents == 1 else " \u00d7 ".join(map(str, sizes[:extents])) + f" {what}s"


def _shortened(title: str, size: float) -> str:
    while text_width(title, size, bold=True) > ROOM:
        title = title[: len(title) * 9 // 10].rstrip(" .\u2026") + "\u2026"
    return title
