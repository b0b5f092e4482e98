"""Claims about memory accesses (claims.csv), and the two instruments that check them: simulator and profiler."""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from cli.chapter_files import ChapterFiles
from cli.errors import WorkbookError
from cli.measuring.ncu import ProfiledKernel, profile
from cli.tracing.report import Report
from cli.tracing.trace import trace

SECTORS = "sectors_per_request"
WAYS = "conflict_ways"
REQUESTS = "requests"
WAVEFRONTS = "wavefronts"
BYTES = "bytes_per_block"
THREADS = "threads"
LINK_BYTES = "link_bytes"
Counts = dict[tuple[str, str, str], float]

_MEASURE_WORDS = {WAYS: "bank conflict, n-way"}
_SIMULATOR_ONLY = "simulator_only"
_STARTER = "starter"
_COLUMNS = ("stage", "memory", "operation", "measure", "value", "tolerance", _SIMULATOR_ONLY, _STARTER)
_NO_ACCESS = "none"  # in the column of the starter
_WAVEFRONT_BYTES = 128  # the most bytes of one wavefront

# For each ratio: numerator and denominator. In shared memory the denominator is the requests, or the wavefronts that
# their bytes need. ncu counts shared memory by instrumenting the code: the hardware's own wavefront counter includes
# wavefronts that arbitration repeats.
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
        "smsp__inst_executed_op_shared_ld_pred_on_any.sum",
        "smsp__sass_data_bytes_mem_shared_op_ld.sum",
    ),
    ("shared", "store", WAYS): (
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        "smsp__inst_executed_op_shared_st_pred_on_any.sum",
        "smsp__sass_data_bytes_mem_shared_op_st.sum",
    ),
}
# An atomic function whose result is not used is a reduction (red) in the machine code (SASS).
_SUMS = {
    ("global", operation, REQUESTS): tuple(f"l1tex__t_requests_pipe_lsu_mem_global_op_{name}.sum" for name in names)
    for operation, names in (("load", ("ld",)), ("store", ("st",)), ("atomic", ("atom", "red")))
}
_SUMS |= {("shared", operation, WAVEFRONTS): _METRICS["shared", operation, WAYS][:1] for operation in ("load", "store")}
_COPY = "copy"  # an asynchronous copy to shared memory
_SHARED_ATOMICS = ("shared", "atomic", REQUESTS)  # counted in the simulator; no claim uses them
_ALLOCATION = ("shared", "allocation", BYTES)  # the mean over the launches
_SHARED_BYTES_METRICS = ("launch__shared_mem_per_block_static", "launch__shared_mem_per_block_dynamic")
_LAUNCH = ("kernel", "launch", THREADS)
BUSIEST_WARP = ("kernel", "warp", REQUESTS)  # of each launch, summed; a GPU has no counter for it
DIVERGED = ("kernel", "branch", "diverged")  # how often warps diverged at branches
_THREADS_METRIC = "launch__thread_count"
_MOST_DEVICES = 8
AT_MOST, AT_LEAST = "<=", ">="
# Bytes from one device to another, "0-1", or over all links. A GPU has no counters for them.
_LINKS = [
    ("link", name, LINK_BYTES)
    for name in ("all", *(f"{a}-{b}" for a in range(_MOST_DEVICES) for b in range(_MOST_DEVICES) if a != b))
]
_KINDS = [*_METRICS, *_SUMS, _ALLOCATION, _LAUNCH, BUSIEST_WARP, DIVERGED]


