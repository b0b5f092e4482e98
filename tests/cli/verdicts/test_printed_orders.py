"""Kinds of differences between the outputs of two orders of the blocks."""

from __future__ import annotations

import unittest

import support  # noqa: F401  # puts the command on the path

from cli.verdicts.printed_orders import Difference, Kind, compare, varying_lines


class CompareTest(unittest.TestCase):
    def kind(self, first: str, second: str) -> Kind:
        return compare(first, second).kind

    def test_kinds(self) -> None:
        for first, second, kind in (
            ("sum 1\n", "sum 1\n", Kind.SAME),
            ("sum 1.25", "sum 1.2500001", Kind.ROUNDING),
            ("1e-05 x", "1.0000001e-05 x", Kind.ROUNDING),
            ("sum 3", "sum 2.9999999", Kind.ROUNDING),  # cout prints 3 for 3.0
            ("sum 3", "sum 4", Kind.OTHER),
            ("sum 1000000", "sum 1000001", Kind.OTHER),  # integers are exact
            ("sum 1.25", "sum 1.5", Kind.OTHER),
            ("sum nan", "sum 1.5", Kind.OTHER),
            ("yes", "no", Kind.OTHER),
            ("float2 1", "float4 1", Kind.OTHER),  # a digit in a name is not a number
            ("a\nb", "a", Kind.OTHER),
            ("a\nb", "b\na", Kind.ORDER_OF_LINES),
            ("a\na\nb", "a\nb\nb", Kind.OTHER),
            ("block 0: 1.25\nblock 1: 2.5", "block 1: 2.5000001\nblock 0: 1.25", Kind.ROUNDING),
            ("x 1.0, 2.5", "x   1.0,  2.5000001", Kind.ROUNDING),  # columns move with the digits
        ):
            self.assertEqual(self.kind(first, second), kind, (first, second))

    def test_the_worst_line_is_shown_and_of_these_the_first(self) -> None:
        found = compare("a 1.25\nb 1\nc 2", "a 1.2500001\nb 2\nc 3")
        self.assertEqual(found, Difference(Kind.OTHER, 2, "b 1", "b 2"))

    def test_an_additional_line(self) -> None:
        self.assertEqual(compare("a", "a\nb"), Difference(Kind.OTHER, 2, "", "b"))

    def test_lines_that_vary_from_run_to_run_are_left_out(self) -> None:
        self.assertEqual(compare("t 5\nx 1", "t 6\nx 1", {0}).kind, Kind.SAME)
        self.assertEqual(compare("t 5\nx 1", "t 6\nx 2", {0}), Difference(Kind.OTHER, 2, "x 1", "x 2"))

    def test_varying_lines(self) -> None:
        self.assertEqual(varying_lines("a\nt 1\n", "a\nt 2\n"), {1})
        self.assertEqual(varying_lines("a", "a"), set())
        self.assertIsNone(varying_lines("a", "a\nb"))
