"""A panel for the elements of a kernel's arrays: which warp and lane accessed each one first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cli.pictures.panels import IDLE, LABEL_SIZE, ROOM, Panel, block_name, count
from cli.pictures.request_layout import WARP_SIZE
from cli.pictures.svg_drawing import BANK_COLOURS, INK, MARGIN, PAPER, QUIET, Drawing, text_width, tint, wrapped
from cli.tracing.report import ElementMap, Kernel, Touch, Touches

_TITLE_HEIGHT = 30
_KEY_LINE = 16
_ROW_HEIGHT = 24
_WORDS_HEIGHT = 46  # the title and size of a map
_COLUMNS_HEIGHT = 16
_BELOW = 18
_LIST_ROWS = 4
_MAP_TITLE_SIZE, _EXTENT_SIZE = 13, 11

Label = tuple[int, int, str]  # first position, end position, text


@dataclass(frozen=True)
class Map:
    """The drawn elements of one array, with the threads that loaded or stored them."""

    title: str
    extent: tuple[str, str]
    touches: Touches
    first: tuple[int, int]  # the array's first drawn row and column
    cell: int
    row_step: int  # the difference between the labels of adjacent rows
    top_blocks: list[Label]
    left_blocks: list[Label]

    @property
    def left(self) -> float:
        numbers = text_width(self.row_label(len(self.touches) - 1), LABEL_SIZE) + 7
        blocks = max((text_width(words, LABEL_SIZE) + 10 for _, _, words in self.left_blocks), default=0)
        return numbers + blocks

    def row_label(self, row: int) -> str:
        return f"{self.row_step * (self.first[0] + row):,}"

    @property
    def width(self) -> float:
        words = max(text_width(line, _EXTENT_SIZE) for line in self.extent)
        title = text_width(self.title, _MAP_TITLE_SIZE, bold=True)
        return self.left + max(self.cell * len(self.touches[0]), words, title)

    @property
    def blocks_height(self) -> float:
        """The height of the blocks' names above the columns; names that are too long are drawn upright."""
        lying = all(self.fits(label) for label in self.top_blocks)
        if not self.top_blocks:
            return 4
        return 18 if lying else 12 + max(text_width(words, LABEL_SIZE) for _, _, words in self.top_blocks)

    def fits(self, label: Label) -> bool:
        return text_width(label[2], LABEL_SIZE) <= (label[1] - label[0]) * self.cell - 4

    @property
    def height(self) -> float:
        return _WORDS_HEIGHT + self.blocks_height + _COLUMNS_HEIGHT + _ROW_HEIGHT * len(self.touches) + _BELOW


def element_panel(kernel: Kernel, wanted: Iterable[tuple[ElementMap, str]], names: dict[tuple[str, str], str]) -> Panel:
    """wanted: the maps to draw, each with "load" or "store"; each must have such accesses in its rows."""
    maps = _maps(list(wanted), names, kernel.grid)
    lines = _lines(maps)
    heights = [max(found.height for found in line) for line in lines]
    key = wrapped(_key(maps), 12, ROOM - 30)
    top_height = _TITLE_HEIGHT + max(26, _KEY_LINE * len(key)) + 14

    def draw(drawing: Drawing, top: float) -> None:
        drawing.text(MARGIN, top + 13, "First thread to access each element", 14, bold=True)
        _draw_touch(drawing, MARGIN, top + _TITLE_HEIGHT - 4, 20, Touch((0,), 3 * WARP_SIZE + 17, False))
        for number, words in enumerate(key):
            drawing.text(MARGIN + 30, top + _TITLE_HEIGHT + 12 + _KEY_LINE * number, words, 12)
        y = top + top_height
        for line, height in zip(lines, heights):
            gap = min(40.0, (ROOM - sum(found.width for found in line)) / max(1, len(line) - 1))
            x = float(MARGIN)
            for found in line:
                _draw_map(drawing, x, y, found)
                x += found.width + gap
            y += height

    return Panel(top_height + sum(heights), _words(maps), draw)


