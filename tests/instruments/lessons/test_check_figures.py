import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import check_figures

ROWS = """program,n,m,median_ms,gb_per_s,copy_gb_per_s,device
ch9_sort_naive,10,20,8.0,100,400,NVIDIA H200
ch9_sort_naive,10,20,9.0,110,410,NVIDIA H200
ch9_sort_naive,10,20,10.0,120,420,NVIDIA H200
ch9_sort_tiled,10,20,2.0,480,500,NVIDIA H200
"""
PROFILE = """program,kernel,name,metric,value,unit
ch9_sort_naive,prepare_kernel,occupancy,sm__warps_active,12.5,%
ch9_sort_naive,sort_kernel,occupancy,sm__warps_active,97.5,%
"""


class CheckFigures(unittest.TestCase):
    def problems(self, text: str, figures: str, folder_name: str = "ch9_sort") -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch9_sort.csv").write_text(ROWS)
            (Path(folder) / "profile_ch9_sort.csv").write_text(PROFILE)
            page = Path(folder) / folder_name / "README.md"
            page.parent.mkdir()
            page.write_text(f"Before 77.\n\n{text}\n<!-- figures\n{figures}\n-->\n\nAfter.\n")
            return check_figures.problems(page, check_figures.Results(Path(folder)))

    def test_accepts_the_median_over_the_rounds(self) -> None:
        self.assertEqual(self.problems("It takes 9.0 ms.", "9.0 = naive 10 x 20 median_ms"), [])

    def test_takes_a_profilers_figure_of_the_last_kernel(self) -> None:
        self.assertEqual(self.problems("It is 97.5 %.", "97.5 = profile naive occupancy"), [])

    def test_rejects_a_missing_profilers_figure(self) -> None:
        for program, name in (("naive", "registers"), ("tiled", "occupancy")):
            with self.subTest(program):
                found = self.problems("It is 97.5 %.", f"97.5 = profile {program} {name}")
                self.assertIn(f"no profile has {name} of a program {program}", found[0])

    def test_accepts_a_ratio_rounded_as_shown(self) -> None:
        figure = "4.5 = naive 10 x 20 median_ms / tiled 10 x 20 median_ms"
        self.assertEqual(self.problems("A factor of 4.5.", figure), [])

    def test_accepts_parentheses_and_numbers(self) -> None:
        figure = "3,500 = 1000 * (naive 10 x 20 median_ms - tiled 10 x 20 median_ms) / 2"
        self.assertEqual(self.problems("It is 3,500 us.", figure), [])

    def test_accepts_a_step_of_rounding(self) -> None:
        self.assertEqual(self.problems("About 500 GB/s.", "500 to 100 = tiled 10 x 20 gb_per_s"), [])

    def test_takes_the_median_over_all_programs(self) -> None:
        self.assertEqual(self.problems("A copy does 415 GB/s.", "415 = all 10 x 20 copy_gb_per_s"), [])

    def test_takes_a_full_name_on_another_page(self) -> None:
        self.assertEqual(self.problems("2 ms", "2 = ch9_sort_tiled 10 x 20 median_ms", "docs"), [])

    def test_rejects_another_value(self) -> None:
        (found,) = self.problems("8.9 ms", "8.9 = naive 10 x 20 median_ms")
        self.assertIn("README.md:4: the text has 8.9, but the results have 9", found)

    def test_rejects_a_value_that_rounds_otherwise(self) -> None:
        self.assertEqual(len(self.problems("400 GB/s", "400 to 100 = tiled 10 x 20 gb_per_s")), 1)

    def test_rejects_a_figure_that_the_paragraph_lacks(self) -> None:
        self.assertIn("is not in the text", self.problems("Some ms.", "77 = naive 10 x 20 median_ms")[0])

    def test_does_not_accept_a_part_of_a_number(self) -> None:
        self.assertIn("is not in the text", self.problems("19 or 9.5 ms.", "9 = naive 10 x 20 median_ms")[0])

    def test_names_the_sizes_that_were_measured(self) -> None:
        self.assertIn("only at 10 x 20", self.problems("9 ms", "9 = naive 10 x 21 median_ms")[0])

    def test_names_a_program_without_results(self) -> None:
        self.assertIn("no results of a program quick", self.problems("9 ms", "9 = quick 10 x 20 median_ms")[0])

    def test_names_the_columns(self) -> None:
        self.assertIn("only program, n, m, median_ms", self.problems("9 ms", "9 = naive 10 x 20 mean_ms")[0])

    def test_rejects_a_column_of_text(self) -> None:
        self.assertIn("holds no numbers", self.problems("9 ms", "9 = naive 10 x 20 device")[0])

    def test_rejects_a_line_of_a_different_form(self) -> None:
        self.assertIn("does not have the form", self.problems("9 ms", "naive 10 x 20 median_ms is 9")[0])

    def test_rejects_an_expression_that_is_not_arithmetic(self) -> None:
        self.assertIn("cannot be computed", self.problems("9 ms", "9 = open('file')")[0])

    def test_rejects_a_comment_within_a_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch9_sort.csv").write_text(ROWS)
            page = Path(folder) / "README.md"
            page.write_text("2 <!-- figures\n2 = ch9_sort_tiled 10 x 20 median_ms\n--> ms\n")
            self.assertIn("on separate lines", check_figures.problems(page, check_figures.Results(Path(folder)))[0])

    def test_leaves_out_fenced_blocks(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch9_sort.csv").write_text(ROWS)
            page = Path(folder) / "README.md"
            page.write_text("```\n3 ms\n<!-- figures\n2 = ch9_sort_tiled 10 x 20 median_ms\n-->\n```\n")
            self.assertEqual(check_figures.problems(page, check_figures.Results(Path(folder))), [])

    def test_leaves_out_the_position_of_a_drawing(self) -> None:
        self.assertEqual(self.problems("9 ms\n\n<!-- figure: sectors -->", ""), [])
        self.assertIn("does not have the form", self.problems("9 ms\n<!-- figure: 9 -->", "")[0])

    def test_a_folder_without_results_is_an_error(self) -> None:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(check_figures.main([folder, f"{folder}/page.md"]), 1)
            self.assertIn("holds no results", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
