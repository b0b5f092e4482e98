"""The parts of check_sources.py."""

import tempfile
import unittest
from pathlib import Path

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
        self.assertEqual(check_sources.small_arguments(command, {"m": "256", "k": "64"}), ["--check", "--m", "256", "--bits", "64"])

    def test_a_list_of_items_is_small(self) -> None:
        command = Command("a", (("items", "2,6"), ("sum", "8")))
        self.assertEqual(check_sources.small_arguments(command, {"sum": "32767"}), ["--check", "--items", "2,6", "--sum", "8"])


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.build = Path(folder.name)
        (self.build / "bin").mkdir()

    def page(self, *rows: str) -> tuple[list[str], list[str]]:
        """The correct rows, and the errors."""
        page = check_sources.Page(self.build)
        lines = page.checked("\n".join((check_sources.HEADER, "|:---|", *rows))).splitlines()
        return lines[2:], page.problems

    def program(self, name: str, script: str) -> None:
        file = self.build / "bin" / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def test_rows_that_are_looked_up_but_not_run(self) -> None:
        rows = [
            "| reading | [setup](setup.md) | – | – | reading |",
            "| tests | `./workbook test ch6_matmul` | – | – | they pass |",
            "| profile | `nsys profile -o a build/bin/ch3_transpose_localmem --rows 7` | – | – | needs a GPU |",
            "| stalls | `ncu --set full build/bin/ch8_tsne_naive` | – | – | needs a GPU |",
        ]
        self.assertEqual(self.page(*rows), (rows, []))

    def test_rows_that_are_looked_up_and_missing(self) -> None:
        for here in ("`./workbook test ch99`", "`ncu build/bin/ch8_tsne_nothing`", "`ncu`", "setup.md"):
            with self.subTest(here):
                self.assertEqual(len(self.page(f"| a | {here} | – | – | b |")[1]), 1)

    def test_a_row_with_its_own_figures_has_no_times(self) -> None:
        command = "`./workbook run ch6_matmul_cublas -- --m 7000 --n 7000 --k 7000 --bits 64`"
        row = f"| copies (published: 61.1 ms) | {command} | – | – | the answer |"
        self.program("ch6_matmul_cublas", "exit 0")
        self.assertEqual(self.page(row), ([row], []))
        self.assertIn("| 41.27 (A100) |", self.page(row.replace("published:", "also"))[0][0])

    def test_a_refused_launch_has_no_time_but_a_message(self) -> None:
        row = "| too many | `./workbook run ch0_machine_block_limit -- --threads 2000` | – | – | refused: `2000 > 1024` |"
        self.program("ch0_machine_block_limit", 'test "$*" = "--threads 2000" && echo "2000 > 1024"; exit 1')
        self.assertEqual(self.page(row), ([row], []))
        self.program("ch0_machine_block_limit", "echo all right")
        self.assertEqual(len(self.page(row)[1]), 1)

    def test_a_program_that_fails(self) -> None:
        self.program("ch0_machine_device_query", "exit 1")
        row = "| device | `./workbook run ch0_machine_device_query` | – | – | b |"
        self.assertRegex("".join(self.page(row)[1]), "^sources.md:3: ch0_machine_device_query *fails")


class FiguresTest(unittest.TestCase):
    COMMAND = Command("ch1_a", (("n", "7"),))

    ROWS = [
        {"program": "a", "n": "7", "median_ms": "1", "device": "an H200"},
        {"program": "a", "n": "7", "median_ms": "2.34567", "device": "a CPU"},
        {"program": "a", "n": "8", "median_ms": "3", "device": "a CPU"},
        {"program": "b", "n": "7", "median_ms": "4", "device": "a CPU"},
    ]

    def test_the_median_over_the_rounds(self) -> None:
        self.assertEqual(check_sources.measured_time(self.ROWS, "a", self.COMMAND), "1.673")
        self.assertEqual(check_sources.measured_time(self.ROWS, "c", self.COMMAND), "–")

    def test_the_last_published_time_with_its_device(self) -> None:
        self.assertEqual(check_sources.published_time(self.ROWS, "a", self.COMMAND), "2.346 (a CPU)")
        self.assertEqual(check_sources.published_time(self.ROWS, "c", self.COMMAND), "–")

    def test_no_powers_of_ten(self) -> None:
        rows = [{"program": "a", "n": "7", "median_ms": "10280.4", "device": "a CPU"}]
        self.assertEqual(check_sources.measured_time(rows, "a", self.COMMAND), "10280")

    def test_no_time_if_the_command_leaves_the_size_open(self) -> None:
        self.assertEqual(check_sources.measured_time(self.ROWS, "a", Command("ch1_a", ())), "–")
        self.assertEqual(check_sources.measured_time(self.ROWS, "b", Command("ch1_a", ())), "4")

    def test_an_option_that_no_column_has_does_not_matter(self) -> None:
        command = Command("ch1_a", (("n", "7"), ("csv", "")))
        self.assertEqual(check_sources.measured_time(self.ROWS, "b", command), "4")

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
        self.assertEqual(check_sources.claimed(rows, "a"), "sectors: 4 per load, 32 per store; 32-way bank conflict")
        self.assertEqual(check_sources.claimed(rows[:4], "a"), "sectors: 4 per load, 32 per store; no bank conflict")
        self.assertEqual(check_sources.claimed(rows, "b"), "")


if __name__ == "__main__":
    unittest.main()
