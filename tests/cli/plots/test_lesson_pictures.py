"""The pictures of chapter 3 agree with the claims, and the command finds the files that are out of date."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import support  # puts the plotting scripts on the path

import draw_lesson_pictures as pictures
from cli.pictures import svg_drawing
import lesson_traces
import transpose_access_pictures as access_pictures
import transpose_layouts as layouts
import transpose_paper_pictures as paper
import transpose_tile_pictures as tile_pictures
from plots.drawn import SVG, claims

CHAPTER = "ch3_transpose"


class FormulasTest(unittest.TestCase):
    def test_conflicts_of_the_three_tiles(self) -> None:
        claimed = claims(CHAPTER)
        for panel, stage in zip(access_pictures.BANK_PANELS, ("localmem", "padded", "swizzled"), strict=True):
            expected = claimed[stage, "shared load", "conflict_ways"]
            for index in range(layouts.TILE_DIM):
                down = layouts.banks_down_column(panel.layout, index)
                self.assertEqual({layouts.wavefronts(down)}, expected, panel.name)

    def test_eight_banks_behave_like_thirty_two(self) -> None:
        ways = [layouts.wavefronts(layouts.banks_down_column(panel.layout, 0, dim=8)) for panel in access_pictures.BANK_PANELS]
        self.assertEqual(ways, [8, 1, 1])

    def test_tile_is_turned_and_warps_keep_to_rows_of_both_matrices(self) -> None:
        read_in, written, read_tile, out = layouts.turn_tile(4)
        for (row, col), moved in out.items():
            self.assertEqual((moved.r, moved.c), (col, row))
        for cells in (read_in, written, out):
            self.assertTrue(all(moved.warp == row for (row, _), moved in cells.items()))
        self.assertTrue(all(moved.warp == col for (_, col), moved in read_tile.items()))

    def test_orders_visit_every_tile_once(self) -> None:
        tiles = {(row, col) for row in range(3) for col in range(5)}
        for order in tile_pictures.TILE_ORDERS:
            self.assertEqual({order.tile_of(block, 3, 5) for block in range(15)}, tiles)
        self.assertEqual(layouts.tile_along_rows(7, 3, 5), (1, 2))
        self.assertEqual(layouts.tile_down_columns(7, 3, 5), (1, 2))
        self.assertEqual(layouts.tile_down_columns(1, 3, 5), (1, 0))

    def test_stretches_that_run_together(self) -> None:
        along, down = (tile_pictures.running_tiles(order) for order in tile_pictures.TILE_ORDERS)
        self.assertEqual(tile_pictures.stretch(map(layouts.mirrored, along)), (192, 128))
        self.assertEqual(tile_pictures.stretch(map(layouts.mirrored, down)), (32, 768))
        with self.assertRaises(ValueError):
            tile_pictures.stretch([(0, 0), (0, 1), (1, 0)])


class PaperTest(unittest.TestCase):
    def test_a_row_of_the_input_is_a_column_of_the_output(self) -> None:
        out = paper.transposed_in_memory(3, 4)
        self.assertEqual(sorted(out), [(r, c) for r in range(3) for c in range(4)])
        self.assertEqual([out.index((1, c)) for c in range(4)], [1, 4, 7, 10])

    def test_eight_banks_with_and_without_a_ninth_column(self) -> None:
        plain, padded = paper.PAPER_TILES
        for c in range(8):
            self.assertEqual({plain.bank(r, c) for r in range(8)}, {c})
            self.assertEqual({padded.bank(r, c) for r in range(8)}, set(range(8)))

    def test_the_halo_holds_the_neighbours_that_are_not_in_the_tile(self) -> None:
        for side in (4, 32):
            tile = {(r, c) for r in range(side) for c in range(side)}
            around = {(r + down, c + across) for r, c in tile for down, across in ((-1, 0), (1, 0), (0, -1), (0, 1))}
            self.assertEqual(len(around - tile), paper.halo_elements(side))


class PicturesTest(unittest.TestCase):
    def test_every_picture_has_a_description_and_a_white_background(self) -> None:
        for name, draw in (item for chapter in pictures.PICTURES.values() for item in chapter.items()):
            root = ElementTree.fromstring(draw())
            self.assertGreater(len(root.findtext(f"{SVG}title", "")), 20, name)
            self.assertGreater(len(root.findtext(f"{SVG}desc", "")), 80, name)
            self.assertTrue(root.get("font-family", "").endswith("sans-serif"), name)
            card = root.find(f"{SVG}rect")
            self.assertEqual(card.get("fill"), "#ffffff", name)
            self.assertGreaterEqual(float(card.get("width")), svg_drawing.WIDTH - 1, name)


class CommandTest(unittest.TestCase):
    def command(self, *arguments: str) -> tuple[int, str]:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            return pictures.main([CHAPTER, *arguments]), output.getvalue()

    def test_check_names_missing_and_changed_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.command("--root", folder, "--check")[0], 1)
            self.assertEqual(self.command("--root", folder)[0], 0)
            self.assertEqual(self.command("--root", folder, "--check"), (0, ""))
            changed = Path(folder) / "chapters" / CHAPTER / "lesson/pictures/banks.svg"
            changed.write_text(changed.read_text(encoding="utf-8").replace("32 wavefronts", "16 wavefronts"), encoding="utf-8")
            code, message = self.command("--root", folder, "--check")
        self.assertEqual(code, 1)
        self.assertIn("banks.svg", message)
        self.assertNotIn("tile_turn.svg", message)
        self.assertIn(f"Fix it with: python3 plots/draw_lesson_pictures.py {CHAPTER}", message)


class TracesTest(unittest.TestCase):
    def test_other_columns_are_the_same_requests_and_other_addresses_are_not(self) -> None:
        file = lesson_traces.trace_file(support.ROOT, CHAPTER, "ch3_transpose_naive")
        report = file.read_text(encoding="utf-8")
        self.assertTrue(lesson_traces.same_requests(report, report.replace('"column":53', '"column":7')))
        self.assertFalse(lesson_traces.same_requests(report, report.replace("[0,4096,", "[0,4100,")))
        self.assertFalse(lesson_traces.same_requests(report, report.replace('"line":23', '"line":24')))
