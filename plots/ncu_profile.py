#!/usr/bin/env python3
"""Selected lines of Nsight Compute's reports as a CSV file, and a table of them for a lesson.

    ncu --set full --page raw --csv PROGRAM --check ... > report.csv      once per program
    python3 plots/ncu_profile.py report.csv... --driver 580.159.04 --cuda 13.0 --commit 91ed2b9 --date 2026-11-22 \\
        > plots/results/nvidia-h200/profile_ch8_tsne.csv

A report is the output of ncu: some lines of text, and a table with one row per kernel and thousands of columns. METRICS
are the selected columns. A stall is the average number of a scheduler's warps that wait for one reason while the
scheduler issues one instruction.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from dataclasses import dataclass
from pathlib import Path

COLUMNS = ("program", "kernel", "name", "metric", "value", "unit", "device", "driver", "cuda", "commit", "date")
STALL = "stall_"
_DEVICE = "device__attribute_display_name"
_STALL_METRIC = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
_PERCENT = ".avg.pct_of_peak_sustained_"

# Each metric: its name here, its name in tables, and ncu's name.
METRICS = {
    "duration": ("duration, ns", "gpu__time_duration.sum"),
    "instructions": ("instructions of warps", "smsp__inst_executed.sum"),
    "lanes": ("active lanes per instruction", "smsp__thread_inst_executed_per_inst_executed.ratio"),
    "registers": ("registers per thread", "launch__registers_per_thread"),
    "compute": ("compute throughput, %", "sm__throughput" + _PERCENT + "elapsed"),
    "memory": ("memory throughput, %", "gpu__compute_memory_throughput" + _PERCENT + "elapsed"),
    "shared_pipe": ("wavefronts of L1 and shared memory, %", "l1tex__data_pipe_lsu_wavefronts" + _PERCENT + "elapsed"),
    "l2": ("L2 throughput, %", "lts__throughput" + _PERCENT + "elapsed"),
    "dram": ("device memory's throughput, %", "gpu__dram_throughput" + _PERCENT + "elapsed"),
    "occupancy": ("resident warps, % of 64", "sm__warps_active" + _PERCENT + "active"),
    "warps": ("warps per scheduler", "smsp__warps_active.avg.per_cycle_active"),
    "eligible": ("of these, ready", "smsp__warps_eligible.avg.per_cycle_active"),
    "issue_active": ("instructions issued per scheduler and cycle", "smsp__issue_active.avg.per_cycle_active"),
    "latency": ("cycles between instructions of a warp", "smsp__average_warp_latency_per_inst_issued.ratio"),
}
# The load of each kind of unit. Older files, and their tables, do not have these rows.
PIPES = {
    "pipe_fma": ("FP32 multiply-add units, %", "sm__inst_executed_pipe_fma" + _PERCENT + "active"),
    "pipe_alu": ("integer and logic units, %", "sm__inst_executed_pipe_alu" + _PERCENT + "active"),
    "pipe_fp64": ("FP64 units, %", "sm__inst_executed_pipe_fp64" + _PERCENT + "active"),
    "pipe_xu": ("conversions and special functions, %", "sm__inst_executed_pipe_xu" + _PERCENT + "active"),
}
# The stall reasons that occur, in the order of a table, each with a short explanation.
STALLS = {
    "long_scoreboard": "memory, L1 cache or beyond",
    "short_scoreboard": "result from shared memory",
    "mio_throttle": "queue to shared memory full",
    "barrier": "`__syncthreads()`",
    "math_pipe_throttle": "arithmetic units busy",
    "wait": "a few fixed cycles",
    "dispatch_stall": "the dispatcher",
    "branch_resolving": "target of a branch",
    "no_instruction": "instruction not fetched yet",
    "not_selected": "ready, but another warp was selected",
    "selected": "issues an instruction",
}


class ReportError(Exception):
    """A report that cannot be read; the message is for the user."""


@dataclass(frozen=True)
class Provenance:
    driver: str
    cuda: str
    commit: str
    date: str


def rows_of_report(text: str, name: str, provenance: Provenance) -> list[dict[str, str]]:
    """The rows (COLUMNS) of all kernels in a report, or in several concatenated ones. Raises ReportError."""
    rows: list[dict[str, str]] = []
    header: list[str] = []
    units: list[str] = []
    for cells in csv.reader(line for line in text.splitlines() if line.startswith('"')):
        if cells[0] == "ID":
            header, units = cells, []
        elif not header:
            raise ReportError(f"{name}: a row of numbers comes before the names of the columns.")
        elif not units:
            units = cells
        else:
            rows += _rows_of_kernel(dict(zip(header, cells)), dict(zip(header, units)), name, provenance)
    if not rows:
        raise ReportError(f"{name} has no kernel. Did you run ncu with --page raw --csv?")
    return rows


def _rows_of_kernel(
    cells: dict[str, str], units: dict[str, str], name: str, provenance: Provenance
) -> list[dict[str, str]]:
    wanted = {short: metric for short, (_, metric) in {**METRICS, **PIPES}.items()}
    wanted.update({STALL + reason: _STALL_METRIC.format(reason) for reason in STALLS})
    kernel = re.sub(r"^void |[<(].*$", "", cells["Kernel Name"])
    rows = []
    for short, metric in wanted.items():
        value = cells.get(metric, "").replace(",", "")
        try:
            float(value)
        except ValueError:
            raise ReportError(f"{name}: {kernel} has '{value}' instead of a number for {metric}.") from None
        of = (cells["Process Name"], kernel, short, metric, value, units[metric], cells[_DEVICE])
        rows.append(dict(zip(COLUMNS, (*of, provenance.driver, provenance.cuda, provenance.commit, provenance.date))))
    return rows


def read_profile(file: Path) -> list[dict[str, str]]:
    """The rows of a CSV file that main() has printed. Raises ReportError."""
    try:
        with file.open(encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
    except OSError as error:
        raise ReportError(f"{file}: {error.strerror}") from error
    if not rows or tuple(rows[0]) != COLUMNS:
        raise ReportError(f"{file} needs the columns {', '.join(COLUMNS)}, and a row.")
    return rows


def render_profile(file: Path, chapter: str) -> str:
    """Markdown: one column per program, for its last kernel; the metrics, then the stalls. Raises ReportError."""
    rows = read_profile(file)
    values: dict[str, dict[str, str]] = {}
    for row in rows:
        values.setdefault(row["program"].removeprefix(f"{chapter}_"), {})[row["name"]] = row["value"]
    lines = ["| | " + " | ".join(values) + " |", "|:---|" + "---:|" * len(values)]
    titles = {**METRICS, **{name: pipe for name, pipe in PIPES.items() if all(name in of for of in values.values())}}
    lines += [_line(title, [of[name] for of in values.values()]) for name, (title, _) in titles.items()]
    lines += ["", "| waiting warps, per instruction | waiting for | " + " | ".join(values) + " |"]
    lines.append("|:---|:---|" + "---:|" * len(values))
    for reason, what in STALLS.items():
        lines.append(_line(f"{reason} | {what}", [of[STALL + reason] for of in values.values()]))
    first = rows[0]
    of = f"{first['device']}, driver {first['driver']}, CUDA {first['cuda']}, commit {first['commit']}, {first['date']}"
    return "\n".join([*lines, "", f"{of}."])


def _line(title: str, values: list[str]) -> str:
    return f"| {title} | " + " | ".join(_shown(float(value)) for value in values) + " |"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 20 else f"{value:.2f}"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", nargs="+", type=Path, metavar="REPORT")
    for name in ("driver", "cuda", "commit", "date"):
        parser.add_argument(f"--{name}", required=True)
    parsed = parser.parse_args(arguments)
    provenance = Provenance(parsed.driver, parsed.cuda, parsed.commit, parsed.date)
    try:
        rows = [
            row
            for report in parsed.reports
            for row in rows_of_report(report.read_text(encoding="utf-8"), str(report), provenance)
        ]
    except (ReportError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    writer = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
