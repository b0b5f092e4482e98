"""Builds a mutant and tests it: with the chapter's tests, traced, and then with the claims."""

from __future__ import annotations

import functools
import hashlib
import re
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cli.errors import WorkbookError
from cli.measuring.claims import Claim, counts_in_report
from cli.running.limited_run import run_limited
from cli.running.runner import clean_environment
from cli.tracing import traced_run
from cli.tracing.traced_run import run_traced
from cli.verdicts import googletest
from cli.verdicts.googletest import State, judge
from cuda_source import RewriteError
from cuda_to_cpp import rewrite
from header_copies import Headers
from mutate.subject import Subject

# Mutants with endless loops cost the most time, so the limits are set from the time of the unchanged program.
_CPU_LIMIT_S = 2.0
_CPU_LIMIT_TIMES = 5
_BLOCK_ORDERS = ("forward", "reverse", "1")  # the same as in the chapters' tests
_OBJECT = "mutant.o"


class Fate(Enum):
    TESTS = "found by tests"
    CLAIMS = "found by claims"
    STOPPED = "stopped at a limit"
    SURVIVED = "survived"
    SAME = "same code"  # it compiles to the same code as the original
    NOT_COMPILED = "did not compile"


@dataclass(frozen=True)
class CpuTimes:
    """The time of a run of the tests, and of a run that is compared with claims; for several runs, the longest."""

    tests_s: float = 0.0
    claims_s: float = 0.0


@dataclass(frozen=True)
class Result:
    fate: Fate
    detail: str  # a line: the test or claim that found it, or why it did not compile
    cpu: CpuTimes = CpuTimes()
    code: str = ""  # a hash of its object file


def cpu_limits(unchanged: Result) -> CpuTimes:
    """Separate limits for tests and claims: claims can be about far more elements than the tests."""
    return CpuTimes(
        *(_CPU_LIMIT_S + _CPU_LIMIT_TIMES * time_s for time_s in (unchanged.cpu.tests_s, unchanged.cpu.claims_s))
    )


def put_on_trial(subject: Subject, text: str, limits: CpuTimes, unchanged_code: str = "") -> Result:
    """The result of a program whose source has this text. Raises WorkbookError if the compiler cannot run.

    unchanged_code: for a mutant, the code of the original's result.
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
    """Returns the compiler's first error; or compiles an object that does not contain the folder's name."""
    source = folder / "mutant.cpp"
    path = subject.program.source
    headers = Headers(folder / "headers", list(subject.header_folders))  # they can contain launches too
    try:
        source.write_text(rewrite(text, str(path), lambda header: headers.replacement(path, header)), encoding="utf-8")
    except RewriteError as error:
        return str(error)
    command = subject.compile.replacing(subject.rewritten, source, folder / _OBJECT)
    # A warning does not reject a mutant.
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
        raise WorkbookError(f"Linking a mutant of {subject.program.file} failed:\n{ended.output.rstrip()}")


def _run_tests(folder: Path, block_order: str, limit_s: float) -> tuple[tuple[Fate, str] | None, float]:
    """The test that finds the mutant, if one does, and the time."""
    results_file = folder / "tests.json"
    results_file.unlink(missing_ok=True)
    environment = _environment({"CUDA_SIMULATOR_BLOCK_ORDER": block_order, "GTEST_OUTPUT": f"json:{results_file}"})
    ended = run_limited([str(folder / "test")], folder, environment, limit_s)
    run = judge("the test program", ended, results_file)
    if run.ending is googletest.Ending.STOPPED:
        return (Fate.STOPPED, ended.stopped), ended.cpu_s
    if run.passed:
        return None, ended.cpu_s
    failed = run.in_state(State.FAILED)
    return (Fate.TESTS, failed[0].name if failed else run.words or "no test ran"), ended.cpu_s


def _check_claims(
    folder: Path, options: tuple[str, ...], claims: list[Claim], limit_s: float
) -> tuple[tuple[Fate, str] | None, float]:
    """The claim that finds the mutant, if one does, and the time."""
    run = functools.partial(run_limited, cpu_limit_s=limit_s)
    traced = run_traced(folder / "traced", [*options, "--check"], folder, run, _environment({}))
    ended = traced.ended
    if traced.ending is traced_run.Ending.STOPPED:
        return (Fate.STOPPED, ended.stopped), ended.cpu_s
    shown = " ".join(options)
    if not traced.passed:
        return (Fate.TESTS, f"the program's own check with {shown}"), ended.cpu_s
    counts = counts_in_report(traced.report)
    for claim in claims:
        if not claim.holds(counts):
            counted = claim.count(counts)
            text = "none" if counted is None else f"{counted:.3f}"
            detail = f"{claim.memory} {claim.operation}, {claim.measure} with {shown}: {text}, not {claim.value:.10g}"
            return (Fate.CLAIMS, detail), ended.cpu_s
    return None, ended.cpu_s


def _environment(more: dict[str, str]) -> dict[str, str]:
    # GoogleTest before 1.11 has no fail-fast, and runs all tests.
    return clean_environment({"GTEST_FAIL_FAST": "1", "WORKBOOK_REQUIRE_GPU": "1", **more}, others=("WORKBOOK_",))
