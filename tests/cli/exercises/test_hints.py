"""The hints, and what every exercise of the workbook must have."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from support import ROOT

from cli.errors import WorkbookError
from cli.exercises.check import goals_of
from cli.exercises.hints import PATTERNS, Hints, choose_hints, hints_in
from cli.exercises.lookup import all_exercises
from cli.exercises.sheet import read_sheet, sheet_of
from cli.exercises.starters import blob_hash, read_starters, starters_file
from cli.workbook import Workbook


class HintsTest(unittest.TestCase):
    def read(self, text: str) -> Hints:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "ex1_a.md")
            file.write_text(f"# ex1: a\n## Hints\n{text}", encoding="utf-8")
            return hints_in(read_sheet(file))

    def test_order_and_no_hint_twice(self) -> None:
        hints = self.read("### race, any\n- both\n### wrong\n- w\n\n### any\n- last\n")
        self.assertEqual(choose_hints(hints, ["race", "mistake"]), ["both", "last"])
        self.assertEqual(choose_hints(hints, ["border", "wrong"]), ["w", "both", "last"])

    def test_mistakes_in_the_file(self) -> None:
        for text, words in (
            ("### rase\n- a\n", ":3: no check fails by 'rase'"),
            ("- a\n", ":3: this is no heading"),
            ("### race\nplain\n", ":4: this is no heading"),
        ):
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, words):
                self.read(text)


class AllExercisesTest(unittest.TestCase):
    """What every exercise of the workbook must have."""

    workbook = Workbook(ROOT)

    def test_at_least_two_hints_for_every_failure(self) -> None:
        for exercise in all_exercises(self.workbook):
            with self.subTest(exercise.target):
                of_this = hints_in(sheet_of(exercise, self.workbook))
                self.assertGreaterEqual(len(choose_hints(of_this, [])), 2, "hints under '### any'")
                self.assertGreaterEqual(len(of_this), 2, "hints for a failure of its own")

    def test_what_a_kernel_costs_is_a_goal(self) -> None:
        for exercise in all_exercises(self.workbook):
            solution = self.workbook.catalogue.find_program(f"{exercise.target}_solution")
            if "__global__" in solution.source.read_text(encoding="utf-8"):
                with self.subTest(exercise.target):
                    self.assertTrue(goals_of(exercise, self.workbook))

    def test_starters_are_known(self) -> None:
        for exercise in all_exercises(self.workbook):
            with self.subTest(exercise.target):
                known = read_starters(starters_file(exercise, self.workbook)).get(exercise.source.name)
                self.assertEqual(
                    known,
                    blob_hash(exercise.source.read_bytes()),
                    f"{exercise.source.name} has changed: python3 tests/lessons/check_starters.py write",
                )

    def test_patterns_are_those_of_the_tests(self) -> None:
        said = (ROOT / "tests/support/wrong_pattern.h").read_text(encoding="utf-8")
        for name, words in PATTERNS:
            if name != "launch":
                with self.subTest(name):
                    self.assertIn(words.split("|")[0].split(" .*")[0], said)
