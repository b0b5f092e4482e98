#!/usr/bin/env python3
"""Compares the counts in pictures with the simulator's counts, for every access of a traced program.

    python3 tests/instruments/lessons/check_picture_counts.py PROGRAM [OPTION...]
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "common"))

from cli.pictures.request_layout import counted_sectors, lane_groups
from cli.tracing.report import Access
from cli.tracing.trace import trace


def main(arguments: list[str]) -> int:
    report = trace(Path(arguments[0]), arguments[1:]).report
    accesses = [(kernel.name, access) for kernel in report.kernels for access in kernel.accesses]
    wrong = [text for name, access in accesses for text in [difference(name, access)] if text]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
    print(f"{len(accesses) - len(wrong)} of {len(accesses)} accesses are drawn with the correct count.")
    return 1 if wrong or not accesses else 0


def difference(kernel: str, access: Access) -> str:
    """Empty if the picture of the access's costliest request has the counted number of sectors or wavefronts."""
    if access.memory == "shared":
        drawn, counted, what = sum(group.ways for group in lane_groups(access)), access.example.wavefronts, "wavefronts"
    else:
        drawn, counted, what = counted_sectors(access), access.example.sectors, "sectors"
    is_compare_and_swap = access.operation == "atomic" and counted == 2 * drawn  # each lane's two wavefronts are drawn as one
    if drawn == counted or is_compare_and_swap:
        return ""
    place = f"{kernel}: {Path(access.file).name}:{access.line}:{access.column}"
    return f"{place}: {access.memory} {access.operation}: {drawn} {what} drawn, {counted} counted"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
