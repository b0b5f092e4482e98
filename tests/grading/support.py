"""Puts the judge and the command on the path. (This folder is not a package: `grading` is common/grading.)

CASES, LIMITS: for all tests that grade ch3_ex2, so that the reference answer is tried only once.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common")]

from cli.running.limited_run import Limits  # noqa: E402
from grading.hidden_cases import HiddenCases  # noqa: E402

CASES, LIMITS = HiddenCases(7, ("97x131",)), Limits(cpu_s=4, wall_s=120, memory_bytes=1 << 30)
