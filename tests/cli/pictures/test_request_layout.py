"""The layout of a request, and the name of its array in the source.

The committed pictures of traces (the tests pictures.*) fix the layout of chapter 3's requests.
"""

from __future__ import annotations

import unittest

from pictures.support import Offset, access, parsed, report
from support import FolderTest

from cli.pictures.array_names import array_names, name_in_source
from cli.pictures.request_layout import LINE_BYTES, by_block, counted_sectors, lane_groups, spans, used_bytes
from cli.terminal.source_lines import SourceLines


class SectorsTest(unittest.TestCase):
    def test_an_array_that_starts_inside_a_line(self) -> None:
        late = parsed(lambda lane: 4 * lane, begin_in_line=112)
        self.assertEqual(used_bytes(late), {3: 16, 4: 32, 5: 32, 6: 32, 7: 16})
        self.assertEqual([len(found) for found in by_block(spans(late), LINE_BYTES).values()], [4, 28])

    def test_atomic_functions_on_one_address_transfer_its_sector_for_each_lane(self) -> None:
        for lanes_an_address, atomic, load in ((1, 4, 4), (2, 4, 2), (8, 8, 1), (32, 32, 1)):
            for operation, expected in (("atomic", atomic), ("load", load)):
                one = parsed(lambda lane, n=lanes_an_address: 4 * (lane // n), operation=operation)
                self.assertEqual(counted_sectors(one), expected, (operation, lanes_an_address))


class BanksTest(unittest.TestCase):
    def shared(self, offset: Offset, bytes_per_lane: int = 4) -> list:
        return lane_groups(parsed(offset, bytes_per_lane, memory="shared"))

    def test_lanes_of_a_bank_in_their_order(self) -> None:
        (group,) = self.shared(lambda lane: 4 * 32 * (31 - lane) + 20)
        self.assertEqual(list(group.banks), [5])
        self.assertEqual([span.lanes for span in group.banks[5]], [(lane,) for lane in range(32)])
        self.assertEqual(group.banks[5][0].begin, 4 * (32 * 31 + 5))

    def test_lanes_that_share_a_word_share_a_wavefront(self) -> None:
        (group,) = self.shared(lambda lane: lane, 1)
        self.assertEqual(list(group.banks), list(range(8)))
        self.assertEqual(group.banks[1][0].lanes, (4, 5, 6, 7))
        self.assertEqual(group.ways, 1)

    def test_wide_accesses_are_served_in_parts_of_a_warp(self) -> None:
        halves = self.shared(lambda lane: 16 * lane, 8)
        self.assertEqual([(group.lanes[0], group.lanes[-1], group.ways) for group in halves], [(0, 15, 2), (16, 31, 2)])
        quarters = self.shared(lambda lane: 16 * lane, 16)
        self.assertEqual([(group.lanes[0], group.ways) for group in quarters], [(0, 1), (8, 1), (16, 1), (24, 1)])
        self.assertEqual([span.lanes for span in quarters[1].banks[7]], [(9,)])

    def test_parts_are_served_together_if_pairs_of_lanes_agree(self) -> None:
        for width, count in ((8, 1), (16, 2)):
            twins = self.shared(lambda lane, width=width: lane // 2 * width, width)
            self.assertEqual([len(group.lanes) for group in twins], [32 // count] * count, width)
            self.assertEqual([group.ways for group in twins], [1] * count, width)
        even = self.shared(lambda lane: 8 * lane if lane % 2 == 0 else None, 8)
        self.assertEqual([(group.lanes[0], group.lanes[-1], group.ways) for group in even], [(0, 15, 1), (16, 31, 1)])
        shifted = self.shared(lambda lane: (lane + 1) // 2 * 8, 8)
        self.assertEqual([len(group.lanes) for group in shifted], [16, 16])
        upper = self.shared(lambda lane: 8 * lane if lane >= 16 else None, 8)
        self.assertEqual([group.lanes[0] for group in upper], [16])  # a part without lanes takes no wavefront


class NamesTest(FolderTest):
    """Columns are those of g++ 12."""

    CASES = (
        ("  out[col * rows + row] =", 25, "store", "out"),
        ("      in[row * cols + col];", 26, "load", "in"),
        ("  tile[threadIdx.y][threadIdx.x] = in[x];", 34, "store", "tile"),
        ("  out[i] = in[index[i] + 1];", 27, "load", "in"),
        ("  out[i] += p[i].x * 2;", 10, "load", "out"),
        ("  out[i] += p[i].x * 2;", 18, "load", "p"),
        ("  v[i].x = 3;", 10, "store", "v"),
        ("  v[i] = w[i + 32];", 8, "load", "w"),
        ("  *to = v;", 7, "load", None),
        ("  s.data[i] = table[i];", 13, "store", "s.data"),
        ("  a->data[i]++;", 13, "store", "a->data"),
        ("  atomicAdd(&bins[in[i] % 64], 1);", 12, "atomic", "bins"),
        ("  atomicAdd(total, 1);", 12, "atomic", "total"),
        ("  __pipeline_memcpy_async(&tile[at(x, y)][0], &in[first + i], 4);", 26, "copy", "tile"),
        ("  __pipeline_memcpy_async(&tile[at(x, y)][0], &in[first + i], 4);", 26, "load", "in"),
        ("  __pipeline_memcpy_async(to, from, 4);", 26, "load", "from"),
        ("  __pipeline_memcpy_async(to, from + i, 4);", 26, "load", None),
        ("  __pipeline_memcpy_async(to,", 26, "load", None),
        ("  out[i] = __ldg(&in[i]);", 17, "load", "in"),
        ("    sum += a[row * k + p] * b[p];", 13, "load", "a"),
        ("  tile[y][x] = inside ? in[row * k] : 0;", 23, "load", "in"),
        ("  sum += tile[y][p] * 2;", 17, "load", "tile"),
        ("  *p = 1;", 6, "store", None),
        ("  (out)[i] = 1;", 12, "store", None),
        ("", 5, "load", None),
    )

    def test_names(self) -> None:
        for line, column, operation, expected in self.CASES:
            (self.folder / "kernel.cu").write_text(line, encoding="utf-8")
            found = parsed(lambda lane: 4 * lane, operation=operation, column=column)
            self.assertEqual(name_in_source(found, SourceLines(self.folder)), expected, (line, operation))

    def test_a_name_of_two_arrays_is_not_used(self) -> None:
        (self.folder / "kernel.cu").write_text("  p[i] = q[i];", encoding="utf-8")
        both = [access(lambda lane: 4 * lane, operation="store", column=8, array=f"allocation {n}") for n in (1, 2)]
        load = access(lambda lane: 4 * lane, column=13, array="allocation 3")
        names = array_names(report(*both, load).kernels[0], SourceLines(self.folder))
        self.assertEqual(names, {("global", "allocation 3"): "q"})
