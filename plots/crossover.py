"""The size from which a program is faster than the CPU, or than programs with a different algorithm."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from measurements import Measurements, Point, ResultsError, Size

CPU_PROGRAMS = ("cpu_one_core", "cpu_all_cores")
# For a program whose time grows differently from the stages' times: the programs that it can overtake.
RIVALS = {"interpolated_pushes": ("four_warps",)}
# Prefixes of programs in chapter 9 that are not an iteration of the descent; their times cannot be compared with it.
_OTHER_OPERATIONS = ("neighbours_", "shares_")


@dataclass(frozen=True)
class Comparison:
    """Programs that can become faster than each of their rivals as the size grows."""

    programs: tuple[str, ...]
    rivals: tuple[str, ...]
    title: str


def comparison_of(measurements: Measurements) -> Comparison | None:
    """The comparison; None without a single size column and programs whose times can cross."""
    if len(measurements.size_columns) != 1:
        return None
    cpus = tuple(name for name in CPU_PROGRAMS if name in measurements.programs)
    if cpus:
        others = tuple(name for name in shown_programs(measurements) if name not in CPU_PROGRAMS)
        return Comparison(others, cpus, "time by size, on the CPU, on the GPU, and with the copies")
    for program, names in RIVALS.items():
        rivals = tuple(name for name in names if name in measurements.programs)
        if program in measurements.programs and rivals:
            return Comparison((program,), rivals, "time by size")
    return None


def crossover(measurements: Measurements, program: str, rival: str) -> float | None:
    """The size from which the program's median is below the rival's; None if it is not below at the largest size.

    Between two sizes both times are straight lines over the size, on logarithmic scales.
    """
    points = _points_of(measurements)
    lead = [
        (size[0], math.log(points[rival, size].median_ms / points[program, size].median_ms))
        for size in _sizes_of(program, points)
        if (rival, size) in points
    ]
    if not lead or lead[-1][1] <= 0:
        return None
    for (below, lag), (above, gain) in zip(reversed(lead[:-1]), reversed(lead[1:])):
        if lag <= 0:
            return below * (above / below) ** (-lag / (gain - lag))
    return float(lead[0][0])


def _points_of(measurements: Measurements) -> dict[tuple[str, Size], Point]:
    """With a CPU, the points at shared sizes; otherwise all points, because some programs have more sizes."""
    if any(name in measurements.programs for name in CPU_PROGRAMS):
        return measurements.points
    return {**measurements.points, **measurements.elsewhere}


def _sizes_of(program: str, points: dict[tuple[str, Size], Point]) -> list[Size]:
    return sorted(size for name, size in points if name == program)


def shown_programs(measurements: Measurements) -> list[str]:
    """The programs in the picture: those measured at more than one size."""
    points = _points_of(measurements)
    programs = [name for name in measurements.programs if not name.startswith(_OTHER_OPERATIONS)]
    return [program for program in programs if len(_sizes_of(program, points)) > 1]


def render_crossover(measurements: Measurements) -> str:
    """Markdown: one row per program, with the size from which it is faster than each rival."""
    comparison = comparison_of(measurements)
    if comparison is None:
        raise ResultsError(f"{measurements.file} has no programs whose times can cross.")
    lines = ["| program | " + " | ".join(f"faster than {name} from" for name in comparison.rivals) + " |"]
    lines.append("|:---|" + "---:|" * len(comparison.rivals))
    smallest = measurements.sizes[0][0]
    for program in comparison.programs:
        cells = []
        for rival in comparison.rivals:
            size = crossover(measurements, program, rival)
            shown = "never" if size is None else _shown(size, comparison)
            cells.append(shown if size is None or size > smallest else f"{smallest} or fewer")
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    lines += ["", f"{_counted(measurements).capitalize()}. {measurements.provenance()}."]
    return "\n".join(lines)


def _shown(size: float, comparison: Comparison) -> str:
    """The size with two digits; large numbers of elements with a power of ten."""
    return f"{size:.2g}" if comparison.rivals[0] in CPU_PROGRAMS else f"{float(f'{size:.2g}'):.0f}"


def _counted(measurements: Measurements) -> str:
    """The unit of the sizes."""
    return "points" if measurements.chapter == "ch9_embedding" else "elements"


def draw_crossover(measurements: Measurements, picture: Path) -> None:
    """Draws milliseconds by size to `picture`. Needs matplotlib."""
    from bandwidth_figure import program_styles, start_figure  # matplotlib is not needed for the table

    comparison = comparison_of(measurements)
    if comparison is None:
        raise ResultsError(f"{measurements.file} has no programs whose times can cross.")
    points = _points_of(measurements)
    figure, axes, save = start_figure()
    for program, style in program_styles(tuple(shown_programs(measurements))).items():
        sizes = _sizes_of(program, points)
        times = [points[program, size].median_ms for size in sizes]
        axes.plot([size[0] for size in sizes], times, label=program, **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(_counted(measurements))
    axes.set_ylabel("ms")
    axes.set_title(f"{measurements.chapter}: {comparison.title}", pad=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8.5)
    figure.text(0.08, 0.02, f"{measurements.provenance()}.", fontsize=8, color="#555555", va="bottom")
    save(picture)
