#!/usr/bin/env python3
"""Draws the gain from more GPUs (chapter 10): for a fixed problem, and for a problem that grows with the GPUs.

    python3 plots/scaling.py plots/results/nvidia-h200

Reads all ch10_*.csv of the folder, and writes ch10_scaling_strong.png and ch10_scaling_weak.png there. Needs matplotlib
(plots/requirements.txt).
"""

from __future__ import annotations

import argparse
import csv
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "common"))

from missing_module import say_what_is_missing

_PREFIX = "ch10_many_gpus_"
_ON_ONE = "one_gpu"  # always uses one GPU; the baseline of the dot product on several
_COLUMNS = ("program", "size", "gpus", "median_ms")
_FEWEST_POINTS = 3


class ScalingError(Exception):
    """Results that cannot be drawn; the message is for the user."""


@dataclass(frozen=True)
class Series:
    name: str
    gains: dict[int, float]  # keys: numbers of GPUs; 1 for one GPU


Times = dict[tuple[str, int, int], float]  # program, size, GPUs: median of the rounds in milliseconds


def read_times(files: list[Path]) -> Times:
    rounds: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for file in files:
        try:
            with file.open(newline="", encoding="utf-8") as lines:
                for row in csv.DictReader(lines):
                    program = row["program"].removeprefix(_PREFIX)
                    rounds[program, int(row["size"]), int(row["gpus"])].append(float(row["median_ms"]))
        except OSError as error:
            raise ScalingError(f"{file} cannot be read: {error.strerror}.") from error
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            columns = ", ".join(_COLUMNS)
            raise ScalingError(f"{file} needs the columns {columns}, with numbers in all but the first.") from error
    return {key: statistics.median(all_ms) for key, all_ms in rounds.items()}


def strong_scaling(times: Times) -> list[Series]:
    """The speedup over one GPU, for each program and size with three numbers of GPUs."""
    return _series(times, lambda size, gpus: size, lambda size: f"{size:,}")


def weak_scaling(times: Times) -> list[Series]:
    """The time on one GPU over the time on G GPUs with G times the work, for each program and work per GPU."""
    return _series(times, lambda size, gpus: size / gpus, lambda work: f"{work:,.0f} per GPU")


def _series(times: Times, work: Callable[[int, int], float], described: Callable[[float], str]) -> list[Series]:
    alone = {(program, size): ms for (program, size, gpus), ms in times.items() if gpus == 1 or program == _ON_ONE}
    points: dict[tuple[str, float], dict[int, float]] = defaultdict(dict)
    for (program, size, gpus), ms in times.items():
        if program != _ON_ONE:
            points[program, work(size, gpus)][gpus] = ms
    series = []
    for (program, amount), by_gpus in points.items():
        on_one = alone.get((program, int(amount)), alone.get((_ON_ONE, int(amount))))
        if on_one is not None and len({1, *by_gpus}) >= _FEWEST_POINTS:
            gains = {1: 1.0, **{gpus: on_one / ms for gpus, ms in sorted(by_gpus.items()) if gpus > 1}}
            series.append(Series(f"{program}\n{described(amount)}", gains))
    return series


@dataclass(frozen=True)
class Picture:
    name: str
    title: str
    label: str
    limit: Callable[[int], float]  # argument: number of GPUs
    bottom: float  # lower end of the axis


_STRONG = Picture("ch10_scaling_strong", "The same problem on more GPUs", "speedup over one GPU", float, 0)
_WEAK = Picture("ch10_scaling_weak", "A problem that grows with the GPUs", "time on one / time", lambda _: 1.0, 0.8)


def draw(series: list[Series], picture: Picture, folder: Path) -> Path:
    """Writes the picture and returns its path."""
    from bandwidth_figure import program_styles, start_figure

    _, axes, save = start_figure()
    counts = sorted({gpus for one in series for gpus in one.gains})
    limit = [picture.limit(gpus) for gpus in counts]
    axes.plot(counts, limit, color="black", linewidth=1.0, linestyle="--", label="the limit")
    styles = program_styles(tuple(one.name for one in series))
    for one in series:
        axes.plot(list(one.gains), list(one.gains.values()), label=one.name, **styles[one.name])
    axes.set_xticks(counts)
    axes.set_ylim(bottom=picture.bottom)
    axes.set_xlabel("GPUs")
    axes.set_ylabel(picture.label)
    axes.set_title(picture.title, pad=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8)
    file = folder / f"{picture.name}.png"
    save(file)
    return file


def main(arguments: list[str]) -> int:
    """Exit code 1 for results that cannot be drawn, 3 without matplotlib."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="the results of one kind of GPU")
    folder = parser.parse_args(arguments).folder
    try:
        times = read_times(sorted(folder.glob("ch10_*.csv")))
        strong, weak = strong_scaling(times), weak_scaling(times)
        if not strong and not weak:
            raise ScalingError(f"{folder}: no program of chapter 10 was measured on {_FEWEST_POINTS} numbers of GPUs.")
        written = [draw(strong, _STRONG, folder), draw(weak, _WEAK, folder)]
    except ModuleNotFoundError as error:
        return say_what_is_missing(error)
    except (ScalingError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    for file in written:
        print(f"Wrote {file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
