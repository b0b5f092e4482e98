"""What a learner types as an answer to a question. The book's script must read the same words alike."""

from __future__ import annotations

import unittest

import support  # noqa: F401  # puts the command on the path

from cli.exercises.typed_answers import TypedError, typed_choice, typed_numbers

# The typed words, the question's unit, and their value.
RIGHT = (
    *(("12", "", 12.0), (" 12.50 ", "", 12.5), ("1,056", "", 1056.0), ("270,336 threads", "threads", 270336.0)),
    *((".5", "", 0.5), ("3.", "", 3.0), ("1e6", "", 1e6), ("10^8", "", 1e8), ("132 * 2048", "threads", 270336.0)),
    *(("3/4", "", 0.75), ("2 * 10^3", "", 2000.0), ("~7", "", 7.0), ("about 7", "", 7.0), ("-3", "", -3.0)),
    *(("64 sectors", "sectors", 64.0), ("1 sector", "sectors", 1.0), ("2x", "times", 2.0)),
    *(("2 times", "times", 2.0), ("90%", "%", 90.0), ("5 MS", "ms", 5.0)),
    *(("22 %", "", 0.22), ("22%", "", 0.22), ("22 percent", "", 0.22), ("0,22", "", 0.22), ("1,5", "", 1.5)),
    *(("1,2345", "", 1.2345), ("1,024.5", "", 1024.5), ("1 000 000", "", 1e6), ("1_000", "", 1000.0)),
    *(("10**6", "", 1e6), ("2*3**2", "", 18.0), ("3 x 4", "", 12.0), ("3×4", "", 12.0), ("1 million", "", 1e6)),
    *(("half", "", 0.5), ("two warps", "warps", 2.0), ("none", "", 0.0), ("Twelve", "", 12.0), ("a million", "", 1e6)),
    *(("200 %", "times", 2.0), ("75 %", "of the pairs", 0.75), ("half of the pairs", "of the pairs", 0.5)),
    *(("5 us", "ms", 0.005), ("8 µs", "microseconds", 8.0), ("0.001 s", "ms", 1.0), ("64 KiB", "bytes", 65536.0)),
    *(("3.6 billion", "billion pairs", 3.6), ("3600 million pairs", "billion pairs", 3.6)),
)
EITHER = (
    *(("0.22", "%", (0.22, 22.0)), ("64K", "bytes", (64000.0, 65536.0)), ("64K", "threads", (64000.0, 65536.0))),
    *(("2 KB", "bytes", (2000.0, 2048.0)), ("2 kilobytes", "bytes", (2000.0, 2048.0))),
    *(("65536 bytes", "KB", (65.536, 64.0)), ("3.6e9", "billion pairs", (3.6e9, 3.6))),
)
WRONG = (
    *(("", "", "not a number"), ("many", "", "not a number"), ("0x10", "", "a unit"), ("\u0663", "", "not a number")),
    *(("10-20", "", "range"), ("10 - 20", "", "range"), ("10 to 20", "ms", "range"), ("1..2", "", "range")),
    *(("5 or 6", "", "range"), ("1, 2", "", "range"), ("<5", "", "range"), ("between 1 and 2", "", "range")),
    *(("12,34,5", "", "range"), ("1 2", "", "without a unit"), ("oneself", "", "not a number")),
    *(("2x", "", "without a unit"), ("5 KB", "ms", "answer in ms"), ("90%", "sectors", "answer in sectors")),
    *(("5 ms", "bytes", "answer in bytes"), ("5 m", "ms", "answer in ms"), ("22 % %", "", "without a unit")),
    *(("1e999", "", "computed"), ("1/0", "", "computed"), ("9^9999", "", "computed"), ("nan", "", "not a number")),
)


class TypedNumberTest(unittest.TestCase):
    def test_numbers(self) -> None:
        for typed, unit, values in (*((typed, unit, (value,)) for typed, unit, value in RIGHT), *EITHER):
            with self.subTest(typed):
                self.assertEqual(typed_numbers(typed, unit), values)

    def test_text_that_is_not_a_number(self) -> None:
        for typed, unit, words in WRONG:
            with self.subTest(typed), self.assertRaisesRegex(TypedError, words):
                typed_numbers(typed, unit)

    def test_long_lines_are_cut(self) -> None:
        with self.assertRaises(TypedError) as caught:
            typed_numbers("a" * 100_000, "")
        self.assertLess(len(str(caught.exception)), 120)


class TypedChoiceTest(unittest.TestCase):
    OPTIONS = ("stage 02", "stage 03", "Neither")

    def test_number_and_words(self) -> None:
        typed = ("2", "3.", "stage 03", "neither", "NEI")
        self.assertEqual([typed_choice(one, self.OPTIONS) for one in typed], [1, 2, 1, 2, 2])

    def test_text_that_is_not_an_option(self) -> None:
        for typed in ("", "0", "4", "stage", "-1", "2-3", "1.5", "9" * 5000):
            with self.subTest(typed), self.assertRaisesRegex(TypedError, "from 1 to 3"):
                typed_choice(typed, self.OPTIONS)
