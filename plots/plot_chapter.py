#!/usr/bin/env python3
"""Draws a chapter's measurements, and updates the tables of its pages from its CSV files.

    python3 plots/plot_chapter.py ch3_transpose                 the picture, as .png next to the CSV file
    python3 plots/plot_chapter.py ch3_transpose --own           the picture in build/results, with your own GPU
    python3 plots/plot_chapter.py ch3_transpose --table         writes the tables of its pages
    python3 plots/plot_chapter.py ch3_transpose --check-table   exits 1 if a page is out of date
    python3 plots/plot_chapter.py ch3_transpose --print         prints the table of results, as Markdown

Only the picture needs matplotlib (plots/requirements.txt).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "common"))

from cli.chapter_files import ChapterFiles
from cli.errors import WorkbookError
from cli.terminal.console import complain, say
from cli.workbook import Workbook
from crossover import comparison_of, draw_crossover, render_crossover
from measurements import Measurements, ResultsError, newest_results, read_each_precision
from missing_module import say_what_is_missing
from ncu_profile import ReportError, render_profile
from readme_table import (
    ACCURACY,
    CLAIMS,
    CROSSOVER,
    PROFILE,
    RESULTS,
    TIMES,
    MarkersError,
    has_markers,
    holds_a_table,
    read_page,
    render_accuracy,
    render_claims,
    render_table,
    render_times,
    replace_table,
)

OWN_RESULTS = "build/results"  # where './workbook bench' writes


def main(arguments: list[str]) -> int:
    """Exit code 1 for a file that is missing, unreadable or out of date, 3 without matplotlib."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter")
    parser.add_argument("--results", type=Path, metavar="FILE", help="a CSV file other than the newest one")
    parser.add_argument("--own", action="store_true", help="draw build/results next to plots/results, in build/results")
    parser.add_argument("--table", action="store_true", help="write the tables of the chapter's pages")
    parser.add_argument("--check-table", action="store_true", help="compare those tables with their files")
    parser.add_argument("--print", action="store_true", help="print the table of results")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parsed = parser.parse_args(arguments)
    try:
        if parsed.check_table:
            return check_table(parsed.root, parsed.chapter, parsed.results)
        if parsed.table:
            return write_table(parsed.root, parsed.chapter, parsed.results)
        if parsed.print:
            print(_results_table(read_each_precision(_measured_file(parsed.root, parsed.chapter, parsed.results))))
            return 0
        if parsed.own:
            return draw_own(parsed.root, parsed.chapter)
        file = _measured_file(parsed.root, parsed.chapter, parsed.results)
        return draw_figure(parsed.root, parsed.chapter, file, file.parent)
    except (ReportError, ResultsError, WorkbookError, OSError) as error:
        complain(str(error))
        return 1


def draw_own(root: Path, chapter: str) -> int:
    """The learner's measurements below the published ones. No file outside build/results changes."""
    own = root / OWN_RESULTS / f"{chapter}.csv"
    if not own.is_file():
        code = draw_figure(root, chapter, newest_results(chapter, _published_folders(root)), own.parent)
        if code == 0:
            say(f"Your GPU is not in the picture. On a machine with a GPU, './workbook bench {chapter}' measures it.")
        return code
    try:
        published = newest_results(chapter, _published_folders(root))
    except ResultsError:
        return draw_figure(root, chapter, own, own.parent)
    again = f"Measure again: ./workbook bench {chapter}"
    try:
        measured = read_each_precision(own)
    except ResultsError as error:
        raise ResultsError(f"{str(error).replace(str(own), _shown(own, root))}\n{again}") from error
    known = {f"{chapter}_{name}" for one in read_each_precision(published) for name in one.programs}
    known.update(program.target for one in Workbook(root).catalogue.chapters for program in one.programs)
    names = {f"{chapter}_{name}" for one in measured for name in one.programs}
    if unknown := ", ".join(sorted(names - known)):
        raise ResultsError(f"{_shown(own, root)} has rows of {unknown}, and {chapter} has no such program.\n{again}")
    return draw_figure(root, chapter, published, own.parent, measured)


