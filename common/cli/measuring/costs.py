"""A sentence that compares the accesses of a stage with those of its chapter's first stage.

It uses counts, not times. The counts are the rows of claims.csv, so no program has to run. `./workbook test --claims`
compares the sentence with the one that follows from the simulator's counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from cli.catalogue import Chapter, Program
from cli.measuring.claims import REQUESTS, SECTORS, THREADS, WAVEFRONTS, WAYS, Claim, Counts
from cli.tracing.report import SECTOR_BYTES

_AS_MANY = 0.005  # a ratio this close to 1 means as many
_PARTS = ("half", "a third", "a quarter", "a fifth", "a sixth", "a seventh", "an eighth", "a ninth", "a tenth")
_LEAST_WAYS = 1.05

Options = tuple[str, ...]


@dataclass(frozen=True)
class Comparison:
    """A comparison of a stage with the first stage that the simulator runs. `stages` are their names in claims.csv, at
    the same options. `first` is the name of the first stage in a sentence; empty if it is the stage itself. `is_exact`
    is false if a claim has a tolerance.
    """

    stages: tuple[str, str]
    first: str
    options: Options
    is_exact: bool

    def sentence_of_runs(self, own: Counts, of_first: Counts, claims: list[Claim]) -> str:
        """The sentence from measured counts: all requests to global memory, and the other kinds that have claims."""
        both = (
            {kind: count for kind, count in counts.items() if kind in claimed or kind[::2] == ("global", REQUESTS)}
            for name, counts in zip(self.stages, (own, of_first))
            for claimed in [claimed_counts(name, self.options, claims)]
        )
        return self.sentence(*both)

    def sentence(self, own: Counts, of_first: Counts) -> str:
        """The sentence from the counts of both stages at these options."""
        if not self.first:
            return f"Counted for {' '.join(self.options)}: {_absolute(own, self.is_exact)}."
        return f"Counted for {' '.join(self.options)}: {_relative(own, of_first, self.first)}."


def comparison_of(program: Program, chapter: Chapter, claims: list[Claim]) -> Comparison | None:
    """The comparison for a stage; None for other programs, and if claims do not state the number of requests."""
    stages = [
        stage for stage in chapter.of_kind("stage") if not (stage.needs_gpu or stage.is_whole or stage.is_on_cpu)
    ]
    if program not in stages:
        return None
    first = stages[0]
    own_name, first_name = (_claimed_name(one, chapter) for one in (program, first))
    for options in dict.fromkeys(claim.options for claim in claims if claim.stage == first_name):
        if all(_requests(claimed_counts(name, options, claims)) for name in (own_name, first_name)):
            used = (claim for claim in claims if claim.stage in (own_name, first_name) and claim.options == options)
            exact = all(claim.tolerance == 0 for claim in used if claim.measure in (SECTORS, REQUESTS))
            words = "" if program == first else f"stage {first.source.name.partition('_')[0]} ({first_name})"
            return Comparison((own_name, first_name), words, options, exact)
    return None


@dataclass(frozen=True)
class Cost:
    """A stage's claimed accesses, compared with those of the chapter's first stage. A ratio is None if it is not known.
    `ways` is the n of the worst n-way bank conflict, 0 without a conflict.
    """

    options: Options
    bytes_ratio: float | None
    requests_ratio: float
    ways: float


def cost_of(program: Program, chapter: Chapter, claims: list[Claim]) -> Cost | None:
    """The cost of a stage; None for other programs, and if claims do not state the number of requests."""
    comparison = comparison_of(program, chapter, claims)
    if comparison is None:
        return None
    own, first = (claimed_counts(name, comparison.options, claims) for name in comparison.stages)
    both_known = _transferred_bytes(own) and _transferred_bytes(first)
    bytes_ratio = _transferred_bytes(own) / _transferred_bytes(first) if both_known else None
    return Cost(comparison.options, bytes_ratio, _requests(own) / _requests(first), _worst_ways(own))


def claimed_counts(stage: str, options: Options, claims: list[Claim]) -> Counts:
    return {
        (claim.memory, claim.operation, claim.measure): claim.value
        for claim in claims
        if claim.stage == stage and claim.options == options
    }


def claimed_sentence(program: Program, chapter: Chapter, claims: list[Claim]) -> str:
    """The sentence from the claims; empty if there is nothing to compare."""
    comparison = comparison_of(program, chapter, claims)
    if comparison is None:
        return ""
    return comparison.sentence(*(claimed_counts(name, comparison.options, claims) for name in comparison.stages))


def _claimed_name(program: Program, chapter: Chapter) -> str:
    return program.target[len(chapter.name) + 1 :]


def _requests(counts: Counts) -> float:
    """The requests of loads, stores and atomic operations in global memory."""
    return sum(counts.get(("global", operation, REQUESTS), 0) for operation in ("load", "store", "atomic"))


def _transferred_bytes(counts: Counts) -> float:
    """The bytes that loads and stores in global memory transfer; 0 if the sectors of one of them are not known."""
    sectors = 0.0
    for operation in ("load", "store"):
        requests = counts.get(("global", operation, REQUESTS), 0)
        per_request = counts.get(("global", operation, SECTORS))
        if requests and per_request is None:
            return 0
        sectors += requests * (per_request or 0)
    return sectors * SECTOR_BYTES


def _wavefronts(counts: Counts) -> float:
    """The wavefronts in shared memory; 0 unless those of loads and stores are known."""
    wavefronts = [counts.get(("shared", operation, WAVEFRONTS), 0) for operation in ("load", "store")]
    return sum(wavefronts) if all(wavefronts) else 0


def _worst_ways(counts: Counts) -> float:
    """The largest n of the n-way bank conflicts of loads and stores; 0 without a conflict."""
    ways = max(counts.get(("shared", operation, WAYS), 0) for operation in ("load", "store"))
    return ways if ways > _LEAST_WAYS else 0


def _absolute(counts: Counts, is_exact: bool) -> str:
    transferred, requests = _transferred_bytes(counts), _requests(counts)
    shown = f"{transferred:,.0f}" if is_exact else f"about {float(f'{transferred:.2g}'):,.0f}"
    return f"transfers {shown} bytes in {requests:,.0f} requests" if transferred else f"makes {requests:,.0f} requests"


def _relative(own: Counts, first: Counts, name: str) -> str:
    requests = _requests(own) / _requests(first)
    words = f"makes {_amount(requests, 'requests', name)}"
    if _transferred_bytes(own) and _transferred_bytes(first):
        transferred = _amount(_transferred_bytes(own) / _transferred_bytes(first), "bytes", name)
        words = f"transfers {transferred}, in {_amount(requests, 'requests')}"
    kinds = (
        ("atomic operations", ("global", "atomic", REQUESTS)),
        ("threads", ("kernel", "launch", THREADS)),
    )
    more = [
        _amount(own[kind] / first[kind], noun)
        for noun, kind in kinds
        if own.get(kind) and first.get(kind) and own[kind] != first[kind]
    ]
    if _wavefronts(own) and _wavefronts(first) and _wavefronts(own) != _wavefronts(first):
        more.append(_amount(_wavefronts(own) / _wavefronts(first), "wavefronts in shared memory"))
    if more:
        words += f", with {' and '.join(more)}"
    ways = _worst_ways(own)
    return f"{words}; {ways:.2g}-way bank conflicts" if ways else words


def _amount(ratio: float, noun: str, owner: str = "") -> str:
    """A ratio in words, such as "half of the bytes of OWNER", or "half of its bytes" without an owner."""
    if abs(ratio - 1) <= _AS_MANY:
        words = f"as many {noun} as {owner}" if owner else f"as many {noun}"
        return words if _is_equal(ratio, 1) else f"nearly {words}"
    owned = f"the {noun} of {owner}" if owner else f"its {noun}"
    return f"{_times(ratio)} {owned}" if ratio > 1 else f"{_part(ratio)} of {owned}"


def _times(ratio: float) -> str:
    if not _is_equal(ratio, round(ratio)):
        return f"{ratio:.2f} times" if ratio < 10 else f"{ratio:.0f} times"
    return "twice" if round(ratio) == 2 else f"{ratio:.0f} times"


def _part(ratio: float) -> str:
    part = round(1 / ratio)
    is_equal = _is_equal(ratio * part, 1)
    if part - 2 < len(_PARTS):
        return _PARTS[part - 2] if is_equal and part >= 2 else f"{ratio:.2g}"
    return f"1/{part}" if is_equal else f"about 1/{part}"


def _is_equal(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * other
