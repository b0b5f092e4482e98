"""The results table of a chapter's README: made from the measurements, kept between two markers."""

from __future__ import annotations

from pathlib import Path

from measurements import Measurements, ResultsError, size_text

BEGIN = "<!-- results:begin -->"
END = "<!-- results:end -->"


def render_table(measurements: Measurements) -> str:
    """Markdown: a row a program, a column a size, GB/s and the share of the copy."""
    header = ["program", *(size_text(size) for size in measurements.sizes)]
    lines = [
        "| " + " | ".join(header) + " |",
        "|:---|" + "---:|" * len(measurements.sizes),
        "| *measured copy* | "
        + " | ".join(f"{measurements.copy_gb_per_s[size]:.0f}" for size in measurements.sizes)
        + " |",
    ]
    for program in measurements.programs:
        cells = []
        for size in measurements.sizes:
            point = measurements.points.get((program, size))
            cells.append(f"{point.gb_per_s:.0f} ({point.share_of_copy:.2f})" if point else "-")
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    rounds = "one round" if measurements.rounds == 1 else f"{measurements.rounds} rounds"
    lines += [
        "",
        "GB/s (GB = 10^9 bytes) and, in brackets, the share of a copy measured in the same process. "
        f"Medians of {rounds} of all programs in turn.",
        f"{measurements.provenance()}.",
    ]
    return "\n".join(lines)


def replace_table(readme_text: str, table: str) -> str:
    """The README with the table between its markers. Raises ResultsError without exactly one pair of markers."""
    before, after = _around_table(readme_text)
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def holds_a_table(readme_text: str) -> bool:
    if BEGIN not in readme_text:
        return False
    before, after = _around_table(readme_text)
    return "|" in readme_text[len(before) : len(readme_text) - len(after)]


def read_readme(readme: Path) -> str:
    """Raises ResultsError when the file cannot be read."""
    try:
        return readme.read_text(encoding="utf-8")
    except OSError as error:
        raise ResultsError(f"{readme}: {error.strerror}") from error


def _around_table(readme_text: str) -> tuple[str, str]:
    begin, end = readme_text.find(BEGIN), readme_text.find(END)
    if readme_text.count(BEGIN) != 1 or readme_text.count(END) != 1 or end < begin:
        raise ResultsError(f"The README needs the lines {BEGIN} and {END}, once each and in this order.")
    return readme_text[:begin], readme_text[end + len(END) :]
