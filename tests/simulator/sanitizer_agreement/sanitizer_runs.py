"""The kernels on a GPU, alone and under compute-sanitizer, and the CSV file of its reports."""

from __future__ import annotations

import csv
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Iterator

from cli.errors import WorkbookError
from cli.machine.tools import output_of
from cli.running.processes import run_program
from kernel_pairs import VARIANTS, Pair

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
TIMEOUT_S = 20  # per process; most take 1 to 4 seconds

NO_SUMMARY, HANG = "no summary", "hang"  # instead of a number of errors
_SUMMARY = re.compile(r"^========= (?:ERROR|RACECHECK) SUMMARY: (\d+) ", re.MULTILINE)
_NOT_A_MESSAGE = re.compile(
    r"(?: |$|COMPUTE-SANITIZER|(?:ERROR|RACECHECK) SUMMARY|Target application|Error: process didn't terminate)"
)
_ACCESS_IN_A_FUNCTION = re.compile(r" at .*")
_CUDA_ERROR = re.compile(r": (cudaError\w+): ")
_COLUMNS = ("topic", "pair", "mistake", "variant", *TOOLS, "says", "gpu_alone")
_PROVENANCE = ("device", "driver", "cuda", "compute_sanitizer", "commit", "date")


RunKey = tuple[str, str, str]  # pair, variant, tool


@dataclass(frozen=True)
class SanitizerResult:
    """Results of one kernel. `errors` by tool: a number, NO_SUMMARY or HANG; `gpu_alone` is empty without an error."""

    topic: str
    pair: str
    mistake: str
    variant: str
    errors: dict[str, str]
    says: str
    gpu_alone: str
    provenance: dict[str, str] = field(default_factory=dict)

    def found_by(self) -> list[str]:
        return [tool for tool in TOOLS if self.errors[tool].isdigit() and int(self.errors[tool]) > 0]

    def summary(self) -> str:
        return ", ".join(self.found_by()) or "-"


@dataclass(frozen=True)
class Run:
    pair: str
    variant: str
    tool: str  # empty: without a tool
    exit_code: int | None  # None: it was stopped after TIMEOUT_S
    output: str

    @property
    def key(self) -> RunKey:
        return self.pair, self.variant, self.tool

    def text(self) -> str:
        ended = "hangs" if self.exit_code is None else f"exit code {self.exit_code}"
        return f"{self.pair} {self.variant} {self.tool or 'alone'}: {ended}"


def find_sanitizer() -> str:
    """Raises WorkbookError if compute-sanitizer is not installed."""
    sanitizer = shutil.which("compute-sanitizer", path=f"{os.environ.get('PATH', '')}:/usr/local/cuda/bin")
    if not sanitizer:
        raise WorkbookError("There is no compute-sanitizer on the PATH or in /usr/local/cuda/bin.")
    return sanitizer


def describe_device(program: Path, sanitizer: str) -> dict[str, str]:
    """Raises WorkbookError without a GPU."""
    described = run_program(program, ["--device"], capture=True)
    fields = described.output.strip().split("\t")
    if not described.passed or len(fields) != 3 or fields[0].startswith("CUDA simulator"):
        raise WorkbookError(f"{program} has no GPU to run on: {described.output.strip()}")
    version = re.search(r"[Vv]ersion (\S+)", output_of([sanitizer, "--version"]) or "")
    return {**dict(zip(_PROVENANCE, fields)), "compute_sanitizer": version[1] if version else "unknown"}


def runs_of(pairs: list[Pair]) -> list[RunKey]:
    """Each kernel without a tool and under each tool."""
    return [(pair.name, variant, tool) for pair in pairs for variant in VARIANTS for tool in ("", *TOOLS)]


def run_all(program: Path, sanitizer: str, runs: list[RunKey], jobs: int) -> Iterator[Run]:
    """Makes `jobs` runs at a time; yields each when it ends."""
    with ThreadPoolExecutor(jobs) as pool:
        started = [pool.submit(_run, program, sanitizer, *key) for key in runs]
        for run in as_completed(started):
            yield run.result()


