#!/usr/bin/env python3
"""Draws every measured stage of the workbook against the two limits of a GPU. docs/limits.md explains the picture.

    python3 plots/roofline.py         writes plots/results/GPU/roofline.png, for each GPU there

Left: operations per second over operations per byte, for the chapters whose work is counted in floating-point
operations. Right: for every chapter, each stage's share of the yardstick that was measured with it. Needs matplotlib
(plots/requirements.txt).
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "common"))

from measurements import Measurements, ResultsError, Size, read_each_precision
from missing_module import say_what_is_missing

from cli.workbook import Workbook

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MEMORY = ("ch4_reduction", "read_probe")  # measures the bandwidth of a kernel that only reads
_ARITHMETIC = "ch6_matmul"  # measures the rate of multiply-adds
_GREY = "#777777"
_LIBRARIES = ("cublas", "cub", "thrust")
_LIBRARY = "L"
_LEFT, _RIGHT = 0.04, 6000.0  # operations per byte
_LOWEST = 0.1  # TFLOP/s; programs below it are named, not drawn
_MOST = 1.1  # share of the yardstick; programs beyond it are named, not drawn


@dataclass(frozen=True)
class Work:
    """The work of a chapter's problem: operations, and the minimum number of bytes that any kernel must transfer."""

    operations: Callable[[Size], float]
    bytes: Callable[[Size], float]


# Each matrix is transferred once.
_PRODUCT = Work(lambda s: 2 * s[0] * s[1] * s[2], lambda s: 4 * (s[0] * s[2] + s[2] * s[1] + s[0] * s[1]))

# Functions of the sizes, in the order of the CSV's columns. A multiply-add counts as two operations.
_WORK = {
    "ch1_saxpy": Work(lambda s: 2 * s[0], lambda s: 12 * s[0]),  # x and y read, y written
    "ch4_reduction": Work(lambda s: 3 * s[0], lambda s: 8 * s[0]),  # -x * x / 2 and the sum
    "ch5_dot_product": Work(lambda s: 2 * s[0], lambda s: 16 * s[0]),
    "ch6_matmul": _PRODUCT,
    "ch11_tensor_cores": _PRODUCT,
    "ch8_tsne": Work(
        lambda s: 3 * s[0] * (s[0] - 1) / 2 * s[1], lambda s: 4 * s[0] * s[1] + 4 * s[0] * (s[0] - 1) / 2
    ),  # vectors in, distances out
}


@dataclass(frozen=True)
class Dot:
    chapter: str
    label: str
    operations_per_byte: float
    tflop_per_s: float


@dataclass(frozen=True)
class Share:
    chapter: str
    label: str
    share: float
    ceiling: str


@dataclass(frozen=True)
class Roofline:
    gb_per_s: float
    tflop_per_s: float
    dots: tuple[Dot, ...]
    shares: tuple[Share, ...]
    device: str


def largest_size(measured: Measurements, programs: Container[str]) -> Size:
    """The largest size at which most of these programs were measured."""
    counts = {size: sum(1 for name, s in measured.points if s == size and name in programs) for size in measured.sizes}
    most = max(counts.values())
    return [size for size in measured.sizes if counts[size] >= 0.8 * most][-1]


def stage_numbers() -> dict[str, str]:
    """The number in the file name of each stage's target, such as "1" or "1b", or the mark of a library."""
    numbers = {}
    for chapter in Workbook(ROOT).catalogue.chapters:
        for program in chapter.of_kind("stage"):
            number = re.match(r"0*(\d+[a-z]?)_", program.source.name)
            if number:
                name = program.target.removeprefix(f"{chapter.name}_")
                numbers[program.target] = _LIBRARY if name in _LIBRARIES else number[1]
    return numbers


def _chapter_number(file: Path) -> tuple[int, str]:
    return int(file.stem.partition("_")[0].removeprefix("ch")), file.stem


