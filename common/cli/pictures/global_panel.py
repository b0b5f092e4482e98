"""A panel for a request to global memory: the lines and sectors that its lanes access."""

from __future__ import annotations

from cli.pictures.panels import CELL, CELLS_WIDTH, IDLE, LABEL_SIZE, LEFT, Heading, Panel, Subject, count, lanes_label
from cli.pictures.request_layout import LINE_BYTES, Span, by_block, counted_sectors, lane_distance_bytes, spans
from cli.pictures.request_layout import used_bytes
from cli.pictures.svg_drawing import INK, MARGIN, PAPER, QUIET, Drawing, text_width
from cli.tracing.report import SECTOR_BYTES, Access

_MOST_LINES = 6
_FIRST_LINES = 3  # shown, with the last one, if there are more than _MOST_LINES
_NEXT, _JUMP, _LEFT_OUT = 4, 18, 34  # distances from a line to the next
_SCALE_HEIGHT = 16
_STRIP_HEIGHT = 64
_EDGE = "#d7dbe0"


def global_panel(subject: Subject) -> Panel:
    access = subject.access
    lines = by_block(spans(access), row_bytes(access))
    shown = list(lines) if len(lines) <= _MOST_LINES else [*list(lines)[:_FIRST_LINES], list(lines)[-1]]
    gaps = [_gap(earlier, later, lines) for earlier, later in zip(shown, shown[1:])]
    lines_height = _SCALE_HEIGHT + CELL * len(shown) + sum(gaps)
    is_complete = len(shown) == len(lines)
    heading = Heading(subject, _verdict(access), _sentence(subject))
    height = heading.height + lines_height + (0 if is_complete else _STRIP_HEIGHT)

    def draw(drawing: Drawing, top: float) -> None:
        heading.draw(drawing, top)
        y = top + heading.height
        _draw_scale(drawing, y, row_bytes(access))
        tops = [y + _SCALE_HEIGHT + CELL * row + sum(gaps[:row]) for row in range(len(shown))]
        for line, line_top in zip(shown, tops):
            _draw_line(drawing, line_top, subject, line, lines[line])
        _draw_distance(drawing, access, [lines[line] for line in shown], tops, gaps)
        if not is_complete:
            left_out = [line for line in lines if line not in shown]
            _draw_left_out(drawing, tops[-1] - _LEFT_OUT, access, left_out)
            _draw_all_sectors(drawing, tops[-1] + CELL + 24, subject)

    return Panel(height, heading.words, draw)


def row_bytes(access: Access) -> int:
    """The bytes of a drawn row: a line, or less if the elements are too narrow for their labels."""
    return min(LINE_BYTES, 32 * access.bytes_per_lane)


def _gap(earlier: int, later: int, lines: dict[int, list[Span]]) -> int:
    if any(earlier < line < later for line in lines):
        return _LEFT_OUT
    return _NEXT if later == earlier + 1 else _JUMP


def _verdict(access: Access) -> str:
    touched, ideal = counted_sectors(access), _ideal_sectors(access)
    if touched > ideal:
        return f"{touched} sectors, {ideal} {'is' if ideal == 1 else 'are'} enough"
    shared = len(spans(access)) < len(access.example.lanes)
    return f"{count(touched, 'sector')}, ideal" + (": lanes share elements" if shared else "")


