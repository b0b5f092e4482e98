"""From which size on a program is quicker than the CPU: where their times cross."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

from measurements import Measurements

CPU_PROGRAMS = ("cpu_one_core", "cpu_all_cores")


def compares_with_cpu(measurements: Measurements) -> bool:
    """Whether there is a CPU to cross, and one size column to cross it over."""
    return len(measurements.size_columns) == 1 and any(name in measurements.programs for name in CPU_PROGRAMS)


def crossover(measurements: Measurements, program: str, cpu: str) -> float | None:
    """The size from which on the program's median is below the CPU's; None if it is not at the largest size.

    Between two sizes both times are straight lines over the size, on logarithmic scales.
    """
    lead = [
        (size[0], math.log(measurements.points[cpu, size].median_ms / measurements.points[program, size].median_ms))
        for size in measurements.sizes
        if (program, size) in measurements.points and (cpu, size) in measurements.points
    ]
    if not lead or lead[-1][1] <= 0:
        return None
    for (below, lag), (above, gain) in zip(reversed(lead[:-1]), reversed(lead[1:])):
        if lag <= 0:
            return below * (above / below) ** (-lag / (gain - lag))
    return float(lead[0][0])


def _of_several_sizes(measurements: Measurements) -> list[str]:
    """Where a program was measured at one size alone, there is nothing to cross."""
    sizes = Counter(program for program, _ in measurements.points)
    return [program for program in measurements.programs if sizes[program] > 1]


def render_crossover(measurements: Measurements) -> str:
    """Markdown: a row a program, the size from which on it is quicker than one core and than all cores."""
    cpus = [name for name in CPU_PROGRAMS if name in measurements.programs]
    lines = ["| program | " + " | ".join(f"quicker than {name} from" for name in cpus) + " |"]
    lines.append("|:---|" + "---:|" * len(cpus))
    smallest = measurements.sizes[0][0]
    for program in _of_several_sizes(measurements):
        if program in CPU_PROGRAMS:
            continue
        cells = []
        for cpu in cpus:
            size = crossover(measurements, program, cpu)
            cells.append("never" if size is None else f"{size:.2g}" if size > smallest else f"{smallest} or fewer")
        lines.append(f"| {program} | " + " | ".join(cells) + " |")
    lines += ["", f"Elements. {measurements.provenance()}."]
    return "\n".join(lines)


def draw_crossover(measurements: Measurements, output_stem: Path) -> list[Path]:
    """Milliseconds over the size, as output_stem.svg and .png; returns their paths. Needs matplotlib."""
    from bandwidth_figure import program_styles, start_figure  # matplotlib is not needed for the table

    figure, axes, save = start_figure()
    for program, style in program_styles(tuple(_of_several_sizes(measurements))).items():
        sizes = [size for size in measurements.sizes if (program, size) in measurements.points]
        times = [measurements.points[program, size].median_ms for size in sizes]
        axes.plot([size[0] for size in sizes], times, label=program, **style)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("elements")
    axes.set_ylabel("ms")
    axes.set_title(f"{measurements.chapter}: time over the size, on the CPU, the GPU, and with the copies", pad=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8.5)
    figure.text(0.08, 0.02, f"{measurements.provenance()}.", fontsize=8, color="#555555", va="bottom")
    return save(output_stem)
