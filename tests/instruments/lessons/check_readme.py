"""Checks that the table of the four progressions in README.md shows the measured times.

Prints the differences and exits with 1. A row's time is the median in plots/results at the size of its progression. Its
gain is the time of the previous row of the same progression, divided by its own time.

Usage: check_readme.py RESULTS_FOLDER
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.measuring.figures import FigureError, Results, value_of

_ROW = re.compile(
    r"^\| (?P<computation>[^|\n]*)\|[^|\n]*\| `(?P<program>ch\d+_\w+)` \| (?P<time>[\d.]+) ms \|(?: (?P<gain>[\d.]+) x)? ?\|$",
    re.MULTILINE,
)
# The options of a size, in the order of the results' columns, as the table names them.
_SIZES = {
    "10 items, sums up to 25,000,000": "10 x 25000000",
    "16,384 x 16,384 floats": "16384 x 16384",
    "100,000,000 doubles": "100000000",
    "16,384 vectors of 300 floats": "16384 x 300",
}


def problems(page: str, results: Results) -> list[str]:
    """The errors in the table, one text each."""
    found = []
    sizes, before_ms = "", 0.0
    rows = list(_ROW.finditer(page))
    table = [line for line in page.splitlines() if " ms |" in line]
    if len(rows) != len(table) or not rows:
        found.append(f"{len(table)} lines have a time, but only {len(rows)} have the form '| ... | ... | `program` | 1.2 ms | 3.4 x |'")
    for row in rows:
        if row["computation"].strip():
            words = row["computation"].strip().rpartition("): ")[2]
            sizes, before_ms = _SIZES.get(words, ""), 0.0
            if not sizes:
                found.append(f"the size '{words}' is not one of: {'; '.join(_SIZES)}")
        try:
            own_ms = value_of(f"{row['program']} {sizes} median_ms", results, "")
        except FigureError as error:
            found.append(f"{row['program']}: {error}")
            continue
        shown = {"time": row["time"], "gain": row["gain"] or ""}
        right = {"time": own_ms, "gain": before_ms / own_ms if before_ms else None}
        for name, value in right.items():
            wanted = "" if value is None else _as_shown(value, shown[name])
            if shown[name] != wanted:
                found.append(f"{row['program']}: the {name} is {shown[name] or 'missing'}, but the results have {wanted}")
        before_ms = own_ms
    return found


def _as_shown(value: float, shown: str) -> str:
    """The value with the same number of decimals as on the page."""
    return f"{value:.{len(shown.partition('.')[2])}f}"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = problems((ROOT / "README.md").read_text(encoding="utf-8"), Results(Path(arguments[0])))
    print("\n".join(f"README.md: {problem}" for problem in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
