#!/usr/bin/env python3
"""Draws the pictures of a chapter's lesson, from the index formulas of its stages.

    python3 plots/draw_lesson_pictures.py ch3_transpose            writes chapters/ch3_transpose/pictures/*.svg
    python3 plots/draw_lesson_pictures.py ch3_transpose --check    exits 1 when a picture is out of step
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from transpose_access_pictures import banks, warp_requests
from transpose_tile_pictures import tile_order, tile_turn

ROOT = Path(__file__).resolve().parents[1]

PICTURES: dict[str, dict[str, Callable[[], str]]] = {
    "ch3_transpose": {
        "warp_requests.svg": warp_requests,
        "banks.svg": banks,
        "tile_turn.svg": tile_turn,
        "tile_order.svg": tile_order,
    },
}


def main(arguments: list[str]) -> int:
    """Exit code 1 for a picture that is missing, out of step or cannot be written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chapter", choices=sorted(PICTURES))
    parser.add_argument("--check", action="store_true", help="compare the pictures with what would be drawn")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    parsed = parser.parse_args(arguments)
    try:
        return (check if parsed.check else write)(parsed.root, parsed.chapter)
    except OSError as error:
        print(error, file=sys.stderr)
        return 1


def write(root: Path, chapter: str) -> int:
    for file, draw in _files(root, chapter):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(draw().encode())
        print(f"Wrote {file.relative_to(root)}")
    return 0


def check(root: Path, chapter: str) -> int:
    out_of_step = [
        str(file.relative_to(root))
        for file, draw in _files(root, chapter)
        if not file.exists() or file.read_bytes() != draw().encode()
    ]
    if not out_of_step:
        return 0
    print(
        f"Out of step with plots/draw_lesson_pictures.py: {', '.join(out_of_step)}\n"
        f"Fix it with: python3 plots/draw_lesson_pictures.py {chapter}",
        file=sys.stderr,
    )
    return 1


def _files(root: Path, chapter: str) -> list[tuple[Path, Callable[[], str]]]:
    folder = root / "chapters" / chapter / "pictures"
    return [(folder / name, draw) for name, draw in PICTURES[chapter].items()]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
