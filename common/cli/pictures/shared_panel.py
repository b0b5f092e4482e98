"""A panel for a request to shared memory: the lanes that each bank serves, pass by pass."""

from __future__ import annotations

from cli.pictures.panels import CELL, IDLE, LABEL_SIZE, LEFT, Heading, Panel, Subject, count, lanes_label
from cli.pictures.request_layout import BANKS, Turn, lane_distance_bytes, turns
from cli.pictures.svg_drawing import INK, PAPER, QUIET, VERMILION, Drawing

_BANKS_HEIGHT = 16
_LEFT_OUT = 26
_WAYS_HEIGHT = 22
_TURN_GAP = 4
_LIKEWISE_HEIGHT = 20


def shared_panel(subject: Subject) -> Panel:
    found = turns(subject.access)
    heading = Heading(subject, _verdict(found), _sentence(subject, found))
    drawn = found[:1] if _are_alike(found) else found
    most_passes = 5 if len(drawn) == 1 else 3
    heights = [_height(turn, most_passes) + _TURN_GAP for turn in drawn]
    likewise = f"The other lanes likewise, {len(found[0].lanes)} at a time." if drawn != found else ""

    def draw(drawing: Drawing, top: float) -> None:
        heading.draw(drawing, top)
        y = top + heading.height
        drawing.text(LEFT - 8, y + 10, "bank", LABEL_SIZE, QUIET, "end")
        for bank in range(BANKS):
            drawing.text(LEFT + (bank + 0.5) * CELL, y + 10, str(bank), LABEL_SIZE, QUIET, "middle")
        y += _BANKS_HEIGHT
        for turn, height in zip(drawn, heights):
            first = "pass 1" if len(found) == 1 else f"lanes {turn.lanes[0]}\u2013{turn.lanes[-1]}"
            _draw_turn(drawing, y, turn, _shown_passes(turn, most_passes), first, subject.colour)
            y += height
        if likewise:
            drawing.text(LEFT, y + 12, likewise, 11, INK)

    height = heading.height + _BANKS_HEIGHT + sum(heights) - _TURN_GAP + (_LIKEWISE_HEIGHT if likewise else 0)
    return Panel(height, heading.words, draw)


def _are_alike(found: list[Turn]) -> bool:
    """Whether all have conflicts, and the same ways at the same banks."""
    ways = [{bank: len(words) for bank, words in turn.banks.items()} for turn in found]
    return found[0].ways > 1 and all(other == ways[0] for other in ways)


def _shown_passes(turn: Turn, most: int) -> list[int]:
    return list(range(turn.ways)) if turn.ways <= most else [*range(most - 2), turn.ways - 1]


def _height(turn: Turn, most_passes: int) -> float:
    passes = len(_shown_passes(turn, most_passes))
    return passes * CELL + (_LEFT_OUT if passes < turn.ways else 0) + (_WAYS_HEIGHT if turn.ways > 1 else 0)


def _verdict(found: list[Turn]) -> str:
    passes, ways = sum(turn.ways for turn in found), max(turn.ways for turn in found)
    if ways == 1:
        return f"{count(passes, 'pass', 'passes')}, no bank conflict"
    return f"{ways}-way bank conflict: {passes} passes where {len(found)} would do"


def _sentence(subject: Subject, found: list[Turn]) -> str:
    distance = lane_distance_bytes(subject.access)
    apart = f", {abs(distance):,} bytes apart" if distance else ""
    asks = "asks" if len(subject.access.example.lanes) == 1 else "ask"
    turn = f", {len(found[0].lanes)} lanes at a time" if len(found) > 1 else ""
    worst = max(found, key=lambda turn: turn.ways)
    bank = max(worst.banks, key=lambda number: len(worst.banks[number]))
    if worst.ways > 1:
        result = f"{asks} bank {bank} for {worst.ways} different words{turn}. It gives one a pass."
    else:
        result = f"{asks} no bank for two different words{turn}."
    return f"{subject.lanes}{apart}, {result}"


def _draw_turn(drawing: Drawing, y: float, turn: Turn, shown: list[int], first_label: str, colour: str) -> None:
    for position, number in enumerate(shown):
        if position > 0 and number > shown[position - 1] + 1:
            _draw_left_out(drawing, y, number - shown[position - 1] - 1)
            y += _LEFT_OUT
        drawing.text(LEFT - 8, y + 14, f"pass {number + 1}" if number else first_label, LABEL_SIZE, QUIET, "end")
        for bank in range(BANKS):
            _draw_word(drawing, LEFT + bank * CELL, y, turn, bank, number, colour)
        y += CELL
    if turn.ways > 1:
        drawing.text(LEFT - 8, y + 13, "ways", LABEL_SIZE, QUIET, "end")
        for bank, words in turn.banks.items():
            middle = LEFT + (bank + 0.5) * CELL
            drawing.text(middle, y + 13, str(len(words)), LABEL_SIZE, INK, "middle", bold=len(words) > 1)


def _draw_word(drawing: Drawing, x: float, y: float, turn: Turn, bank: int, number: int, colour: str) -> None:
    words = turn.banks.get(bank, [])
    if number >= len(words):
        drawing.box(x, y, CELL, CELL, IDLE, PAPER)
        return
    in_conflict = len(words) > 1
    drawing.box(x, y, CELL, CELL, VERMILION if in_conflict else colour, PAPER)
    label = lanes_label(words[number].lanes, CELL - 2)
    drawing.text(x + CELL / 2, y + 14, label, LABEL_SIZE, PAPER if in_conflict else INK, "middle", bold=in_conflict)


def _draw_left_out(drawing: Drawing, y: float, passes: int) -> None:
    for dot in range(3):
        drawing.box(LEFT + CELL / 2 - 1.5, y + 4 + 7 * dot, 3, 3, INK)
    drawing.text(LEFT + 24, y + 17, count(passes, "more pass", "more passes"), 11, INK)
