#!/usr/bin/env python3
"""The size of the workbook: hand-written lines by folder, entries at each chapter's root, and headers of a stage.

    python3 tests/instruments/house.py              three tables
    python3 tests/instruments/house.py --build      and the time that CMake takes for a new build folder, and its size
    python3 tests/instruments/house.py --check      whether a folder has more lines than house.csv allows
    python3 tests/instruments/house.py --lower      writes the smaller numbers into house.csv

Hand-written lines are all text that git tracks, without measured results, pictures, traces and the tables that scripts
write into pages (between <!-- NAME:begin --> and <!-- NAME:end -->). For --check a line of more than 120 characters
counts twice. Chapters, their solutions and their tests have no limit.
"""

from __future__ import annotations

import argparse
import csv
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "common"), str(ROOT / "tests/instruments/lessons")]

from cli.chapter_files import ChapterFiles
from pages import CannotCheck, tracked

_CODE = (".cu", ".cuh", ".cpp", ".h", ".py", ".cmake", ".sh", ".js", ".css", ".yml", ".json")
_PROSE = (".md", ".txt", ".cff")
_NAMES = ("workbook", "Makefile", "run", "Containerfile")  # code without a suffix
_NOT_BY_HAND = re.compile(r"^plots/results/|/lesson/(pictures|traces|data)/|^docs/pictures/|\.ipynb$")
_GENERATED = re.compile(r"^<!-- ([\w-]+):begin -->$.*?^<!-- \1:end -->$", re.M | re.S)
_EXERCISE = re.compile(r"ex\d+_\w+\.cu$")
_INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
_LIMITS = ROOT / "tests/instruments/house.csv"
_NO_LIMIT = re.compile(r"(chapters|solutions|docs|tests/(ch\d+_\w+|projects))$")
_WIDTH = 120
_CANNOT_CHECK = 77
_SLACK = 100  # lines that a folder may have less than its limit


def kind_of(file: Path) -> str | None:
    """"code" or "prose" for a hand-written file, otherwise None."""
    if _NOT_BY_HAND.search(str(file)):
        return None
    if file.suffix in _CODE or file.name in _NAMES:
        return "code"
    # CMakeLists.txt and the catalogues of bugs are read by programs.
    if file.name == "CMakeLists.txt" or (file.suffix == ".txt" and file.parts[0] == "tests"):
        return "code"
    return "prose" if file.suffix in _PROSE else None


def lines_of(file: Path) -> list[str]:
    text = (ROOT / file).read_text(encoding="utf-8", errors="replace")
    return _GENERATED.sub("", text).splitlines()


def folder_of(file: Path) -> str:
    """The first folder; in common and tests the first two."""
    depth = 2 if file.parts[0] in ("common", "tests") and len(file.parts) > 2 else 1
    return "/".join(file.parts[: min(depth, len(file.parts) - 1)]) or "(root)"


def line_table(files: list[Path]) -> Iterator[str]:
    counts: dict[str, Counter[str]] = {"code": Counter(), "prose": Counter()}
    for file in files:
        if kind := kind_of(file):
            counts[kind][folder_of(file)] += len(lines_of(file))
    yield f"{'hand-written lines':<28}{'code':>9}{'prose':>9}"
    for folder in sorted(counts["code"].keys() | counts["prose"].keys()):
        yield f"{folder:<28}{counts['code'][folder]:>9,}{counts['prose'][folder]:>9,}"
    yield f"{'in all':<28}{sum(counts['code'].values()):>9,}{sum(counts['prose'].values()):>9,}"


def weights(files: list[Path]) -> Counter[str]:
    """The lines of code of each folder with a limit; a long line counts twice."""
    counts: Counter[str] = Counter()
    for file in files:
        if kind_of(file) == "code" and not _NO_LIMIT.match(folder_of(file)):
            lines = lines_of(file)
            counts[folder_of(file)] += len(lines) + sum(len(line) > _WIDTH for line in lines)
    return counts


def read_limits() -> dict[str, int]:
    with _LIMITS.open(newline="", encoding="utf-8") as stream:
        return {row["folder"]: int(row["lines"]) for row in csv.DictReader(stream)}


