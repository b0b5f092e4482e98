"""check_readme.py and check_evening.py, on small pages."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import check_evening
import check_readme
from check_readme import Results

CSV = """program,rows,cols,median_ms,round
ch3_transpose_naive,16384,16384,4.0,1
ch3_transpose_localmem,16384,16384,2.5,1
"""
TABLE = """| computation | step | program | time | gain |
|---|---|---|---:|---:|
| [transpose](a.md): 16,384 x 16,384 floats | naive | `ch3_transpose_naive` | 4.0 ms | |
| | tile | `ch3_transpose_localmem` | 2.50 ms | 1.6 x |
"""


class ProgressionsTest(unittest.TestCase):
    def problems(self, page: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ch3_transpose.csv").write_text(CSV, encoding="utf-8")
            return check_readme.problems(page, Results(Path(folder)))

    def test_right_times_and_gains(self) -> None:
        self.assertEqual(self.problems(TABLE), [])

    def test_a_wrong_time(self) -> None:
        self.assertEqual(
            self.problems(TABLE.replace("2.50 ms", "2.40 ms")),
            ["ch3_transpose_localmem: the time is 2.40, but the results have 2.50"],
        )

    def test_a_wrong_gain(self) -> None:
        self.assertEqual(
            self.problems(TABLE.replace("1.6 x", "1.7 x")),
            ["ch3_transpose_localmem: the gain is 1.7, but the results have 1.6"],
        )

    def test_a_row_of_a_different_form(self) -> None:
        self.assertIn("2 lines have a time, but only 1 have the form", self.problems(TABLE.replace("| 1.6 x |", "| 1.6 |"))[0])

    def test_an_unknown_size_and_program(self) -> None:
        words = self.problems(TABLE.replace("16,384 x 16,384 floats", "9 floats"))
        self.assertIn("the size '9 floats' is not one of", words[0])
        self.assertIn("ch3_transpose_nave", self.problems(TABLE.replace("`ch3_transpose_naive`", "`ch3_transpose_nave`"))[0])

    def test_no_table(self) -> None:
        self.assertEqual(len(self.problems("# The workbook\n")), 1)


class EveningTest(unittest.TestCase):
    def test_a_section_ends_at_the_next_heading_of_its_level(self) -> None:
        page = "# A\n## Stage 01: one\ntext\n### part\nmore\n## Stage 02\nother\n"
        self.assertEqual(check_evening.section(page, "stage-01-one"), "## Stage 01: one\ntext\n### part\nmore")
        with self.assertRaises(ValueError):
            check_evening.section(page, "stage-03")

    def test_words_leave_out_what_a_reader_does_not_see(self) -> None:
        self.assertEqual(check_evening.words_in("one [two](a/b.md) <!-- not this --> <details>nor\nthis</details> three"), 3)

    def test_quotations(self) -> None:
        lines = ["Building x ...", "first", "second  column", "last"]
        for quoted, is_right in (
            ("...\nsecond column\nlast\n", True),
            ("Building x ...\n...\nlast\n", True),
            ("second column\nlast\n", False),
            ("...\nsecond\nlast\n", False),
        ):
            with self.subTest(quoted):
                self.assertEqual(check_evening.is_quoted(quoted, lines), is_right)

    def test_an_overwritten_line_counts_once(self) -> None:
        ran = check_evening.run_in_terminal("printf a\\nfirst\\rsecond\\nhalf\\r\\nlast\\n", Path("/"))
        self.assertEqual((ran.exit_code, ran.lines), (0, ["a", "second", "last"]))

    def test_numbers_of_the_page(self) -> None:
        self.assertEqual(check_evening.with_numbers("| lines | 1,234 |\n", {"lines": "89"}), "| lines | 89 |\n")
        with self.assertRaises(ValueError):
            check_evening.with_numbers("| lines | many |\n", {"lines": "89"})


if __name__ == "__main__":
    unittest.main()
