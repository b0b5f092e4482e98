"""Messages about tables and measurements; the picture only if matplotlib is installed.

What a table shows is fixed by the pages of the chapters: a test of each compares them with the results.
"""

from __future__ import annotations

import importlib.util
import sys
import types
import unittest
from pathlib import Path
from unittest import mock

from support import FolderTest, ended

import plot_chapter
from measurements import ResultsError, read_measurements

HEADER = "program,rows,cols,median_ms,gb_per_s,copy_gb_per_s,ratio_to_copy,device,driver,cuda,round,commit,date"
README = "# Transpose\n\nBefore.\n\n<!-- results:begin -->\n<!-- results:end -->\n\nAfter.\n"


def row(
    program: str,
    size: str,
    gb_per_s: float,
    round_number: int = 1,
    device: str = "NVIDIA H200",
    date: str = "2026-11-21",
) -> str:
    share = gb_per_s / 4000
    return (
        f"ch3_transpose_{program},{size},1.0,{gb_per_s},4000,{share},{device},580.82,13.0,{round_number},abc1234,{date}"
    )


class PlotsTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.readme = self.folder / "chapters/ch3_transpose/README.md"
        self.readme.parent.mkdir(parents=True)
        self.write_page()
        self.results = self.write_results(
            "nvidia-h200",
            [
                row("naive", "4096,4096", 800, 1),
                row("naive", "4096,4096", 900, 2),
                row("naive", "4096,4096", 1000, 3),
                row("padded", "4096,4096", 3400),
                row("naive", "2048,2048", 700),
                row("naive", "16383,10007", 850),
            ],
        )

    def write_page(self, *tables: str) -> None:
        marks = (f"<!-- {name}:begin -->\n<!-- {name}:end -->\n" for name in tables)
        self.readme.write_text("".join([README, *marks]), encoding="utf-8")

    def write_lines(self, *lines: str) -> None:
        """The results, with a header of their own."""
        self.results.write_text("\n".join([*lines, ""]), encoding="utf-8")

    def page(self) -> str:
        """The page with its tables."""
        self.assertEqual(self.run_script("--table")[0], 0)
        return self.readme.read_text(encoding="utf-8")

    def write_results(self, gpu: str, rows: list[str]) -> Path:
        file = self.folder / "plots/results" / gpu / "ch3_transpose.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
        return file

    def run_script(self, *arguments: str) -> tuple[int, str]:
        return ended(plot_chapter.main, ["ch3_transpose", "--root", str(self.folder), *arguments])

    def test_rows_with_an_old_name_are_those_of_the_program_today(self) -> None:
        rows = [row(name, "4096,4096", rate, n) for name, rate, n in (("was", 800, 1), ("naive", 900, 2))]
        file = self.write_results("nvidia-h200", rows)
        with mock.patch("measurements.read_old_names", lambda _: {"ch3_transpose_was": "ch3_transpose_naive"}):
            measured = read_measurements(file)
        self.assertEqual((measured.programs, measured.rounds), (("naive",), 2))

    def test_check_table(self) -> None:
        code, output = self.run_script("--check-table")
        self.assertEqual(code, 1)
        self.assertIn("chapters/ch3_transpose/README.md: the tables do not match plots/results/nvidia-h200", output)
        self.assertIn("python3 plots/plot_chapter.py ch3_transpose --table", output)
        self.run_script("--table")
        self.assertEqual(self.run_script("--check-table"), (0, ""))
        self.write_results("nvidia-h200", [row("naive", "4096,4096", 801)])
        self.assertEqual(self.run_script("--check-table")[0], 1)

    def test_table_without_measurements_is_refused(self) -> None:
        self.run_script("--table")
        self.results.unlink()
        code, output = self.run_script("--check-table")
        self.assertEqual(code, 1)
        self.assertIn("No measurements of ch3_transpose", output)

    def test_neither_table_nor_measurements_is_in_step(self) -> None:
        self.results.unlink()
        self.assertEqual(self.run_script("--check-table")[0], 0)

    def test_missing_marker(self) -> None:
        self.readme.write_text("# Transpose\n", encoding="utf-8")
        code, output = self.run_script("--table")
        self.assertEqual(code, 1)
        self.assertIn("<!-- results:begin -->", output)

    def test_newest_results_win(self) -> None:
        self.write_results("nvidia-a100", [row("naive", "4096,4096", 500, device="NVIDIA A100", date="2026-12-01")])
        self.assertIn("NVIDIA A100", self.page())

    def test_medians_and_range(self) -> None:
        point = read_measurements(self.results).points["naive", (4096, 4096)]
        self.assertEqual((point.slowest_rate, point.rate, point.fastest_rate), (800, 900, 1000))

    def test_unfit_files_are_refused_in_words(self) -> None:
        mixture = [f"{row('naive', '4096,4096', 900)},{data}" for data in ("wide", "normal")]
        for lines, words in (
            ([HEADER], "has no measurements"),
            ([HEADER, row("a", "4096,4096", 1), row("a", "4096,4096", 1, device="NVIDIA A100")], "mixes measurements"),
            ([HEADER, row("a", "4096,wide", 1)], "a text instead of a number"),
            (["program,rows", "naive,1"], "lacks the column median_ms"),
            (["program,rows,median_ms,gb_per_s,ratio_to_copy", "naive,1,1,1,1"], "lacks the columns of a ceiling"),
            ([f"{HEADER},data", *mixture], "mixes data of naive at 4096 x 4096: wide and normal"),
        ):
            self.write_lines(*lines)
            with self.subTest(words), self.assertRaisesRegex(ResultsError, words):
                read_measurements(self.results)

    def test_programs_with_a_ceiling_of_their_own(self) -> None:
        lines = self.results.read_text(encoding="utf-8").splitlines()
        own = f'{lines[1].replace("_naive,", "_once,").replace("4000,0.2,", ",,")},8000,0.1'
        lines = [lines[0] + ",once_gb_per_s,ratio_to_once", *(line + ",," for line in lines[1:]), own]
        self.write_lines(*lines)
        readme = self.page()
        self.assertIn("| *measured copy* | 4000 |\n| naive | 900 (0.23) |\n", readme)
        self.assertIn("| once | 800 (0.10) |\n", readme)
        self.assertIn("the share of the copy (once: of the once) measured in the same process", readme)
        self.write_lines(*lines, own.replace("0.1", ""))
        with self.assertRaisesRegex(ResultsError, "a row without a share of a ceiling"):
            read_measurements(self.results)

    def test_published_times_that_cannot_be_read(self) -> None:
        self.write_page("times")
        published = self.readme.parent / "lesson/published.csv"
        published.parent.mkdir()
        published.write_text("program,rows\nnaive,4096\n", encoding="utf-8")
        code, output = self.run_script("--check-table")
        self.assertEqual(code, 1)
        self.assertIn("published.csv", output)

    def write_own(self, *rows: str, header: str = HEADER) -> Path:
        """The file that a learner's `./workbook bench` writes."""
        (self.readme.parent / "CMakeLists.txt").write_text("add_chapter(ch3_transpose)\n", encoding="utf-8")
        file = self.folder / "build/results/ch3_transpose.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
        return file

    def draw_own(self) -> tuple[mock.Mock, int, str]:
        """Draws the learner's picture with a stand-in that writes nothing."""
        drawing = types.ModuleType("bandwidth_figure")
        drawing.draw = mock.Mock()
        with mock.patch.dict(sys.modules, {"bandwidth_figure": drawing}):
            return (drawing.draw, *self.run_script("--own"))

    def test_the_learners_gpu_is_drawn_with_the_published_one(self) -> None:
        self.write_own(row("naive", "4096,4096", 90, device="NVIDIA T4", date="2026-01-01"))
        draw, code, output = self.draw_own()
        self.assertEqual((code, output), (0, "Wrote build/results/ch3_transpose.png\n"))
        published, picture, own = draw.call_args.args
        self.assertEqual((published.device, own.device), ("NVIDIA H200", "NVIDIA T4"))
        self.assertEqual(picture, self.folder / "build/results/ch3_transpose.png")

    def test_without_the_learners_gpu_a_sentence_names_the_command(self) -> None:
        draw, code, output = self.draw_own()
        self.assertEqual(code, 0)
        self.assertIn("Your GPU is not in the picture.", output)
        self.assertIn("'./workbook bench ch3_transpose' measures it.", output)
        self.assertEqual(draw.call_args.args[1:], (self.folder / "build/results/ch3_transpose.png", None))

    def test_only_the_learners_gpu_is_measured(self) -> None:
        self.results.unlink()
        self.write_own(row("naive", "4096,4096", 90, device="NVIDIA T4"))
        draw, code, output = self.draw_own()
        self.assertEqual((code, output), (0, "Wrote build/results/ch3_transpose.png\n"))
        self.assertEqual((draw.call_args.args[0].device, draw.call_args.args[2]), ("NVIDIA T4", None))

    def test_a_damaged_file_of_the_learner(self) -> None:
        whole = row("naive", "4096,4096", 90)
        for rows, words in (
            ((), "has no measurements"),
            ((whole[:60],), "a line whose number of values differs"),
            ((whole + ",1",), "a line whose number of values differs"),
            ((whole.replace("90", "nan", 1).replace("4096,4096", "4090,4096"),), "a text instead of a number"),
            ((row("naiv", "4096,4096", 90),), "has rows of ch3_transpose_naiv, and ch3_transpose has no such program"),
        ):
            with self.subTest(words):
                self.write_own(*rows)
                draw, code, output = self.draw_own()
                self.assertEqual((code, draw.call_count), (1, 0))
                self.assertTrue(output.startswith("build/results/ch3_transpose.csv "), output)
                self.assertIn(words, output)
                self.assertTrue(output.endswith("\nMeasure again: ./workbook bench ch3_transpose\n"), output)
        self.write_own().write_bytes(b"program\xff\n")
        self.assertIn("cannot be read as CSV", self.draw_own()[2])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_picture_of_two_gpus(self) -> None:
        from bandwidth_figure import draw

        own = self.write_own(*(row("naive", f"{side},{side}", 90, device="NVIDIA T4") for side in (2048, 4096)))
        rows = [row(program, f"{side},{side}", 900) for program in ("naive", "padded") for side in (2048, 4096)]
        picture = self.folder / "both.svg"
        draw(read_measurements(self.write_results("nvidia-h200", rows)), picture, read_measurements(own))
        svg = picture.read_text(encoding="utf-8")
        for words in ("ch3_transpose: bandwidth on NVIDIA H200<", "ch3_transpose: bandwidth on your NVIDIA T4<"):
            self.assertIn(words, svg)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_picture(self) -> None:
        rows = [row(program, f"{side},{side}", 900) for program in ("naive", "padded") for side in (2048, 4096)]
        rows += [row(program, "16383,10007", 850) for program in ("naive", "padded")]
        self.write_results("nvidia-h200", [*rows, row("rarely", "4096,4096", 700)])
        self.assertEqual(self.run_script()[0], 0)
        self.assertGreater(self.results.with_suffix(".png").stat().st_size, 10_000)

        from bandwidth_figure import draw

        draw(read_measurements(self.results), self.results.with_suffix(".svg"))
        svg = self.results.with_suffix(".svg").read_text(encoding="utf-8")
        for text in ("padded", "copy (yardstick)", "4096", "x 10007", "NVIDIA H200, driver 580.82"):
            self.assertIn(text, svg)
        self.assertNotIn("rarely", svg)

    def test_a_folder_that_cannot_be_written(self) -> None:
        drawing = types.ModuleType("bandwidth_figure")
        drawing.draw = mock.Mock(side_effect=PermissionError(13, "Permission denied", "x.png"))
        with mock.patch.dict(sys.modules, {"bandwidth_figure": drawing}):
            code, output = self.run_script()
        self.assertEqual(code, 1)
        self.assertIn("next to plots/results/nvidia-h200/ch3_transpose.csv: Permission denied. Copy that file", output)
        self.assertIn("./workbook plot ch3_transpose --results FILE", output)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_sizes_on_one_line(self) -> None:
        from bandwidth_figure import connected_sizes, size_names

        squares = [(2, 2), (4, 4)]
        self.assertEqual(connected_sizes((*squares, (2, 3))), (squares, [(2, 3)]))
        self.assertEqual(size_names(("rows", "cols"), squares), "rows = cols")
        of_one_sum = [(10, 99), (100, 99)]
        self.assertEqual(connected_sizes((*of_one_sum, (10, 999))), (of_one_sum, [(10, 999)]))
        self.assertEqual(size_names(("items", "sum"), of_one_sum), "items, with sum 99")
        self.assertEqual(connected_sizes(((1,), (2,))), ([(1,), (2,)], []))
        self.assertEqual(size_names(("size",), [(1,), (2,)]), "size")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_labels_are_spread_and_stay_inside(self) -> None:
        from bandwidth_figure import spread

        positions = spread([1.0, 9.8, 9.9, 10.0], 1.0, 0.0, 10.0)
        self.assertTrue(all(later - earlier > 0.999 for earlier, later in zip(positions, positions[1:])))
        self.assertLessEqual(positions[-1], 10.0)
        self.assertEqual(positions[0], 1.0)
