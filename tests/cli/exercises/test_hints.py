"""The hints, and what every exercise of the workbook must have."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from support import ROOT

from cli.errors import WorkbookError
from cli.exercises.check import goals_of
from cli.exercises.hints import PATTERNS, choose_hints, read_hints
from cli.exercises.lookup import all_exercises
from cli.exercises.starters import blob_hash, read_starters, starters_file
from cli.workbook import Workbook


class HintsFileTest(unittest.TestCase):
    def read(self, text: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "hints.md")
            file.write_text(text, encoding="utf-8")
            return read_hints(file)

    def test_order_and_no_hint_twice(self) -> None:
        hints = self.read("## ex1: a\n### race, any\n- both\n### wrong\n- w\n\n### any\n- last\n")["ex1"]
        self.assertEqual(choose_hints(hints, ["race", "mistake"]), ["both", "last"])
        self.assertEqual(choose_hints(hints, ["border", "wrong"]), ["w", "both", "last"])

    def test_mistakes_in_the_file(self) -> None:
        for text, words in (
            ("## ex1: a\n### rase\n- a\n", ":2: no check fails by 'rase'"),
            ("## ex1: a\n- a\n", ":2: this is no heading"),
            ("## ex1: a\n### race\nplain\n", ":3: this is no heading"),
        ):
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, words):
                self.read(text)

    def test_without_a_file(self) -> None:
        self.assertEqual(read_hints(Path("/nowhere/hints.md")), {})


class AllExercisesTest(unittest.TestCase):
    """What every exercise of the workbook must have."""

    workbook = Workbook(ROOT)

    def test_at_least_two_hints_for_every_failure(self) -> None:
        for exercise in all_exercises(self.workbook):
            with self.subTest(exercise.target):
                hints = read_hints(self.workbook.files_of(exercise.chapter).hints)
                of_this = hints.get(exercise.target.split("_")[-1], {})
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
