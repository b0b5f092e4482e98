"""scikit-learn's t-SNE of the digits, and its trustworthiness: the figures of lesson/trustworthiness.csv.

    ./workbook run --data digits
    python3 chapters/ch9_embedding/baselines/scikit_learn_map.py --map data/digits_map.csv

Prints a line of CSV for each seed, and one for --map, a map of one of our programs. Takes some minutes on one core.
Exit code 3 without scikit-learn.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

NEIGHBOURS = 5  # as in our programs


def read_numbers(file: Path, columns: int | None = None) -> list[list[float]]:
    """The rows of a CSV file below its header: all columns, or the first ones."""
    with file.open(newline="", encoding="utf-8") as lines:
        rows = list(csv.reader(lines))
    return [[float(field) for field in row[:columns]] for row in rows[1:]]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--input", type=Path, default=Path("data/digits.csv"), help="the vectors")
    parser.add_argument("--map", type=Path, help="a map of one of our programs")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2])
    parsed = parser.parse_args(arguments)
    try:
        import numpy
        import sklearn
        from sklearn.manifold import TSNE, trustworthiness
    except ModuleNotFoundError as error:
        print(f"Left out: there is no {error.name} here (python3 -m pip install scikit-learn).", file=sys.stderr)
        return 3
    try:
        vectors = numpy.array(read_numbers(parsed.input))
        ours = numpy.array(read_numbers(parsed.map, columns=2)) if parsed.map else None
    except (OSError, ValueError) as error:
        print(f"{error}. './workbook run --data digits' writes the vectors.", file=sys.stderr)
        return 2
    print("map,seed,trustworthiness,kl")
    for seed in parsed.seeds:
        method = TSNE(init="random", perplexity=30, random_state=seed)
        points = method.fit_transform(vectors)
        value = trustworthiness(vectors, points, n_neighbors=NEIGHBOURS)
        print(f"scikit-learn {sklearn.__version__} TSNE,{seed},{value:.4f},{method.kl_divergence_:.4f}", flush=True)
    if ours is not None:
        print(f"{parsed.map},,{trustworthiness(vectors, ours, n_neighbors=NEIGHBOURS):.4f},")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
