#!/usr/bin/env python3
"""Draws maps of vectors (chapter 9), from the files that a program writes with --input or --clusters.

    python3 plots/embedding_map.py data/digits_map.csv      data/digits_map.png, data/digits_map_frames.png

A point is a small digit in the colour of its label, or a dot without a label or with a label above 9. The second
picture shows the map at some iterations, from left to right, each at its own scale; it needs
data/digits_map_frames.csv. Needs only Python.
"""

from __future__ import annotations

import argparse
import csv
import math
import struct
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

_SIZE, _MARGIN = 1000, 20  # pixels of the map
_FRAME_SIZE, _FRAME_MARGIN = 300, 6
# The digits and a dot. Each octal digit is a row of three pixels, from top to bottom.
_GLYPHS = (0o75557, 0o26227, 0o71747, 0o71717, 0o55711, 0o74717, 0o74757, 0o71222, 0o75757, 0o75717, 0o02720)
_DOT = 10
_GLYPH_WIDTH, _GLYPH_HEIGHT, _SCALE = 3, 5, 2
# White, then a colour for each label from 0 to 9; larger labels repeat the colours.
_COLOURS = (
    *((255, 255, 255), (20, 20, 20), (31, 110, 190), (225, 110, 0), (20, 140, 50), (205, 30, 40)),
    *((130, 80, 185), (120, 70, 55), (220, 90, 180), (110, 120, 20), (0, 150, 170)),
)

Points = list[tuple[float, float]]


class MapError(Exception):
    """A file is not a valid map; the message is for the user."""


@dataclass
class Picture:
    """pixels[y][x] is the number of a colour; y counts downwards."""

    width: int
    height: int

    def __post_init__(self) -> None:
        self.pixels = [bytearray(self.width) for _ in range(self.height)]

    def png(self) -> bytes:
        """The bytes of a PNG file (ISO/IEC 15948)."""
        palette = b"".join(bytes(colour) for colour in _COLOURS)
        rows = b"".join(b"\0" + row for row in self.pixels)  # each unfiltered
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 3, 0, 0, 0)
        parts = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _places(points: Points, size: int, margin: int) -> list[tuple[int, int]]:
    """The pixel of each point in a square: x grows to the right and y upwards, in one scale."""
    xs, ys = zip(*points)
    scale = (size - 2 * margin) / max(max(xs) - min(xs), max(ys) - min(ys), 1e-300)
    x_middle, y_middle = (min(xs) + max(xs)) / 2, (min(ys) + max(ys)) / 2
    return [(round(size / 2 + (x - x_middle) * scale), size - round(size / 2 + (y - y_middle) * scale)) for x, y in points]


def drawing_of(points: Points, labels: list[int], size: int = _SIZE) -> Picture:
    picture = Picture(size, size)
    for (left, top), label in zip(_places(points, size, _MARGIN), labels or [-1] * len(points)):
        glyph = _GLYPHS[label if 0 <= label <= 9 else _DOT]
        for y in range(_GLYPH_HEIGHT * _SCALE):
            for x in range(_GLYPH_WIDTH * _SCALE):
                bit = (_GLYPH_HEIGHT - 1 - y // _SCALE) * _GLYPH_WIDTH + _GLYPH_WIDTH - 1 - x // _SCALE
                if glyph >> bit & 1:
                    row = picture.pixels[top + y - _GLYPH_HEIGHT * _SCALE // 2]
                    row[left + x - _GLYPH_WIDTH * _SCALE // 2] = _colour(label)
    return picture


def strip_of(maps: list[Points], labels: list[int], size: int = _FRAME_SIZE) -> Picture:
    """Maps next to each other, each in its own square. A point is a small square."""
    picture = Picture(size * len(maps), size)
    for number, points in enumerate(maps):
        for (left, top), label in zip(_places(points, size, _FRAME_MARGIN), labels or [-1] * len(points)):
            for y in (top, top + 1):
                for x in (left, left + 1):
                    picture.pixels[y][number * size + x] = _colour(label)
    return picture


def _colour(label: int) -> int:
    return 1 + max(label, 0) % 10


def read_map(file: Path) -> tuple[Points, list[int]]:
    """The points, and their labels if they have any. Raises MapError."""
    rows = _rows(file, (["x", "y"], ["x", "y", "label"]))
    return [(float(row[0]), float(row[1])) for row in rows], [int(row[2]) for row in rows if len(row) > 2]


def read_frames(file: Path) -> list[Points]:
    """The maps, in order; empty without the file. Raises MapError."""
    frames: dict[str, Points] = {}
    for frame, x, y in _rows(file, (["frame", "x", "y"],)) if file.is_file() else ():
        frames.setdefault(frame, []).append((float(x), float(y)))
    return list(frames.values())


def _rows(file: Path, headers: tuple[list[str], ...]) -> list[list[str]]:
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            header, *rows = csv.reader(lines)
        if header not in headers or not rows or any(len(row) != len(header) for row in rows):
            raise ValueError
        for row in rows:
            is_labelled = header[-1] == "label"
            if not all(math.isfinite(float(value)) for value in row) or (is_labelled and not row[-1].isdecimal()):
                raise ValueError
        return rows
    except OSError as error:
        raise MapError(f"{file} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise MapError(f"{file} is not a map: it must have numbers in the columns {','.join(headers[-1])}.") from error


def draw(file: Path) -> list[Path]:
    """Writes the pictures and returns their paths. Raises MapError."""
    points, labels = read_map(file)
    written = [file.with_suffix(".png")]
    pictures = [drawing_of(points, labels)]
    frames = read_frames(file.with_name(f"{file.stem}_frames.csv"))
    if frames:
        written.append(file.with_name(f"{file.stem}_frames.png"))
        pictures.append(strip_of(frames, labels))
    for path, picture in zip(written, pictures):
        try:
            path.write_bytes(picture.png())
        except OSError as error:
            raise MapError(f"{path} cannot be written: {error.strerror}.") from error
    return written


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("map", type=Path, metavar="FILE", help="<vectors>_map.csv")
    try:
        for picture in draw(parser.parse_args(arguments).map):
            print(f"Wrote {picture}")
    except MapError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