def read_log(file: Path, without: list[str]) -> list[Run]:
    """The runs in a log, except those of pairs whose names match one of `without`. Raises WorkbookError."""
    runs = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(keepends=True), start=1):
        if not line.endswith("\n"):
            break  # its writer was stopped
        try:
            run = Run(**json.loads(line))
        except (ValueError, TypeError) as error:
            raise WorkbookError(f"{file}:{number}: this is not a run that --log wrote: {error}") from error
        if not any(fnmatch.fnmatchcase(run.pair, pattern) for pattern in without):
            runs.append(run)
    return runs


def results_of(pairs: list[Pair], runs: list[Run]) -> list[SanitizerResult]:
    by_kernel: dict[tuple[str, str], dict[str, Run]] = {}
    for run in runs:
        by_kernel.setdefault((run.pair, run.variant), {})[run.tool] = run
    results = []
    for pair in pairs:
        for variant in VARIANTS:
            of_tool = by_kernel[pair.name, variant]
            errors = {tool: errors_of(of_tool[tool]) for tool in TOOLS}
            says = [
                f"{tool}: {first_message(of_tool[tool].output) or errors[tool]}"
                for tool in TOOLS
                if errors[tool] != "0"
            ]
            alone = _ended(of_tool[""])
            results.append(
                SanitizerResult(pair.topic, pair.name, pair.mistake, variant, errors, "; ".join(says), alone)
            )
    return results


def errors_of(run: Run) -> str:
    """Reads the summary, because the exit code is the program's, and racecheck's exit code is always 0."""
    if run.exit_code is None:
        return HANG
    summary = _SUMMARY.search(run.output)
    return summary[1] if summary else NO_SUMMARY


def first_message(output: str) -> str:
    """The first error that a tool reported, without the function that it names."""
    for line in output.splitlines():
        text = line[len("========= ") :] if line.startswith("========= ") else ""
        if text and not _NOT_A_MESSAGE.match(text):
            return _ACCESS_IN_A_FUNCTION.sub("", text).strip()
    return ""


def write_results(file: Path, results: list[SanitizerResult], provenance: dict[str, str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow([*_COLUMNS, *_PROVENANCE])
        for result in results:
            errors = [result.errors[tool] for tool in TOOLS]
            row = [result.topic, result.pair, result.mistake, result.variant, *errors, result.says, result.gpu_alone]
            writer.writerow([*row, *(provenance[column] for column in _PROVENANCE)])


def read_results(file: Path, pairs: list[Pair] | None = None) -> dict[tuple[str, str], SanitizerResult]:
    """The results by the pair's name and the variant. Raises WorkbookError if the file has different pairs."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    missing = [column for column in (*_COLUMNS, *_PROVENANCE) if not rows or column not in rows[0]]
    if missing:
        raise WorkbookError(f"{file} lacks the column {missing[0]}, or has no rows.")
    results = {}
    for row in rows:
        errors = {tool: row[tool] for tool in TOOLS}
        provenance = {column: row[column] for column in _PROVENANCE}
        texts = (row["topic"], row["pair"], row["mistake"], row["variant"])
        results[row["pair"], row["variant"]] = SanitizerResult(
            *texts, errors, row["says"], row["gpu_alone"], provenance
        )
    measured = {(result.topic, result.pair, result.mistake) for result in results.values()}
    wanted = {(pair.topic, pair.name, pair.mistake) for pair in pairs or []}
    if pairs and measured != wanted:
        names = ", ".join(sorted({name for _, name, _ in measured ^ wanted}))
        raise WorkbookError(f"{file} was measured with other kernels. Measure again, on a GPU: {names}.")
    return results


def _run(program: Path, sanitizer: str, pair: str, variant: str, tool: str) -> Run:
    command = [str(program), pair, variant]
    if tool:
        command = [sanitizer, "--tool", tool, "--print-limit", "20", *command]
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, _ = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # compute-sanitizer starts the program as a process of its own: both must be killed.
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            return Run(pair, variant, tool, None, output)
    return Run(pair, variant, tool, process.returncode, output)


def _ended(run: Run) -> str:
    if run.exit_code is None:
        return HANG
    if run.exit_code == 0:
        return ""
    if run.exit_code < 0:
        return signal.Signals(-run.exit_code).name
    error = _CUDA_ERROR.search(run.output)
    return error[1] if error else f"exit code {run.exit_code}"
