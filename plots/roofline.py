#!/usr/bin/env python3
"""Draws the best stage of each chapter below the limits of a GPU. docs/limits.md explains the pictures.

    python3 plots/roofline.py           writes the pictures of each GPU of plots/results, and the table of all stages
    python3 plots/roofline.py --check   exits 1 if the table in docs/limits.md is out of date

roofline.png has the stages that compute on the ordinary units, roofline_tensor_cores.png the stages on tensor cores. Only
the pictures need matplotlib (plots/requirements.txt).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "common"))

from measurements import Measurements, ResultsError, Size, read_each_precision
from missing_module import say_what_is_missing
from readme_table import read_page, replace_table

from cli.workbook import Workbook

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PAGE = ROOT / "docs/limits.md"
_TABLE = "roofline"
_MEMORY = ("ch4_reduction", "read_probe")  # measures the bandwidth of a kernel that only reads
_ARITHMETIC = "ch6_matmul"  # measures the rate of multiply-adds
_BLUE, _ORANGE = "#31688e", "#b8500c"
_LINE_POINTS = 13  # the height of a label
_LIBRARIES = ("cublas", "cub", "thrust")
# TFLOP/s of TF32 products without sparsity, from NVIDIA's data sheet: no program of the workbook measures them.
_DATA_SHEET = {"NVIDIA H200": 494.5}

UNITS, TF32, THREE_TF32 = "ordinary units", "TF32 product", "three TF32 products"
_TENSOR_CORES = re.compile(r"^(?!\s*//).*(?:\bmma\.sync|\bwgmma\b)", re.MULTILINE)  # in the code of a stage
_TF32_ACCURACY = ("mma_sync", "padded_rows", "tf32")  # stages of chapter 11 that do not restore the accuracy of floats


@dataclass(frozen=True)
class Work:
    """The work of a chapter's problem: operations, and the minimum number of bytes that any kernel must transfer."""

    operations: Callable[[Size], float]
    bytes: Callable[[Size], float]


# Each matrix is transferred once.
_PRODUCT = Work(lambda s: 2 * s[0] * s[1] * s[2], lambda s: 4 * (s[0] * s[2] + s[2] * s[1] + s[0] * s[1]))


def _distances(operations_per_component: int) -> Work:
    """Vectors in, distances of all pairs out."""
    return Work(
        lambda s: operations_per_component * s[0] * (s[0] - 1) / 2 * s[1],
        lambda s: 4 * s[0] * s[1] + 4 * s[0] * (s[0] - 1) / 2,
    )


# Functions of the sizes, in the order of the CSV's columns. A multiply-add counts as two operations. The key is the
# beginning of a program's name: chapter 8 computes distances from differences, or from products.
_WORK = {
    "ch1_saxpy": Work(lambda s: 2 * s[0], lambda s: 12 * s[0]),  # x and y read, y written
    "ch4_reduction": Work(lambda s: 3 * s[0], lambda s: 8 * s[0]),  # -x * x / 2 and the sum
    "ch5_dot_product": Work(lambda s: 2 * s[0], lambda s: 16 * s[0]),
    "ch6_matmul": _PRODUCT,
    "ch8_tsne_products": _distances(2),
    "ch8_tsne": _distances(3),
    "ch11_tensor_cores": _PRODUCT,
}


@dataclass(frozen=True)
class Stage:
    """The name in the file's name, such as 01b_naive_1024x1; what its products are computed on."""

    name: str
    computes_on: str = UNITS

    @property
    def is_library(self) -> bool:
        return self.name.endswith(_LIBRARIES)


@dataclass(frozen=True)
class Dot:
    """A measured stage. Operations per byte and their rate are None for a chapter without a number of operations."""

    chapter: str
    stage: Stage
    share: float
    ceiling: str
    operations_per_byte: float | None = None
    tflop_per_s: float | None = None


@dataclass(frozen=True)
class Roofline:
    gb_per_s: float
    tflop_per_s: float
    dots: tuple[Dot, ...]
    device: str

    def best(self, *computes_on: str) -> list[Dot]:
        """The fastest stage of each chapter, libraries apart: one for each kind of unit."""
        found: dict[tuple[str, str], Dot] = {}
        for dot in self.dots:
            key = dot.chapter, dot.stage.computes_on
            if dot.tflop_per_s and dot.stage.computes_on in computes_on and not dot.stage.is_library:
                found[key] = max(found.get(key, dot), dot, key=lambda one: one.tflop_per_s or 0)
        return list(found.values())


def largest_size(measured: Measurements, programs: Container[str]) -> Size:
    """The largest size at which most of these programs were measured."""
    counts = {size: sum(1 for name, s in measured.points if s == size and name in programs) for size in measured.sizes}
    most = max(counts.values())
    return [size for size in measured.sizes if counts[size] >= 0.8 * most][-1]


def all_stages() -> dict[str, Stage]:
    """Each stage, by its target."""
    stages = {}
    for chapter in Workbook(ROOT).catalogue.chapters:
        for program in chapter.of_kind("stage"):
            folders = [*chapter.files.include_folders, ROOT]
            is_on_tensor_cores = _has_tensor_cores(program.source, folders, set())
            kind = TF32 if program.source.stem.partition("_")[2] in _TF32_ACCURACY else THREE_TF32
            stages[program.target] = Stage(program.source.stem, kind if is_on_tensor_cores else UNITS)
    return stages


