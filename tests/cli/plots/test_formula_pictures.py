"""Pictures: in chapters 6 to 9, the formulas are those of the stages and give the drawn values; no texts overlap."""

from __future__ import annotations

import re
import unittest

import support  # puts the plotting scripts on the path

import draw_lesson_pictures as pictures
import each_pair_once_pictures as embedding
import matmul_paper_pictures as paper
import matmul_pictures as matmul
import overlap_pictures as overlap
import pair_pictures as pairs
import tensor_core_pictures as tensor_cores
import vector_map_pictures as vector_map
from cli.chapter_files import ChapterFiles
from cli.pictures.svg_drawing import MARGIN
from pictures.support import assert_tidy

# Chapter 3's pictures of traces have a small label on each lane.
CHAPTERS = sorted(set(pictures.PICTURES) - {"ch3_transpose"})


class MatrixProductTest(unittest.TestCase):
    def test_threads_make_each_element_of_the_tile_once(self) -> None:
        for stages in matmul.THREAD_TILES:
            places = [stages.place(thread, i) for thread in range(matmul.BLOCK_DIM) for i in range(matmul.THREAD_TILE)]
            self.assertEqual(sorted(places), list(range(matmul.TILE_DIM)), stages.stages)

    def test_runs_of_places(self) -> None:
        self.assertEqual(matmul.runs([5, 3, 4, 9]), [(3, 3), (9, 1)])
        self.assertEqual(matmul.runs([]), [])

    def test_lanes_hold_each_element_once(self) -> None:
        for fragment in matmul.FRAGMENTS:
            held = matmul.holders(fragment)
            elements = {(row, col) for row in range(fragment.rows) for col in range(fragment.cols)}
            self.assertEqual(set(held), elements, fragment.name)
            self.assertEqual(len(set(held.values())), len(elements), fragment.name)

    def test_elements_of_a_lane(self) -> None:
        a, b, c = (matmul.holders(fragment) for fragment in matmul.FRAGMENTS)
        self.assertEqual((a[13, 6], b[6, 5], c[13, 5]), ((22, 3), (22, 1), (22, 3)))

    def test_bands_have_each_tile_once_and_the_last_may_be_lower(self) -> None:
        tiles = [matmul.tile_in_band(block, 5, 3, 4) for block in range(15)]
        self.assertEqual(set(tiles), {(row, col) for row in range(5) for col in range(3)})
        self.assertEqual(tiles[3:6], [(3, 0), (0, 1), (1, 1)])
        self.assertEqual(tiles[12:], [(4, 0), (4, 1), (4, 2)])


