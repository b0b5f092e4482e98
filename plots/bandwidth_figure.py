"""Draws the rate of every program by size, with that of a measured yardstick, such as a copy."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Callable

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from measurements import Measurements, Size, size_text  # noqa: E402

LIBRARIES = ("cublas", "cub", "thrust", "cufft")
OTHER_OPERATIONS = ("copy_", "read_probe", "map_", "cpu_", "host_")  # operations that are not stages
_MARKERS = "osD^vP<>hX"
_OTHER_STYLES = (("#9a9a9a", "|"), ("#c07a2c", "x"), ("#b0413e", "+"), ("#5b7f95", "d"), ("#7a5c99", "1"))
_CEILING_COLOUR = "#555555"
_LABEL_HEIGHT_POINTS = 12.5
_MOST_TICK_LABELS = 9
_LEAST_RATIO = 1.3  # ratio of two sizes whose labels do not overlap
_FAR_LESS_ACCURATE = 30  # factor to the usual error
_FAR_BELOW = 0.5  # share of the smallest size on a line; smaller shapes are only in the tables
_LOGARITHMIC_UNIT = "Gentry/s"  # in chapter 2, bit-packed stages are two hundred times as fast as byte stages


def draw(measurements: Measurements, picture: Path, own: Measurements | None = None) -> None:
    """Writes `picture`, in the format of its suffix. Raises OSError. `own` are a learner's measurements of the same
    chapter, which are drawn below the others, on axes of their own.

    A program that was measured at half of the line's sizes or fewer is only in the tables.
    """
    figure, axes, save = start_figure()
    drawn = _on_lines(measurements)
    if own is None:
        _draw_panel(axes, drawn, program_styles(drawn.programs), 0.02)
    else:
        figure.set_size_inches(9.0, 11.6)
        axes.set_position((0.08, 0.6125, 0.695, 0.35))
        drawn_own = _on_lines(own)
        styles = program_styles(tuple(dict.fromkeys((*drawn.programs, *drawn_own.programs))))
        _draw_panel(axes, drawn, styles, 0.51, drawn.device)
        _draw_panel(figure.add_axes((0.08, 0.1125, 0.695, 0.35)), drawn_own, styles, 0.01, f"your {own.device}")
    save(picture)


def _on_lines(measurements: Measurements) -> Measurements:
    """The measurements of the programs that were measured at more than half of the line's sizes."""
    connected, _ = connected_sizes(measurements.sizes)
    drawn = tuple(
        program
        for program in measurements.programs
        if 2 * sum((program, size) in measurements.points for size in connected) > len(connected)
    )
    points = {key: point for key, point in measurements.points.items() if key[0] in drawn}
    return replace(measurements, programs=drawn, points=points)


def _draw_panel(
    axes: Axes, measurements: Measurements, styles: dict[str, dict], caption_height: float, gpu: str = ""
) -> None:
    _draw_ceiling(axes, measurements)
    for program in measurements.programs:
        _draw_program(axes, measurements, program, styles[program])
    _set_axes(axes, measurements)
    _label_lines(axes, measurements, styles)
    what = "bandwidth" if measurements.unit == "GB/s" else "rate"
    of = f" in {measurements.precision}" if measurements.precision else ""
    title = f"{what} on {gpu}{of}" if gpu else f"{what} of each program{of}, and the {measurements.ceiling}'s"
    axes.set_title(f"{measurements.chapter}: {title}", pad=10)
    axes.figure.text(0.08, caption_height, _caption(measurements), fontsize=8, color="#555555", va="bottom")


def start_figure() -> tuple[Figure, Axes, Callable[[Path], None]]:
    """A figure with space for names on the right, and a function that writes it to a file."""
    plt.style.use(Path(__file__).with_name("style.mplstyle"))
    figure, axes = plt.subplots()
    figure.subplots_adjust(left=0.08, right=0.775, top=0.925, bottom=0.225)

    def save(picture: Path) -> None:
        # Without a date, an unchanged figure is an unchanged file.
        figure.savefig(picture, metadata={"Date" if picture.suffix == ".svg" else "Software": None})
        plt.close(figure)

    return figure, axes, save


