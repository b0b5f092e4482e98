"""The pairs of kernels, their runs on a GPU, alone and under compute-sanitizer, and the CSV file of its reports."""

from __future__ import annotations

import csv
import os
import re
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

from cli.errors import WorkbookError
from cli.machine.tools import output_of
from cli.running.limited_run import Limits, run_within
from cli.running.processes import run_program

VARIANTS = ("right", "wrong")
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
TIMEOUT_S = 20  # per process; most take 1 to 4 seconds
_MEMORY_BYTES = 64 << 30  # of compute-sanitizer on the host

NO_SUMMARY, HANG = "no summary", "hang"  # instead of a number of errors
_SUMMARY = re.compile(r"^========= (?:ERROR|RACECHECK) SUMMARY: (\d+) ", re.MULTILINE)
_NOT_A_MESSAGE = re.compile(
    r"(?: |$|COMPUTE-SANITIZER|(?:ERROR|RACECHECK) SUMMARY|Target application|Error: process didn't terminate)"
)
_ACCESS_IN_A_FUNCTION = re.compile(r" at .*")
_CUDA_ERROR = re.compile(r": (cudaError\w+): ")
_DEVICE = ("device", "driver", "cuda")
_KERNEL = ("topic", "pair", "mistake", "variant")
_COLUMNS = (*_KERNEL, *TOOLS, "says", "gpu_alone", *_DEVICE, "compute_sanitizer", "commit", "date")

# A row of the CSV file. A tool's column has a number of errors, NO_SUMMARY or HANG; `gpu_alone` is empty without an
# error.
Result = dict[str, str]


@dataclass(frozen=True)
class Pair:
    topic: str
    name: str
    mistake: str
    in_wrong: tuple[str, ...]  # the kinds of the simulator's findings in the wrong kernel
    in_right: tuple[str, ...]

    def is_missed(self) -> bool:
        return self.in_wrong == ("missed",)


@dataclass(frozen=True)
class Run:
    pair: str
    variant: str
    tool: str  # empty: without a tool
    exit_code: int | None  # None: it was stopped after TIMEOUT_S
    output: str

    def text(self) -> str:
        ended = "hangs" if self.exit_code is None else f"exit code {self.exit_code}"
        return f"{self.pair} {self.variant} {self.tool or 'alone'}: {ended}"


def read_pairs(program: Path) -> list[Pair]:
    """Raises WorkbookError if the program does not list any pairs."""
    listed = run_program(program, ["--list"], capture=True)
    rows = [line.split("\t") for line in listed.output.splitlines()]
    if not listed.passed or not rows or any(len(row) != 5 or not row[3] for row in rows):
        raise WorkbookError(f"{program} --list gives no list of pairs with the bugs of each:\n{listed.output}")
    return [Pair(*row[:3], *(tuple(filter(None, kinds.split(","))) for kinds in row[3:])) for row in rows]


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
    return {**dict(zip(_DEVICE, fields)), "compute_sanitizer": version[1] if version else "unknown"}


def run_all(program: Path, sanitizer: str, pairs: list[Pair], jobs: int) -> Iterator[Run]:
    """Runs each kernel without a tool and under each tool, `jobs` at a time; yields each run when it ends."""
    with ThreadPoolExecutor(jobs) as pool:
        started = [
            pool.submit(_run, program, sanitizer, pair.name, variant, tool)
            for pair in pairs
            for variant in VARIANTS
            for tool in ("", *TOOLS)
        ]
        for run in as_completed(started):
            yield run.result()


def found_by(result: Result) -> list[str]:
    return [tool for tool in TOOLS if result[tool].isdigit() and int(result[tool]) > 0]


def results_of(pairs: list[Pair], runs: list[Run]) -> list[Result]:
    by_key = {(run.pair, run.variant, run.tool): run for run in runs}
    results = []
    for pair in pairs:
        for variant in VARIANTS:
            of_tool = {tool: by_key[pair.name, variant, tool] for tool in TOOLS}
            errors = {tool: errors_of(run) for tool, run in of_tool.items()}
            says = [
                f"{tool}: {first_message(run.output) or errors[tool]}"
                for tool, run in of_tool.items()
                if errors[tool] != "0"
            ]
            names = dict(zip(_KERNEL, (pair.topic, pair.name, pair.mistake, variant)))
            alone = _ended(by_key[pair.name, variant, ""])
            results.append({**names, **errors, "says": "; ".join(says), "gpu_alone": alone})
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


def read_results(file: Path, pairs: list[Pair]) -> dict[tuple[str, str], Result]:
    """The results by the pair's name and the variant. Raises WorkbookError if the file has different pairs."""
    with file.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    missing = [column for column in _COLUMNS if not rows or column not in rows[0]]
    if missing:
        raise WorkbookError(f"{file} lacks the column {missing[0]}, or has no rows.")
    measured = {tuple(row[column] for column in _KERNEL) for row in rows}
    wanted = {(pair.topic, pair.name, pair.mistake, variant) for pair in pairs for variant in VARIANTS}
    if measured != wanted:
        names = ", ".join(sorted({kernel[1] for kernel in measured ^ wanted}))
        raise WorkbookError(f"{file} was measured with other kernels. Measure again, on a GPU: {names}.")
    return {(row["pair"], row["variant"]): row for row in rows}


def _run(program: Path, sanitizer: str, pair: str, variant: str, tool: str) -> Run:
    command = [str(program), pair, variant]
    if tool:
        command = [sanitizer, "--tool", tool, "--print-limit", "20", *command]
    # compute-sanitizer starts the program as a process of its own, which is stopped with it.
    ended = run_within(Limits(wall_s=TIMEOUT_S, memory_bytes=_MEMORY_BYTES), command, Path.cwd())
    return Run(pair, variant, tool, None if ended.stopped else ended.returncode, ended.output)


def _ended(run: Run) -> str:
    if run.exit_code is None:
        return HANG
    if run.exit_code == 0:
        return ""
    if run.exit_code < 0:
        return signal.Signals(-run.exit_code).name
    error = _CUDA_ERROR.search(run.output)
    return error[1] if error else f"exit code {run.exit_code}"