class ProductOnPaperTest(unittest.TestCase):
    def setUp(self) -> None:
        tiles = range(0, paper.SIDE, paper.TILE)
        self.blocks = [paper.Place(row // paper.TILE, col // paper.TILE) for row in tiles for col in tiles]
        self.steps = tiles

    def test_loads_are_half_of_those_without_tiles(self) -> None:
        elements = [paper.Place(row, col) for row in range(paper.SIDE) for col in range(paper.SIDE)]
        without = sum(len(factors) for element in elements for factors in paper.loads_without_tiles(element))
        steps = [paper.loads_of_step(block, step) for block in self.blocks for step in self.steps]
        with_tiles = sum(len(factors) for step in steps for factors in step.values())
        self.assertEqual((without, with_tiles), (4 * 4 * 4 * 2, 4 * 4 * 4))

    def test_a_block_loads_each_element_that_it_needs_once(self) -> None:
        for block in self.blocks:
            loaded = [load for step in self.steps for load in paper.loads_of_step(block, step).values()]
            of_block = [paper.Place(2 * block.row + y, 2 * block.col + x) for y in range(2) for x in range(2)]
            needed = [load for element in of_block for load in paper.loads_without_tiles(element)]
            for matrix in range(2):
                self.assertEqual(len({load[matrix] for load in loaded}), len(loaded))
                self.assertEqual({load[matrix] for load in loaded}, {load[matrix] for load in needed})

    def test_the_page_lists_the_loads_of_each_thread(self) -> None:
        page = (support.ROOT / "chapters/ch6_matmul/README.md").read_text(encoding="utf-8")
        for thread in (paper.Place(y, x) for y in range(2) for x in range(2)):
            element = paper.Place(thread.row, 2 + thread.col)
            naive = paper.loads_without_tiles(element)
            both = ("a", [load.a for load in naive]), ("b", [load.b for load in naive])
            rows = [" ".join(paper.name(matrix, place) for place in places) for matrix, places in both]
            self.assertIn(f"| `{paper.name('c', element)}` | `{rows[0]}` | `{rows[1]}` |", page)
            tiled = [paper.loads_of_step(paper.BLOCK, step)[thread] for step in self.steps]
            cells = [f"`{paper.name('a', load.a)}`, `{paper.name('b', load.b)}`" for load in tiled]
            self.assertIn(f"| `{paper.name('c', element)}` | {cells[0]} | {cells[1]} |", page)


class TensorCoreTest(unittest.TestCase):
    def test_two_tf32_parts_hold_nearly_a_float(self) -> None:
        for value in (0.7, 1.0, 3.14159, 1e-3):
            whole = tensor_cores.float_of(tensor_cores.bits_of(value))
            part = tensor_cores.cut_off(whole)
            residual = whole - part
            self.assertEqual(tensor_cores.float_of(tensor_cores.bits_of(residual)), residual, "it is a float")
            self.assertLess(residual, whole / 1000)
            self.assertLess(whole - part - tensor_cores.cut_off(residual), whole / 1e6)


class OverlapTest(unittest.TestCase):
    def test_ends_of_five_steps(self) -> None:
        self.assertEqual(overlap.steps_one_after_another(5)[-1].used.end, 5 * 2.5)
        self.assertEqual(overlap.steps_with_buffers(5, 2)[-1].used.end, 5 * 1.5 + 1)
        self.assertEqual(overlap.steps_with_buffers(5, 3)[-1].used.end, 1.5 + 5)

    def test_a_buffer_has_one_step_at_a_time(self) -> None:
        for buffers in (2, 3):
            steps = overlap.steps_with_buffers(9, buffers)
            for before, after in zip(steps, steps[buffers:], strict=False):
                self.assertLessEqual(before.used.end, after.copied.begin, buffers)

    def test_streams_keep_their_order_and_the_bus_has_one_copy_each_way(self) -> None:
        trips = overlap.trips_in_streams(9)
        for before, after in zip(trips, trips[1:], strict=False):
            self.assertLessEqual(before.there.end, after.there.begin)
            self.assertLessEqual(before.back.end, after.back.begin)
        for before, after in zip(trips, trips[overlap.STREAMS :], strict=False):
            self.assertLessEqual(before.back.end, after.there.begin)

    def test_kernel_is_a_fortieth_of_a_copy_and_many_chunks_take_half_of_the_time(self) -> None:
        self.assertEqual(overlap.KERNEL_TIME, 1 / 40)
        chunks = 239  # 250 million floats
        whole = overlap.trip_at_once(chunks).back.end
        self.assertAlmostEqual(whole / overlap.trips_in_streams(chunks)[-1].back.end, 2.0, delta=0.02)


class CrossoverTest(unittest.TestCase):
    def test_the_gpu_leads_from_the_crossover_on(self) -> None:
        self.assertEqual(round(vector_map.crossover()), 29_412)
        for elements in (0, 29_000):
            self.assertLess(vector_map.cpu_us(elements), vector_map.gpu_us(elements))
        self.assertLess(vector_map.gpu_us(30_000), vector_map.cpu_us(30_000))


class PairsTest(unittest.TestCase):
    def test_pairs_and_their_numbers(self) -> None:
        for count in (2, 3, 7, 96):
            numbered = [pairs.pair_at(index, count) for index in range(pairs.pair_count(count))]
            self.assertEqual(numbered, [(i, j) for i in range(count) for j in range(i + 1, count)])
            self.assertEqual([pairs.pair_index(i, j, count) for i, j in numbered], list(range(len(numbered))))

    def test_tiles_on_the_diagonal_and_above_row_after_row(self) -> None:
        tiles = [pairs.tile_at(block, 6) for block in range(21)]
        self.assertEqual(tiles, [(i, j) for i in range(6) for j in range(i, 6)])

    def test_tiles_store_every_pair_once(self) -> None:
        stored = sum(len(pairs.pairs_of_tile(pairs.tile_at(block, 6))) for block in range(21))
        self.assertEqual(stored, pairs.pair_count(96))
        self.assertEqual((len(pairs.pairs_of_tile((1, 3))), len(pairs.pairs_of_tile((2, 2)))), (256, 120))

    def test_swizzled_columns_are_a_permutation_of_each_row_and_meet_each_bank_once(self) -> None:
        stage = (support.ROOT / "chapters/ch8_tsne/04_swizzled.cu").read_text(encoding="utf-8")
        self.assertIn("tile[p][v ^ p] = ", stage)
        for vector in range(8):
            self.assertEqual(sorted(pairs.columns_of(vector, is_swizzled=True)), list(range(8)))
        for row in range(8):
            self.assertEqual(sorted(pairs.swizzled(vector, row) for vector in range(8)), list(range(8)))
        self.assertEqual(pairs.columns_of(2, is_swizzled=True), [2, 3, 0, 1, 6, 7, 4, 5])

    def test_packed_order_has_each_vector_once_and_a_threads_four_together(self) -> None:
        packed = [pairs.vector_at(place) for place in range(64)]
        self.assertEqual(sorted(packed), list(range(64)))
        self.assertEqual(packed[8:12], [2, 10, 18, 26])
        self.assertEqual(packed[32:36], [32, 40, 48, 56])


class EachPairOnceTest(unittest.TestCase):
    def test_sums_come_back_pushed_by_all(self) -> None:
        for lanes in (4, 32):
            *steps, back = embedding.round_of_sums(lanes)
            self.assertEqual(len(steps), lanes)
            self.assertEqual([carried.other for carried in back], list(range(lanes)))
            self.assertTrue(all(sorted(carried.pushed_by) == list(range(lanes)) for carried in back))

    def test_each_pair_of_tiles_is_one_blocks(self) -> None:
        for tiles in (1, 2, 5, 6):
            blocks = range(embedding.blocks_of(tiles))
            met = sorted(tuple(sorted(embedding.tiles_of_block(block, tiles))) for block in blocks)
            self.assertEqual(met, [(i, j) for i in range(tiles) for j in range(i, tiles)], tiles)


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
        for chapter in CHAPTERS:
            for name, draw in pictures.PICTURES[chapter].items():
                with self.subTest(name):
                    assert_tidy(self, draw(), margin=MARGIN / 4, bottom=6)

    def test_letters_are_not_too_small_to_read(self) -> None:
        for chapter in CHAPTERS:
            for name, draw in pictures.PICTURES[chapter].items():
                sizes = map(float, re.findall(r'font-size="([\d.]+)"', draw()))
                self.assertGreaterEqual(min(sizes), 11, name)

    def test_lessons_show_each_picture(self) -> None:
        for chapter in CHAPTERS:
            pages = ChapterFiles(support.ROOT, chapter).pages
            lesson = "\n".join(page.read_text(encoding="utf-8") for page in pages)
            for name in pictures.PICTURES[chapter]:
                self.assertRegex(lesson, rf"!\[.{{20,}}\]\(lesson/pictures/{re.escape(name)}\)")
