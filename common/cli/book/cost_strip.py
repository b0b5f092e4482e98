"""The cost strip of a stage: its counts next to those of the stage before it, from the chapter's claims.csv."""

from __future__ import annotations

import csv
import html
import re
from collections import defaultdict

from cli.catalogue import Chapter, Program
from cli.exercises.predictions import Choice, Prompt
from cli.measuring.claims import BYTES, LINK_BYTES, REQUESTS, SECTORS, THREADS, WAVEFRONTS, WAYS, claims_of
from cli.measuring.figures import is_counted

Kind = tuple[str, str, str]

_LABELS: dict[Kind, tuple[str, str]] = {  # the access, and what is counted
    ("global", "load", REQUESTS): ("global loads", "requests"),
    ("global", "load", SECTORS): ("global loads", "sectors per request"),
    ("global", "store", REQUESTS): ("global stores", "requests"),
    ("global", "store", SECTORS): ("global stores", "sectors per request"),
    ("global", "atomic", REQUESTS): ("global atomic functions", "requests"),
    ("shared", "load", WAVEFRONTS): ("shared loads", "wavefronts"),
    ("shared", "load", WAYS): ("shared loads", "n of n-way bank conflicts"),
    ("shared", "store", WAVEFRONTS): ("shared stores", "wavefronts"),
    ("shared", "store", WAYS): ("shared stores", "n of n-way bank conflicts"),
    ("shared", "allocation", BYTES): ("shared memory", "bytes per block"),
    ("link", "all", LINK_BYTES): ("from GPU to GPU", "bytes"),
    ("kernel", "launch", THREADS): ("launches", "threads"),
}
_ROUNDED = 0.01  # a claim whose tolerance is a larger part of its value is shown with "about"
_PROFILED = "dram"  # in profile_*.csv: the percentage of the peak rate of device memory
_VARIANT = re.compile(r"\d+[a-z]_")


def asks_for_counts(prompt: Prompt) -> bool:
    """Whether the answer to one of the prompt's questions is computed from claims."""
    computed = (
        f"{one.smaller} {one.larger}" if isinstance(one, Choice) else one.made_of for one in prompt.questions
    )
    return any(map(is_counted, computed))


class CostStrips:
    """The cost strips of a chapter's stages. Raises WorkbookError if its claims.csv cannot be read."""

    def __init__(self, chapter: Chapter) -> None:
        # Stages that are whole programs are about different things, so they are not compared.
        self._stages = [stage for stage in chapter.of_kind("stage") if not stage.is_whole]
        self._claims: dict[str, dict[tuple[str, ...], dict[Kind, tuple[float, str]]]] = defaultdict(dict)
        for claim in claims_of(chapter.files):
            kind = claim.memory, claim.operation, claim.measure
            if kind in _LABELS:
                about = "about " if claim.tolerance > _ROUNDED * claim.value else ""
                counts = self._claims[f"{chapter.name}_{claim.stage}"].setdefault(claim.options, {})
                counts[kind] = claim.value, f"{about}{claim.value:,.10g}"
        self._profiles = _profiles_of(chapter)

    def strip(self, stage: Program, is_folded: bool = False) -> str:
        """HTML for the top of the stage's section, on one line; empty if the stage has no claims. With is_folded, it is
        in a fold, because its counts answer a question of the section.
        """
        own = self._claims.get(stage.target)
        if not own or stage not in self._stages:
            return ""
        before, options = self._compared(stage)
        counts, others = own[options], self._claims[before.target][options] if before else {}
        rows, same = [], defaultdict(list)
        for kind, (access, measure) in _LABELS.items():
            mine, other = counts.get(kind), others.get(kind)
            if mine and mine == other:
                same[access].append(f"{mine[1]} {measure}")
            elif mine and (mine[0] or other):
                most = max(mine[0], other[0] if other else 0) if before else 0
                cells = _cell(other, most) + _cell(mine, most) if before else _cell(mine, most)
                rows.append(f'<tr><th scope="row">{access}: {measure}</th>{cells}</tr>')
        name = f"Counts of {_number(stage)}" + (f", compared with {_number(before)}" if before else "")
        for_size = f", for <code>{html.escape(' '.join(options))}</code>" if options else ""
        heads = "".join(f'<th scope="col">{_number(one)}</th>' for one in (before, stage) if one)
        table = (
            f"<table><caption>{name}{for_size}</caption><thead><tr><th scope=\"col\">count</th>{heads}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
        )
        notes = [] if rows else [f"<strong>{name}</strong>{for_size}: no count differs."]
        equal = "; ".join(f"{access}: {', '.join(words)}" for access, words in same.items())
        notes += [f"The same in both: {equal}."] if equal else []
        text = f"{table if rows else ''}<p>{' '.join([*notes, *self._profiled(stage, before)])}</p>"
        if is_folded:
            summary = f"<summary>{name}: they answer a question of this section</summary>"
            return f'<details class="cost-strip">{summary}{text}</details>'
        return f'<div class="cost-strip">{text}</div>'

    def _compared(self, stage: Program) -> tuple[Program | None, tuple[str, ...]]:
        """The nearest stage before this one with claims at the same size, and that size. A variant, such as 01b, is
        compared with stage 01, and no stage with a variant.
        """
        own = self._claims[stage.target]
        for before in reversed(self._stages[: self._stages.index(stage)]):
            for options in own:
                if not _VARIANT.match(before.source.name) and options in self._claims.get(before.target, {}):
                    return before, options
        return None, next(iter(own))

    def _profiled(self, stage: Program, before: Program | None) -> list[str]:
        """A sentence on the traffic of device memory, if a profile has it."""
        if stage.target not in self._profiles:
            return []
        percent, device = self._profiles[stage.target]
        other, other_device = self._profiles.get(before.target, (0, "")) if before else (0, "")
        than = f" ({_number(before)}: {other:.2g} %)" if before and other_device == device else ""
        where = f"Profiled on an {html.escape(device)}, at the size of the profile"
        return [f"{where}: device memory at {percent:.2g} % of its peak rate{than}."]


def _profiles_of(chapter: Chapter) -> dict[str, tuple[float, str]]:
    """For each profiled program with one kernel, the percentage and the GPU's name."""
    found = defaultdict(list)
    for file in sorted((chapter.files.root / "plots/results").glob(f"*/profile_{chapter.name}.csv")):
        with file.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                if row["name"] == _PROFILED:
                    found[row["program"]].append((float(row["value"]), row["device"]))
    return {program: values[0] for program, values in found.items() if len(values) == 1}


def _number(stage: Program) -> str:
    return f"stage {stage.source.name.partition('_')[0]}"


def _cell(count: tuple[float, str] | None, most: float) -> str:
    """A cell with the count and, if `most` is not 0, a bar that is full for this value."""
    if count is None:
        return '<td><span role="img" aria-label="no count">-</span></td>'
    width = f"width:{100 * count[0] / most:.3g}%" if most else ""
    return f"<td>{count[1]}{f'<span class=cost-bar style={width} aria-hidden=true></span>' if width else ''}</td>"