@dataclass(frozen=True)
class Claim:
    stage: str
    options: tuple[str, ...]  # the program's, as on a command line
    memory: str
    operation: str
    measure: str
    value: float
    tolerance: float
    simulator_only: str = ""  # the reason why a GPU's counters cannot check it; empty if they can
    limit: str = ""  # AT_MOST or AT_LEAST, if the value is a limit: a goal such as <=4096
    starter: float | None = None  # a goal's count of a starter that passes the tests; infinite if it has no such access

    def count(self, counts: Counts) -> float | None:
        """The count for this kind of access; None if there was no such access."""
        return counts.get((self.memory, self.operation, self.measure))

    def goal_count(self, counts: Counts) -> float | None:
        """The same for a goal: an asynchronous copy to shared memory counts as a store there."""
        is_store = (self.memory, self.operation) == ("shared", "store")
        operations = ("store", _COPY) if is_store else (self.operation,)
        kinds = [(self.memory, operation, self.measure) for operation in operations]
        values = [counts[kind] for kind in kinds if kind in counts]
        if not values:
            return None
        return sum(values) if self.measure == WAVEFRONTS else max(values)

    def holds(self, counts: Counts) -> bool:
        counted = self.count(counts)
        return counted is not None and self.is_met_by(counted)

    def is_met_by(self, counted: float) -> bool:
        return self.distance(counted) <= self.tolerance

    def distance(self, counted: float) -> float:
        """How far a count is from the value; below 0 if it is inside a limit, and infinite if the count is."""
        if math.isinf(counted):
            return counted
        excess = counted - self.value
        return {AT_MOST: excess, AT_LEAST: -excess}.get(self.limit, abs(excess))


def read_claims(path: Path) -> list[Claim]:
    """The rows of a claims.csv. Raises WorkbookError, with the line, for a row that cannot be read."""
    try:
        return parse_claims(path.read_text(encoding="utf-8").splitlines(), path)
    except UnicodeDecodeError as error:
        raise WorkbookError(f"{path} is not UTF-8 text.") from error


def claim_row(path: Path, stage: str, options: tuple[str, ...], kind: tuple[str, str, str], value: float) -> str:
    """A row for this count, with the columns of a claims.csv."""
    memory, operation, measure = kind
    cells = {"stage": stage, "memory": memory, "operation": operation, "measure": measure}
    cells |= {"value": f"{value:.10g}", "tolerance": "0", **dict(zip(options[::2], options[1::2]))}
    with path.open(encoding="utf-8", newline="") as file:
        return ",".join(cells.get(name, cells.get(f"--{name}", "")) for name in next(csv.reader(file)))


def claims_of(files: ChapterFiles) -> list[Claim]:
    """The claims of a chapter; none if it has no claims.csv. Raises as read_claims does."""
    return read_claims(files.claims) if files.claims.is_file() else []


def parse_claims(lines: list[str], path: Path, first_line: int = 1, stage: str | None = None) -> list[Claim]:
    """The claims in the lines of a table. With `stage`, they are goals for it, and their values can be limits (<=4096, >=1);
    a column `starter` has the starter's counts. Otherwise the column `stage` names the stage.

    The other columns are options of the program, unless they are empty. Raises WorkbookError, with the line, for a row
    that cannot be read.
    """
    try:
        return _claims_in(lines, path, first_line, stage)
    except csv.Error as error:
        raise WorkbookError(f"{path} cannot be read as CSV: {error}.") from error


