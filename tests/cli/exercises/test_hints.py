"""The hints, and the requirements for every exercise of the workbook."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path

from support import ROOT

from cli.errors import WorkbookError
from grading.facts import VOCABULARY, check_words, facts_of, facts_of_test
from cli.exercises.hints import Hints, choose_selectors, general_hints, hints_in, hints_under
from cli.exercises.lookup import all_exercises
from cli.exercises.starters import blob_hash, read_starters, starters_file
from cli.tracing.findings import Mistake
from cli.workbook import Workbook
from grading.check import goals_of
from grading.check_result import CheckResult, FailedTest, Outcome
from grading.sheet import read_sheet, sheet_of


class HintsTest(unittest.TestCase):
    def read(self, text: str) -> Hints:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "ex1_a.md")
            file.write_text(f"# ex1: a\n## Hints\n{text}", encoding="utf-8")
            return hints_in(read_sheet(file))

    def test_order_and_no_hint_twice(self) -> None:
        hints = self.read("### finding=race, any\n- both\n### result=wrong\n- w\n\n### any\n- last\n")
        self.assertEqual(self.chosen(hints, "finding=race access=load"), ["both", "last"])
        self.assertEqual(self.chosen(hints, "pattern=border array=z", "result=wrong"), ["w", "both", "last"])

    def test_the_heading_with_the_most_words_comes_first(self) -> None:
        hints = self.read("### goal, finding\n- g\n### goal=ways\n- w\n### finding access=load\n- l\n### any\n- last\n")
        self.assertEqual(self.chosen(hints, "goal=ways memory=shared"), ["w", "g", "last"])
        self.assertEqual(self.chosen(hints, "finding=out_of_bounds access=load thread=5"), ["l", "g", "last"])
        self.assertEqual(self.chosen(hints, "finding=out_of_bounds access=store thread=0"), ["g", "last"])

    def test_general_hints_where_an_exercise_has_none(self) -> None:
        hints = self.read("### finding=race\n- its own\n### any\n- last\n")
        self.assertEqual(self.chosen(hints, "finding=race between=blocks"), ["its own", "last"])
        first, *_, last = self.chosen(hints, "finding=endless")
        self.assertEqual((first, last), (general_hints()["finding=endless"][0], "last"))
        first, *_ = self.chosen(self.read("### any\n- last\n"), "finding=race between=blocks")
        self.assertEqual(first, general_hints()["finding=race between=blocks"][0])

    def test_a_forgotten_shared_array_has_its_own_hints(self) -> None:
        """A local array that is read before it is written: the hints for shared memory do not fit."""
        of_the_tile = self.read("### finding=uninitialised memory=shared\n- the tile\n### any\n- last\n")
        first, *_ = self.chosen(of_the_tile, "finding=uninitialised access=load thread=3:1 block=0 memory=local array=tile index=thread")
        self.assertEqual(first, general_hints()["finding=uninitialised memory=local index=thread"][0])
        self.assertIn("__shared__", first)

    def chosen(self, hints: Hints, *facts: str) -> list[str]:
        return hints_under(hints, choose_selectors(hints, facts))

    def test_errors_in_the_file(self) -> None:
        for text, words in (
            ("### finding=rase\n- a\n", ":3: no fact is 'finding=rase': finding is one of"),
            ("### finding=race,\n- a\n", ":3: no fact has the word ''"),
            ("### two blocks of one launch\n- a\n", ":3: no fact has the word 'two'"),
            ("- a\n", ":3: this line is neither a heading"),
            ("### finding=race\nplain\n", ":4: this line is neither a heading"),
        ):
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, words):
                self.read(text)


class AllExercisesTest(unittest.TestCase):
    """The requirements for every exercise of the workbook."""

    workbook = Workbook(ROOT)

    def test_at_least_two_hints_for_every_failure(self) -> None:
        for exercise in all_exercises(self.workbook):
            with self.subTest(exercise.target):
                of_this = hints_in(sheet_of(exercise, self.workbook))
                self.assertGreaterEqual(len(of_this["any"]), 2, "hints under '### any'")
                self.assertGreaterEqual(len(of_this), 2, "hints for a failure of its own")

    def test_each_exercise_about_costs_has_a_goal(self) -> None:
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
                    f"{exercise.source.name} has changed: python3 tests/instruments/lessons/check_starters.py write",
                )


class FactsTest(unittest.TestCase):
    def test_each_recorded_word_is_known(self) -> None:
        """The words that the test programs and the simulator record, from their sources."""
        sources = (file for end in ("h", "cpp", "cu") for file in (ROOT / "tests").glob(f"*/*.{end}"))
        texts = [file.read_text(encoding="utf-8") for file in sources]
        texts += [file.read_text(encoding="utf-8") for file in (ROOT / "common/simulator").rglob("*.cpp")]
        keys = "|".join(VOCABULARY)
        words = {word for text in texts for word in re.findall(rf'(?<=[" ])((?:{keys})=[a-z_]+)(?=[" ])', text)}
        self.assertGreater(len(words), 20)
        for word in words:
            check_words(word)

    def test_facts_of_a_test(self) -> None:
        name = "Launches/SaxpyTest.MatchesReference/n33_threads32"
        own = "suite=SaxpyTest test=MatchesReference case=n33_threads32"
        self.assertEqual(facts_of_test(name, ()), [own])
        self.assertEqual(facts_of_test(name, ("launch=none", "got=nan")), [f"{own} launch=none", f"{own} got=nan"])
        self.assertEqual(facts_of_test("SaxpyOnce.Adds", ()), ["suite=SaxpyOnce test=Adds"])

    def test_the_most_telling_fact_comes_first(self) -> None:
        tests = (
            FailedTest("T.First", ("...",), ("pattern=unwritten array=z", "pattern=last_element right=0-3 array=z")),
            FailedTest("T.Second", ("...",), ("launch=refused why=no_blocks",)),
        )
        facts = facts_of(CheckResult(Path("a.cu"), Outcome.WRONG, tests, varies=True))
        self.assertEqual([fact.split()[0] for fact in facts[:2]], ["launch=refused", "pattern=last_element"])
        self.assertEqual(facts[-2:], ["result=varies", "result=wrong"])

    def test_only_the_last_element_is_a_fact_of_all_tests(self) -> None:
        last = FailedTest("T.First", ("...",), ("pattern=last_element right=0-3",))
        for other, is_kept in (("pattern=last_element right=0-31", True), ("pattern=first_part right=0-31", False)):
            tests = (last, FailedTest("T.Second", ("...",), (other,)))
            facts = facts_of(CheckResult(Path("a.cu"), Outcome.WRONG, tests))
            self.assertEqual("pattern=last_element right=0-3" in facts, is_kept, other)

    def test_facts_of_a_finding(self) -> None:
        found = "finding=race access=store thread=0 block=0 between=blocks"
        tests = (FailedTest("T.a", ("race: ...",), ("pattern=unwritten", found)),)
        for result, facts in (
            (CheckResult(Path("a.cu"), Outcome.MISTAKE, tests, mistakes=(Mistake("race", "..."),)), [found]),
            (CheckResult(Path("a.cu"), Outcome.MISTAKE, mistakes=(Mistake("race", "...", found),)), [found]),
            (CheckResult(Path("a.cu"), Outcome.MISTAKE, mistakes=(Mistake("host_pointer", "..."),)), ["finding=host_pointer"]),
        ):
            self.assertEqual(facts_of(result), facts)
