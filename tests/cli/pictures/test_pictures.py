"""Pictures of requests and elements: their texts are correct and do not overlap."""

from __future__ import annotations

import re
import unittest
from collections.abc import Callable

from pictures.support import Offset, access, assert_tidy, elements, report, words

from cli.errors import UsageError, WorkbookError
from cli.pictures.access_picture import Choice, draw_accesses, parse_choice
from cli.tracing.report import Report


def touched(
    rows: int, columns: int, block: Callable[[int, int], list[int]], several: bool = False
) -> list[list[object]]:
    return [[[block(row, column), 32 * row + column, several] for column in range(columns)] for row in range(rows)]


class TidyTest(unittest.TestCase):
    def draw(self, *accesses: dict, elements: tuple[dict, ...] = (), grid: tuple[int, ...] = (4, 1, 1)) -> str:
        """A picture, which is tidy."""
        svg = draw_accesses(report(*accesses, elements=elements, grid=grid), None, "program --size 3")
        assert_tidy(self, svg)
        return svg


class PictureTest(TidyTest):
    def test_no_bank_conflict(self) -> None:
        found = words(self.draw(access(lambda lane: 16 * lane, 16, memory="shared", max_conflict_ways=1)))
        self.assertIn("4 wavefronts, no bank conflict", found)
        self.assertIn("lanes 8\u201315", found)
        self.assertNotIn("words", found)
        self.assertFalse(any("Red cells" in text for text in found))

    def test_equal_parts_of_a_warp_are_drawn_once(self) -> None:
        svg = self.draw(access(lambda lane: 64 * lane, 16, memory="shared", max_conflict_ways=4))
        self.assertIn("The other lanes do the same, 8 at a time.", words(svg))
        self.assertEqual(words(svg).count("wavefront 4"), 1)

    def test_lanes_that_share(self) -> None:
        svg = self.draw(access(lambda lane: 0))
        self.assertIn("\u00d732", words(svg))
        self.assertIn("1 sector, ideal: lanes share elements", words(svg))
        wide = words(self.draw(access(lambda lane: 16 * (lane // 4), 16)))
        self.assertIn("4\u20137", wide)

    def test_atomic_functions_at_one_address(self) -> None:
        svg = self.draw(access(lambda lane: 0, operation="atomic"))
        self.assertIn("32 sectors, 4 are enough", words(svg))
        serialised = "updates of the same address are serialised and transfer 32 sectors in total."
        self.assertIn(serialised, " ".join(words(svg)))

    def test_asynchronous_copies(self) -> None:
        svg = self.draw(access(lambda lane: 4 * lane, memory="shared", operation="copy", max_conflict_ways=1))
        self.assertIn("Copy to tile", " ".join(words(svg)))
        self.assertIn("1 wavefront, no bank conflict", words(svg))

    def test_one_lane_and_a_guess(self) -> None:
        one = access(lambda lane: 40 if lane == 7 else None, approximate=True, block=[3, 1, 0], warp=2)
        svg = self.draw(one, grid=(8, 2, 1))
        self.assertIn(
            "Warp 2 of block (3, 1): 1 lane of 4 bytes transfers 1 sector of 32 bytes and uses 4 bytes of it. "
            "The simulator guessed which lanes belong together.",
            " ".join(words(svg)),
        )

    def test_all_shapes_are_tidy(self) -> None:
        offsets: tuple[Offset, ...] = (
            lambda lane: 4 * lane,
            lambda lane: 132 * lane,
            lambda lane: 100000 * (31 - lane),
            lambda lane: (lane * 7919) % 4096 * 4,
            lambda lane: 4 * lane if lane % 3 == 0 else None,
            lambda lane: 12 * (1 << 30) + 512 * lane,
        )
        for memory in ("global", "shared"):
            for width in (1, 2, 4, 8, 16):
                for number, offset in enumerate(offsets):
                    with self.subTest(memory=memory, width=width, number=number):
                        places = [offset(lane) for lane in range(32)]
                        aligned = [None if place is None else place // width * width for place in places]
                        self.draw(access(aligned.__getitem__, width, memory=memory, max_conflict_ways=2))

    def test_long_names_are_tidy(self) -> None:
        name = "allocation 123456"
        long = access(lambda lane: 4096 * lane, array=name, block=[1023, 1023, 1023], warp=31, file="a" * 30 + ".cu")
        program = "ch9_embedding_device_loop " + "--option 123456 " * 8
        assert_tidy(self, draw_accesses(report(long, grid=(1024, 1024, 1024)), None, program))

    def test_chooses_the_costliest_kernel_and_six_of_its_accesses(self) -> None:
        many = [
            access(lambda lane: 4 * lane, line=line, order=line, sectors=400 if line == 8 else 4, ideal_sectors=4)
            for line in range(1, 9)
        ]
        found = words(self.draw(*many))
        self.assertEqual(found.count("4 sectors, ideal"), 6)
        self.assertIn("Not drawn, because they cost less: 6:1, 7:1", " ".join(found))
        self.assertTrue(any(text.startswith("kernel.cu:8") for text in found))

    def test_choice_of_a_line(self) -> None:
        both = report(
            access(lambda lane: 4 * lane, line=25, column=53),
            access(lambda lane: 4 * lane, line=25, column=9, memory="shared"),
        )
        self.assertEqual(sum("Warp 0" in text for text in words(draw_accesses(both, Choice(25), "p"))), 2)
        self.assertIn("Load from tile", words(draw_accesses(both, Choice(25, 9), "p")))
        with self.assertRaisesRegex(UsageError, r"at line 7. The accesses are at 25:9 \(kernel.cu\), 25:53"):
            draw_accesses(both, Choice(7), "p")
        with self.assertRaisesRegex(UsageError, "at line 25, column 10"):
            draw_accesses(both, Choice(25, 10), "p")

    def test_choice_as_typed(self) -> None:
        self.assertEqual((parse_choice("25"), parse_choice("25:3")), (Choice(25), Choice(25, 3)))
        for text in ("", "0", "x", "25:", ":3", "25:0", "-1", "2.5"):
            with self.subTest(text), self.assertRaisesRegex(UsageError, "--line takes a line or LINE:COLUMN"):
                parse_choice(text)

    def test_nothing_to_draw(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "nothing to draw: no kernel accessed memory"):
            self.draw()
        with self.assertRaisesRegex(WorkbookError, "nothing to draw: no kernel ran"):
            draw_accesses(Report(), None, "p")


class ElementsTest(TidyTest):
    def test_corner_of_a_matrix_with_several_blocks(self) -> None:
        corner = touched(32, 32, lambda row, column: [column // 8, row // 8, 0])
        matrix = elements(corner, columns=1024, array_bytes=1 << 20)
        found = words(self.draw(access(lambda lane: 4 * lane), elements=(matrix,), grid=(128, 4, 1)))
        self.assertIn("corner of 256 \u00d7 1,024", found)
        self.assertEqual(found.count("block (0, 0)"), 2)  # above and to the left
        self.assertIn("block (1, 0)", found)
        self.assertIn("block (0, 1)", found)
        self.assertTrue(any("Lines separate the blocks." in text for text in found))

    def test_all_of_a_small_matrix(self) -> None:
        small = touched(3, 5, lambda row, column: [0, 0, 0], several=True)
        svg = self.draw(access(lambda lane: 4 * lane), elements=(elements(small, columns=5, array_bytes=60),))
        self.assertIn("all of 3 \u00d7 5", words(svg))
        self.assertIn("A marked corner: other threads access the element too.", " ".join(words(svg)))

    def test_elements_without_accesses_at_the_start_are_left_out(self) -> None:
        rows = touched(32, 32, lambda row, column: [0, 0, 0])
        late = [[None] * 32] * 9 + [[None] * 3 + line[3:] for line in rows[9:]]
        matrix = elements(late, columns=1024, array_bytes=1 << 20)
        found = words(self.draw(access(lambda lane: 4 * lane), elements=(matrix,)))
        self.assertIn("part of 256 \u00d7 1,024", found)
        labels = found[found.index("elements of 4 bytes") + 1 :][:17]
        self.assertEqual(labels, [*map(str, range(3, 19)), "9"])  # columns, and the first row

    def test_elements_without_accesses_have_no_map(self) -> None:
        svg = self.draw(access(lambda lane: 4 * lane), elements=(elements([[None] * 32] * 32),))
        self.assertFalse(any(text.startswith("First thread") for text in words(svg)))

    def test_a_list_ends_at_its_last_accessed_row(self) -> None:
        rows = touched(2, 32, lambda row, column: [row, 0, 0]) + [[None] * 32] * 6
        svg = self.draw(access(lambda lane: 4 * lane), elements=(elements(rows, has_rows=False),))
        self.assertIn("the first 64 of 1,024", words(svg))
        self.assertIn("block 1", words(svg))

    def test_upright_names_of_narrow_blocks(self) -> None:
        columns = touched(16, 16, lambda row, column: [column, 0, 0])
        matrix = elements(columns, columns=512, array_bytes=1 << 20)
        svg = self.draw(access(lambda lane: 4 * lane), elements=(matrix,), grid=(512, 1, 1))
        self.assertIn("block 15", words(svg))
        self.assertIn("rotate(-90", svg)

    def test_loads_and_stores_in_the_order_of_the_accesses(self) -> None:
        rows = touched(8, 8, lambda row, column: [0, 0, 0])
        tile = elements(rows, memory="shared", array="tile", stores=rows, columns=8, array_bytes=256)
        svg = self.draw(
            access(lambda lane: 4 * lane, memory="shared", operation="store", order=1, line=1),
            access(lambda lane: 4 * lane, memory="shared", order=2, line=2),
            elements=(tile, elements(rows, array="allocation 2")),
        )
        titles = [text for text in words(svg) if re.match("loads from|stores to", text)]
        self.assertEqual(titles, ["stores to tile", "loads from tile"])  # no access to allocation 2 is drawn

    def test_many_maps_are_tidy(self) -> None:
        matrix = touched(32, 32, lambda row, column: [0, 0, 0])
        maps = tuple(elements(matrix, array=f"allocation {n}", columns=4096 >> n) for n in range(1, 5))
        listed = elements(matrix, array="allocation 5", has_rows=False)
        accesses = [access(lambda lane: 4 * lane, array=f"allocation {n}", order=n, line=n) for n in range(1, 6)]
        self.draw(*accesses, elements=(*maps, listed))