def _claims_in(lines: list[str], path: Path, first_line: int, stage: str | None) -> list[Claim]:
    claims = []
    rows = csv.DictReader(lines)
    options = [name for name in rows.fieldnames or [] if name not in _COLUMNS]
    for row in rows:
        line = first_line + rows.line_num - 1
        limit = (row.get("value") or "")[:2] if stage is not None else ""
        limit = limit if limit in (AT_MOST, AT_LEAST) else ""
        try:
            claim = Claim(
                stage or row["stage"],
                tuple(word for name in options if row[name] for word in (f"--{name}", row[name])),
                row["memory"],
                row["operation"],
                row["measure"],
                float(row["value"][len(limit) :]),
                float(row["tolerance"]),
                (row.get(_SIMULATOR_ONLY) or "").strip(),
                limit,
                float(row[_STARTER].replace(_NO_ACCESS, "inf")) if _STARTER in row else None,
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise WorkbookError(f"{path}:{line}: cannot read this claim ({error}).") from error
        if (claim.memory, claim.operation, claim.measure) not in (*_KINDS, *_LINKS):
            links = f"{_LINKS[0]}, or from one device to another, {_LINKS[1]}"
            raise WorkbookError(f"{path}:{line}: a claim is about one of {_KINDS}, {links}.")
        claims.append(claim)
    return claims


def counts_in_simulator(program: Path, options: list[str]) -> Counts:
    """Runs a traced program and counts the costs of its kernels. Raises WorkbookError if it fails."""
    # Tests and inspect look for races. Here that would take a fifth of the time and would not change the counts.
    traced = trace(program, options, environment={"CUDA_SIMULATOR_GLOBAL_RACES": "0"})
    if not traced.outcome.passed:
        raise WorkbookError(f"{traced.outcome.output.rstrip()}\n{traced.outcome.explanation()}")
    return counts_in_report(traced.report)


def measure_words(measure: str) -> str:
    """The name of a measure in messages."""
    return _MEASURE_WORDS.get(measure) or measure.replace("_", " ")


def counts_in_report(report: Report) -> Counts:
    """The costs of all kernels of a traced run together."""
    totals: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for kernel in report.kernels:
        for access in kernel.accesses:
            per = access.ideal_wavefronts if access.memory == "shared" else access.requests
            total = totals[access.memory, access.operation]
            for index, count in enumerate((access.units, per, access.requests)):
                total[index] += count
    made = {access: total for access, total in totals.items() if total[1] > 0}
    counts = {kind: made[kind[:2]][0] / made[kind[:2]][1] for kind in _METRICS if kind[:2] in made}
    for kind in (*_SUMS, _SHARED_ATOMICS):
        if kind[:2] in made:
            units, _, requests = made[kind[:2]]
            counts[kind] = float(units if kind[2] == WAVEFRONTS else requests)
    if copies := made.get(("shared", _COPY)):
        counts["shared", _COPY, WAYS] = copies[0] / copies[1]
        counts["shared", _COPY, WAVEFRONTS] = float(copies[0])
    launches = sum(kernel.launches for kernel in report.kernels)
    if launches > 0:
        bytes_of_all = sum(
            kernel.launches * (kernel.static_shared_bytes + kernel.dynamic_shared_bytes) for kernel in report.kernels
        )
        counts[_ALLOCATION] = bytes_of_all / launches
        counts[_LAUNCH] = float(sum(kernel.threads for kernel in report.kernels))
        counts[DIVERGED] = float(sum(branch.diverged for kernel in report.kernels for branch in kernel.branches))
        counts[BUSIEST_WARP] = float(sum(kernel.busiest_warp_requests for kernel in report.kernels))
    if report.devices > 1:
        counts.update(dict.fromkeys(_LINKS, 0.0))
        counts["link", "all", LINK_BYTES] = float(sum(link.bytes for link in report.links))
        for link in report.links:
            counts["link", link.name, LINK_BYTES] = float(link.bytes)
    return counts


def counts_on_gpu(program: Path, options: list[str]) -> Counts:
    """The costs from the hardware's counters, read by ncu. Raises WorkbookError if ncu or the program fails."""
    return counts_of_launches(profile(program, options, _metric_names()))


def counts_of_launches(kernels: list[ProfiledKernel]) -> Counts:
    """The costs of all launches of a profiled program together."""
    sums = {name: sum(kernel.counters[name] for kernel in kernels) for name in _metric_names()}
    counts = {}
    for kind, (units, requests, *data_bytes) in _METRICS.items():
        ideal = sum(_ideal(kernel.counters, requests, *data_bytes) for kernel in kernels)
        if ideal > 0:
            counts[kind] = sums[units] / ideal
    for kind, names in _SUMS.items():
        total = sum(sums[name] for name in names)
        if total > 0:
            counts[kind] = total
    if kernels:
        counts[_ALLOCATION] = sum(sums[name] for name in _SHARED_BYTES_METRICS) / len(kernels)
        counts[_LAUNCH] = sums[_THREADS_METRIC]
    return counts


def _ideal(counters: dict[str, float], requests: str, data_bytes: str | None = None) -> float:
    """The denominator of a ratio for one launch: its requests or, in shared memory, the minimum of wavefronts.

    A request takes at least one wavefront, even if all lanes read the same word (whose bytes count once). Requests of
    wide types take more.
    """
    if data_bytes is None:
        return counters[requests]
    return max(counters[requests], counters[data_bytes] / _WAVEFRONT_BYTES)


def _metric_names() -> set[str]:
    ratios_and_sums = (*_METRICS.values(), *_SUMS.values())
    return {name for names in ratios_and_sums for name in names} | {*_SHARED_BYTES_METRICS, _THREADS_METRIC}
