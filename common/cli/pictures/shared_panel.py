"""A panel for a request to shared memory: the lanes that each bank serves in each wavefront."""

from __future__ import annotations

from cli.pictures.panels import CELL, IDLE, LABEL_SIZE, LEFT, Heading, Panel, Subject, count, lanes_label
from cli.pictures.request_layout import BANKS, LaneGroup, lane_distance_bytes, lane_groups
from cli.pictures.svg_drawing import INK, PAPER, QUIET, VERMILION, Drawing

_BANKS_HEIGHT = 16
_LEFT_OUT = 26
_WORDS_HEIGHT = 22
_GROUP_GAP = 4
_LIKEWISE_HEIGHT = 20


def shared_panel(subject: Subject) -> Panel:
    found = lane_groups(subject.access)
    heading = Heading(subject, _verdict(found), _sentence(subject, found))
    drawn = found[:1] if _are_alike(found) else found
    most_wavefronts = 5 if len(drawn) == 1 else 3
    heights = [_height(group, most_wavefronts) + _GROUP_GAP for group in drawn]
    likewise = f"The other lanes do the same, {len(found[0].lanes)} at a time." if drawn != found else ""

    def draw(drawing: Drawing, top: float) -> None:
        heading.draw(drawing, top)
        y = top + heading.height
        drawing.text(LEFT - 8, y + 10, "bank", LABEL_SIZE, QUIET, "end")
        for bank in range(BANKS):
            drawing.text(LEFT + (bank + 0.5) * CELL, y + 10, str(bank), LABEL_SIZE, QUIET, "middle")
        y += _BANKS_HEIGHT
        for group, height in zip(drawn, heights):
            first = "wavefront 1" if len(found) == 1 else f"lanes {group.lanes[0]}\u2013{group.lanes[-1]}"
            _draw_group(drawing, y, group, _shown_wavefronts(group, most_wavefronts), first, subject.colour)
            y += height
        if likewise:
            drawing.text(LEFT, y + 12, likewise, 11, INK)

    height = heading.height + _BANKS_HEIGHT + sum(heights) - _GROUP_GAP + (_LIKEWISE_HEIGHT if likewise else 0)
    return Panel(height, heading.words, draw)


def _are_alike(found: list[LaneGroup]) -> bool:
    """Whether all groups have conflicts, with the same number of words at each bank."""
    ways = [{bank: len(words) for bank, words in group.banks.items()} for group in found]
    return found[0].ways > 1 and all(other == ways[0] for other in ways)


def _shown_wavefronts(group: LaneGroup, most: int) -> list[int]:
    return list(range(group.ways)) if group.ways <= most else [*range(most - 2), group.ways - 1]


def _height(group: LaneGroup, most_wavefronts: int) -> float:
    shown = len(_shown_wavefronts(group, most_wavefronts))
    return shown * CELL + (_LEFT_OUT if shown < group.ways else 0) + (_WORDS_HEIGHT if group.ways > 1 else 0)


def _verdict(found: list[LaneGroup]) -> str:
    wavefronts, ways = sum(group.ways for group in found), max(group.ways for group in found)
    if ways == 1:
        return f"{count(wavefronts, 'wavefront')}, no bank conflict"
    enough = f"{len(found)} {'is' if len(found) == 1 else 'are'} enough"
    return f"{ways}-way bank conflict: {wavefronts} wavefronts, {enough}"


def _sentence(subject: Subject, found: list[LaneGroup]) -> str:
    distance = lane_distance_bytes(subject.access)
    apart = f", {abs(distance):,} bytes apart" if distance else ""
    needs = "needs" if len(subject.access.example.lanes) == 1 else "need"
    group = f", {len(found[0].lanes)} lanes at a time" if len(found) > 1 else ""
    worst = max(found, key=lambda group: group.ways)
    bank = max(worst.banks, key=lambda number: len(worst.banks[number]))
    if worst.ways > 1:
        result = f"{needs} {worst.ways} different words of bank {bank}{group}. A bank serves one word per wavefront."
    else:
        result = f"{needs} at most one word of each bank{group}."
    return f"{subject.lanes}{apart}, {result}"


def _draw_group(drawing: Drawing, y: float, group: LaneGroup, shown: list[int], first_label: str, colour: str) -> None:
    for position, number in enumerate(shown):
        if position > 0 and number > shown[position - 1] + 1:
            _draw_left_out(drawing, y, number - shown[position - 1] - 1)
            y += _LEFT_OUT
        drawing.text(LEFT - 8, y + 14, f"wavefront {number + 1}" if number else first_label, LABEL_SIZE, QUIET, "end")
        for bank in range(BANKS):
            _draw_word(drawing, LEFT + bank * CELL, y, group, bank, number, colour)
        y += CELL
    if group.ways > 1:
        drawing.text(LEFT - 8, y + 13, "words", LABEL_SIZE, QUIET, "end")
        for bank, words in group.banks.items():
            middle = LEFT + (bank + 0.5) * CELL
            drawing.text(middle, y + 13, str(len(words)), LABEL_SIZE, INK, "middle", bold=len(words) > 1)


def _draw_word(drawing: Drawing, x: float, y: float, group: LaneGroup, bank: int, number: int, colour: str) -> None:
    words = group.banks.get(bank, [])
    if number >= len(words):
        drawing.box(x, y, CELL, CELL, IDLE, PAPER)
        return
    in_conflict = len(words) > 1
    drawing.box(x, y, CELL, CELL, VERMILION if in_conflict else colour, PAPER)
    label = lanes_label(words[number].lanes, CELL - 2)
    drawing.text(x + CELL / 2, y + 14, label, LABEL_SIZE, PAPER if in_conflict else INK, "middle", bold=in_conflict)


def _draw_left_out(drawing: Drawing, y: float, wavefronts: int) -> None:
    for dot in range(3):
        drawing.box(LEFT + CELL / 2 - 1.5, y + 4 + 7 * dot, 3, 3, INK)
    drawing.text(LEFT + 24, y + 17, count(wavefronts, "more wavefront"), 11, INK)
