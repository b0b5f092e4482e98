"""Old names of programs and commands: an old name still has its meaning, and never gets a different one."""

from __future__ import annotations

import csv
from pathlib import Path

TABLE = "chapters/old_names.csv"


def read_old_names(root: Path) -> dict[str, str]:
    """A map from old targets to present ones; empty in a folder without the table."""
    try:
        return parse_old_names((root / TABLE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def parse_old_names(text: str) -> dict[str, str]:
    """The map that the text of the table contains."""
    return {row["old"]: row["new"] for row in csv.DictReader(text.splitlines())}


def renamed(old: str, new: str) -> str:
    """The message for an old name."""
    return f"{old} is now called {new}."
