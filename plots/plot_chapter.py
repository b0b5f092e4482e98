#!/usr/bin/env python3
"""Draws a chapter's measurements, and keeps the results table in its README in step with them.

    python3 plots/plot_chapter.py ch3_transpose                 the picture, as .svg and .png beside the CSV file
    python3 plots/plot_chapter.py ch3_transpose --table         writes the README's table
    python3 plots/plot_chapter.py ch3_transpose --check-table   exits 1 when the README is out of step

Only the picture needs matplotlib (plots/requirements.txt).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from measurements import ResultsError, newest_results, read_measurements
from readme_table import holds_a_table, read_readme, render_table, replace_table

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    """Exit code 1 for a file that is missing, unreadable or out of step, 3 without matplotlib."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter")
    parser.add_argument("--results", type=Path, metavar="FILE", help="a CSV file other than the newest one")
    parser.add_argument("--table", action="store_true", help="write the table in the chapter's README")
    parser.add_argument("--check-table", action="store_true", help="compare that table with the measurements")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parsed = parser.parse_args(arguments)
    try:
        if parsed.check_table:
            return check_table(parsed.root, parsed.chapter, parsed.results)
        if parsed.table:
            return write_table(parsed.root, parsed.chapter, parsed.results)
        return draw_figure(parsed.root, parsed.chapter, parsed.results)
    except (ResultsError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def draw_figure(root: Path, chapter: str, results: Path | None) -> int:
    try:
        from bandwidth_figure import draw
    except ModuleNotFoundError as error:
        print(f"The picture needs {error.name}: python3 -m pip install -r plots/requirements.txt", file=sys.stderr)
        return 3
    # The learner's own measurements take part in a picture, never in the README.
    file = results or newest_results(chapter, [*_published_folders(root), root / "build/results"])
    for written in draw(read_measurements(file), file.with_suffix("")):
        print(f"Wrote {_shown(written, root)}")
    return 0


def write_table(root: Path, chapter: str, results: Path | None) -> int:
    measurements = read_measurements(results or newest_results(chapter, _published_folders(root)))
    readme = _readme(root, chapter)
    readme.write_text(replace_table(read_readme(readme), render_table(measurements)), encoding="utf-8")
    print(f"Wrote the table in {_shown(readme, root)} from {_shown(measurements.file, root)}")
    return 0


def check_table(root: Path, chapter: str, results: Path | None) -> int:
    readme = _readme(root, chapter)
    text = read_readme(readme)
    try:
        measurements = read_measurements(results or newest_results(chapter, _published_folders(root)))
    except ResultsError:
        if not results and not holds_a_table(text):
            print(f"{chapter} has neither measurements nor a table yet.")
            return 0
        raise
    if replace_table(text, render_table(measurements)) == text:
        return 0
    print(
        f"{_shown(readme, root)} is out of step with {_shown(measurements.file, root)}.\n"
        f"Fix it with: python3 plots/plot_chapter.py {chapter} --table",
        file=sys.stderr,
    )
    return 1


def _published_folders(root: Path) -> list[Path]:
    return sorted(folder for folder in (root / "plots/results").glob("*") if folder.is_dir())


def _readme(root: Path, chapter: str) -> Path:
    return root / "chapters" / chapter / "README.md"


def _shown(file: Path, root: Path) -> str:
    try:
        return str(file.resolve().relative_to(root.resolve()))
    except ValueError:
        return str(file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
