"""check_titles.py, on titles of its own."""

import unittest

from check_titles import shares_a_word


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


if __name__ == "__main__":
    unittest.main()