def _has_tensor_cores(file: Path, folders: list[Path], seen: set[Path]) -> bool:
    """Whether the file, or a header that it includes, has an instruction of tensor cores."""
    if file in seen or not file.is_file():
        return False
    seen.add(file)
    text = file.read_text(encoding="utf-8")
    headers = (folder / name for name in re.findall(r'#include "([^"]+)"', text) for folder in (file.parent, *folders))
    return bool(_TENSOR_CORES.search(text)) or any(_has_tensor_cores(header, folders, seen) for header in headers)


def _chapter_number(file: Path) -> tuple[int, str]:
    return int(file.stem.partition("_")[0].removeprefix("ch")), file.stem


def read_roofline(folder: Path, known: Mapping[str, Stage]) -> Roofline:
    """The roofline of one GPU, from the results of the known programs.

    Raises ResultsError if the chapters that measure the limits have no results.
    """
    files = sorted(folder.glob("ch*_*.csv"), key=_chapter_number)
    chapters = {file.stem: read_each_precision(file)[0] for file in files}
    for needed in (_MEMORY[0], _ARITHMETIC):
        if needed not in chapters:
            raise ResultsError(f"{folder} has no {needed}.csv, which the limits need.")
    memory = chapters[_MEMORY[0]]
    arithmetic = chapters[_ARITHMETIC]
    dots = []
    for chapter, measured in chapters.items():
        stages = {name: known[f"{chapter}_{name}"] for name in measured.programs if f"{chapter}_{name}" in known}
        size = largest_size(measured, stages or measured.programs)
        for name, stage in sorted(stages.items(), key=lambda item: item[1].name):
            point = measured.points.get((name, size))
            if point is None:
                continue
            work = next((work for key, work in _WORK.items() if f"{chapter}_{name}".startswith(key)), None)
            dot = Dot(chapter, stage, point.share_of_ceiling, point.ceiling)
            if work:
                operations = work.operations(size)
                rate = operations / point.median_ms / 1e9
                dot = Dot(chapter, stage, dot.share, dot.ceiling, operations / work.bytes(size), rate)
            dots.append(dot)
    return Roofline(
        memory.points[_MEMORY[1], largest_size(memory, (_MEMORY[1],))].rate,
        arithmetic.ceiling_rate[largest_size(arithmetic, arithmetic.programs)],
        tuple(dots),
        memory.device,
    )


def table(roofline: Roofline) -> str:
    """Markdown: one row per stage."""
    lines = [
        "| chapter | stage | operations per byte | TFLOP/s | share of the reference | reference |",
        "|:---|:---|---:|---:|---:|:---|",
    ]
    for dot in roofline.dots:
        number, _, name = dot.stage.name.partition("_")
        figures = (_figure(figure) for figure in (dot.operations_per_byte, dot.tflop_per_s))
        cells = (dot.chapter, f"{number} {name.replace('_', ' ')}", *figures, f"{dot.share:.2g}", dot.ceiling)
        lines.append(f"| {' | '.join(cells)} |")
    at = "Each chapter at its largest size at which most stages were measured."
    return "\n".join([*lines, "", f"{roofline.device}. {at}"])


def _figure(figure: float | None) -> str:
    if figure is None:
        return "-"
    return f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"


def draw_units(roofline: Roofline, picture: Path) -> None:
    """The stages on the ordinary units. Raises OSError."""
    best = roofline.best(UNITS)
    axes, save = _start("The best stage of each chapter, on the ordinary units", (0.03, 8000), (0.1, 200), best)
    _draw_roofs(axes, roofline, {})
    ridge = 1000 * roofline.tflop_per_s / roofline.gb_per_s
    _draw_dots(axes, [dot for dot in best if _x(dot) < ridge])
    for dot in best:
        if _x(dot) >= ridge:  # the labels of these marks are below them, because the marks have the same height
            _draw_mark(axes, dot)
            _text(axes, _words(dot).replace(", ", "\n"), (_x(dot), _y(dot)), (0, -9), "center", va="top")
    save(picture)


def draw_tensor_cores(roofline: Roofline, picture: Path) -> None:
    """The stages on tensor cores. Raises OSError."""
    best = roofline.best(TF32, THREE_TF32)
    axes, save = _start("The best stages on tensor cores", (5, 30000), (20, 1000), best)
    one = "one TF32 product: {:.0f} TFLOP/s (data sheet)"
    three = "three TF32 products, for the accuracy of floats: {:.0f} TFLOP/s (a third)"
    rate = _DATA_SHEET.get(roofline.device)
    _draw_roofs(axes, roofline, {rate: one, rate / 3: three} if rate else {})
    _draw_dots(axes, best, _ORANGE)
    save(picture)


def _x(dot: Dot) -> float:
    return dot.operations_per_byte or 0


def _y(dot: Dot) -> float:
    return dot.tflop_per_s or 0


