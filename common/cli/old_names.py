"""Old names of programs and commands: an old name still has its meaning, and never gets a different one."""

from __future__ import annotations

import csv
from pathlib import Path

TABLE = "chapters/old_names.csv"


def read_old_names(root: Path) -> dict[str, str]:
    """A map from old targets to present ones; empty in a folder without the table."""
    try:
        with (root / TABLE).open(encoding="utf-8", newline="") as file:
            return {row["old"]: row["new"] for row in csv.DictReader(file)}
    except FileNotFoundError:
        return {}


def renamed(old: str, new: str) -> str:
    """The message for an old name."""
    return f"{old} is now called {new}."