def beyond(counts: Counter[str], limits: dict[str, int]) -> Iterator[str]:
    """The folders that are not within their limits."""
    for folder in sorted(counts.keys() | limits.keys()):
        lines, limit = counts[folder], limits.get(folder, 0)
        if lines > limit:
            yield f"{folder} has {lines} lines and may have {limit}. Remove {lines - limit}, or raise the number in \
tests/instruments/house.csv in a commit that says why."
        elif lines < limit - _SLACK:
            yield f"{folder} has only {lines} lines and may have {limit}: python3 tests/instruments/house.py --lower"


def lower_limits(counts: Counter[str]) -> None:
    limits = {folder: min(counts[folder], limit) for folder, limit in read_limits().items()}
    rows = "".join(f"{folder},{limit}\n" for folder, limit in limits.items() if limit)
    _LIMITS.write_text(f"folder,lines\n{rows}", encoding="utf-8")


def chapters() -> list[Path]:
    folders = (ROOT / "chapters").glob("ch*")
    return sorted(folders, key=lambda folder: int(re.sub(r"\D+", " ", folder.name).split()[0]))


def entries_of(chapter: Path, files: list[Path]) -> int:
    """Number of tracked names at the chapter's root, without exercises and pages."""
    inside = [(ROOT / file).relative_to(chapter).parts[0] for file in files if chapter in (ROOT / file).parents]
    return len({name for name in inside if not _EXERCISE.search(name) and not name.endswith(".md")})


def included(file: Path, folders: tuple[Path, ...], seen: set[Path]) -> set[Path]:
    """The workbook's headers that the file includes, directly or indirectly."""
    for name in _INCLUDE.findall(file.read_text(encoding="utf-8")):
        header = next((place / name for place in (file.parent, *folders, ROOT) if (place / name).is_file()), None)
        if header and header not in seen:
            seen.add(header)
            included(header, folders, seen)
    return seen


def chapter_table(files: list[Path]) -> Iterator[str]:
    yield f"{'chapter':<20}{'entries':>9}  last stage with headers of its chapter: headers, lines"
    for chapter in chapters():
        stages = sorted((*chapter.glob("[0-9][0-9]*_*.cu"), *chapter.glob("*/[0-9][0-9]*_*.cu")))
        folders = ChapterFiles(ROOT, chapter.name).include_folders
        headers = {stage: {h for h in included(stage, folders, set()) if "harness" not in h.parts} for stage in stages}
        last = max(stages, key=lambda stage: (bool(headers[stage]), stage.name))
        lines = sum(len(header.read_text(encoding="utf-8").splitlines()) for header in headers[last])
        yield f"{chapter.name:<20}{entries_of(chapter, files):>9}  {last.name}: {len(headers[last])}, {lines}"


def build_table() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        subprocess.run(["cmake", "-S", str(ROOT), "-B", folder], check=True, stdout=subprocess.DEVNULL)
        seconds = time.monotonic() - start
        size_bytes = sum(file.lstat().st_size for file in Path(folder).rglob("*") if file.is_file())
        yield f"CMake configures all chapters in {seconds:.1f} s; the build folder then has {size_bytes / 1e6:.1f} MB."


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--build", action="store_true", help="configure a new build folder too")
    asked.add_argument("--check", action="store_true", help="compare each folder with its limit")
    asked.add_argument("--lower", action="store_true", help="lower the limits to what the folders have")
    parsed = parser.parse_args(arguments)
    try:
        files = tracked(ROOT)
    except CannotCheck as why:
        print(f"Not checked: {why}.")
        return _CANNOT_CHECK
    if parsed.lower:
        lower_limits(weights(files))
        return 0
    if parsed.check:
        found = list(beyond(weights(files), read_limits()))
        print("\n".join(found) or "Each folder is within its limit.")
        return 1 if found else 0
    print("\n".join([*line_table(files), "", *chapter_table(files)]))
    if parsed.build:
        print("\n".join(["", *build_table()]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
