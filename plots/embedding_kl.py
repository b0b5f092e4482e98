#!/usr/bin/env python3
"""Draws the divergence KL of maps over their iterations (chapter 9).

    python3 plots/embedding_kl.py data/digits_map_kl.csv                     data/digits_map_kl.png
    python3 plots/embedding_kl.py maps/*_kl.csv --output maps/divergences.png

A program with --input writes these files. Chapter 9's picture shows its lesson/digits_kl.csv. Needs matplotlib
(plots/requirements.txt).
"""

from __future__ import annotations

import argparse
import csv
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "common"))

from missing_module import say_what_is_missing

_COLUMNS = ["iteration", "kl"]


class HistoryError(Exception):
    """A file has no valid divergences; the message is for the user."""


@dataclass(frozen=True)
class History:
    name: str
    iterations: list[int]
    divergences: list[float]


def read_history(file: Path) -> History:
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            header, *rows = csv.reader(lines)
        if header != _COLUMNS:
            raise ValueError
        return History(file.stem, [int(row[0]) for row in rows], [float(row[1]) for row in rows])
    except OSError as error:
        raise HistoryError(f"{file} cannot be read: {error.strerror}.") from error
    except (ValueError, IndexError) as error:
        raise HistoryError(f"{file} has no divergences: it must have numbers in the columns {','.join(_COLUMNS)}.") from error


def draw(histories: list[History], picture: Path) -> None:
    from bandwidth_figure import program_styles, start_figure

    figure, axes, save = start_figure()
    for history, style in zip(histories, program_styles(tuple(history.name for history in histories)).values()):
        axes.plot(history.iterations, history.divergences, label=history.name, **style)
    axes.set_xlabel("iteration")
    axes.set_ylabel("KL")
    axes.set_ylim(bottom=0)
    axes.set_title("The divergence KL of a map during the descent", pad=10)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=8.5)
    save(picture)


def main(arguments: list[str]) -> int:
    """Exit code 1 for a file that cannot be read, 3 without matplotlib."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--output", type=Path, help="the picture, .png or .svg; by default next to the first file")
    parsed = parser.parse_args(arguments)
    try:
        histories = [read_history(file) for file in parsed.files]
        picture = parsed.output or parsed.files[0].with_suffix(".png")
        draw(histories, picture)
    except ModuleNotFoundError as error:
        return say_what_is_missing(error)
    except (HistoryError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Wrote {picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
