"""Warnings about a learner's arithmetic: ints that overflow for large arrays, double precision among floats."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from cli.running.children import run_child

_MOST_SHOWN = 3
_TIMEOUT_S = 20


def arithmetic_warnings(files: Iterable[Path], root: Path) -> list[str]:
    """One line per warning, which starts with the file's name and line; if there are more than three, the last line has
    the number of the others. root: the workbook's folder. If the script cannot run, there are no warnings.
    """
    script = root / "common/simulator/translate/arithmetic.py"
    names = {str(file): file.name for file in files}
    command = [sys.executable, "-E", "-s", "-S", str(script), *names]
    try:
        printed = run_child(command, timeout=_TIMEOUT_S, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    except (OSError, subprocess.TimeoutExpired):
        return []
    lines = printed.stdout.splitlines()
    for path, name in names.items():
        lines = [line.replace(f"{path}:", f"{name}:", 1) for line in lines]
    more = len(lines) - _MOST_SHOWN
    return lines[:_MOST_SHOWN] + ([f"And {more} more of this kind."] if more > 0 else [])
