"""The pictures of lessons agree with the claims, pages and stages, can be read, and are found if they are out of date.

What a formula gives is fixed by the committed picture, which the tests pictures.* draw again.
"""

from __future__ import annotations

import csv
import re
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

import support  # puts the plotting scripts on the path

import dot_product_pictures as dot_product
import draw_lesson_pictures as pictures
import lesson_traces
import matmul_paper_pictures as paper
import reduction_pictures as reduction
import saxpy_pictures as saxpy
import transpose_access_pictures as access_pictures
import transpose_layouts as layouts
from cli.chapter_files import ChapterFiles
from cli.pictures import svg_drawing
from pictures.support import assert_tidy

CHAPTER = "ch3_transpose"
SVG = "{http://www.w3.org/2000/svg}"
# Chapter 3's pictures of traces have a small label on each lane.
WITHOUT_TRACES = sorted(set(pictures.PICTURES) - {CHAPTER})


def claims(chapter: str) -> dict[tuple[str, str, str], set[float]]:
    """The claimed values, by target, memory and operation, and measure."""
    found: dict[tuple[str, str, str], set[float]] = {}
    with (support.ROOT / "chapters" / chapter / "lesson/claims.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            access = f"{row['memory']} {row['operation']}"
            found.setdefault((row["stage"], access, row["measure"]), set()).add(float(row["value"]))
    return found


class ClaimsTest(unittest.TestCase):
    def test_sectors_of_the_four_requests(self) -> None:
        counts = [len(request.sectors()) for request in saxpy.REQUESTS]
        self.assertEqual(counts, [4, 5, 32, 16])
        claimed = claims("ch1_saxpy")
        for stage, count in (("many_blocks", counts[0]), ("vectorized", counts[3])):
            self.assertEqual(claimed[stage, "global load", "sectors_per_request"], {count}, stage)

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

    def test_wavefronts_of_the_tree_are_those_claimed(self) -> None:
        # An active warp makes two loads and a store of 8 bytes per lane: two wavefronts if over 16 lanes are active.
        wavefronts = 0
        for step in reduction.tree_by_halves(range(1024)):
            lanes_of_warps = [sum(thread // 32 == warp for thread in step.partners) for warp in range(32)]
            wavefronts += sum(2 * (2 if lanes > 16 else 1) for lanes in lanes_of_warps if lanes)
        wavefronts += 1  # thread 0 reads the sum
        goal = 17280  # ex4_sleeping_lanes with 128 blocks
        self.assertEqual(128 * wavefronts, goal)

    def test_sectors_and_wavefronts_of_both_orders_match_the_claims(self) -> None:
        claimed = claims("ch5_dot_product")
        for order, stage in zip(dot_product.CHUNK_ORDERS, ("chunks_by_column", "chunks_by_row"), strict=True):
            columns = range(dot_product.COLUMNS)
            sectors = {len(order.sectors(column)) for column in columns}
            self.assertEqual(sectors, claimed[stage, "global load", "sectors_per_request"], stage)
            wavefronts = 128 * sum(max(order.lanes_at_banks(column).values()) for column in columns)
            self.assertEqual({wavefronts}, claimed[stage, "shared store", "wavefronts"], stage)

    def test_rows_of_a_warp_fill_40_sectors_each_wanted_by_8_loads(self) -> None:
        order = dot_product.CHUNK_ORDERS[1]
        wanted = [sector for column in range(dot_product.COLUMNS) for sector in order.sectors(column)]
        self.assertEqual(len(set(wanted)), 40)
        self.assertEqual({wanted.count(sector) for sector in wanted}, {8})


class ProductOnPaperTest(unittest.TestCase):
    def test_the_page_lists_the_loads_of_each_thread(self) -> None:
        page = (support.ROOT / "chapters/ch6_matmul/README.md").read_text(encoding="utf-8")
        for thread in (paper.Place(y, x) for y in range(2) for x in range(2)):
            element = paper.Place(thread.row, 2 + thread.col)
            naive = paper.loads_without_tiles(element)
            both = ("a", [load.a for load in naive]), ("b", [load.b for load in naive])
            rows = [" ".join(paper.name(matrix, place) for place in places) for matrix, places in both]
            self.assertIn(f"| `{paper.name('c', element)}` | `{rows[0]}` | `{rows[1]}` |", page)
            tiled = [paper.loads_of_step(paper.BLOCK, step)[thread] for step in range(0, paper.SIDE, paper.TILE)]
            cells = [f"`{paper.name('a', load.a)}`, `{paper.name('b', load.b)}`" for load in tiled]
            self.assertIn(f"| `{paper.name('c', element)}` | {cells[0]} | {cells[1]} |", page)


class StagesTest(unittest.TestCase):
    def test_stages_still_use_these_formulas(self) -> None:
        """The formulas that neither a listing on a page nor a claim fixes."""
        of_thread = "tile_row + thread_row * kWidth + i / kWidth * kWidth * kBlockDim + i % kWidth"
        formulas = {
            "ch3_transpose/06_tile_order.cu": ("tile_col = blockIdx.x / tiles_down", "tile_row = blockIdx.x % tiles_down"),
            "ch6_matmul/03_register_tiled.cu": (
                "kTileDim = 128;",
                "kThreadTile = 8;",
                "tile_row + thread_row + i * kBlockDim",
                "a_tile[thread_row + i * kBlockDim][p]",
            ),
            "ch6_matmul/04_vectorized.cu": (of_thread,),
            "ch6_matmul/05_two_buffers.cu": (of_thread, "buffers[2];"),
            "ch6_matmul/06_three_buffers.cu": (of_thread, "kBuffers = 3;", "start(step + kBuffers - 1)"),
            "ch6_matmul/08_register_buffers.cu": (of_thread,),
            "ch6_matmul/tile_order.h": ("first_row + in_band % height, in_band / height",),
            "ch11_tensor_cores/mma.h": (
                "a: (g, t), (g + 8, t), (g, t + 4), (g + 8, t + 4)",
                "b: (t, g), (t + 4, g)",
                "c: (g, 2 t), (g, 2 t + 1), (g + 8, 2 t), (g + 8, 2 t + 1)",
            ),
            "ch7_vector_map/host/03_pinned_streams.cu": ("kChunk = 1048576;", "kStreams = 3;", "first / kChunk % kStreams"),
            "ch8_tsne/03_shared.cu": ("kSubset = 16;", "tile_at(blockIdx.x", "if (i < j && j < count)"),
            "ch8_tsne/04_swizzled.cu": ("tile[p][v ^ p] = ",),
            "ch8_tsne/tile_index.h": ("pair_count(tiles_across + 1)", "{pair.i, pair.j - 1}"),
            "ch9_embedding/07_each_pair_once.cu": (
                "row = blockIdx.x % tiles, col = (row + blockIdx.x / tiles) % tiles",
                "64 * group + threadIdx.x + step",
                "__shfl_sync(0xffffffff, travelling.x, threadIdx.x + 1)",
                "pairs = tiles * (tiles + 1) / 2",
            ),
        }
        for file, used in formulas.items():
            source = (support.ROOT / "chapters" / file).read_text(encoding="utf-8")
            for formula in used:
                self.assertIn(formula, source, file)


class LegibleTest(unittest.TestCase):
    def test_no_words_overlap_or_leave_the_card(self) -> None:
        for chapter in WITHOUT_TRACES:
            for name, draw in pictures.PICTURES[chapter].items():
                with self.subTest(name):
                    assert_tidy(self, draw(), margin=svg_drawing.MARGIN / 4, bottom=6)

    def test_letters_are_not_too_small_to_read(self) -> None:
        for chapter in WITHOUT_TRACES:
            for name, draw in pictures.PICTURES[chapter].items():
                sizes = map(float, re.findall(r'font-size="([\d.]+)"', draw()))
                self.assertGreaterEqual(min(sizes), 11, name)

    def test_lessons_show_each_picture(self) -> None:
        for chapter in WITHOUT_TRACES:
            pages = ChapterFiles(support.ROOT, chapter).pages
            lesson = "\n".join(page.read_text(encoding="utf-8") for page in pages)
            for name in pictures.PICTURES[chapter]:
                self.assertRegex(lesson, rf"!\[.{{20,}}\]\(lesson/pictures/{re.escape(name)}\)")

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
        return support.ended(pictures.main, [CHAPTER, *arguments])

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
