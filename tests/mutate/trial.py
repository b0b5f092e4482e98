"""Building a mutant and putting it to the tests: the chapter's, traced, and then the claims."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cli.claims import Claim, counts_in_report
from cli.errors import WorkbookError
from cli.limited_run import run_limited
from cli.processes import Outcome
from cli.report import parse_report
from cuda_source import RewriteError
from cuda_to_cpp import rewrite
from header_copies import Headers
from mutate.subject import Subject

# Endless loops are the dearest mutants, so what the unchanged program needs sets how long they may take.
_CPU_LIMIT_S = 2.0
_CPU_LIMIT_TIMES = 5
_FAILED_TEST = re.compile(r"^\[  FAILED  \] (\S+?)(?:,|$)", re.MULTILINE)
_BLOCK_ORDERS = ("forward", "reverse", "1")  # those of the chapters' tests
_OBJECT = "mutant.o"
_SETTINGS = ("CUDA_SIMULATOR_", "GTEST_", "WORKBOOK_")  # the user's own must not change what is found


class Fate(Enum):
    TESTS = "found by tests"
    CLAIMS = "found by claims"
    STOPPED = "stopped at a limit"
    SURVIVED = "survived"
    SAME = "same code"  # the compiler makes the same of it as of the original
    NOT_COMPILED = "did not compile"


@dataclass(frozen=True)
class CpuTimes:
    """Of a run of the tests, and of a run whose accesses are compared with claims; of several runs the longest."""

    tests_s: float = 0.0
    claims_s: float = 0.0


@dataclass(frozen=True)
class Result:
    fate: Fate
    detail: str  # a line: what found it, or why it did not compile
    cpu: CpuTimes = CpuTimes()
    code: str = ""  # a hash of what the compiler made of it


def cpu_limits(unchanged: Result) -> CpuTimes:
    """Apart for tests and claims: claims may be about far more elements than the tests can afford."""
    return CpuTimes(
        *(_CPU_LIMIT_S + _CPU_LIMIT_TIMES * time_s for time_s in (unchanged.cpu.tests_s, unchanged.cpu.claims_s))
    )


def put_on_trial(subject: Subject, text: str, limits: CpuTimes, unchanged_code: str = "") -> Result:
    """What becomes of a program whose source has this text. Raises WorkbookError if the compiler cannot do its work.

    unchanged_code is that of the original's result, for a mutant.
    """
    with tempfile.TemporaryDirectory(prefix="workbook-") as name:
        folder = Path(name)
        error = _compile(subject, text, folder)
        if error:
            return Result(Fate.NOT_COMPILED, error)
        code = hashlib.sha256((folder / _OBJECT).read_bytes()).hexdigest()
        if code == unchanged_code:
            return Result(Fate.SAME, "", code=code)
        _link(subject, "test", folder)
        tests_s = claims_s = 0.0
        for order in _BLOCK_ORDERS:
            found, cpu_s = _run_tests(folder, order, limits.tests_s)
            tests_s = max(tests_s, cpu_s)
            if found:
                return Result(*found, CpuTimes(tests_s), code)

        rows: dict[tuple[str, ...], list[Claim]] = defaultdict(list)
        for claim in subject.claims:
            rows[claim.options].append(claim)
        if rows:
            _link(subject, "traced", folder)
        for options, claims in rows.items():
            found, cpu_s = _check_claims(folder, options, claims, limits.claims_s)
            claims_s = max(claims_s, cpu_s)
            if found:
                return Result(*found, CpuTimes(tests_s, claims_s), code)
    return Result(Fate.SURVIVED, "", CpuTimes(tests_s, claims_s), code)


def _compile(subject: Subject, text: str, folder: Path) -> str:
    """The compiler's first error, or an empty text and the object, in which nothing tells of the folder."""
    source = folder / "mutant.cpp"
    path = subject.program.source
    headers = Headers(folder / "headers", [subject.header_folder])  # they may hold launches too
    try:
        source.write_text(rewrite(text, str(path), lambda header: headers.replacement(path, header)), encoding="utf-8")
    except RewriteError as error:
        return str(error)
    command = subject.compile.replacing(subject.rewritten, source, folder / _OBJECT)
    # A warning is no reason to throw a mutant out.
    ended = run_limited([*command, "-w", f"-ffile-prefix-map={folder}=."], subject.compile.folder)
    if ended.returncode == 0:
        return ""
    error_line = re.search(r"^.*?: error: .*$", ended.output, re.MULTILINE)
    if error_line is None and not ended.stopped:
        raise WorkbookError(f"The compiler failed:\n{ended.output.rstrip()}")
    return error_line.group() if error_line else ended.stopped


def _link(subject: Subject, name: str, folder: Path) -> None:
    link = subject.link_test if name == "test" else subject.link_traced
    ended = run_limited(link.replacing(subject.object, folder / _OBJECT, folder / name), link.folder)
    if ended.returncode != 0:
        raise WorkbookError(f"Linking a mutant of {subject.program.source.name} failed:\n{ended.output.rstrip()}")


def _run_tests(folder: Path, block_order: str, limit_s: float) -> tuple[tuple[Fate, str] | None, float]:
    """How the tests find the mutant, if they do, and the time."""
    environment = _environment({"CUDA_SIMULATOR_BLOCK_ORDER": block_order})
    ended = run_limited([str(folder / "test")], folder, environment, limit_s)
    if ended.stopped:
        return (Fate.STOPPED, ended.stopped), ended.cpu_s
    if ended.returncode == 0:
        return None, ended.cpu_s
    failed = _FAILED_TEST.search(ended.output)
    detail = failed.group(1) if failed else Outcome("the test program", ended.returncode).explanation()
    return (Fate.TESTS, detail), ended.cpu_s


def _check_claims(
    folder: Path, options: tuple[str, ...], claims: list[Claim], limit_s: float
) -> tuple[tuple[Fate, str] | None, float]:
    """How the claims find the mutant, if they do, and the time."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    environment = _environment({"CUDA_SIMULATOR_REPORT": str(report)})
    ended = run_limited([str(folder / "traced"), *options, "--check"], folder, environment, limit_s)
    if ended.stopped:
        return (Fate.STOPPED, ended.stopped), ended.cpu_s
    shown = " ".join(options)
    if ended.returncode != 0 or not report.is_file():
        return (Fate.TESTS, f"the program's own check with {shown}"), ended.cpu_s
    counts = counts_in_report(parse_report(report.read_text(encoding="utf-8")))
    for claim in claims:
        if not claim.holds(counts):
            counted = claim.count(counts)
            text = "none" if counted is None else f"{counted:.3f}"
            detail = f"{claim.memory} {claim.operation}, {claim.measure} with {shown}: {text}, not {claim.value:.10g}"
            return (Fate.CLAIMS, detail), ended.cpu_s
    return None, ended.cpu_s


def _environment(more: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_SETTINGS)}
    # GoogleTest before 1.11 does not know fail-fast, and runs all tests.
    return {**kept, "GTEST_FAIL_FAST": "1", "WORKBOOK_REQUIRE_GPU": "1", **more}
