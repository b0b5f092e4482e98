"""Compares the counts of the simulator with the counts of the hardware."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fnmatch import fnmatchcase
from pathlib import Path

from counts import KINDS, CaseCounts, Count, HardwareCounts, Kind

from cli.errors import WorkbookError

_LANES = 32


class Verdict(Enum):
    EQUAL = "equal"
    JOINED = "joined by nvcc"  # fewer and wider accesses in the machine code; the bytes are equal
    KNOWN = "known to differ"
    APPROXIMATE = "approximate"  # the simulator reports that it guessed
    DIFFERENT = "DIFFERENT"


@dataclass(frozen=True)
class KnownDifference:
    """Why counts differ. Cases and operation may have wildcards, as in "family/*"."""

    cases: str
    memory: str
    operation: str
    reason: str

    def covers(self, case: str, kind: Kind) -> bool:
        return fnmatchcase(case, self.cases) and kind[0] == self.memory and fnmatchcase(kind[1], self.operation)


@dataclass(frozen=True)
class Comparison:
    case: str
    kind: Kind
    simulator: Count
    hardware: Count
    verdict: Verdict
    reason: str  # of a known difference

    @property
    def family(self) -> str:
        return self.case.partition("/")[0]

    @property
    def accesses(self) -> str:
        return f"{' '.join(self.kind)}s"


def read_known_differences(file: Path) -> list[KnownDifference]:
    """Columns cases, memory, operation, reason. Raises WorkbookError for other files."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            known = [
                KnownDifference(*(row[name] or "" for name in ("cases", "memory", "operation", "reason")))
                for row in csv.DictReader(stream)
            ]
    except OSError as error:
        raise WorkbookError(f"{file}: {error.strerror}.") from error
    except KeyError as error:
        raise WorkbookError(f"{file} lacks the column {error}.") from error
    for entry in known:
        if not any(entry.covers(entry.cases, kind) for kind in KINDS) or not entry.reason:
            raise WorkbookError(f"{file}: {entry.cases} needs one of the kinds {KINDS} and a reason.")
    return known


def read_waiting_cases(file: Path) -> list[str]:
    """Cases that no GPU has counted yet, one per line, with wildcards. # starts a comment. Raises WorkbookError."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise WorkbookError(f"{file}: {error.strerror}.") from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def is_one_of(case: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(case, pattern) for pattern in patterns)


def compare(
    simulator: dict[str, CaseCounts], hardware: HardwareCounts, known: list[KnownDifference], waiting: Sequence[str]
) -> tuple[list[Comparison], list[str]]:
    """All comparisons, and messages about differences without a reason.

    Cases of `waiting` do not have to be measured; measured cases must not be in it.
    """
    comparisons: list[Comparison] = []
    problems = [f"{case}: measured, but no longer a case." for case in hardware.cases if case not in simulator]
    unmeasured = [case for case in simulator if case not in hardware.cases]
    problems += [f"{case}: not measured yet." for case in unmeasured if not is_one_of(case, waiting)]
    problems += [
        f"{pattern}: measured, or not a case; remove it from the cases that wait for a GPU."
        for pattern in waiting
        if not any(fnmatchcase(case, pattern) for case in unmeasured)
    ]
    for case, counted in simulator.items():
        measured = hardware.cases.get(case, counted)
        if measured.launch != counted.launch:
            problems.append(f"{case}: measured as {' '.join(measured.launch)}, but is {' '.join(counted.launch)} now.")
        elif case in hardware.cases:
            comparisons += _compare_case(case, counted.counts, measured.counts, known)
    for entry in comparisons:
        if entry.verdict is Verdict.DIFFERENT:
            problems.append(f"{entry.case}: {entry.accesses} are counted differently.")
    differing = [entry for entry in comparisons if entry.verdict is Verdict.KNOWN]
    problems += [
        f"{row.cases}, {row.memory} {row.operation}: equal, or joined by nvcc; remove it from the known differences."
        for row in known
        if not any(row.covers(entry.case, entry.kind) for entry in differing)
    ]
    return comparisons, problems


def _compare_case(
    case: str, simulator: dict[Kind, Count], hardware: dict[Kind, Count], known: list[KnownDifference]
) -> list[Comparison]:
    comparisons = []
    for kind in KINDS:
        if kind in simulator or kind in hardware:
            counts = simulator.get(kind, Count()), hardware.get(kind, Count())
            reason = next((entry.reason for entry in known if entry.covers(case, kind)), "")
            verdict = _verdict(*counts, is_known=bool(reason))
            comparisons.append(Comparison(case, kind, *counts, verdict, reason if verdict is Verdict.KNOWN else ""))
    return comparisons


def _verdict(simulator: Count, hardware: Count, is_known: bool) -> Verdict:
    if (simulator.requests, simulator.units) == (hardware.requests, hardware.units):
        return Verdict.EQUAL
    if _is_joined(simulator, hardware):
        return Verdict.JOINED
    if is_known:
        return Verdict.KNOWN
    return Verdict.APPROXIMATE if simulator.is_approximate else Verdict.DIFFERENT


def _is_joined(simulator: Count, hardware: Count) -> bool:
    """Whether fewer instructions transfer the same bytes, and more per request than the source's accesses can.

    This is not detected if lanes share bytes, because the hardware counts them once and the simulator per lane.
    """
    bytes_by_width = hardware.requests * _LANES * simulator.widest_bytes
    return hardware.requests < simulator.requests and simulator.bytes == hardware.bytes > bytes_by_width
