"""Puts the judge and the command on the path. (This folder is not a package: `grading` is common/grading.)"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common")]
