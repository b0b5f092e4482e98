"""The comparison as a text for the terminal, and as Markdown for docs/simulator.md."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from agreement import Comparison, Verdict
from counts import Count, HardwareCounts

from cli.terminal.console import table

_UNITS = {"global": "sector", "shared": "wavefront"}


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
        rows.append(
            [
                entry.case,
                f"{' '.join(entry.kind)}s",
                str(entry.simulator.requests),
                str(entry.hardware.requests),
                str(entry.simulator.units),
                str(entry.hardware.units),
                entry.verdict.value,
            ]
        )
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
    provenance = hardware.provenance
    lines = [
        f"{summary(comparisons)}. {provenance['device']}, driver {provenance['driver']}, CUDA {provenance['cuda']}, "
        f"commit {provenance['commit']}, {provenance['date']}.",
        "",
        *_group_rows(described, by_case),
        "",
        *_differing_rows(comparisons),
        "",
        "<details>",
        "<summary>All kernels</summary>",
        "",
        *_family_rows(described),
        "",
        "</details>",
    ]
    return "\n".join(lines)


def _group_rows(described: list[Description], by_case: dict[str, list[Comparison]]) -> list[str]:
    shown = [verdict for verdict in Verdict if any(e.verdict is verdict for es in by_case.values() for e in es)]
    lines = ["| group | kernels | " + " | ".join(verdict.value for verdict in shown) + " |"]
    lines.append("|:---|" + "---:|" * (len(shown) + 1))
    for group in dict.fromkeys(entry.group for entry in described):
        cases = [entry.case for entry in described if entry.group == group]
        verdicts = Counter(comparison.verdict for case in cases for comparison in by_case[case])
        lines.append(f"| {group} | {len(cases)} | " + " | ".join(str(verdicts[verdict]) for verdict in shown) + " |")
    return lines


def _differing_rows(comparisons: list[Comparison]) -> list[str]:
    """One row for accesses of one kind that differ for the same reason; without a reason, one row per family."""
    alike = defaultdict(list)
    for entry in comparisons:
        if entry.verdict is not Verdict.EQUAL:
            family = "" if entry.reason else _family(entry.case)
            alike[family, entry.kind, entry.reason or entry.verdict.value].append(entry)
    lines = ["| kernels | accesses | simulator | hardware | why |", "|:---|:---|:---|:---|:---|"]
    for (_, kind, reason), entries in alike.items():
        simulator = _range([entry.simulator for entry in entries], kind[0])
        hardware = _range([entry.hardware for entry in entries], kind[0])
        names = _names([entry.case for entry in entries])
        lines.append(f"| {names} | {' '.join(kind)}s | {simulator} | {hardware} | {reason} |")
    return lines


def _names(cases: list[str]) -> str:
    """ "`triangle/unrolled`, `atomic_add` (3)": a single case by its name, several cases of a family by the family's name."""
    members = defaultdict(list)
    for case in cases:
        members[_family(case)].append(case)
    return ", ".join(
        f"`{found[0]}`" if len(found) == 1 else f"`{family}` ({len(found)})" for family, found in members.items()
    )


def _family_rows(described: list[Description]) -> list[str]:
    lines = ["| kernels | number | what they do |", "|:---|---:|:---|"]
    for family in dict.fromkeys(_family(entry.case) for entry in described):
        members = [entry for entry in described if _family(entry.case) == family]
        text = members[0].text.replace("|", "\\|")
        lines.append(f"| `{family}` | {len(members)} | {text} |")
    return lines


def _family(case: str) -> str:
    return case.partition("/")[0]


def _range(counts: list[Count], memory: str) -> str:
    """ "16 requests, 16 to 32 sectors"."""

    def span(values: list[int], noun: str) -> str:
        extremes = str(values[0]) if min(values) == max(values) else f"{min(values)} to {max(values)}"
        return f"{extremes} {noun}" + ("" if extremes == "1" else "s")

    requests = span([count.requests for count in counts], "request")
    return f"{requests}, {span([count.units for count in counts], _UNITS[memory])}"
