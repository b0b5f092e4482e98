"""The comparison as a text for the terminal, and as Markdown for docs/simulator.md."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from agreement import Comparison, Verdict
from counts import UNITS, Count, HardwareCounts

from cli.terminal.console import table


@dataclass(frozen=True)
class Description:
    """A case as the program lists it."""

    group: str
    case: str
    text: str


def terminal_table(comparisons: list[Comparison]) -> str:
    """One row per case and kind: requests and units of both instruments."""
    rows = [["case", "accesses", "requests", "hardware", "units", "hardware", ""]]
    for entry in comparisons:
        ours, theirs = entry.simulator, entry.hardware
        counts = map(str, (ours.requests, theirs.requests, ours.units, theirs.units))
        rows.append([entry.case, entry.accesses, *counts, entry.verdict.value])
    return table(rows, right_aligned={2, 3, 4, 5})


def summary(comparisons: list[Comparison]) -> str:
    """ "500 kernels, 1500 comparisons: 1450 equal, 20 joined by nvcc, 30 known to differ"."""
    verdicts = Counter(entry.verdict for entry in comparisons)
    parts = [f"{verdicts[verdict]} {verdict.value}" for verdict in Verdict if verdicts[verdict]]
    kernels = len({entry.case for entry in comparisons})
    return f"{kernels} kernels, {len(comparisons)} comparisons: {', '.join(parts)}"


def markdown(descriptions: list[Description], comparisons: list[Comparison], hardware: HardwareCounts) -> str:
    """Sums by group, the differences, and a row for each family of cases, folded away."""
    by_case = defaultdict(list)
    for entry in comparisons:
        by_case[entry.case].append(entry)
    described = [entry for entry in descriptions if entry.case in by_case]
    facts = "{device}, driver {driver}, CUDA {cuda}, commit {commit}, {date}".format(**hardware.provenance)
    lines = [
        f"{summary(comparisons)}. {facts}.",
        "",
        *_group_rows(described, by_case),
        "",
        *_differing_rows(comparisons),
        "",
        "<details>",
        "<summary>All kernels</summary>",
        "",
        *_family_rows(described, by_case),
        "",
        "</details>",
    ]
    return "\n".join(lines)


def _row(cells: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def _group_rows(described: list[Description], by_case: dict[str, list[Comparison]]) -> list[str]:
    groups = defaultdict(list)
    for entry in described:
        groups[entry.group].append(Counter(comparison.verdict for comparison in by_case[entry.case]))
    shown = [verdict for verdict in Verdict if any(cases[verdict] for group in groups.values() for cases in group)]
    lines = [_row(["group", "kernels", *(verdict.value for verdict in shown)]), "|:---|" + "---:|" * (len(shown) + 1)]
    for group, cases in groups.items():
        lines.append(_row([group, len(cases), *(sum(case[verdict] for case in cases) for verdict in shown)]))
    return lines


def _differing_rows(comparisons: list[Comparison]) -> list[str]:
    """One row for accesses of one kind that differ for the same reason; without a reason, one row per family."""
    alike = defaultdict(list)
    for entry in comparisons:
        if entry.verdict is not Verdict.EQUAL:
            family = "" if entry.reason else entry.family
            alike[family, entry.accesses, entry.reason or entry.verdict.value].append(entry)
    lines = [_row(["kernels", "accesses", "simulator", "hardware", "why"]), "|:---|:---|:---|:---|:---|"]
    for (_, accesses, reason), entries in alike.items():
        unit = UNITS[entries[0].kind[0]]
        ranges = (_range([e.simulator for e in entries], unit), _range([e.hardware for e in entries], unit))
        lines.append(_row([_names(entries), accesses, *ranges, reason]))
    return lines


def _names(entries: list[Comparison]) -> str:
    """ "`triangle/unrolled`, `atomic_add` (3)": a single case by its name, several of a family by the family's name."""
    members = defaultdict(list)
    for entry in entries:
        members[entry.family].append(entry.case)
    return ", ".join(
        f"`{found[0]}`" if len(found) == 1 else f"`{family}` ({len(found)})" for family, found in members.items()
    )


def _family_rows(described: list[Description], by_case: dict[str, list[Comparison]]) -> list[str]:
    families = defaultdict(list)
    for entry in described:
        families[by_case[entry.case][0].family].append(entry.text.replace("|", "\\|"))
    rows = [_row([f"`{family}`", len(texts), texts[0]]) for family, texts in families.items()]
    return [_row(["kernels", "number", "what they do"]), "|:---|---:|:---|", *rows]


def _range(counts: list[Count], unit: str) -> str:
    """ "16 requests, 16 to 32 sectors"."""

    def span(values: list[int], noun: str) -> str:
        extremes = str(values[0]) if min(values) == max(values) else f"{min(values)} to {max(values)}"
        return f"{extremes} {noun}" + ("" if extremes == "1" else "s")

    return f"{span([count.requests for count in counts], 'request')}, {span([count.units for count in counts], unit)}"
