"""One kernel in the traced simulator, compared with the expected findings."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cli.running.processes import Outcome
from cli.running.runner import run_freely
from cli.tracing.report import Finding, Place
from cli.tracing.traced_run import run_traced
from kernel_pairs import MISSED, Mark, Pair

_CUDA_ERROR = re.compile(r"^(?P<file>[^\n:]+):(?P<line>\d+): .*: cudaError\w+: ", re.MULTILINE)


@dataclass(frozen=True)
class Found:
    outcome: Outcome
    findings: tuple[Finding, ...]


def found_in_simulator(program: Path, pair: Pair, variant: str) -> Found:
    """The findings; if there are none, a CUDA call that failed."""
    with tempfile.TemporaryDirectory(prefix="agreement-") as folder:
        traced = run_traced(program, [pair.name, variant], Path(folder), run_freely, {})
    if traced.report.findings:
        return Found(traced.outcome, traced.report.findings)
    error = _CUDA_ERROR.search(traced.outcome.output)
    if not error:
        return Found(traced.outcome, ())
    place = Place(error["file"], int(error["line"]), 0)
    return Found(traced.outcome, (Finding("cuda_error", "", error.group(), places=(place,)),))


def complaint(found: Found, marks: list[Mark]) -> list[str]:
    """Messages about findings of a kernel that differ from `marks`; a correct kernel has no marks."""
    expected = [mark for mark in marks if mark.kind != MISSED]
    if found.outcome.passed == bool(expected):
        words = found.outcome.explanation() or f"{found.outcome.program} passes."
        return [f"{words}\n{found.outcome.output}".rstrip()]
    texts = [
        f"'{finding.kind}' is found, but no line states it:\n{found.outcome.output.rstrip()}"
        for finding in found.findings
        if not any(_is_at(finding, mark) for mark in expected)
    ]
    return texts + [
        f"{mark.file}:{mark.line}: no '{mark.kind}' is found in this line:\n{found.outcome.output.rstrip()}"
        for mark in expected
        if not any(_is_at(finding, mark) for finding in found.findings)
    ]


def _is_at(finding: Finding, mark: Mark) -> bool:
    at_line = any((Path(place.file).name, place.line) == (mark.file, mark.line) for place in finding.places)
    return finding.kind == mark.kind and at_line
