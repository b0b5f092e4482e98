"""The tables of a chapter's pages, generated from CSV files; each is between two markers."""

from __future__ import annotations

import csv
from pathlib import Path

from measurements import PRECISIONS, Measurements, ResultsError, size_text

RESULTS = "results"
CLAIMS = "claims"
TIMES = "times"
CROSSOVER = "crossover"
ACCURACY = "accuracy"
PROFILE = "profile"

_CLAIM_COLUMNS = {
    ("global", "load", "sectors_per_request"): "global loads: sectors per request",
    ("global", "store", "sectors_per_request"): "global stores: sectors per request",
    ("shared", "load", "conflict_ways"): "shared loads: bank conflict, n-way",
    ("shared", "store", "conflict_ways"): "shared stores: bank conflict, n-way",
    ("shared", "load", "wavefronts"): "shared loads: wavefronts",
    ("shared", "store", "wavefronts"): "shared stores: wavefronts",
    ("global", "load", "requests"): "global loads: requests",
    ("global", "store", "requests"): "global stores: requests",
    ("global", "atomic", "requests"): "global atomic functions: requests",
    ("link", "all", "link_bytes"): "bytes from GPU to GPU",
}
_CLAIM_KEY = ("stage", "memory", "operation", "measure")


class MarkersError(ResultsError):
    """A page lacks the lines between which a table goes."""


