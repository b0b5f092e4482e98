"""Rules: figures agree with the measured results (plots/results), and pictures with the simulator's counts.

figures: after a paragraph, a list or a table with measured figures there is a comment, which a reader of the page does
not see. It has a line for each figure: the figure as in the text, and its expression.

    <!-- figures
      0.63 = 1000 * (listed_start 1000 x 25000000 median_ms - persistent 1000 x 25000000 median_ms) / 331
      1700 to 100 = naive 8192 x 8192 median_ms
    -->

common/cli/measuring/figures.py describes the expressions. A figure is correct if it equals the value, rounded to the
same number of decimals; `to 100` rounds to hundreds. It must be in the lines before the comment, up to an empty line.
Fenced blocks are left out, and so are the positions of the book's drawings, such as <!-- figure: sectors -->.

readme: a row's time in the table of the four progressions is the median at the size of its progression. Its gain is the
time of the previous row of the same progression, divided by its own time.

pictures: the picture of each access of the kernels for hardware_counts has the sectors or wavefronts that are counted.
"""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

from cli.measuring.figures import FigureError, Results, value_of
from cli.pictures.request_layout import counted_sectors, lane_groups
from cli.tracing.report import Access
from cli.tracing.trace import trace
from cli.workbook import Workbook
from pages import FENCE, Found, blank, line_at, pages, read

_RESULTS = "plots/results/nvidia-h200"
_COMMENT = re.compile(r"<!-- figures?\b(?!: [a-z]+ -->)(?P<lines>.*?)-->", re.DOTALL)
_FIGURE = re.compile(r"(?P<shown>\d[\d,]*(?:\.\d+)?)(?: to (?P<step>\d+))? = (?P<made_of>.+)")
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


def problem_of(line: str, text: str, results: Results, page_chapter: str) -> str | None:
    """The error in one line of a comment after `text`, or None."""
    figure = _FIGURE.fullmatch(line)
    if figure is None:
        return f"'{line}' does not have the form 'figure = program sizes column'."
    shown = figure["shown"]
    if not re.search(rf"(?<![\d.,]){re.escape(shown)}(?![\d]|[.,]\d)", text):
        return f"{shown} is not in the text before its comment."
    number = Decimal(shown.replace(",", ""))
    step = Decimal(figure["step"] or 1) * Decimal(1).scaleb(int(number.as_tuple().exponent))
    try:
        value = value_of(figure["made_of"], results, page_chapter)
    except FigureError as error:
        return f"{shown}: {error}"
    if abs(Decimal(repr(value)) - number) > step / 2:
        return f"the text has {shown}, but the results have {value:.6g}: {figure['made_of']}"
    return None


def figures(workbook: Workbook) -> Found:
    results = Results(workbook.root / _RESULTS)
    for page in pages(workbook.root):
        text = FENCE.sub(blank, read(page))
        for comment in _COMMENT.finditer(text):
            where = f"{page}:{line_at(text, comment.start())}"
            if text[: comment.start()].rpartition("\n")[2].strip() or text[comment.end() :].partition("\n")[0].strip():
                yield f"{where}: a comment with figures must be on separate lines: {comment.group().splitlines()[0]}"
            before = re.split(r"\n[ \t]*\n", text[: comment.start()])[-1]
            for line in filter(None, map(str.strip, comment["lines"].splitlines())):
                if problem := problem_of(line, _COMMENT.sub("", before), results, page.parent.name):
                    yield f"{where}: {problem}"


def readme(workbook: Workbook) -> Found:
    page, results = read(workbook.root / "README.md"), Results(workbook.root / _RESULTS)
    sizes, before_ms = "", 0.0
    rows = list(_ROW.finditer(page))
    table = [line for line in page.splitlines() if " ms |" in line]
    if len(rows) != len(table) or not rows:
        yield f"README.md: {len(table)} lines have a time, but only {len(rows)} have the form '| ... | ... | `program` | 1.2 ms | 3.4 x |'"
    for row in rows:
        if row["computation"].strip():
            words = row["computation"].strip().rpartition("): ")[2]
            sizes, before_ms = _SIZES.get(words, ""), 0.0
            if not sizes:
                yield f"README.md: the size '{words}' is not one of: {'; '.join(_SIZES)}"
        try:
            own_ms = value_of(f"{row['program']} {sizes} median_ms", results, "")
        except FigureError as error:
            yield f"README.md: {row['program']}: {error}"
            continue
        shown = {"time": row["time"], "gain": row["gain"] or ""}
        right = {"time": own_ms, "gain": before_ms / own_ms if before_ms else None}
        for name, value in right.items():
            wanted = "" if value is None else _as_shown(value, shown[name])
            if shown[name] != wanted:
                yield f"README.md: {row['program']}: the {name} is {shown[name] or 'missing'}, but the results have {wanted}"
        before_ms = own_ms


def _as_shown(value: float, shown: str) -> str:
    """The value with the same number of decimals as on the page."""
    return f"{value:.{len(shown.partition('.')[2])}f}"


def picture_counts(workbook: Workbook, build: Path) -> Found:
    report = trace(build / "bin/hardware_counts_inspect", []).report
    accesses = [(kernel.name, access) for kernel in report.kernels for access in kernel.accesses]
    yield from filter(None, (difference(name, access) for name, access in accesses))
    if not accesses:
        yield "hardware_counts has no accesses."


def difference(kernel: str, access: Access) -> str:
    """Empty if the picture of the access's costliest request has the counted number of sectors or wavefronts."""
    if access.memory == "shared":
        drawn, counted, what = sum(group.ways for group in lane_groups(access)), access.example.wavefronts, "wavefronts"
    else:
        drawn, counted, what = counted_sectors(access), access.example.sectors, "sectors"
    is_compare_and_swap = access.operation == "atomic" and counted == 2 * drawn  # each lane's two wavefronts are drawn as one
    if drawn == counted or is_compare_and_swap:
        return ""
    place = f"{kernel}: {Path(access.file).name}:{access.line}:{access.column}"
    return f"{place}: {access.memory} {access.operation}: {drawn} {what} drawn, {counted} counted"