def _words(dot: Dot) -> str:
    return f"{dot.chapter.replace('_', ' ')}, stage {dot.stage.name.partition('_')[0]}: {_figure(dot.tflop_per_s)}"


def _start(
    title: str, x: tuple[float, float], y: tuple[float, float], dots: list[Dot]
) -> tuple[Axes, Callable[[Path], None]]:
    """An empty picture that is as wide as the book's column (736 pixels), with letters of at least 11 pixels. `y` is
    the range on an H200; on a slower GPU, it starts lower.
    """
    from bandwidth_figure import start_figure

    y = min([y[0], *(_y(dot) / 1.5 for dot in dots)]), y[1]
    figure, axes, save = start_figure()
    figure.set_size_inches(7.36, 4.5)
    axes.set_position((0.085, 0.125, 0.895, 0.78))
    axes.set(xscale="log", yscale="log", xlim=x, ylim=y)
    for axis, (low, high) in ((axes.xaxis, x), (axes.yaxis, y)):
        steps = (1,) if high / low > 1000 else (1, 2, 5)
        ticks = [step * 10.0**power for power in range(-6, 5) for step in steps if low <= step * 10.0**power <= high]
        axis.set_ticks(ticks, [f"{tick:g}" for tick in ticks])
        axis.set_ticks([], minor=True)
    axes.grid(True, axis="both")
    axes.set_xlabel("operations per byte that must be transferred")
    axes.set_ylabel("TFLOP/s")
    axes.set_title(title, pad=10)
    return axes, save


def _draw_roofs(axes: Axes, roofline: Roofline, others: dict[float, str]) -> None:
    """The two measured limits and, dashed, the other arithmetic limits with their names."""
    tb_per_s = roofline.gb_per_s / 1000
    left, right = axes.get_xlim()
    measured = "float multiply-adds: {:.0f} TFLOP/s (measured)"
    for rate, name in {roofline.tflop_per_s: measured, **others}.items():
        style = {"color": _ORANGE, "linestyle": (0, (5, 2))} if rate in others else {"color": "black"}
        axes.plot([rate / tb_per_s, right], [rate] * 2, linewidth=1.6, **style)
        _text(axes, name.format(rate), (0.95 * right, rate), (0, 4), "right", style["color"])
    ridge = max(roofline.tflop_per_s, *others, 0) / tb_per_s
    axes.plot([left, ridge], [left * tb_per_s, ridge * tb_per_s], color="black", linewidth=1.6)
    (x0, y0), (x1, y1) = axes.transData.transform([(1, 1), (10, 10)])
    slope = {"rotation": math.degrees(math.atan2(y1 - y0, x1 - x0)), "rotation_mode": "anchor"}
    middle = math.sqrt(left * ridge)
    _text(axes, f"memory: {tb_per_s:.1f} TB/s (measured)", (middle, middle * tb_per_s), (-4, 5), "center", **slope)


def _draw_dots(axes: Axes, dots: list[Dot], colour: str = _BLUE) -> None:
    """The marks, each with its label on the right, or lower if there is another label."""
    lowest = math.inf
    for dot in sorted(dots, key=_y, reverse=True):
        _draw_mark(axes, dot, colour)
        height = axes.transData.transform((_x(dot), _y(dot)))[1] * 72 / axes.figure.dpi  # in points
        lowest = min(height - 4, lowest - _LINE_POINTS)
        _text(axes, _words(dot), (_x(dot), _y(dot)), (8, lowest - height), "left", va="center")


def _draw_mark(axes: Axes, dot: Dot, colour: str = _BLUE) -> None:
    """A hollow mark is a stage with the accuracy of TF32."""
    inside = "white" if dot.stage.computes_on == TF32 else colour
    axes.plot([_x(dot)], [_y(dot)], "o", color=colour, markerfacecolor=inside, zorder=3)


def _text(
    axes: Axes,
    words: str,
    at: tuple[float, float],
    offset: tuple[float, float],
    align: str,
    colour: str = "black",
    **more: object,
) -> None:
    more = {"va": "bottom", "fontsize": 9, **more}
    axes.annotate(words, at, offset, textcoords="offset points", ha=align, color=colour, **more)


def main(arguments: list[str]) -> int:
    """Exit code 1 for results that are missing or a table that is out of date, 3 without matplotlib."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        folders = sorted(folder for folder in (ROOT / "plots/results").iterdir() if folder.is_dir())
        rooflines = {folder: read_roofline(folder, all_stages()) for folder in folders}
        page = read_page(_PAGE)
        text = replace_table(page, _TABLE, "\n\n".join(map(table, rooflines.values())))
        if arguments:
            if text != page:
                print("docs/limits.md: the table does not match plots/results.\nFix it with: python3 plots/roofline.py")
            return int(text != page)
        _PAGE.write_text(text, encoding="utf-8")
        for folder, roofline in rooflines.items():
            for name, draw in (("roofline", draw_units), ("roofline_tensor_cores", draw_tensor_cores)):
                draw(roofline, folder / f"{name}.png")
                print(f"Wrote {(folder / name).relative_to(ROOT)}.png")
    except ResultsError as error:
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        return say_what_is_missing(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