def _ideal_sectors(access: Access) -> int:
    places = len(access.example.lanes if access.operation == "atomic" else spans(access))
    return -(-places * access.bytes_per_lane // SECTOR_BYTES)


def _sentence(subject: Subject) -> str:
    access = subject.access
    used = used_bytes(access)
    transferred, total = SECTOR_BYTES * len(used), sum(used.values())
    if counted_sectors(access) > len(used):
        serialised = "updates of the same address are serialised"
        return f"{subject.lanes}; {serialised} and transfer {counted_sectors(access)} sectors in total."
    if total == transferred:
        uses = "all of their bytes" if len(used) > 1 else "all of its bytes"
    elif len(set(used.values())) == 1:
        uses = f"{total // len(used)} bytes of {'each' if len(used) > 1 else 'it'}"
    else:
        uses = f"{total} of these {transferred:,} bytes"
    one = len(access.example.lanes) == 1
    transfer, use = ("transfers", "uses") if one else ("transfer", "use")
    return f"{subject.lanes} {transfer} {count(len(used), 'sector')} of {SECTOR_BYTES} bytes and {use} {uses}."


def _draw_scale(drawing: Drawing, y: float, bytes_in_row: int) -> None:
    drawing.text(LEFT - 8, y + 10, "at byte", LABEL_SIZE, QUIET, "end")
    for sector in range(bytes_in_row // SECTOR_BYTES):
        x = LEFT + sector * CELLS_WIDTH * SECTOR_BYTES / bytes_in_row
        drawing.text(x, y + 10, f"+{sector * SECTOR_BYTES}", LABEL_SIZE, QUIET)


def _draw_line(drawing: Drawing, y: float, subject: Subject, line: int, found: list[Span]) -> None:
    access = subject.access
    bytes_in_row = row_bytes(access)
    scale = CELLS_WIDTH / bytes_in_row
    in_array = line * bytes_in_row - access.example.begin_in_line
    label = f"{in_array:,}" if text_width(f"{in_array:,}", LABEL_SIZE) < LEFT - MARGIN else str(in_array)
    drawing.text(LEFT - 8, y + 14, label, LABEL_SIZE, QUIET, "end")
    sectors = by_block(found, SECTOR_BYTES)
    for sector in range(bytes_in_row // SECTOR_BYTES):
        x, width = LEFT + sector * SECTOR_BYTES * scale, SECTOR_BYTES * scale
        touched = line * bytes_in_row // SECTOR_BYTES + sector in sectors
        drawing.box(x, y, width, CELL, IDLE if touched else PAPER, "none" if touched else _EDGE)
    cell = access.bytes_per_lane * scale
    for span in found:
        x = LEFT + (span.begin - line * bytes_in_row) * scale
        drawing.box(x, y, cell, CELL, subject.colour, PAPER)
        drawing.text(x + cell / 2, y + 14, lanes_label(span.lanes, cell - 4), LABEL_SIZE, INK, "middle")
    for sector in sectors:
        x = LEFT + (sector * SECTOR_BYTES - line * bytes_in_row) * scale
        drawing.box(x, y, SECTOR_BYTES * scale, CELL, stroke=INK, stroke_width=1.8)


def _draw_distance(
    drawing: Drawing, access: Access, lines: list[list[Span]], tops: list[float], gaps: list[int]
) -> None:
    """Arrows from lane to lane, if the distance is constant and each lane has its own line."""
    distance = lane_distance_bytes(access)
    if distance is None or distance < row_bytes(access) or any(len(found) > 1 for found in lines):
        return
    middles = [_middle(access, found[0]) for found in lines]
    is_first = True
    for row, gap in enumerate(gaps):
        if gap == _LEFT_OUT:
            continue
        x, next_x, y = middles[row], middles[row + 1], tops[row] + CELL
        if gap == _JUMP:
            drawing.arrow(x, y + 2, next_x, y + gap - 1)
        if is_first and gap == _JUMP:
            words = f"{distance:,} bytes apart"
            fits = max(x, next_x) + 12 + text_width(words, 11) < LEFT + CELLS_WIDTH
            drawing.text(max(x, next_x) + 10 if fits else min(x, next_x) - 10, y + 13, words, 11, INK,
                         "start" if fits else "end")
            is_first = False


def _middle(access: Access, span: Span) -> float:
    scale = CELLS_WIDTH / row_bytes(access)
    return LEFT + (span.begin % row_bytes(access) + access.bytes_per_lane / 2) * scale


def _draw_left_out(drawing: Drawing, y: float, access: Access, lines: list[int]) -> None:
    for dot in range(3):
        drawing.box(LEFT + 10 - 1.5, y + 8 + 7 * dot, 3, 3, INK)
    words = f"{count(len(lines), 'more line')} of {row_bytes(access)} bytes"
    drawing.text(LEFT + 24, y + 21, words, 11, INK)


def _draw_all_sectors(drawing: Drawing, y: float, subject: Subject) -> None:
    """All sectors, drawn small, with the used part filled and the lanes below."""
    access = subject.access
    sectors = by_block(spans(access), SECTOR_BYTES)
    pitch = min(40, CELLS_WIDTH / len(sectors))
    width = pitch - 3
    drawing.text(LEFT, y - 4, f"All {len(sectors)} sectors, with the used bytes and the lanes:", 11, INK)
    drawing.text(LEFT - 8, y + 34, "lane", LABEL_SIZE, QUIET, "end")
    for position, (sector, found) in enumerate(sectors.items()):
        x = LEFT + position * pitch
        drawing.box(x, y + 4, width, 16, IDLE, QUIET, 0.8)
        for span in found:
            part = width / SECTOR_BYTES
            begin = span.begin - sector * SECTOR_BYTES
            drawing.box(x + begin * part, y + 4, access.bytes_per_lane * part, 16, subject.colour, INK, 0.5)
        lanes = tuple(sorted(lane for span in found for lane in span.lanes))
        label = lanes_label(lanes, pitch - 2)
        drawing.text(x + width / 2, y + 34, label, LABEL_SIZE, QUIET, "middle")
