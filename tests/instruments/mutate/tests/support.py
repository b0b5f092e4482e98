"""Puts the modules that `python3 tests/instruments/mutate` uses on the path."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/instruments", "common", "common/simulator/translate", "plots")]
