"""The costs of a case's kernel: from a GPU's counters, from the simulator's report, and in a CSV file."""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "common"))

from cli.errors import WorkbookError
from cli.measuring.measurements import write_rows
from cli.measuring.ncu import ProfiledKernel
from cli.tracing.report import Report

Kind = tuple[str, str]  # memory and operation


@dataclass(frozen=True)
class _Metrics:
    """The ncu metrics of one kind; several are added up. Units are sectors, or wavefronts of shared memory.

    Bytes that several lanes of a request use are counted once.
    """

    requests: tuple[str, ...]
    units: tuple[str, ...]
    bytes: tuple[str, ...]


# The wavefronts named smsp__sass are counted by instrumenting the code. The hardware's own counter
# (l1tex__data_pipe) also includes passes that arbitration repeats. An instruction counts if at least one lane of the
# warp executes it: nvcc skips some with a predicate, and those cost nothing in shared memory.
_METRICS: dict[Kind, _Metrics] = {
    **{
        ("global", operation): _Metrics(
            (f"l1tex__t_requests_pipe_lsu_mem_global_op_{short}.sum",),
            (f"l1tex__t_sectors_pipe_lsu_mem_global_op_{short}.sum",),
            (f"smsp__sass_data_bytes_mem_global_op_{short}.sum",),
        )
        for operation, short in (("load", "ld"), ("store", "st"))
    },
    ("global", "atomic"): _Metrics(
        ("l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"),
        ("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"),
        ("smsp__sass_data_bytes_mem_global_op_atom.sum", "smsp__sass_data_bytes_mem_global_op_red.sum"),
    ),
    **{
        ("shared", operation): _Metrics(
            (f"smsp__inst_executed_op_shared_{short}_pred_on_any.sum",),
            (f"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{short}.sum",),
            (f"smsp__sass_data_bytes_mem_shared_op_{short}.sum",),
        )
        for operation, short in (("load", "ld"), ("store", "st"), ("atomic", "atom"))
    },
}
KINDS: tuple[Kind, ...] = tuple(_METRICS)
METRICS: frozenset[str] = frozenset(
    name for metrics in _METRICS.values() for name in (*metrics.requests, *metrics.units, *metrics.bytes)
)


@dataclass(frozen=True)
class Count:
    """All accesses of one kind."""

    requests: int = 0
    units: int = 0
    bytes: int = 0
    is_approximate: bool = False  # reported by the simulator itself
    widest_bytes: int = 0  # of one lane, in the source; 0 for hardware


@dataclass(frozen=True)
class Launch:
    """A case's kernel and how it was launched: "8x1x1" blocks of "256x1x1" threads."""

    kernel: str
    grid: str
    block: str


@dataclass(frozen=True)
class CaseCounts:
    launch: Launch
    counts: dict[Kind, Count]  # without kinds that do not occur


@dataclass(frozen=True)
class HardwareCounts:
    """The counts of all cases on one GPU; provenance has device, driver, cuda, commit and date."""

    cases: dict[str, CaseCounts]
    provenance: dict[str, str] = field(default_factory=dict)


def counts_from_profile(kernel: ProfiledKernel) -> CaseCounts:
    """Raises WorkbookError for a counter that is not an integer."""

    def total(names: tuple[str, ...]) -> int:
        value = sum(kernel.counters[name] for name in names)
        if value != int(value):
            raise WorkbookError(f"{kernel.name}: ncu gives {value} for {' + '.join(names)}, which is not a count.")
        return int(value)

    counts = {
        kind: Count(total(metrics.requests), total(metrics.units), total(metrics.bytes))
        for kind, metrics in _METRICS.items()
    }
    launch = Launch(kernel.name, _extents(kernel.grid), _extents(kernel.block))
    return CaseCounts(launch, {kind: count for kind, count in counts.items() if count.requests > 0})


def counts_from_report(report: Report) -> CaseCounts:
    """Raises WorkbookError unless the program launched one kernel, once."""
    if len(report.kernels) != 1 or report.kernels[0].launches != 1:
        raise WorkbookError("A case must launch one kernel, once.")
    kernel = report.kernels[0]
    by_kind = defaultdict(list)
    for access in kernel.accesses:
        by_kind[access.memory, access.operation].append(access)
    counts = {
        kind: Count(
            sum(access.requests for access in accesses),
            sum(access.units for access in accesses),
            sum(access.lanes * access.bytes_per_lane for access in accesses),
            any(access.approximate for access in accesses),
            max(access.bytes_per_lane for access in accesses),
        )
        for kind, accesses in by_kind.items()
        if kind in _METRICS  # constant memory has no counters of this kind
    }
    name = kernel.name.split("<")[0].split("::")[-1].strip()
    return CaseCounts(Launch(name, _joined(kernel.grid), _joined(kernel.block)), counts)


def write_counts(file: Path, hardware: HardwareCounts) -> None:
    """Writes one row per case and kind. Raises OSError."""
    rows = []
    for name, case in hardware.cases.items():
        for (memory, operation), count in case.counts.items():
            row = {"case": name, "kernel": case.launch.kernel, "grid": case.launch.grid, "block": case.launch.block}
            row |= {"memory": memory, "operation": operation, "requests": str(count.requests)}
            row |= {"sectors": "", "wavefronts": "", "bytes": str(count.bytes)}
            row[_units_column(memory)] = str(count.units)
            rows.append({**row, **hardware.provenance})
    write_rows(file, rows)


def read_counts(file: Path) -> HardwareCounts:
    """Raises WorkbookError for a file that is missing, empty or not from write_counts.

    For cases that were measured on several days, provenance has all days: "2026-11-21 and 2026-11-22".
    """
    cases: dict[str, CaseCounts] = {}
    provenance: dict[str, dict[str, None]] = {name: {} for name in ("device", "driver", "cuda", "commit", "date")}
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                launch = Launch(row["kernel"], row["grid"], row["block"])
                kind = (row["memory"], row["operation"])
                count = Count(int(row["requests"]), int(row[_units_column(kind[0])]), int(row["bytes"]))
                cases.setdefault(row["case"], CaseCounts(launch, {})).counts[kind] = count
                for name, values in provenance.items():
                    values[row[name]] = None
    except OSError as error:
        raise WorkbookError(f"{file}: {error.strerror}.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise WorkbookError(f"{file}: not a table of counts ({type(error).__name__}: {error}).") from error
    if not cases:
        raise WorkbookError(f"{file} has no counts.")
    return HardwareCounts(cases, {name: " and ".join(values) for name, values in provenance.items()})


def _units_column(memory: str) -> str:
    return "wavefronts" if memory == "shared" else "sectors"


def _extents(text: str) -> str:
    """ "(8, 1, 1)" is "8x1x1"."""
    return _joined(tuple(int(extent) for extent in text.strip("() ").split(",")))


def _joined(extents: tuple[int, ...]) -> str:
    return "x".join(str(extent) for extent in extents)
