"""Puts what `python3 tests/mutate` uses on the path."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests", "common", "common/simulator/translate", "plots")]
