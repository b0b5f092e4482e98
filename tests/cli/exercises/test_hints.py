"""The hints, and what every exercise of the workbook must have."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from support import ROOT

from cli.errors import WorkbookError
from cli.exercises.check import goals_of
from cli.exercises.check_result import CheckResult, FailedTest, Outcome
from cli.exercises.hints import PATTERNS, Hints, choose_hints, failures_of, general_hints, hints_in
from cli.exercises.lookup import all_exercises
from cli.exercises.sheet import read_sheet, sheet_of
from cli.exercises.starters import blob_hash, read_starters, starters_file
from cli.tracing.findings import Mistake
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

    def test_general_hints_where_an_exercise_has_none(self) -> None:
        hints = self.read("### race\n- its own\n### any\n- last\n")
        self.assertEqual(choose_hints(hints, ["race_of_blocks", "race", "mistake"]), ["its own", "last"])
        first, *_, last = choose_hints(hints, ["endless", "mistake"])
        self.assertEqual((first, last), (general_hints()["endless"][0], "last"))
        first, *_ = choose_hints(self.read("### any\n- last\n"), ["race_of_blocks", "race", "mistake"])
        self.assertEqual(first, general_hints()["race_of_blocks"][0])

    def test_whose_elements_race(self) -> None:
        for words, kind in (("two blocks of\none launch use", "race_of_blocks"), ("two threads of a block", "race_of_threads")):
            result = CheckResult(Path("a.cu"), Outcome.MISTAKE, mistakes=(Mistake("race", f"k: {words}"),))
            self.assertEqual(failures_of(result), [kind, "race", "mistake"])

    def test_only_the_last_element(self) -> None:
        wrong = "1 of {0} elements are wrong. The first is z[{1}]: expected 3, got 4."
        for places, is_last in (
            (((5, 4), (33, 32), (7, 6)), True),
            (((5, 4), (33, 31), (7, 6)), False),
            (((5, 4),), False),
        ):
            tests = tuple(FailedTest(f"T.{size}", (wrong.format(size, first),)) for size, first in places)
            failures = failures_of(CheckResult(Path("a.cu"), Outcome.WRONG, tests))
            self.assertEqual("last_element" in failures, is_last, places)

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
            lists = (exercise.source.parent / "CMakeLists.txt").read_text(encoding="utf-8")
            without_goals = re.findall(r"\bex\d+_\w+", " ".join(re.findall(r"NO_GOALS([^)]*)", lists)))
            if exercise.source.stem in without_goals:
                continue
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
        files = (
            *("tests/support/wrong_pattern.h", "tests/support/array_operation_tests.h"),
            *("tests/ch1_saxpy/who_am_i_test.cpp", "common/simulator/runtime/kernel_limits.cpp"),
        )
        said = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
        for name, words in PATTERNS:
            if name != "untouched":  # a number of the tests' own
                with self.subTest(name):
                    self.assertIn(words.split("|")[0].split(" .*")[0], said)
