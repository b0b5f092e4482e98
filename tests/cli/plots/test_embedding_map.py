"""plots/embedding_map.py: the pictures of a map, pixel by pixel, and the errors for invalid files."""

from __future__ import annotations

import struct
import unittest
import zlib
from pathlib import Path

from support import FolderTest, ended

import embedding_map
from embedding_map import MapError, Picture, drawing_of, read_frames, read_map, strip_of

CROSS = [(-5.0, 0.0), (5.0, 0.0), (0.0, 5.0), (0.0, -5.0)]


def count(picture: Picture, colour: int, left: int = 0, right: int | None = None) -> int:
    return sum(row[left:right].count(colour) for row in picture.pixels)


class DrawingTest(unittest.TestCase):
    def test_each_point_is_in_its_colour_and_y_grows_upwards(self) -> None:
        picture = drawing_of(CROSS, [0, 1, 2, 9], size=100)
        for colour in (1, 2, 3, 10):
            self.assertGreater(count(picture, colour), 4)
        self.assertTrue(any(3 in row for row in picture.pixels[:40]))

    def test_equal_points_are_one_dot(self) -> None:
        self.assertEqual(count(drawing_of([(3.0, 3.0)] * 2, [], size=100), 1), 5 * 4)

    def test_a_strip_has_each_map_in_its_square(self) -> None:
        strip = strip_of([CROSS, [(0.0, 0.0)] * 3 + [(1.0, 1.0)], CROSS], [0, 1, 2, 9], size=50)
        self.assertEqual((strip.width, strip.height), (150, 50))
        for colour in (1, 2, 3, 10):
            self.assertEqual([count(strip, colour, left, left + 50) for left in (0, 100)], [4, 4])
        self.assertEqual(count(strip, 10, 50, 100), 4)
        self.assertEqual(count(strip, 1, 50, 100), 0)  # three points at the same position: the last one is visible

    def test_a_png_of_a_few_pixels(self) -> None:
        picture = Picture(3, 2)
        picture.pixels[1][2] = 4
        data = picture.png()
        self.assertEqual(data[:16], b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
        self.assertEqual(struct.unpack(">IIBBBBB", data[16:29]), (3, 2, 8, 3, 0, 0, 0))
        start = data.index(b"IDAT") + 4
        self.assertEqual(zlib.decompress(data[start:-16]), b"\0\0\0\0\0\0\0\4")
        self.assertEqual(data[-12:], b"\0\0\0\0IEND\xae\x42\x60\x82")


class FilesTest(FolderTest):
    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(text, encoding="utf-8")
        return file

    def draw(self, file: Path) -> tuple[int, str]:
        return ended(embedding_map.main, [str(file)])

    def test_reads_the_files_of_a_program(self) -> None:
        file = self.write("four_map.csv", "x,y,label\n0,1,7\n2,3,8\n")
        frames = self.write("four_map_frames.csv", "frame,x,y\n1,0,0\n1,1,1\n2,0,1\n2,2,3\n")
        self.assertEqual(read_map(file), ([(0.0, 1.0), (2.0, 3.0)], [7, 8]))
        self.assertEqual(read_frames(frames), [[(0.0, 0.0), (1.0, 1.0)], [(0.0, 1.0), (2.0, 3.0)]])
        pictures = [self.folder / "four_map.png", self.folder / "four_map_frames.png"]
        self.assertEqual(self.draw(file), (0, "".join(f"Wrote {picture}\n" for picture in pictures)))
        self.assertEqual(struct.unpack(">II", pictures[1].read_bytes()[16:24]), (600, 300))

    def test_a_map_without_labels_and_history(self) -> None:
        file = self.write("m_map.csv", "x,y\n0,1\n2,3\n")
        self.assertEqual(self.draw(file), (0, f"Wrote {file.with_suffix('.png')}\n"))

    def test_the_message_names_a_wrong_file(self) -> None:
        broken = ("x,y\nnan,2\n", "x,y,label\n1,2,1.5\n")
        for text in (*broken, "", "iteration,kl\n1,2\n", "x,y\n1\n", "x,y\none,2\n", "x,y\n"):
            with self.subTest(text), self.assertRaisesRegex(MapError, "m.csv is not a map"):
                read_map(self.write("m.csv", text))
        self.assertEqual(self.draw(self.folder / "no.csv")[0], 1)
