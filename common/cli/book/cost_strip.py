"""The cost strip of a stage: its counts next to those of the stage before it, from the chapter's claims.csv."""

from __future__ import annotations

import csv
import html
import re
from collections import defaultdict
from typing import NamedTuple

from cli.catalogue import Chapter, Program
from cli.exercises.predictions import Choice, Prompt
from cli.measuring.claims import BYTES, LINK_BYTES, REQUESTS, SECTORS, THREADS, WAVEFRONTS, WAYS, claims_of
from cli.measuring.figures import is_counted

Kind = tuple[str, str, str]


class Count(NamedTuple):
    value: float
    text: str
    is_exact: bool


_ALL_SECTORS = "global", "load and store", "sectors"  # computed from the claims of both

_LABELS: dict[Kind, tuple[str, str]] = {  # the access, and what is counted
    ("global", "load", REQUESTS): ("global loads", "requests"),
    ("global", "load", SECTORS): ("global loads", "sectors per request"),
    ("global", "store", REQUESTS): ("global stores", "requests"),
    ("global", "store", SECTORS): ("global stores", "sectors per request"),
    _ALL_SECTORS: ("global loads and stores", "sectors"),
    ("global", "atomic", REQUESTS): ("global atomic functions", "requests"),
    ("shared", "load", WAVEFRONTS): ("shared loads", "wavefronts"),
    ("shared", "load", WAYS): ("shared loads", "n-way bank conflict"),
    ("shared", "store", WAVEFRONTS): ("shared stores", "wavefronts"),
    ("shared", "store", WAYS): ("shared stores", "n-way bank conflict"),
    ("shared", "allocation", BYTES): ("shared memory", "bytes per block"),
    ("link", "all", LINK_BYTES): ("from GPU to GPU", "bytes"),
    ("kernel", "launch", THREADS): ("launches", "threads"),
}
_DASH = '<td><span role="img" aria-label="no count">-</span></td>'
_MOVING = "load", "store"
_ROUNDED = 0.01  # a claim whose tolerance is a larger part of its value is shown with "about"
_PROFILED = "dram"  # in profile_*.csv: the percentage of the peak rate of device memory
_VARIANT = re.compile(r"\d+[a-z]_")


def asks_for_counts(prompt: Prompt) -> bool:
    """Whether the answer to one of the prompt's questions is computed from claims."""
    sides = (f"{one.smaller} {one.larger}" if isinstance(one, Choice) else one.made_of for one in prompt.questions)
    return any(map(is_counted, sides))


class CostStrips:
    """The cost strips of a chapter's stages. Raises WorkbookError if its claims.csv cannot be read."""

    def __init__(self, chapter: Chapter) -> None:
        # Stages that are whole programs are about different things, so they are not compared.
        self._stages = [stage for stage in chapter.of_kind("stage") if not stage.is_whole]
        self._claims: dict[str, dict[tuple[str, ...], dict[Kind, Count]]] = defaultdict(dict)
        for claim in claims_of(chapter.files):
            kind = claim.memory, claim.operation, claim.measure
            if kind in _LABELS:
                about = "about " if claim.tolerance > _ROUNDED * claim.value else ""
                counts = self._claims[f"{chapter.name}_{claim.stage}"].setdefault(claim.options, {})
                counts[kind] = Count(claim.value, f"{about}{claim.value:,.10g}", claim.tolerance == 0)
        for counts in (counts for of_stage in self._claims.values() for counts in of_stage.values()):
            if sectors := _sectors(counts):
                counts[_ALL_SECTORS] = sectors
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
                same[access].append(f"{measure} {mine.text}")
            elif mine and (mine.value or other):
                most = max(mine.value, other.value) if other else 0
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
        notes += ["A dash: the claims do not state this count."] if _DASH in "".join(rows) else []
        text = f"{table if rows else ''}<p>{' '.join([*notes, *self._profiled(stage, before)])}</p>"
        if is_folded:
            summary = "<summary>Counts of this stage, which answer a question of this section</summary>"
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
        where = f"Profiled on {html.escape(device)}, at the size of the profile"
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


def _sectors(counts: dict[Kind, Count]) -> Count | None:
    """The sectors of all loads and stores in global memory; None if those of one of them are not known."""
    pairs = ([counts.get(("global", access, measure)) for measure in (REQUESTS, SECTORS)] for access in _MOVING)
    used = [pair for pair in pairs if any(pair)]
    if not used or not all(map(all, used)):
        return None
    total = sum(requests.value * each.value for requests, each in used if requests and each)
    is_exact = all(count.is_exact for pair in used for count in pair if count)
    return Count(total, f"{total:,.0f}" if is_exact else f"about {float(f'{total:.3g}'):,.0f}", is_exact)


def _cell(count: Count | None, most: float) -> str:
    """A cell with the count and, if both are not 0, a bar that is full for `most`."""
    if count is None:
        return _DASH
    if not count.value or not most:
        return f"<td>{count.text}</td>"
    width = f"width:{100 * count.value / most:.3g}%"
    return f'<td>{count.text}<span class="cost-bar" style="{width}" aria-hidden="true"></span></td>'