def read_roofline(folder: Path, numbers: Mapping[str, str]) -> Roofline:
    """The roofline of one GPU, from the results of the programs with a number.

    Raises ResultsError if the chapters that measure the limits have no results.
    """
    chapters = {file.stem: read_each_precision(file)[0] for file in sorted(folder.glob("ch*_*.csv"), key=_chapter_number)}
    for needed in (_MEMORY[0], _ARITHMETIC):
        if needed not in chapters:
            raise ResultsError(f"{folder} has no {needed}.csv, which the limits need.")
    memory = chapters[_MEMORY[0]]
    arithmetic = chapters[_ARITHMETIC]
    dots, shares = [], []
    for chapter, measured in chapters.items():
        stages = [name for name in measured.programs if f"{chapter}_{name}" in numbers]
        size = largest_size(measured, stages or measured.programs)
        for stage in measured.programs:
            point = measured.points.get((stage, size))
            label = numbers.get(f"{chapter}_{stage}")
            if point is None or label is None:
                continue
            shares.append(Share(chapter, label, point.share_of_ceiling, measured.ceiling))
            if chapter in _WORK:
                operations, transferred = _WORK[chapter].operations(size), _WORK[chapter].bytes(size)
                dots.append(Dot(chapter, label, operations / transferred, operations / point.median_ms / 1e9))
    return Roofline(
        memory.points[_MEMORY[1], largest_size(memory, (_MEMORY[1],))].rate,
        arithmetic.ceiling_rate[largest_size(arithmetic, arithmetic.programs)],
        tuple(dots),
        tuple(shares),
        memory.device,
    )


def spread(values: list[float], gap: float, lowest: float, highest: float) -> list[float]:
    """Positions close to the ascending values, at least gap apart and within lowest..highest."""
    from bandwidth_figure import spread as spread_labels

    return spread_labels(values, gap, lowest, highest)


def draw(roofline: Roofline, picture: Path) -> None:
    """Writes `picture`. Raises OSError."""
    from bandwidth_figure import start_figure

    figure, axes, save = start_figure()
    figure.set_size_inches(13, 6.6)
    axes.set_position((0.055, 0.15, 0.42, 0.77))
    _draw_roof(axes, roofline)
    _draw_dots(axes, roofline)
    _draw_shares(figure.add_axes((0.6, 0.15, 0.385, 0.77)), roofline)
    below = [f"{dot.chapter}'s stage {dot.label} at {dot.tflop_per_s:.2g}" for dot in roofline.dots if dot.tflop_per_s < _LOWEST]
    caption = (
        f"{roofline.device}. Each program at the largest measured size of its chapter. "
        "Numbers are stages; L is a library.\n"
        f"Below the picture: {', '.join(below) or 'nothing'} TFLOP/s."
    )
    figure.text(0.055, 0.02, caption, fontsize=8.5, color="#555555", va="bottom")
    save(picture)


def _draw_roof(axes: Axes, roofline: Roofline) -> None:
    memory_tb_per_s = roofline.gb_per_s / 1000
    ridge = roofline.tflop_per_s / memory_tb_per_s
    axes.plot(
        [_LEFT, ridge, _RIGHT], [_LEFT * memory_tb_per_s, *[roofline.tflop_per_s] * 2], color="black", linewidth=1.6
    )
    axes.set(xscale="log", yscale="log", xlim=(_LEFT, _RIGHT), ylim=(_LOWEST, 400))
    axes.grid(True, axis="both")
    (x0, y0), (x1, y1) = axes.transData.transform([(1, 1), (10, 10)])
    slope = {"rotation": math.degrees(math.atan2(y1 - y0, x1 - x0)), "rotation_mode": "anchor"}
    axes.text(1.1, 1.1 * memory_tb_per_s * 1.2, f"memory: {memory_tb_per_s:.1f} TB/s", fontsize=9, **slope)
    arithmetic = f"float arithmetic: {roofline.tflop_per_s:.0f} TFLOP/s"
    axes.text(ridge * 0.9, roofline.tflop_per_s * 1.25, arithmetic, fontsize=9, ha="right")
    axes.set_xlabel("operations per byte that must be transferred")
    axes.set_ylabel("TFLOP/s")
    axes.set_title("Two limits, and the stages below them", pad=10)


