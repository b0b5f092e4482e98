"""A drawing of a check's failing case, in at most six lines of plain text, with the values from the report.

It shows which thread wrote which element, two racing lines, an access outside an array, or the lanes of one request.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from cli.checking.check_result import CheckResult, Outcome, simplest_first
from cli.terminal.fitting import fitted
from cli.terminal.source_lines import SourceLines, short_name
from cli.tracing.findings import Mistake
from cli.tracing.report import SECTOR_BYTES, Access, Place

_INDENT = "  "
_BANKS, _BANK_BYTES = 32, 4
# The record of a test is not trusted, because the answer runs in the same process.
_ARRAY = re.compile(r"(\S{1,40}) ([1-9]\d{0,12}) ([1-9]\d{0,12})")
_MOST_ELEMENTS = 8
_RANGE = re.compile(r" at=(-?\d{1,15}) end=(\d{1,15}) width=([1-9]\d{0,2})(?= |\Z)")
_ELEMENT = re.compile(
    r"(?P<index>\d{1,15}) expected (?P<expected>\S+) got (?P<got>\S+) (?P<verdict>wrong|right)"
    r"(?: by (?:thread (?P<thread>\S+) block (?P<block>\S+)|(?P<other>\S+)))?"
)
_VERBS = {"load": "loads", "store": "stores", "atomic": "updates"}
_SAME_WRITER = {"-": "No thread", "atomic": "Atomic functions", "earlier": "An earlier launch"}
_OF_A_REQUEST = ("sectors_per_request", "conflict_ways", "wavefronts")
_SHOWN_LANES = 8
_NEAR = 4  # an access at most this far outside an array: all elements between are shown


def draw(result: CheckResult, columns: int) -> str:
    """The drawing, in lines of at most this many columns; empty if there is nothing to draw."""
    lines: list[str] = []
    if result.outcome is Outcome.MISTAKE and result.mistakes:
        lines = _draw_mistake(result.mistakes[0], result, columns)
    elif result.outcome in (Outcome.WRONG, Outcome.WRONG_IN_REVERSE) and result.failed_tests:
        lines = _draw_elements(simplest_first(result.failed_tests)[0].recorded.elements, columns)
    elif result.outcome is Outcome.GOAL_MISSED and result.worst and _is_about_requests(result):
        lines = _draw_request(result.worst, result, columns)
    return "\n".join(fitted(line, columns) for line in lines)


def _is_about_requests(result: CheckResult) -> bool:
    """Whether the first missed goal is about the cost of a request, not about the number of requests."""
    missed = next((goal.claim for goal in result.goals if not goal.is_met), None)
    return missed is not None and missed.operation != "atomic" and missed.measure in _OF_A_REQUEST


def _source(result: CheckResult, file: str, line: int, column: int, columns: int) -> list[str]:
    """A line of the answer, after its line number. (A report has only the names of other files, not their text.)"""
    before = f"{line:>8} | "
    text = ""
    if short_name(file) == result.file.name:
        text = SourceLines().excerpt(str(result.file), line, column, columns - len(before))
    return [before + text] if text else []


def _rows(rows: Sequence[Sequence[str]], columns: int, keeps_last: bool = False) -> list[str]:
    """A table of rows with a label and right-aligned cells, as many as fit. keeps_last: always shows the last cell."""
    label_columns = max(len(row[0]) for row in rows)
    widths = [max(len(row[n]) for row in rows) for n in range(1, len(rows[0]))]
    shown = len(widths)
    while shown > 1 and len(_INDENT) + label_columns + sum(2 + width for width in widths[:shown]) > columns:
        shown -= 1
        if keeps_last:
            widths = [*widths[: shown - 1], widths[-1]]
            rows = [[*row[:shown], row[-1]] for row in rows]
    lines = []
    for label, *cells in rows:
        shown_cells = "".join(f"  {cell.rjust(width)}" for cell, width in zip(cells, widths[:shown]))
        lines.append(f"{_INDENT}{label.ljust(label_columns)}{shown_cells}".rstrip())
    return lines


def _draw_elements(recorded: str, columns: int) -> list[str]:
    head, *texts = recorded.split(";")[: _MOST_ELEMENTS + 1]
    matches = [match for match in map(_ELEMENT.fullmatch, texts) if match]
    array = _ARRAY.fullmatch(head)
    if not matches or not array:
        return []
    name, rows, width = array.groups()
    elements = [match.groupdict() for match in matches]
    is_matrix = int(rows) > 1 and int(width) > 1

    def index(element: dict[str, str]) -> str:
        row, column = divmod(int(element["index"]), int(width))
        return f"[{row}][{column}]" if is_matrix else f"[{element['index']}]"

    table = [
        [name, *map(index, elements)],
        ["expected", *(element["expected"] for element in elements)],
        ["got", *(("* " if element["verdict"] == "wrong" else "") + element["got"] for element in elements)],
    ]
    writers = {element["other"] for element in elements}
    same = _SAME_WRITER.get(next(iter(writers)) or "") if len(writers) == 1 else None
    known = writers.isdisjoint({"?"}) and any(element["thread"] or element["other"] for element in elements)
    if known and not same:
        blocks = (_index(element["block"]) or element["other"] or "" for element in elements)
        table.append(["written by block", *blocks])
        table.append(["and thread", *(_index(element["thread"]) or "-" for element in elements)])
    lines = _rows(table, columns)
    if "* " not in lines[2] and len(elements) > 1:  # the wrong element does not fit after the right ones
        return _draw_elements(";".join([head, *texts[1:]]), columns)
    notes = ["* is wrong."] if any(element["verdict"] == "right" for element in elements) else []
    if same:
        notes.append(f"{same} wrote {'these elements' if len(elements) > 1 else 'this element'}.")
    elif known:
        notes += ["'-' means that no thread wrote it."] * ("-" in writers)
        notes += ["'atomic' is an atomic function."] * ("atomic" in writers)
        notes += ["'earlier' is an earlier launch."] * ("earlier" in writers)
    return [*lines, *([_INDENT + " ".join(notes)] if notes else [])]


def _index(words: str | None) -> str:
    """"5" for "5", "(5,1)" for "5:1"."""
    numbers = (words or "").split(":")
    return f"({','.join(numbers)})" if len(numbers) > 1 else numbers[0]


def _who(place: Place) -> str:
    return f"thread {_short(place.thread)} of block {_short(place.block)}"


def _verb(place: Place) -> str:
    return _VERBS.get(place.operation.split(" ")[0], "accesses")


def _draw_mistake(mistake: Mistake, result: CheckResult, columns: int) -> list[str]:
    facts = dict(word.partition("=")[::2] for word in mistake.facts.split())
    steps = [place for place in mistake.places if place.thread]
    found = _RANGE.search(mistake.facts)
    if not found or not steps:
        return []
    at, end, width = map(int, found.groups())
    unit = "element" if at % width == 0 and end % width == 0 else "byte"
    if unit == "element":
        at, end = at // width, end // width
    if mistake.kind == "race" and len(steps) == 2:
        array = facts.get("array")  # without a name the index may count from the start of a larger array
        whats = [f"{unit} {at} of {array}"] * 2 if array else ["an element", "the same element"]
        return _draw_race(steps, whats, facts, result, columns)
    if mistake.kind == "out_of_bounds":
        what = f"{unit} {at}" if unit == "element" else f"bytes {at} to {at + width - 1}"
        farthest = at + width - 1 if unit == "byte" and at >= 0 else at
        return _draw_reach(steps[0], unit, what, farthest, end, result, columns)
    return []


def _short(index: tuple[int, ...]) -> str:
    """"5" for (5, 0, 0), "(5,1)" for (5, 1, 0)."""
    numbers = list(index)
    while len(numbers) > 1 and not numbers[-1]:
        numbers.pop()
    return f"({','.join(map(str, numbers))})" if len(numbers) > 1 else str(numbers[0])


def _draw_race(
    steps: list[Place], whats: list[str], facts: dict[str, str], result: CheckResult, columns: int
) -> list[str]:
    lines: list[str] = []
    for number, step in enumerate(steps):
        lines.append(f"{_INDENT}line {step.line}: {_who(step)} {_verb(step)} {whats[number]}")
        if number == 1 or step.line != steps[1].line:
            lines += _source(result, step.file, step.line, step.column, columns)
    return [*lines, _INDENT + _order(steps, facts)]


def _order(steps: list[Place], facts: dict[str, str]) -> str:
    if facts.get("between") == "blocks":
        return "Blocks run in any order, so either can come first."
    # No barrier keeps threads apart that store the same element at once.
    if facts.get("update") == "same" or all(_verb(step) == "stores" for step in steps):
        return "Either can come first."
    return "No __syncthreads() separates these steps, so either can come first."


def _draw_reach(
    step: Place, unit: str, what: str, at: int, end: int, result: CheckResult, columns: int
) -> list[str]:
    if at < 0:
        outside = [*range(at, 0)] if at >= -_NEAR else [at, None, -1]
        cells = [*outside, "|", *range(min(end, 3))]
    else:
        outside = [*range(end, at + 1)] if at - end < _NEAR else [end, None, at]
        cells = [*range(max(0, end - 3), end), "|", *outside]
    line, mark = f"{_INDENT}{unit}", ""
    for cell in cells:
        line += "  "
        if cell == at:
            mark = " " * len(line) + "^ outside: "
        line += "..." if cell is None else str(cell)
    extent = f"has {unit}s 0 to {end - 1}" if end > 1 else f"has one {unit}, 0" if end else "is empty"
    mark += f"the array {extent}"
    head = f"{_INDENT}line {step.line}: {_who(step)} {_verb(step)} {what}"
    return [head, *_source(result, step.file, step.line, step.column, columns), line, mark]


def _draw_request(access: Access, result: CheckResult, columns: int) -> list[str]:
    example = access.example
    if not example or len(example.lanes) < 2:
        return []
    lanes, offsets = example.lanes, example.offsets
    is_shared = access.memory == "shared"
    size = _BANK_BYTES if is_shared else SECTOR_BYTES
    places = {lane: (example.begin_in_line + (offsets[lane] or 0)) // size for lane in lanes}
    if is_shared:
        places = {lane: word % _BANKS for lane, word in places.items()}
    shown: list[int | None] = [*lanes]
    if len(lanes) > _SHOWN_LANES + 1:
        shown = [*lanes[:_SHOWN_LANES], None, lanes[-1]]

    def row(label: str, cell: Sequence[int | None] | dict[int, int]) -> list[str]:
        return [label, *("..." if lane is None else str(cell[lane]) for lane in shown)]

    table = [row("lane", range(len(offsets))), row("byte", offsets), row("bank" if is_shared else "sector", places)]
    one = f"one request of warp {example.warp} of block {_short(example.block)}"
    name = example.array if " " not in example.array else f"{access.memory} memory"
    verb = _VERBS.get(access.operation, "accesses")
    head = f"{_INDENT}line {access.line}: {one} {verb} {len(lanes)} elements of {name}"
    return [
        head,
        *_source(result, access.file, access.line, access.column, columns),
        *_rows(table, columns, keeps_last=True),
        _INDENT + (_bank_words(access, places) if is_shared else _sector_words(access)),
    ]


def _sector_words(access: Access) -> str:
    example = access.example
    assert example
    enough = -(-len(example.lanes) * access.bytes_per_lane // SECTOR_BYTES)
    return f"It touches {example.sectors} sectors of {SECTOR_BYTES} bytes; {enough} would be enough."


def _bank_words(access: Access, banks: dict[int, int]) -> str:
    example = access.example
    assert example
    words_of_bank: dict[int, set[int]] = {}
    for lane, bank in banks.items():
        words_of_bank.setdefault(bank, set()).add((example.offsets[lane] or 0) // _BANK_BYTES)
    bank, words = max(words_of_bank.items(), key=lambda item: len(item[1]))
    enough = max(1, access.bytes_per_lane // _BANK_BYTES)
    return f"It needs {len(words)} words of bank {bank}, in {example.wavefronts} wavefronts; {enough} would be enough."
