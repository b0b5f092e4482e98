"""Claims about memory accesses (claims.csv), and the two instruments that check them."""

from __future__ import annotations

import csv
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError
from cli.ncu import profile
from cli.tracing import trace

SECTORS = "sectors_per_request"
WAYS = "conflict_ways"
REQUESTS = "requests"
Counts = dict[tuple[str, str, str], float]

_COLUMNS = ("stage", "memory", "operation", "measure", "value", "tolerance")
_RATIOS = [
    ("global", "load", SECTORS),
    ("global", "store", SECTORS),
    ("shared", "load", WAYS),
    ("shared", "store", WAYS),
]
_TOTALS = [("global", "load", REQUESTS), ("global", "store", REQUESTS), ("global", "atomic", REQUESTS)]
_KINDS = [*_RATIOS, *_TOTALS]
_WAVEFRONT_BYTES = 128  # what a pass through the 32 banks can move

# Per kind: what to divide by what. The counts of shared memory are those that ncu takes by instrumenting the
# code: the hardware's own wavefront counter also holds the passes that arbitration repeats.
_METRICS = {
    ("global", "load", SECTORS): (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    ),
    ("global", "store", SECTORS): (
        "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ),
    ("shared", "load", WAYS): (
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        "smsp__sass_data_bytes_mem_shared_op_ld.sum",
    ),
    ("shared", "store", WAYS): (
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "smsp__sass_data_bytes_mem_shared_op_st.sum",
    ),
}

# An atomic function whose result nobody uses is a reduction (red) in the machine code.
_REQUEST_METRICS = {
    (memory, operation, measure): tuple(f"l1tex__t_requests_pipe_lsu_mem_global_op_{name}.sum" for name in names)
    for (memory, operation, measure), names in zip(_TOTALS, (("ld",), ("st",), ("atom", "red")))
}


@dataclass(frozen=True)
class Claim:
    stage: str
    options: tuple[str, ...]  # the program's, as on a command line
    memory: str
    operation: str
    measure: str
    value: float
    tolerance: float


def read_claims(path: Path) -> list[Claim]:
    """The rows of a claims.csv. Columns that are not a claim's own are options of the program.

    Raises WorkbookError, with the line, for a row that cannot be read.
    """
    claims = []
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        options = [name for name in rows.fieldnames or [] if name not in _COLUMNS]
        for row in rows:
            try:
                claim = Claim(
                    row["stage"],
                    tuple(word for name in options for word in (f"--{name}", row[name])),
                    row["memory"],
                    row["operation"],
                    row["measure"],
                    float(row["value"]),
                    float(row["tolerance"]),
                )
            except (KeyError, TypeError, ValueError) as error:
                raise WorkbookError(f"{path}:{rows.line_num}: cannot read this claim ({error}).") from error
            if (claim.memory, claim.operation, claim.measure) not in _KINDS:
                raise WorkbookError(f"{path}:{rows.line_num}: a claim is about one of {_KINDS}.")
            claims.append(claim)
    return claims


def counts_in_simulator(program: Path, options: list[str]) -> Counts:
    """What a traced program's kernels cost, over all of them. Raises WorkbookError if it fails."""
    traced = trace(program, [*options, "--check"])
    if not traced.outcome.passed:
        raise WorkbookError(f"{traced.outcome.output.rstrip()}\n{traced.outcome.explanation()}")
    units: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    requests: dict[tuple[str, str], int] = defaultdict(int)
    for kernel in traced.report.kernels:
        for access in kernel.accesses:
            per = access.ideal_wavefronts if access.memory == "shared" else access.requests
            total = units[access.memory, access.operation]
            total[0] += access.units
            total[1] += per
            requests[access.memory, access.operation] += access.requests
    counts: Counts = {
        (memory, operation, measure): units[memory, operation][0] / units[memory, operation][1]
        for memory, operation, measure in _RATIOS
        if units[memory, operation][1] > 0
    }
    for memory, operation, measure in _TOTALS:
        if requests[memory, operation] > 0:
            counts[memory, operation, measure] = requests[memory, operation]
    return counts


def counts_on_gpu(program: Path, options: list[str]) -> Counts:
    """The same from the hardware's counters, read by ncu. Raises WorkbookError if ncu or the program fails."""
    metrics = {name for names in (*_METRICS.values(), *_REQUEST_METRICS.values()) for name in names}
    kernels = profile(program, [*options, "--check"], metrics)
    sums = {name: sum(kernel.counters[name] for kernel in kernels) for name in metrics}
    counts = {}
    for kind, (units, per) in _METRICS.items():
        ideal = sums[per] / _WAVEFRONT_BYTES if kind[0] == "shared" else sums[per]
        if ideal > 0:
            counts[kind] = sums[units] / ideal
    for kind, names in _REQUEST_METRICS.items():
        total = sum(sums[name] for name in names)
        if total > 0:
            counts[kind] = total
    return counts