def render_claims(claims_file: Path) -> str:
    """Markdown: one row per stage, one column per claimed measure. Raises ResultsError for an unreadable file."""
    try:
        with claims_file.open(encoding="utf-8", newline="") as file:
            claims = list(csv.DictReader(file))
        # The first of the claims at several sizes.
        values = {tuple(row[name] for name in _CLAIM_KEY): row["value"] for row in reversed(claims)}
    except (OSError, KeyError) as error:
        raise ResultsError(f"{claims_file}: {error}") from error
    claimed = {tuple(kind) for _, *kind in values}
    columns = {kind: title for kind, title in _CLAIM_COLUMNS.items() if kind in claimed}
    lines = ["| stage | " + " | ".join(columns.values()) + " |", "|:---|" + "---:|" * len(columns)]
    for stage in dict.fromkeys(row["stage"] for row in claims):
        cells = [values.get((stage, *kind), "-") for kind in columns]
        if any(cell != "-" for cell in cells):  # otherwise none of its claims has a column
            lines.append(f"| {stage} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def render_table(measurements: Measurements) -> str:
    """Markdown: one row per program, one column per size, with the rate and the share of the ceiling."""
    header = ["program", *(size_text(size) for size in measurements.sizes)]
    lines = [
        "| " + " | ".join(header) + " |",
        "|:---|" + "---:|" * len(measurements.sizes),
        f"| *measured {measurements.ceiling}* | "
        + " | ".join(_rate(measurements.ceiling_rate[size]) for size in measurements.sizes)
        + " |",
    ]
    for program in measurements.programs:
        cells = []
        for size in measurements.sizes:
            point = measurements.points.get((program, size))
            cells.append(f"{_rate(point.rate)} ({_share(point.share_of_ceiling)})" if point else "-")
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    unit = "GB/s (GB = 10^9 bytes)" if measurements.unit == "GB/s" else measurements.unit
    of = f" with type {measurements.precision}" if measurements.precision else ""
    others: dict[str, list[str]] = {}
    for (program, _), point in measurements.points.items():
        if point.ceiling != measurements.ceiling and program not in others.setdefault(point.ceiling, []):
            others[point.ceiling].append(program)
    own = "".join(f" ({' and '.join(programs)}: of the {ceiling})" for ceiling, programs in others.items())
    lines += [
        "",
        f"{unit}{of} and, in brackets, the share of the {measurements.ceiling}{own} measured in the same process. "
        f"Medians of {measurements.rounds_text()} of all programs in turn.",
        f"{measurements.provenance()}.",
    ]
    return "\n".join(lines)


def _rate(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 100 else f"{rate:.3g}"


def _share(share: float) -> str:
    """Two decimals, or two digits for small numbers."""
    return f"{share:.2f}" if share >= 0.095 else f"{share:.2g}"


def render_times(measurements: Measurements, published_file: Path) -> str:
    """Markdown: the medians in ms, and the published times of these programs.

    published_file has the columns program, the sizes, median_ms, device and source (author and date); it can be
    missing. Raises ResultsError if it cannot be read.
    """
    measured = dict.fromkeys((*measurements.programs, *(program for program, _ in measurements.elsewhere)))
    published = {
        program: times for program, times in _published(measurements, published_file).items() if program in measured
    }
    of = f" with type {measurements.precision}" if measurements.precision else ""
    header = ["program", *(size_text(size) for size in measurements.sizes), *(["published"] if published else [])]
    lines = ["| " + " | ".join(header) + " |", "|:---|" + "---:|" * (len(header) - 1)]
    for program in measured:
        points = [measurements.points.get((program, size)) for size in measurements.sizes]
        cells = [_milliseconds(point.median_ms) if point else "-" for point in points]
        if published:
            cells.append(", ".join(published.get(program, ["-"])))
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    elsewhere = [
        f"{program} {_milliseconds(point.median_ms)} ({size_text(size)})"
        for (program, size), point in measurements.elsewhere.items()
    ]
    other = f" At other sizes: {', '.join(elsewhere)}." if elsewhere else ""
    lines += ["", f"Milliseconds{of}.{other} {measurements.provenance()}."]
    return "\n".join(lines)


def _milliseconds(time_ms: float) -> str:
    return f"{time_ms:.0f}" if time_ms >= 1000 else f"{time_ms:.3g}"


def _published(measurements: Measurements, file: Path) -> dict[str, list[str]]:
    """The published times of each program in this precision, as text for a table's cells."""
    published: dict[str, list[str]] = {}
    if not file.is_file():
        return published
    try:
        with file.open(encoding="utf-8", newline="") as rows:
            for row in csv.DictReader(rows):
                size = size_text(tuple(int(row[column]) for column in measurements.size_columns))
                if PRECISIONS.get(row.get("bits") or "", "") != measurements.precision:
                    continue
                where = ", ".join(part for part in (row["device"], size, row.get("source")) if part)
                published.setdefault(row["program"], []).append(f"{row['median_ms']} ({where})")
    except (OSError, KeyError, ValueError) as error:
        raise ResultsError(f"{file}: {error}") from error
    return published


def render_accuracy(precisions: list[Measurements]) -> str:
    """Markdown: one row per program, its largest and rms error in each precision, at the largest measured size."""
    header, rules = "| program |", "|:---|"
    for measurements in precisions:
        of = f"{measurements.precision}: " if measurements.precision else ""
        header += f" {of}largest error | rms error |"
        rules += "---:|---:|"
    lines = [header, rules]
    for program in dict.fromkeys(program for measurements in precisions for program in measurements.programs):
        cells = []
        for measurements in precisions:
            point = measurements.points.get((program, measurements.sizes[-1]))
            errors = (point.max_error, point.rms_error) if point else (None, None)
            cells += ["-" if error is None else f"{error:.2g}" for error in errors]
        if any(cell != "-" for cell in cells):  # otherwise it was measured at different sizes
            lines.append(f"| {program} | " + " | ".join(cells) + " |")
    sizes = " and ".join(dict.fromkeys(size_text(measurements.sizes[-1]) for measurements in precisions))
    lines += ["", f"At {sizes}. {precisions[0].provenance()}."]
    return "\n".join(lines)


def replace_table(page_text: str, name: str, table: str) -> str:
    """The page with the table between the markers of this name. Raises ResultsError without exactly one pair."""
    before, after = _around_table(page_text, name)
    return f"{before}{_begin(name)}\n\n{table}\n\n{_end(name)}{after}"


def read_table(page_text: str, name: str) -> str:
    """The text between the markers of this name. Raises ResultsError without exactly one pair."""
    before, after = _around_table(page_text, name)
    between = page_text[len(before) : len(page_text) - len(after)]
    return between[len(_begin(name)) : -len(_end(name))].strip()


def has_markers(page_text: str, name: str) -> bool:
    return _begin(name) in page_text


def holds_a_table(page_text: str, name: str) -> bool:
    return has_markers(page_text, name) and "|" in read_table(page_text, name)


def read_page(page: Path) -> str:
    """Raises ResultsError if the file cannot be read."""
    try:
        return page.read_text(encoding="utf-8")
    except OSError as error:
        raise ResultsError(f"{page}: {error.strerror}") from error


def _begin(name: str) -> str:
    return f"<!-- {name}:begin -->"


def _end(name: str) -> str:
    return f"<!-- {name}:end -->"


def _around_table(page_text: str, name: str) -> tuple[str, str]:
    begin, end = page_text.find(_begin(name)), page_text.find(_end(name))
    if page_text.count(_begin(name)) != 1 or page_text.count(_end(name)) != 1 or end < begin:
        lines = f"{_begin(name)} and {_end(name)}, once each and in this order"
        raise MarkersError(f"The page needs the lines {lines}. The table goes between them.")
    return page_text[:begin], page_text[end + len(_end(name)) :]