def program_styles(programs: tuple[str, ...]) -> dict[str, dict]:
    """Stages are dark to light in the order of the lesson; libraries are black, and other operations dotted.

    Colour is not the only distinction: each line also has its own marker, and its name next to it.
    """
    stages = [name for name in programs if not name.startswith((*OTHER_OPERATIONS, *LIBRARIES))]
    shades = plt.get_cmap("viridis")
    styles: dict[str, dict] = {}
    for position, name in enumerate(stages):
        shade = shades(0.82 * position / max(1, len(stages) - 1))
        styles[name] = {"color": shade, "marker": _MARKERS[position % len(_MARKERS)]}
    others = [name for name in programs if name.startswith(OTHER_OPERATIONS)]
    for position, name in enumerate(others):
        colour, marker = _OTHER_STYLES[position % len(_OTHER_STYLES)]
        styles[name] = {"color": colour, "marker": marker, "linewidth": 1.0, "linestyle": ":"}
    for name in programs:
        if name.startswith(LIBRARIES):
            styles[name] = {"color": "black", "marker": "*", "linestyle": (0, (4, 1.5)), "markersize": 8}
    return styles


def _draw_ceiling(axes: Axes, measurements: Measurements) -> None:
    connected, single = connected_sizes(measurements.sizes)
    ceiling = measurements.ceiling_rate
    axes.plot(
        [_side(size) for size in connected],
        [ceiling[size] for size in connected],
        color=_CEILING_COLOUR,
        linewidth=1.4,
        linestyle=(0, (5, 3)),
        zorder=1.5,
    )
    for size in single:
        axes.plot(
            [_side(size) / 1.05, _side(size) * 1.05],
            [ceiling[size]] * 2,
            color=_CEILING_COLOUR,
            linewidth=1.4,
            linestyle=(0, (2, 1)),
            zorder=1.5,
        )


def _draw_program(axes: Axes, measurements: Measurements, program: str, style: dict) -> None:
    connected, single = connected_sizes(measurements.sizes)
    for sizes, changes in ((connected, {}), (single, {"linestyle": "none", "markerfacecolor": "white"})):
        measured = [size for size in sizes if (program, size) in measurements.points]
        if not measured:
            continue
        points = [measurements.points[program, size] for size in measured]
        axes.errorbar(
            [_side(size) for size in measured],
            [point.rate for point in points],
            yerr=[
                [point.rate - point.slowest_rate for point in points],
                [point.fastest_rate - point.rate for point in points],
            ],
            elinewidth=0.9,
            **{**style, **changes},
        )


def _set_axes(axes: Axes, measurements: Measurements) -> None:
    connected, single = connected_sizes(measurements.sizes)
    sides = [_side(size) for size in (*connected, *single)]
    fastest = (point.fastest_rate for point in measurements.points.values())
    highest = max(*measurements.ceiling_rate.values(), *fastest)
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(sides) / 1.12, max(sides) * 1.06)
    if measurements.unit == _LOGARITHMIC_UNIT:
        lowest = min(point.slowest_rate for point in measurements.points.values())
        axes.set_yscale("log")
        axes.set_ylim(lowest / 1.3, 1.3 * highest)
    else:
        axes.set_ylim(0, 1.06 * highest)
    axes.set_xticks([_side(size) for size in connected], _tick_labels([size[0] for size in connected]))
    # One row lower, because they are close to a square size.
    axes.set_xticks([_side(size) for size in single], ["\n x ".join(map(str, size)) for size in single], minor=True)
    axes.tick_params(axis="x", which="minor", pad=4, labelsize=8, length=17, width=0.6, color="#999999")
    shapes = "; hollow markers: other shapes" if single else ""
    axes.set_xlabel(f"{size_names(measurements.size_columns, connected)} (log scale){shapes}", labelpad=5)
    axes.set_ylabel(measurements.unit)


def _tick_labels(extents: list[int]) -> list[str]:
    """The labels of extents that do not overlap; only powers of ten if there are too many."""
    if len(extents) <= _MOST_TICK_LABELS:
        larger = [*extents[1:], math.inf]
        return [str(extent) if next_one > _LEAST_RATIO * extent else "" for extent, next_one in zip(extents, larger)]
    exponents = [round(math.log10(extent)) for extent in extents]
    return [f"$10^{{{e}}}$" if extent == 10**e else "" for extent, e in zip(extents, exponents)]


