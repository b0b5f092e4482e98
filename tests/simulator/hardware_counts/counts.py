"""The costs of a case's kernel: from a GPU's counters, from the simulator's report, and in a CSV file."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from cli.errors import WorkbookError
from cli.measuring.measurements import write_rows
from cli.measuring.ncu import ProfiledKernel
from cli.tracing.report import Report

Kind = tuple[str, str]  # memory and operation

# Which of ncu's metrics count the requests, the units and the bytes of a kind; those of several operations are added
# up. Bytes that several lanes of a request use are counted once. The wavefronts named smsp__sass are counted by
# instrumenting the code: the hardware's own counter (l1tex__data_pipe) also includes passes that arbitration repeats.
# An instruction counts if at least one lane of the warp executes it: nvcc skips some with a predicate, and those cost
# nothing in shared memory.
_METRICS = {
    "global": (
        "l1tex__t_requests_pipe_lsu_mem_global_op_{}.sum",
        "l1tex__t_sectors_pipe_lsu_mem_global_op_{}.sum",
        "smsp__sass_data_bytes_mem_global_op_{}.sum",
    ),
    "shared": (
        "smsp__inst_executed_op_shared_{}_pred_on_any.sum",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum",
        "smsp__sass_data_bytes_mem_shared_op_{}.sum",
    ),
}
_OPERATIONS: dict[Kind, tuple[str, ...]] = {
    ("global", "load"): ("ld",),
    ("global", "store"): ("st",),
    ("global", "atomic"): ("atom", "red"),
    ("shared", "load"): ("ld",),
    ("shared", "store"): ("st",),
    ("shared", "atomic"): ("atom",),
}
_METRICS_OF = {
    kind: [[metric.format(name) for name in names] for metric in _METRICS[kind[0]]]
    for kind, names in _OPERATIONS.items()
}
KINDS: tuple[Kind, ...] = tuple(_OPERATIONS)
METRICS = frozenset(name for columns in _METRICS_OF.values() for names in columns for name in names)
UNITS = {"global": "sector", "shared": "wavefront"}
_PROVENANCE = ("device", "driver", "cuda", "commit", "date")


@dataclass(frozen=True)
class Count:
    """All accesses of one kind. Units are sectors, or wavefronts of shared memory."""

    requests: int = 0
    units: int = 0
    bytes: int = 0
    is_approximate: bool = False  # reported by the simulator itself
    widest_bytes: int = 0  # of one lane, in the source; 0 for hardware


@dataclass(frozen=True)
class CaseCounts:
    launch: tuple[str, ...]  # kernel, grid and block: "copy", "8x1x1", "256x1x1"
    counts: dict[Kind, Count]  # of kinds that occur; only KINDS are compared


@dataclass(frozen=True)
class HardwareCounts:
    """The counts of all cases on one GPU; provenance has device, driver, cuda, commit and date."""

    cases: dict[str, CaseCounts]
    provenance: dict[str, str] = field(default_factory=dict)


def counts_from_profile(kernel: ProfiledKernel) -> CaseCounts:
    """Raises WorkbookError for a counter that is not an integer."""

    def total(names: list[str]) -> int:
        value = sum(kernel.counters[name] for name in names)
        if value != int(value):
            raise WorkbookError(f"{kernel.name}: ncu gives {value} for {' + '.join(names)}, which is not a count.")
        return int(value)

    counts = {kind: Count(*map(total, columns)) for kind, columns in _METRICS_OF.items()}
    extents = ("x".join(text.strip("() ").replace(",", " ").split()) for text in (kernel.grid, kernel.block))
    return CaseCounts((kernel.name, *extents), {kind: count for kind, count in counts.items() if count.requests > 0})


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
    }
    name = kernel.name.split("<")[0].split("::")[-1].strip()
    return CaseCounts((name, *("x".join(map(str, extents)) for extents in (kernel.grid, kernel.block))), counts)


def write_counts(file: Path, hardware: HardwareCounts) -> None:
    """Writes one row per case and kind. Raises OSError."""
    rows = []
    for name, case in hardware.cases.items():
        for (memory, operation), count in case.counts.items():
            row = {"case": name, **dict(zip(("kernel", "grid", "block"), case.launch))}
            row |= {"memory": memory, "operation": operation, "requests": str(count.requests)}
            row |= {"sectors": "", "wavefronts": "", "bytes": str(count.bytes), f"{UNITS[memory]}s": str(count.units)}
            rows.append({**row, **hardware.provenance})
    write_rows(file, rows)


def read_counts(file: Path) -> HardwareCounts:
    """Raises WorkbookError for a file that is missing, empty or not from write_counts.

    For cases that were measured on several days, provenance has all days: "2026-11-21 and 2026-11-22".
    """
    cases: dict[str, CaseCounts] = {}
    provenance: dict[str, dict[str, None]] = {name: {} for name in _PROVENANCE}
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                case = cases.setdefault(row["case"], CaseCounts((row["kernel"], row["grid"], row["block"]), {}))
                numbers = (int(row[column]) for column in ("requests", f"{UNITS[row['memory']]}s", "bytes"))
                case.counts[row["memory"], row["operation"]] = Count(*numbers)
                for name, values in provenance.items():
                    values[row[name]] = None
    except OSError as error:
        raise WorkbookError(f"{file}: {error.strerror}.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise WorkbookError(f"{file}: not a table of counts ({type(error).__name__}: {error}).") from error
    if not cases:
        raise WorkbookError(f"{file} has no counts.")
    return HardwareCounts(cases, {name: " and ".join(values) for name, values in provenance.items()})
