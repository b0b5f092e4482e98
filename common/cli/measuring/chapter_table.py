"""The table of `run CHAPTER`: a row for each stage, with its costs compared with those of the first stage."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from cli.catalogue import Chapter, Program
from cli.measuring.claims import Claim
from cli.measuring.costs import Cost, cost_of
from cli.measuring.measurements import Row, ratio_column_of
from cli.terminal.console import Palette, colours_wanted, table, terminal_columns, verdict
from cli.terminal.fitting import visible_columns

_HEAD = ("stage", "result", "bytes", "requests", "bank conflict")
_TIME_HEAD = ("time", "of {ceiling}", "gain")
_RATIO = "ratio_to_"


@dataclass(frozen=True)
class Ran:
    """A program of the chapter that was run; `timed` is its measured row on a GPU, if there is one."""

    program: Program
    passed: bool
    timed: Row | None = None


def chapter_table(chapter: Chapter, ran: Sequence[Ran], core: Collection[str], claims: list[Claim]) -> str:
    """The stages among `ran`, those with a target in `core` first; then a line that explains the numbers."""
    stages = [one for one in ran if one.program.kind == "stage"]
    if not stages:
        return ""
    costs = {one.program.target: cost_of(one.program, chapter, claims) for one in stages}
    ratio = next((column for one in stages for column in one.timed or () if column.startswith(_RATIO)), "")
    ceiling = ratio[len(_RATIO) :].replace("_", " ")
    rows = [list(_HEAD) + [head.format(ceiling=ceiling) for head in _TIME_HEAD if ratio]]
    groups = (
        ("core stages", [one for one in stages if one.program.target in core]),
        ("advanced stages", [one for one in stages if one.program.target not in core]),
    )
    are_named = all(members for _, members in groups)
    previous = _previous_times(stages)
    bold = Palette(colours_wanted()).bold
    for name, members in groups:
        if are_named:
            rows.append([bold(name), *[""] * (len(rows[0]) - 1)])
        for one in members:
            row = _cells(one, costs[one.program.target], chapter)
            row += _time_cells(one, ratio, previous.get(one.program.target)) if ratio else []
            row[0] = f"  {row[0]}" if are_named else row[0]
            rows.append(row)
    lines = _fitting(rows)
    return "\n".join([*lines, *_legend(stages, costs, bool(ratio))])


def _fitting(rows: list[list[str]]) -> list[str]:
    """As many columns as fit on the terminal, but at least the stage and its result."""
    columns = terminal_columns()
    for count in range(len(rows[0]), 1, -1):
        text = table([row[:count] for row in rows], right_aligned=range(2, count))
        if not columns or max(map(visible_columns, text.splitlines())) <= columns:
            break
    narrow = f"(The terminal is too narrow for: {', '.join(rows[0][count:])}.)"
    return [text, narrow] if rows[0][count:] else [text]


def _cells(one: Ran, cost: Cost | None, chapter: Chapter) -> list[str]:
    number = one.program.source.name.partition("_")[0]
    name = one.program.target[len(chapter.name) + 1 :]
    cells = [f"{number} {name}", verdict(one.passed, "correct" if one.passed else "failed")]
    if cost is None:
        return [*cells, "", "", ""]
    return [*cells, _ratio(cost.bytes_ratio), _ratio(cost.requests_ratio), f"{cost.ways:.3g}-way" if cost.ways else ""]


def _ratio(ratio: float | None) -> str:
    if ratio is None:
        return ""
    return f"{ratio:.2f}" if ratio >= 0.095 else f"{ratio:.2g}"


def _previous_times(stages: Sequence[Ran]) -> dict[str, float]:
    """For each stage the time of the stage before it; for a variant (01b) the time of stage 01."""
    times: dict[str, float] = {}
    last_ms: float | None = None
    for one in sorted(stages, key=lambda ran: ran.program.source.name):
        if last_ms is not None:
            times[one.program.target] = last_ms
        number = one.program.source.name.partition("_")[0]
        if number.isdigit():
            last_ms = float(one.timed["median_ms"]) if one.timed else None
    return times


def _time_cells(one: Ran, ratio: str, previous_ms: float | None) -> list[str]:
    if one.timed is None or not ratio_column_of(one.timed):
        return ["", "", ""]
    own_ms = float(one.timed["median_ms"])
    gain = f"{previous_ms / own_ms:.2f} x" if previous_ms and own_ms else ""
    own_ratio = ratio_column_of(one.timed) or ratio
    of = "" if own_ratio == ratio else f" of {own_ratio[len(_RATIO) :].replace('_', ' ')}"
    return [f"{own_ms:.4g} ms", f"{100 * float(one.timed[own_ratio]):.1f} %{of}", gain]


def _legend(stages: Sequence[Ran], costs: dict[str, Cost | None], is_timed: bool) -> list[str]:
    lines = []
    counted = [cost for cost in costs.values() if cost]
    if counted:
        first = next(one.program for one in stages if not one.program.is_on_cpu)
        number = first.source.name.partition("_")[0]
        sizes = dict.fromkeys(" ".join(cost.options) for cost in counted)
        at_sizes = f", counted for {next(iter(sizes))}" if len(sizes) == 1 else ""
        lines.append(f"bytes, requests: in global memory, as a multiple of stage {number}'s{at_sizes}")
    if is_timed:
        lines.append("gain: the previous stage's time divided by this stage's time")
    return lines
