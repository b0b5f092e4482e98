"""check_words.py, on texts of its own."""

import unittest

from check_words import places


def refused(text: str) -> list[int]:
    """The lines that have a refused word."""
    return [line for line, _, _ in places(text)]


class WordsTest(unittest.TestCase):
    def test_a_word_in_any_case(self) -> None:
        self.assertEqual(refused("Begin\nAnew, whoever you are.\n"), [2, 2])

    def test_a_part_of_a_word_is_another_word(self) -> None:
        self.assertEqual(refused("besides, recommend, amended, shallow, gpus_beside_shares\n"), [])

    def test_words_on_both_sides_of_a_line_break(self) -> None:
        self.assertEqual(refused("// a\n// pointer in\n// place of an index\n"), [2])
        self.assertEqual(refused("# in place\n# of it\n"), [1])
        self.assertEqual(refused("  * in\n  place of it\n"), [1])

    def test_words_in_two_strings_that_are_one_text(self) -> None:
        self.assertEqual(refused('print("a pointer in "\n      "place of an index")\n'), [1])
        self.assertEqual(refused('x = "in place "\ny = f"of {x}"\n'), [])

    def test_is_no(self) -> None:
        self.assertEqual(refused("It is no pointer. They are no pointers."), [1, 1])
        self.assertEqual(refused("There is no pointer, and there are no bounds. It is no longer there, and no faster: is no more."), [])

    def test_what_to_write(self) -> None:
        self.assertEqual([instead for _, _, instead in places("Mend it.")], ["fix"])


if __name__ == "__main__":
    unittest.main()
