"""The pieces of code in pieces.txt. A test of the screening inherits Pieces to try those of its section."""

from __future__ import annotations

from pathlib import Path

from answers import Answer as Row, read_answers

from cli.errors import Refused

PIECES = list(read_answers(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")))


class Pieces:
    section: str

    def test_each_piece_of_the_table(self) -> None:
        rows = [row for row in PIECES if row.exercise == self.section]
        self.assertTrue(rows)
        for row in rows:
            for kind, text in row.parts:
                with self.subTest(row.name, text=text):
                    self.try_piece(row, kind, text)

    def try_piece(self, row: Row, _: str, text: str) -> None:
        self.judged(row, text)

    def judged(self, row: Row, text: str, *options: str) -> None:
        if row.verdict == "passed":
            self.check(text, *options)
        else:
            self.assert_refused(text, row.words, *options)

    def assert_refused(self, text: str, reason: str, *options: str) -> None:
        with self.assertRaisesRegex(Refused, f"(?s){reason}"):
            self.check(text, *options)
