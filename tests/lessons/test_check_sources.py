"""The parts of check_sources.py."""

import unittest

import check_sources
from check_sources import Command


class CommandTest(unittest.TestCase):
    def test_program_and_options(self) -> None:
        command = check_sources.command_of("`./workbook run ch6_matmul_naive -- --m 7 --bits 64 --csv`")
        self.assertEqual(command, Command("ch6_matmul_naive", (("m", "7"), ("bits", "64"), ("csv", ""))))

    def test_exercise(self) -> None:
        self.assertEqual(check_sources.command_of("`./workbook check ch1_ex1`"), Command("ch1_ex1", ()))

    def test_no_command(self) -> None:
        for text in ("make ch1_saxpy", "`./workbook run ch1_saxpy_naive 7`"):
            with self.subTest(text), self.assertRaises(ValueError):
                check_sources.command_of(text)

    def test_small_form(self) -> None:
        command = Command("a", (("m", "7000"), ("bits", "64")))
        self.assertEqual(check_sources.small_arguments(command, {"m": "256", "k": "64"}), ["--check", "--m=256", "--bits=64"])

    def test_a_list_of_items_is_small(self) -> None:
        command = Command("a", (("items", "2,6"), ("sum", "8")))
        self.assertEqual(check_sources.small_arguments(command, {"sum": "32767"}), ["--check", "--items=2,6", "--sum=8"])


class FiguresTest(unittest.TestCase):
    COMMAND = Command("ch1_a", (("n", "7"),))

    def test_the_last_row_of_the_program_and_size(self) -> None:
        rows = [
            {"program": "a", "n": "7", "median_ms": "1"},
            {"program": "a", "n": "7", "median_ms": "2.34567", "device": "H200"},
            {"program": "a", "n": "8", "median_ms": "3"},
            {"program": "b", "n": "7", "median_ms": "4"},
        ]
        self.assertEqual(check_sources.figure(rows, "a", self.COMMAND), "2.346")
        self.assertEqual(check_sources.figure(rows, "c", self.COMMAND), "–")

    def test_a_published_one_names_its_device(self) -> None:
        rows = [{"program": "a", "n": "7", "median_ms": "274.534", "device": "a CPU", "source": "somebody"}]
        self.assertEqual(check_sources.figure(rows, "a", self.COMMAND), "274.5 (a CPU)")

    def test_claims(self) -> None:
        rows = [
            {"stage": "a", "memory": memory, "operation": operation, "measure": measure, "value": value}
            for memory, operation, measure, value in (
                ("global", "load", "sectors_per_request", "4"),
                ("global", "store", "sectors_per_request", "32"),
                ("global", "store", "requests", "99"),
                ("shared", "load", "conflict_ways", "1"),
                ("shared", "store", "conflict_ways", "32"),
                ("global", "load", "sectors_per_request", "8"),
            )
        ]
        self.assertEqual(check_sources.claimed(rows, "a"), "sectors: 4 per load, 32 per store; conflict ways: 32")
        self.assertEqual(check_sources.claimed(rows, "b"), "")


if __name__ == "__main__":
    unittest.main()
