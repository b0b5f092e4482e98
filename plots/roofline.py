#!/usr/bin/env python3
"""Draws the best stage of each chapter below the limits of a GPU. docs/limits.md explains the pictures.

    python3 plots/roofline.py           writes the pictures of each GPU of plots/results, and the table of all stages
    python3 plots/roofline.py --check   exits 1 if the table in docs/limits.md is out of date

roofline.png has the stages that compute on the ordinary units, roofline_tensor_cores.png those on tensor cores. Only the
pictures need matplotlib (plots/requirements.txt).
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
_GREY, _BLUE, _ORANGE = "#666666", "#31688e", "#b8500c"
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
    """A measured stage. The operations per byte and their rate are None for a chapter without a number of operations."""

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
    chapters = {file.stem: read_each_precision(file)[0] for file in sorted(folder.glob("ch*_*.csv"), key=_chapter_number)}
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
        "| chapter | stage | operations per byte | TFLOP/s | share of the yardstick | yardstick |",
        "|:---|:---|---:|---:|---:|:---|",
    ]
    for dot in roofline.dots:
        number, _, name = dot.stage.name.partition("_")
        figures = (_figure(figure) for figure in (dot.operations_per_byte, dot.tflop_per_s))
        cells = (dot.chapter, f"{number} {name.replace('_', ' ')}", *figures, f"{dot.share:.2g}", dot.ceiling)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", f"{roofline.device}. Each chapter at its largest size at which most stages were measured."])


def _figure(figure: float | None) -> str:
    if figure is None:
        return "-"
    return f"{figure:.0f}" if figure >= 100 else f"{figure:.3g}"


def draw_units(roofline: Roofline, picture: Path) -> None:
    """The stages on the ordinary units. Raises OSError."""
    axes, save = _start("The best stage of each chapter, on the ordinary units", (0.03, 8000), (0.1, 200))
    _draw_roof(axes, roofline, 0.03)
    for dot in roofline.best(UNITS):
        # Labels are to the right of the slope, and below the flat part.
        is_bound_by_memory = (dot.operations_per_byte or 0) < _ridge(roofline)
        _draw_dot(axes, dot, (8, -4) if is_bound_by_memory else (0, -9), "left" if is_bound_by_memory else "center")
    save(picture)


def draw_tensor_cores(roofline: Roofline, picture: Path) -> None:
    """The stages on tensor cores. Raises OSError."""
    axes, save = _start("The best stages on tensor cores", (5, 8000), (20, 1000))
    _draw_roof(axes, roofline, 5)
    limit = _DATA_SHEET.get(roofline.device)
    if limit:
        roofs = ((limit, "one TF32 product", "data sheet"), (limit / 3, "three TF32 products, for the accuracy of floats", "a third"))
        for rate, name, source in roofs:
            axes.plot([rate / roofline.gb_per_s * 1000, 8000], [rate] * 2, color=_ORANGE, linewidth=1.4, linestyle=(0, (5, 2)))
            _text(axes, f"{name}: {rate:.0f} TFLOP/s ({source})", (7600, rate), (0, 4), "right", _ORANGE)
    for dot in roofline.best(TF32, THREE_TF32):
        _draw_dot(axes, dot, (9, -3) if dot.stage.computes_on == TF32 else (0, -9), "center", _ORANGE)
    save(picture)


def _ridge(roofline: Roofline) -> float:
    return roofline.tflop_per_s / roofline.gb_per_s * 1000


def _start(title: str, x: tuple[float, float], y: tuple[float, float]) -> tuple[Axes, Callable[[Path], None]]:
    """An empty picture that is as wide as the book's column (736 pixels), with letters of at least 11 pixels."""
    from bandwidth_figure import start_figure

    figure, axes, save = start_figure()
    figure.set_size_inches(7.36, 4.5)
    axes.set_position((0.09, 0.13, 0.89, 0.77))
    axes.set(xscale="log", yscale="log", xlim=x, ylim=y)
    axes.grid(True, axis="both")
    axes.set_xlabel("operations per byte that must be transferred")
    axes.set_ylabel("TFLOP/s")
    axes.set_title(title, pad=10)
    return axes, save


def _draw_roof(axes: Axes, roofline: Roofline, left: float) -> None:
    tb_per_s, ridge = roofline.gb_per_s / 1000, _ridge(roofline)
    axes.plot([left, ridge, 8000], [left * tb_per_s, *[roofline.tflop_per_s] * 2], color="black", linewidth=1.6)
    (x0, y0), (x1, y1) = axes.transData.transform([(1, 1), (10, 10)])
    slope = {"rotation": math.degrees(math.atan2(y1 - y0, x1 - x0)), "rotation_mode": "anchor"}
    start = math.sqrt(left * ridge) / 1.6
    _text(axes, f"memory: {tb_per_s:.1f} TB/s (measured)", (start, start * tb_per_s), (-3, 6), "left", "black", **slope)
    name = f"float multiply-adds: {roofline.tflop_per_s:.0f} TFLOP/s (measured)"
    _text(axes, name, (7600, roofline.tflop_per_s), (0, 4), "right", "black")


def _draw_dot(axes: Axes, dot: Dot, offset: tuple[float, float], align: str, colour: str = _BLUE) -> None:
    at = (dot.operations_per_byte, dot.tflop_per_s)
    is_filled = dot.stage.computes_on != TF32
    axes.plot(*([value] for value in at), "o", color=colour, markerfacecolor=colour if is_filled else "white", zorder=3)
    number, _, _ = dot.stage.name.partition("_")
    words = f"{dot.chapter.replace('_', ' ')}, stage {number}: {_figure(dot.tflop_per_s)}"
    if align == "center":
        words = words.replace(", ", "\n")
    _text(axes, words, at, offset, align, "black", va="center" if align == "left" else "top")


def _text(
    axes: Axes, words: str, at: tuple[float, float], offset: tuple[float, float], align: str, colour: str, **more: object
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