def _key(maps: list[Map]) -> str:
    words = "Warp 3 of its block, lane 17. Consecutive warps differ in colour."
    blocks = {touch.block for touch in _touches(maps)}
    words += " Lines separate the blocks." if len(blocks) > 1 else ""
    several = any(touch.several for touch in _touches(maps))
    return words + (" A marked corner: other threads access the element too." if several else "")


def _words(maps: list[Map]) -> str:
    return " ".join(f"{found.title.capitalize()}, {', '.join(found.extent)}." for found in maps).replace("`", "")


def _touches(maps: list[Map]) -> Iterator[Touch]:
    return (touch for found in maps for row in found.touches for touch in row if touch)


def _maps(wanted: list[tuple[ElementMap, str]], names: dict[tuple[str, str], str], grid: tuple[int, ...]) -> list[Map]:
    """The maps to draw. A matrix shows a corner, smaller if there are many; a list shows its first accessed rows."""
    corners = sum(not _is_list(elements) for elements, _ in wanted)
    side, cell = (16, 20) if corners <= 2 else (8, 18)
    maps = []
    for elements, operation in wanted:
        touches = elements.loads if operation == "load" else elements.stores
        name = names.get((elements.memory, elements.array), elements.array)
        title = f"loads from `{name}`" if operation == "load" else f"stores to `{name}`"
        is_list = _is_list(elements)
        first, shown = _list_window(touches) if is_list else _corner(touches, side)
        top, left = _block_labels(shown, grid)
        width = (19 if is_list else cell - 2) if left else cell
        step = elements.columns if is_list else 1
        maps.append(Map(title, _extent(elements, first, shown), shown, first, width, step, top, left))
    return maps


def _corner(touches: Touches, side: int) -> tuple[tuple[int, int], Touches]:
    """The first row and column with accessed elements, and the elements from there on."""
    row, _ = _list_window(touches)[0]
    column = min(column for line in touches[row : row + side] for column, touch in enumerate(line) if touch)
    return (row, column), tuple(line[column : column + side] for line in touches[row : row + side])


def _list_window(touches: Touches) -> tuple[tuple[int, int], Touches]:
    """The first accessed row, and the rows from there on, without empty rows at the end."""
    touched = [row for row, line in enumerate(touches) if any(line)]
    last = max(row for row in touched if row < touched[0] + _LIST_ROWS)
    return (touched[0], 0), touches[touched[0] : last + 1]


def _is_list(elements: ElementMap) -> bool:
    return elements.memory == "global" and not elements.has_rows


