"""What a picture shows, and what is claimed about the stages that it shows."""

from __future__ import annotations

import csv
from xml.etree import ElementTree

from support import ROOT

SVG = "{http://www.w3.org/2000/svg}"


def words(svg: str) -> list[str]:
    return ["".join(text.itertext()) for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def claims(chapter: str) -> dict[tuple[str, str, str], set[float]]:
    """The claimed values, by target, memory and operation, and measure."""
    found: dict[tuple[str, str, str], set[float]] = {}
    with (ROOT / "chapters" / chapter / "lesson/claims.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            access = f"{row['memory']} {row['operation']}"
            found.setdefault((row["stage"], access, row["measure"]), set()).add(float(row["value"]))
    return found
