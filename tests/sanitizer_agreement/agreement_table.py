"""The table of a page: a row a wrong kernel, who finds it; and what is said of the right ones."""

from __future__ import annotations

from cli.errors import WorkbookError
from kernel_pairs import MISSED, VARIANTS, Mark, Pair, is_false_alarm, is_missed
from sanitizer_runs import TOOLS, SanitizerResult

_BEGIN, _END = "<!-- compute-sanitizer:begin -->", "<!-- compute-sanitizer:end -->"

Results = dict[tuple[str, str], SanitizerResult]


def with_table(page: str, pairs: list[Pair], results: Results, marks: dict[str, list[Mark]]) -> str:
    """The page with the table between its markers. Raises WorkbookError without exactly one pair of them."""
    begin, end = page.find(_BEGIN), page.find(_END)
    if page.count(_BEGIN) != 1 or page.count(_END) != 1 or end < begin:
        raise WorkbookError(f"The page needs the lines {_BEGIN} and {_END}, once each and in this order.")
    return f"{page[:begin]}{_BEGIN}\n\n{render(pairs, results, marks)}\n\n{page[end:]}"


def render(pairs: list[Pair], results: Results, marks: dict[str, list[Mark]]) -> str:
    lines = [_totals(pairs, results, marks), "", "| the wrong kernel | compute-sanitizer | simulator |", "|---|---|---|"]
    topic = ""
    for pair in pairs:
        if pair.topic != topic:
            topic = pair.topic
            lines.append(f"| *{topic}* | | |")
        found_by = results[pair.name, "wrong"].found_by()
        lines.append(f"| {pair.mistake} | {', '.join(found_by) or '-'} | {_found(marks[pair.name])} |")
    return "\n".join(lines)


def _found(marks: list[Mark]) -> str:
    kinds = dict.fromkeys(f"`{mark.kind}`" for mark in marks if mark.variant == "wrong" and mark.kind != MISSED)
    return ", ".join(kinds) or "-"


def _totals(pairs: list[Pair], results: Results, marks: dict[str, list[Mark]]) -> str:
    by_tools = sum(bool(results[pair.name, "wrong"].found_by()) for pair in pairs)
    by_simulator = sum(not is_missed(marks[pair.name]) for pair in pairs)
    alone = sum(bool(results[pair.name, "wrong"].gpu_alone) for pair in pairs)
    alarms_of_tools = sum(bool(results[pair.name, "right"].found_by()) for pair in pairs)
    alarms_of_simulator = sum(is_false_alarm(marks[pair.name]) for pair in pairs)
    provenance = results[pairs[0].name, VARIANTS[0]].provenance
    return (
        f"Of {len(pairs)} wrong kernels the simulator finds {by_simulator}, compute-sanitizer's {len(TOOLS)} tools "
        f"together {by_tools}; {alone} end with an error on the GPU alone. Of the {len(pairs)} right ones the "
        f"simulator reports {alarms_of_simulator}, compute-sanitizer {alarms_of_tools}.\n"
        f"{provenance['device']}, driver {provenance['driver']}, CUDA {provenance['cuda']}, compute-sanitizer "
        f"{provenance['compute_sanitizer']}, commit {provenance['commit']}, {provenance['date']}."
    )
