"""Programs that had another name once: the old name still means that program, and never another one."""

from __future__ import annotations

import csv
from pathlib import Path

TABLE = "chapters/old_names.csv"


def read_old_names(root: Path) -> dict[str, str]:
    """Today's target by each old one; empty in a folder without the table."""
    try:
        with (root / TABLE).open(encoding="utf-8", newline="") as file:
            return {row["old"]: row["new"] for row in csv.DictReader(file)}
    except FileNotFoundError:
        return {}


def renamed(old: str, new: str) -> str:
    """The line for a learner who has typed an old name."""
    return f"{old} is now called {new}."
