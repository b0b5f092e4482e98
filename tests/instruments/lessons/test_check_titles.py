"""check_titles.py, on titles of its own."""

import unittest

from check_titles import other_titles, shares_a_word


class TitlesTest(unittest.TestCase):
    def test_a_word_in_common(self) -> None:
        self.assertTrue(shares_a_word("05_two_buffers", "two buffers, filled by asynchronous copies"))
        self.assertTrue(shares_a_word("06_memories", "four kinds of memory"))
        self.assertTrue(shares_a_word("13_tf32", "TF32 on tensor cores"))

    def test_no_word_in_common(self) -> None:
        self.assertFalse(shares_a_word("10_double_buffered", "what a cycle brings"))
        self.assertFalse(shares_a_word("07_sectors", ""))

    def test_the_number_is_not_a_word(self) -> None:
        self.assertFalse(shares_a_word("16_naive", "16 bytes per load"))

    def test_one_title_in_three_places(self) -> None:
        page = "| `03_padded.cu` | **padded** tile: no conflicts | x |\n## Stage 03: padded tile\n"
        self.assertEqual(other_titles("03_padded.cu", "Stage 03: padded tile", page), [])

    def test_a_heading_with_other_words(self) -> None:
        page = "| `03_padded.cu` | padded tile | x |\n## Stage 03: padding\n"
        self.assertEqual(other_titles("03_padded.cu", "Stage 03: padded tile", page), ["the heading is 'padding'"])

    def test_a_row_with_other_words(self) -> None:
        page = "| `deep/03_padded.cu`, `tile.h` | one more column | x |\n## Stage 03: padded tile\n"
        self.assertEqual(
            other_titles("deep/03_padded.cu", "Stage 03: padded tile", page), ["the row of the table begins 'one more column'"]
        )

    def test_a_stage_that_no_table_names(self) -> None:
        (found,) = other_titles("03_padded.cu", "Stage 03: padded tile", "")
        self.assertTrue(found.endswith("has a row for it, such as: | `03_padded.cu` | padded tile |"), found)

    def test_the_steps_of_a_second_ladder_have_no_stage_headings(self) -> None:
        page = "| `ring/01_first.cu` | first ring | x |\n## Stage 01: one GPU\n"
        self.assertEqual(other_titles("ring/01_first.cu", "Ring, step 01: first ring", page), [])


if __name__ == "__main__":
    unittest.main()
