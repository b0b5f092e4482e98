"""The table of a page: the wrong kernels that the simulator and compute-sanitizer find, and the differences."""

from __future__ import annotations

import itertools
import re

from sanitizer_runs import TOOLS, VARIANTS, Pair, Result, found_by

_NAME = re.compile(r"\b__\w+(?:\(\))?")

Results = dict[tuple[str, str], Result]


def render(pairs: list[Pair], results: Results) -> str:
    """Sums by topic, then the bugs that only one of the two finds, most of them folded away."""
    by_tools_in = {pair.name: found_by(results[pair.name, "wrong"]) for pair in pairs}
    lines = [_totals(pairs, results), "", "| wrong kernels | | simulator | compute-sanitizer | its tools |"]
    lines.append("|---|---|---|---|---|")
    for topic, group in _by_topic(pairs):
        by_simulator = sum(not pair.is_missed() for pair in group)
        by_tools = sum(bool(by_tools_in[pair.name]) for pair in group)
        tools = [tool for tool in TOOLS if any(tool in by_tools_in[pair.name] for pair in group)]
        lines.append(f"| {topic} | {len(group)} | {by_simulator} | {by_tools} | {', '.join(tools) or '-'} |")

    missed = [pair for pair in pairs if pair.is_missed()]
    lines += _list("Bugs that the simulator does not find", [(pair, by_tools_in[pair.name]) for pair in missed])
    reported = [(pair, _reported_by(pair, results)) for pair in pairs]
    title = "Correct kernels that are reported, with the bug of the other kernel of the pair"
    lines += _list(title, [(pair, by) for pair, by in reported if by])
    alone = [pair for pair in pairs if pair not in missed and not by_tools_in[pair.name]]
    summary = f"{len(alone)} bugs that only the simulator finds, and their kinds"
    lines += ["", f"<details><summary>{summary}</summary>", "", "| the wrong kernel | simulator |", "|---|---|"]
    for topic, group in _by_topic(alone):
        lines.append(f"| *{topic}* | |")
        lines += [f"| {_words(pair)} | {', '.join(f'`{kind}`' for kind in pair.in_wrong)} |" for pair in group]
    return "\n".join([*lines, "", "</details>"])


def _by_topic(pairs: list[Pair]) -> list[tuple[str, list[Pair]]]:
    return [(topic, list(group)) for topic, group in itertools.groupby(pairs, key=lambda pair: pair.topic)]


def _list(title: str, entries: list[tuple[Pair, list[str]]]) -> list[str]:
    if not entries:
        return ["", f"{title}: none."]
    lines = ["", f"{title}:", ""]
    for pair, by in entries:
        lines.append(f"- {pair.topic}: {_words(pair)} ({'; '.join([f'`{pair.name}`', *by])})")
    return lines


def _words(pair: Pair) -> str:
    """The bug, with CUDA's __names__ as code, because Markdown prints them in bold."""
    return _NAME.sub(r"`\g<0>`", pair.mistake)


def _reported_by(pair: Pair, results: Results) -> list[str]:
    by_simulator = ["the simulator"] if pair.in_right else []
    return by_simulator + found_by(results[pair.name, "right"])


def _totals(pairs: list[Pair], results: Results) -> str:
    by_tools = sum(bool(found_by(results[pair.name, "wrong"])) for pair in pairs)
    by_simulator = sum(not pair.is_missed() for pair in pairs)
    alone = sum(bool(results[pair.name, "wrong"]["gpu_alone"]) for pair in pairs)
    provenance = results[pairs[0].name, VARIANTS[0]]
    return (
        f"Of {len(pairs)} wrong kernels the simulator finds {by_simulator}, compute-sanitizer's {len(TOOLS)} tools "
        f"together {by_tools}; {alone} of them end with an error, or hang, when the GPU runs them without a tool. "
        f"{provenance['device']}, driver {provenance['driver']}, CUDA {provenance['cuda']}, compute-sanitizer "
        f"{provenance['compute_sanitizer']}, commit {provenance['commit']}, {provenance['date']}."
    )
