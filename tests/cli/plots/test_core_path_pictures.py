"""The pictures of chapters 1, 2, 4 and 5 show what their stages compute, and agree with the claims."""

from __future__ import annotations

import itertools
import unittest
from xml.etree import ElementTree

import support  # puts the plotting scripts on the path

import dot_product_pictures as dot_product
import reduction_pictures as reduction
import saxpy_pictures as saxpy
import subset_sum_pictures as subset_sum
from plots.drawn import SVG, claims, words


class SaxpyTest(unittest.TestCase):
    def test_sectors_of_the_four_requests(self) -> None:
        counts = [len(request.sectors()) for request in saxpy.REQUESTS]
        self.assertEqual(counts, [4, 5, 32, 16])
        claimed = claims("ch1_saxpy")
        for stage, count in (("many_blocks", counts[0]), ("vectorized", counts[3])):
            self.assertEqual(claimed[stage, "global load", "sectors_per_request"], {count}, stage)

    def test_last_block_of_awkward_sizes(self) -> None:
        self.assertEqual(saxpy.last_block(100003, 256), (390, 99840, [32, 32, 32, 32, 32, 3, 0, 0]))
        self.assertEqual(saxpy.last_block(256, 256), (0, 0, [32] * 8))
        self.assertEqual(saxpy.last_block(257, 256), (1, 256, [1] + [0] * 7))

    def test_each_way_to_share_out_makes_every_element_once(self) -> None:
        for sharing in saxpy.SHARINGS:
            for n in (1, 4, 13, 14):
                taken = sharing.taken(n)
                self.assertEqual(sorted(taken), list(range(n)), sharing.name)
                self.assertEqual(len(set(taken.values())), n, sharing.name)

    def test_iterations_of_the_three_stages(self) -> None:
        iterations = [1 + max(one for _, _, one in sharing.taken(14).values()) for sharing in saxpy.SHARINGS]
        self.assertEqual(iterations, [4, 1, 2])


class SubsetSumTest(unittest.TestCase):
    def test_table_has_the_sums_of_all_subsets(self) -> None:
        items, target = (2, 6, 8, 19), 30
        sums = {sum(subset) for count in range(5) for subset in itertools.combinations(items, count)}
        self.assertEqual(subset_sum.table_of_sums(items, target)[-1], [int(i in sums) for i in range(target + 1)])

    def test_launch_has_an_arrow_for_each_load(self) -> None:
        drawn = subset_sum.one_launch()
        entries = [int(text) for text in words(drawn) if text in ("0", "1")]
        before, column = subset_sum.table_of_sums((2, 6, 8, 19), 10)[2:4]
        self.assertEqual(entries[: len(before)], before)
        self.assertEqual(column[10], 1)
        arrows = sum(1 for _ in ElementTree.fromstring(drawn).iter(f"{SVG}polygon"))
        self.assertEqual(arrows, len(column) + sum(i >= 8 for i in range(len(column))))

    def test_bits_are_those_of_the_table(self) -> None:
        before = {0, 3, 5, 6, 8, 9, 11, 14}
        for item in (0, 1, 7, 8, 9, 11, 16, 23, 40):
            step = subset_sum.packed_step(before, item, 21, 8)
            expected = [int(i <= 21 and (i in before or i - item in before)) for i in range(24)]
            self.assertEqual(step.column, expected, item)

    def test_last_word_loses_a_bit_past_the_target(self) -> None:
        step = subset_sum.packed_step({0, 3, 5, 6, 8, 9, 11, 14}, 11, 21, 8)
        self.assertEqual((step.shifted[22], step.column[22]), (1, 0))


class ReductionTest(unittest.TestCase):
    def test_both_trees_end_in_the_sum(self) -> None:
        for tree in (reduction.tree_by_halves, reduction.tree_from_leaves):
            for count in (2, 8, 1024):
                steps = tree(range(count))
                self.assertEqual(steps[-1].terms[0], count * (count - 1) // 2)
                self.assertEqual(len(steps), count.bit_length() - 1)

    def test_busy_warps_of_a_block_of_1024(self) -> None:
        halves, leaves = (tree(range(1024)) for tree in (reduction.tree_by_halves, reduction.tree_from_leaves))
        self.assertEqual([step.busy_warps(32) for step in halves], [16, 8, 4, 2, 1, 1, 1, 1, 1, 1])
        self.assertEqual([step.busy_warps(32) for step in leaves], [32, 32, 32, 32, 32, 16, 8, 4, 2, 1])

    def test_wavefronts_of_the_tree_are_those_claimed(self) -> None:
        # An active warp makes two loads and a store of 8 bytes per lane: two wavefronts if over 16 lanes are active.
        wavefronts = 0
        for step in reduction.tree_by_halves(range(1024)):
            lanes_of_warps = [sum(thread // 32 == warp for thread in step.partners) for warp in range(32)]
            wavefronts += sum(2 * (2 if lanes > 16 else 1) for lanes in lanes_of_warps if lanes)
        wavefronts += 1  # thread 0 reads the sum
        goal = 17280  # ex4_sleeping_lanes with 128 blocks
        self.assertEqual(128 * wavefronts, goal)

    def test_lane_0_gets_the_sum_in_as_many_steps_as_offsets(self) -> None:
        steps = reduction.shuffle_steps(range(32))
        self.assertEqual([offset for offset, _ in steps], [16, 8, 4, 2, 1])
        self.assertEqual(steps[-1][1][0], sum(range(32)))

    def test_lane_past_the_last_gets_its_own_value(self) -> None:
        self.assertEqual(reduction.shuffle_steps([3, 5])[0], (1, [8, 10]))

    def test_last_ticket_is_taken_after_all_sums_are_stored(self) -> None:
        for order in reduction.ORDERS:
            spans = [reduction.block_spans(block, order) for block in range(len(order))]
            taken = {span.what: span.begin for block in spans for span in block if span.what.startswith("ticket")}
            self.assertEqual([what for what, _ in sorted(taken.items(), key=lambda item: item[1])], sorted(taken))
            self.assertTrue(all(block[1].end <= taken["ticket 2"] for block in spans), order)
            finishing = [block for block in range(len(order)) if "+" in spans[block][-1].what]
            self.assertEqual(finishing, [order[-1]])
            self.assertEqual(spans[order[-1]][-1].what, "(s0 + s1) + s2 = 10")


class DotProductTest(unittest.TestCase):
    def test_tickets_say_the_order(self) -> None:
        self.assertEqual(dot_product.arrival((2, 0, 3, 1)), (1, 3, 0, 2))

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