def _extent(elements: ElementMap, first: tuple[int, int], shown: Touches) -> tuple[str, str]:
    size = -(-elements.array_bytes // elements.element_bytes)
    rows = -(-size // elements.columns)
    each = f"elements of {count(elements.element_bytes, 'byte')}"
    if _is_list(elements):
        drawn = sum(map(len, shown))
        part = "all" if drawn == size else f"{drawn}" if first[0] else f"the first {drawn}"
        return f"{part} of {size:,}", f"{each}, cut into rows of {len(shown[0])}"
    if not elements.has_rows:
        return f"{'part' if any(first) else 'corner'}, in rows of {elements.columns}", f"{each}: all banks"
    whole = (len(shown), len(shown[0])) == (rows, elements.columns)
    part = "all" if whole else "part" if any(first) else "corner"
    return f"{part} of {rows:,} \u00d7 {elements.columns:,}", each


def _block_labels(shown: Touches, grid: tuple[int, ...]) -> tuple[list[Label], list[Label]]:
    """The names of the blocks along the first row and the first column, if there are several blocks."""
    blocks = {touch.block for row in shown for touch in row if touch}
    if len(blocks) == 1:
        return [(0, len(shown[0]), block_name(blocks.pop(), grid))], []
    top = _runs([touch and touch.block for touch in shown[0]], grid)
    left = _runs([row[0] and row[0].block for row in shown], grid)
    return (top if len(top) > 1 else []), (left if len(left) > 1 else [])


def _runs(blocks: list[tuple[int, ...] | None], grid: tuple[int, ...]) -> list[Label]:
    """The runs of equal blocks, with their names."""
    runs: list[list[int]] = []
    for place, block in enumerate(blocks):
        if not block:
            continue
        if not runs or blocks[runs[-1][0]] != block:
            runs.append([place, place])
        runs[-1][1] = place
    return [(first, last + 1, block_name(blocks[first], grid)) for first, last in runs]


def _lines(maps: list[Map]) -> list[list[Map]]:
    lines: list[list[Map]] = []
    for found in maps:
        if not lines or sum(other.width + 12 for other in lines[-1]) + found.width > ROOM:
            lines.append([])
        lines[-1].append(found)
    return lines


def _draw_map(drawing: Drawing, x: float, y: float, found: Map) -> None:
    left = x + found.left
    drawing.text(left, y + 10, found.title, _MAP_TITLE_SIZE, bold=True)
    for number, words in enumerate(found.extent):
        drawing.text(left, y + 26 + 14 * number, words, _EXTENT_SIZE, QUIET)
    top = y + _WORDS_HEIGHT + found.blocks_height + _COLUMNS_HEIGHT
    for column in range(len(found.touches[0])):
        middle = left + (column + 0.5) * found.cell
        drawing.text(middle, top - 5, str(found.first[1] + column), LABEL_SIZE, QUIET, "middle")
    for row, touches in enumerate(found.touches):
        row_top = top + row * _ROW_HEIGHT
        drawing.text(left - 5, row_top + 16, found.row_label(row), LABEL_SIZE, QUIET, "end")
        for column, touch in enumerate(touches):
            _draw_touch(drawing, left + column * found.cell, row_top, found.cell, touch)
    _draw_borders(drawing, left, top, found)
    _draw_block_names(drawing, x, left, top, found)


def _draw_touch(drawing: Drawing, x: float, y: float, cell: int, touch: Touch | None) -> None:
    if not touch:
        drawing.box(x, y, cell, _ROW_HEIGHT, PAPER, IDLE)
        return
    warp, lane = divmod(touch.thread, WARP_SIZE)
    drawing.box(x, y, cell, _ROW_HEIGHT, tint(BANK_COLOURS[warp % len(BANK_COLOURS)], 0.6), PAPER)
    drawing.text(x + cell / 2, y + 11, str(warp), LABEL_SIZE, INK, "middle", bold=True)
    drawing.text(x + cell / 2, y + 21, str(lane), LABEL_SIZE, INK, "middle")
    if touch.several:
        drawing.box(x + cell - 4, y + 1, 3, 3, INK)


def _draw_borders(drawing: Drawing, left: float, top: float, found: Map) -> None:
    """Lines between elements of different blocks, and around all accessed elements."""

    def block(row: int, column: int) -> tuple[int, ...] | None:
        inside = 0 <= row < len(found.touches) and 0 <= column < len(found.touches[row])
        touch = found.touches[row][column] if inside else None
        return touch.block if touch else None

    rows, columns = len(found.touches), len(found.touches[0])
    for row in range(rows + 1):
        for column in range(columns + 1):
            x, y = left + column * found.cell, top + row * _ROW_HEIGHT
            if column < columns and block(row - 1, column) != block(row, column):
                drawing.line(x, y, x + found.cell, y, INK, 1.6)
            if row < rows and block(row, column - 1) != block(row, column):
                drawing.line(x, y, x, y + _ROW_HEIGHT, INK, 1.6)


def _draw_block_names(drawing: Drawing, x: float, left: float, top: float, found: Map) -> None:
    base = top - _COLUMNS_HEIGHT - 4
    for start, end, words in found.top_blocks:
        middle = left + (start + end) / 2 * found.cell
        if found.fits((start, end, words)):
            drawing.text(middle, base, words, LABEL_SIZE, INK, "middle")
        else:
            drawing.text(middle + 4, base, words, LABEL_SIZE, INK, upwards=True)
    for start, end, words in found.left_blocks:
        drawing.text(x, top + (start + end) / 2 * _ROW_HEIGHT + 4, words, LABEL_SIZE, INK)
