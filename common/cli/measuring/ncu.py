"""Reading a GPU's own counters with ncu (Nsight Compute)."""

from __future__ import annotations

import csv
import io
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from cli.errors import MissingToolError, WorkbookError
from cli.machine.tools import output_of
from cli.running.launcher import launcher
from cli.running.processes import run_program

_KERNEL_COLUMNS = ("Kernel Name", "Grid Size", "Block Size")


@dataclass(frozen=True)
class ProfiledKernel:
    """One launch: the kernel's name without arguments, grid and block such as "(8, 1, 1)", the counters by metric."""

    name: str
    grid: str
    block: str
    counters: dict[str, float]


def require_ncu() -> None:
    """Raises MissingToolError if ncu is not installed."""
    if not output_of([*launcher(), "ncu", "--version"]):
        raise MissingToolError("Reading the counters of a GPU needs ncu (Nsight Compute), which is not in PATH.")


def profile(program: Path, options: list[str], metrics: Collection[str]) -> list[ProfiledKernel]:
    """The launches of a program, in their order. Raises WorkbookError if ncu or the program fails."""
    command = ["--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "function"]
    command += ["--clock-control", "none", "--cache-control", "none"]
    outcome = run_program(
        Path("ncu"),
        [*command, "--metrics", ",".join(sorted(metrics)), str(program), *options],
        capture=True,
        launched_by=launcher(),
    )
    if not outcome.passed:
        raise WorkbookError(f"{outcome.output.rstrip()}\n{outcome.explanation()}")
    return kernels_from_ncu(outcome.output, metrics)


def kernels_from_ncu(output: str, metrics: Collection[str]) -> list[ProfiledKernel]:
    """Reads `ncu --csv --page raw`: a header, a line of units, and a line per launch. Raises WorkbookError."""
    start = output.find('"ID"')
    if start < 0:
        raise WorkbookError(f"ncu printed no table:\n{output.rstrip()}")
    rows = list(csv.DictReader(io.StringIO(output[start:])))[1:]
    kernels = []
    for row in rows:
        missing = [name for name in (*_KERNEL_COLUMNS, *metrics) if not row.get(name)]
        if missing:
            raise WorkbookError(f"ncu printed no value of {missing[0]}. Does this GPU have that counter?")
        try:
            counters = {name: float(row[name].replace(",", "")) for name in metrics}
        except ValueError as error:
            raise WorkbookError(f"ncu printed a counter that is not a number: {error}.") from error
        kernels.append(ProfiledKernel(*(row[name] for name in _KERNEL_COLUMNS), counters))
    return kernels