def draw_figure(root: Path, chapter: str, file: Path, folder: Path, own: list[Measurements] | None = None) -> int:
    """Writes the pictures of the measurements in `file` to `folder`, each with the learner's of the same precision."""
    try:
        from bandwidth_figure import draw
    except ModuleNotFoundError as error:
        return say_what_is_missing(error)
    for number, measurements in enumerate(read_each_precision(file)):
        name = file.stem if number == 0 else f"{file.stem}_{measurements.precision}"
        pictures = [folder / f"{name}.png"]
        alike = next((one for one in own or [] if one.precision == measurements.precision), None)
        try:
            folder.mkdir(parents=True, exist_ok=True)
            draw(measurements, pictures[0], alike)
            timed = alike or measurements
            if comparison_of(timed):
                pictures.append(folder / f"{name}_crossover.png")
                draw_crossover(timed, pictures[1])
        except OSError as error:
            there = f"next to {_shown(file, root)}" if folder == file.parent else f"to {_shown(folder, root)}"
            copied = "that file" if folder == file.parent else _shown(file, root)
            raise ResultsError(
                f"The picture cannot be written {there}: {error.strerror}. Copy {copied} into a folder of your own and "
                f"draw the copy: ./workbook plot {chapter} --results FILE"
            ) from error
        for picture in pictures:
            print(f"Wrote {_shown(picture, root)}")
    return 0


def _measured_file(root: Path, chapter: str, results: Path | None) -> Path:
    """The learner's own measurements can be in a picture and in the book, but never in the workbook's pages."""
    return results or newest_results(chapter, [*_published_folders(root), root / OWN_RESULTS])


def _results_table(precisions: list[Measurements]) -> str:
    return "\n\n".join(render_table(measured) for measured in precisions)


def write_table(root: Path, chapter: str, results: Path | None) -> int:
    pages = _pages(root, chapter)
    texts, sources = _with_tables(root, chapter, results, pages)
    for page, text in texts.items():
        page.write_text(text, encoding="utf-8")
    print(f"Wrote the tables in {' and '.join(_shown(page, root) for page in pages)} from {sources}")
    return 0


def check_table(root: Path, chapter: str, results: Path | None) -> int:
    pages = _pages(root, chapter)
    expected, sources = _with_tables(root, chapter, results, pages)
    wrong = [_shown(page, root) for page, text in pages.items() if expected[page] != text]
    if not wrong:
        return 0
    print(
        f"{' and '.join(wrong)}: the tables do not match {sources}.\n"
        f"Fix it with: python3 plots/plot_chapter.py {chapter} --table",
        file=sys.stderr,
    )
    return 1


def _pages(root: Path, chapter: str) -> dict[Path, str]:
    """The texts of a chapter's pages, the core page first. Raises ResultsError for a page that cannot be read."""
    files = ChapterFiles(root, chapter)
    return {page: read_page(page) for page in files.pages or (files.readme,)}


def _with_tables(
    root: Path, chapter: str, results: Path | None, pages: dict[Path, str]
) -> tuple[dict[Path, str], str]:
    """The correct texts of the pages, and the source files of their tables."""
    between = "\0"  # occurs in no page
    try:
        text, sources = _with_tables_of_one(root, chapter, results, between.join(pages.values()))
    except MarkersError as error:
        raise ResultsError(f"{_shown(ChapterFiles(root, chapter).advanced, root)}: {error}") from error
    return dict(zip(pages, text.split(between))), sources


def _with_tables_of_one(root: Path, chapter: str, results: Path | None, text: str) -> tuple[str, str]:
    """text: all pages joined, because a table can be in any of them, once."""
    sources = []
    claims_file = ChapterFiles(root, chapter).claims
    if claims_file.is_file():
        text = replace_table(text, CLAIMS, render_claims(claims_file))
        sources.append(claims_file)
    for profile in [folder / f"profile_{chapter}.csv" for folder in _published_folders(root)]:
        if profile.is_file():
            text = replace_table(text, PROFILE, render_profile(profile, chapter))
            sources.append(profile)
    try:
        precisions = read_each_precision(results or newest_results(chapter, _published_folders(root)))
    except ResultsError:
        if results or holds_a_table(text, RESULTS):
            raise
        print(f"{chapter} has no measurements and no table of them yet.")
    else:
        text = replace_table(text, RESULTS, _results_table(precisions))
        if has_markers(text, TIMES):
            published = ChapterFiles(root, chapter).published_times
            times = [render_times(measured, published) for measured in precisions]
            text = replace_table(text, TIMES, "\n\n".join(times))
        if has_markers(text, CROSSOVER):
            text = replace_table(text, CROSSOVER, render_crossover(precisions[0]))
        if has_markers(text, ACCURACY):
            text = replace_table(text, ACCURACY, render_accuracy(precisions))
        sources.append(precisions[0].file)
    return text, " and ".join(_shown(file, root) for file in sources)


def _published_folders(root: Path) -> list[Path]:
    return sorted(folder for folder in (root / "plots/results").glob("*") if folder.is_dir())


def _shown(file: Path, root: Path) -> str:
    try:
        return str(file.resolve().relative_to(root.resolve()))
    except ValueError:
        return str(file)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