def _label_lines(axes: Axes, measurements: Measurements, styles: dict[str, dict]) -> None:
    """Names are to the right of the plot, at the height of their line's end, moved apart if they would overlap."""
    connected, _ = connected_sizes(measurements.sizes)
    other_accuracy = less_accurate_programs(measurements)
    ends = []
    ends_early = False
    last_ceiling = measurements.ceiling_rate[connected[-1]]
    ceiling_style = {"color": _CEILING_COLOUR, "marker": ""}
    ends.append((last_ceiling, _side(connected[-1]), f"{measurements.ceiling} (yardstick)", ceiling_style))
    for program in measurements.programs:
        measured = [size for size in measurements.sizes if (program, size) in measurements.points]
        last = ([size for size in measured if size in connected] or measured)[-1]
        point = measurements.points[program, last]
        ends_early = ends_early or last != connected[-1]
        marked = f"{program}*" if program in other_accuracy else program
        ends.append((point.rate, _side(last), f"{marked}  {point.share_of_ceiling:.2f}", styles[program]))
    axes.figure.canvas.draw()
    label_height = _LABEL_HEIGHT_POINTS / (axes.get_window_extent().height * 72 / axes.figure.dpi)
    ends.sort(key=lambda end: end[0])
    data_to_axes = axes.transData + axes.transAxes.inverted()
    line_ends = [data_to_axes.transform((side, value)) for value, side, *_ in ends]
    heights = spread([y for _, y in line_ends], label_height, 0.0, 1.0)
    to_axes = axes.transAxes
    for (x, y), (_, _, text, style), height in zip(line_ends, ends, heights):
        axes.plot(
            [x + 0.012, 1.0, 1.03],
            [y, y, height],
            transform=to_axes,
            color=style["color"],
            linewidth=0.6,
            alpha=0.8,
            clip_on=False,
            marker="",
            zorder=1,
        )
        axes.add_line(
            Line2D(
                [1.045],
                [height],
                transform=to_axes,
                clip_on=False,
                linestyle="none",
                markersize=5,
                color=style["color"],
                marker=style["marker"] or "_",
            )
        )
        axes.text(1.06, height, text, transform=to_axes, fontsize=8.5, color="#222222", va="center")
    note = f"share of the {measurements.ceiling}\nat {size_text(connected[-1])}"
    if ends_early:
        note += ",\nor at the end of the line"
    if other_accuracy:
        note += "\n* far less accurate"
    axes.text(1.06, -0.03, note, transform=axes.transAxes, fontsize=8, color="#555555", va="top")


def spread(values: list[float], gap: float, lowest: float, highest: float) -> list[float]:
    """Positions close to the ascending values, at least gap apart, and within lowest..highest if they fit."""
    positions = list(values)
    for _ in range(200):
        moved = False
        for below in range(len(positions) - 1):
            overlap = gap - (positions[below + 1] - positions[below])
            if overlap > 1e-9 * gap:
                positions[below] -= overlap / 2
                positions[below + 1] += overlap / 2
                moved = True
        if not moved:
            break
    last = len(positions) - 1
    for index in range(last, -1, -1):
        positions[index] = min(positions[index], highest - gap * (last - index))
    for index in range(last + 1):
        positions[index] = max(positions[index], lowest + gap * index)
    return positions


def connected_sizes(sizes: tuple[Size, ...]) -> tuple[list[Size], list[Size]]:
    """Squares are on one line; other shapes are single points, because a line would mix shape and size.

    Without squares, the line has the largest set of sizes that differ only in the first extent.
    """
    connected = [size for size in sizes if len(set(size)) == 1]
    if not connected:
        most_common = Counter(size[1:] for size in sizes).most_common(1)[0][0]
        connected = [size for size in sizes if size[1:] == most_common]
    smallest = _FAR_BELOW * min(map(_side, connected))
    return connected, [size for size in sizes if size not in connected and _side(size) >= smallest]


def less_accurate_programs(measurements: Measurements) -> set[str]:
    """Programs with far larger errors than most: their speed is for a less accurate result."""
    errors: dict[str, float] = {}
    for (program, _), point in measurements.points.items():
        if point.rms_error is not None:
            errors[program] = max(point.rms_error, errors.get(program, 0.0))
    usual = statistics.median(errors.values()) if errors else 0.0
    return {program for program, error in errors.items() if error > _FAR_LESS_ACCURATE * usual}


def size_names(columns: tuple[str, ...], connected: list[Size]) -> str:
    """"rows = cols" for squares; "items, with sum 100" if only items differ."""
    if len(columns) > 1 and all(len(set(size)) == 1 for size in connected):
        return " = ".join(columns)
    same = ", ".join(f"{name} {extent}" for name, extent in zip(columns[1:], connected[0][1:]))
    return f"{columns[0]}, with {same}" if same else columns[0]


def _side(size: Size) -> float:
    """The side of the square or cube with the same number of elements."""
    return math.prod(size) ** (1 / len(size))


def _caption(measurements: Measurements) -> str:
    bars = "; bars: slowest to fastest round" if measurements.rounds > 1 else ""
    rounds = measurements.rounds_text() + bars
    unit = " GB = 10^9 bytes." if measurements.unit == "GB/s" else ""
    return f"{measurements.provenance()}.\nMedian of {rounds}.{unit}"