def _draw_dots(axes: Axes, roofline: Roofline) -> None:
    chapters = sorted({(dot.operations_per_byte, dot.chapter) for dot in roofline.dots})
    for position, (x, chapter) in enumerate(chapters):
        dots = sorted((d for d in roofline.dots if d.chapter == chapter), key=lambda dot: dot.tflop_per_s)
        shown = [dot for dot in dots if dot.tflop_per_s >= _LOWEST]
        next_x = chapters[position + 1][0] if position + 1 < len(chapters) else math.inf
        to_the_left = next_x < 1.4 * x
        axes.plot([x, x], [shown[0].tflop_per_s, shown[-1].tflop_per_s], color=_GREY, linewidth=0.6, zorder=1)
        places = spread([math.log10(dot.tflop_per_s) for dot in shown], 0.115, -0.9, 2.55)
        for dot, place in zip(shown, places):
            axes.plot([x], [dot.tflop_per_s], **_mark(dot.label))
            _annotate(axes, dot.label, (x, dot.tflop_per_s), (x / 1.5 if to_the_left else x * 1.5, 10**place))
        foot = 10 ** min(places[0], math.log10(shown[0].tflop_per_s))
        name, shared = chapter.split("_", 1)[0], next_x == x  # two chapters with the same work: one on each side
        place, align = (x / 1.3, "right") if shared else (x, "center")
        axes.text(place, foot / 1.2, name, ha=align, va="top", fontsize=9.5, weight="bold")


def _draw_shares(axes: Axes, roofline: Roofline) -> None:
    chapters = list(dict.fromkeys(share.chapter for share in roofline.shares))
    for row, chapter in enumerate(chapters):
        shares = sorted((s for s in roofline.shares if s.chapter == chapter), key=lambda share: share.share)
        shown = [share for share in shares if share.share <= _MOST]
        for share, place in zip(shown, spread([share.share for share in shown], 0.042, 0.01, _MOST)):
            axes.plot([share.share], [row], **_mark(share.label))
            _annotate(axes, share.label, (share.share, row), (place, row - 0.36))
        beyond = ", ".join(
            f"{' '.join(share.label for share in alike)} at {printed}"
            for printed, alike in groupby(shares[len(shown) :], key=lambda share: f"{share.share:.1f}")
        )
        if beyond:
            axes.text(_MOST - 0.02, row + 0.28, f"{beyond} \N{RIGHTWARDS ARROW}", fontsize=8, ha="right", va="center")
    ceilings = {share.chapter: share.ceiling for share in roofline.shares}
    names = [f"{chapter}\nyardstick: {ceilings[chapter]}" for chapter in chapters]
    axes.set_yticks(range(len(chapters)), names, fontsize=9)
    axes.set(xlim=(-0.02, _MOST), ylim=(len(chapters) - 0.5, -0.7))
    axes.axvline(1, color="black", linewidth=1.6)
    axes.grid(True, axis="x")
    axes.set_xlabel("share of the yardstick that was measured with the program")
    axes.set_title("All chapters: share of the yardstick", pad=10)


def _annotate(axes: Axes, label: str, at: tuple[float, float], place: tuple[float, float]) -> None:
    line = {"arrowstyle": "-", "linewidth": 0.4, "color": _GREY}
    axes.annotate(label, at, place, fontsize=8, ha="center", va="center", arrowprops=line)


def _mark(label: str) -> dict[str, object]:
    """Libraries are stars, so that colour is not the only distinction."""
    return {"color": "black" if label == _LIBRARY else "#31688e", "marker": "*" if label == _LIBRARY else "o", "zorder": 3}


def main(arguments: list[str]) -> int:
    """Exit code 1 for results that are missing, 3 without matplotlib."""
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        for folder in sorted(folder for folder in (ROOT / "plots/results").iterdir() if folder.is_dir()):
            draw(read_roofline(folder, stage_numbers()), folder / "roofline.png")
            print(f"Wrote {(folder / 'roofline.png').relative_to(ROOT)}")
    except ResultsError as error:
        print(error, file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        return say_what_is_missing(error)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
