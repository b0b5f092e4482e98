"""The hints, and the requirements for every exercise of the workbook."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from support import ROOT, FolderTest

from cli.checking.check import goals_of
from cli.checking.check_result import CheckResult, FailedTest, Outcome
from cli.checking.facts import VOCABULARY, check_words, facts_of, facts_of_test
from cli.checking.sheet import read_sheet, sheet_of
from cli.errors import WorkbookError
from cli.exercises.hints import STEPS, Hints, choose_hints, hints_in, hints_under, own_hints
from cli.exercises.lookup import all_exercises
from cli.exercises.starters import blob_hash, read_starters, starters_file
from cli.tracing.findings import Mistake
from cli.verdicts.googletest import Recorded
from cli.workbook import Workbook


class HintsTest(FolderTest):
    def read(self, text: str) -> Hints:
        file = self.folder / "ex1_a.md"
        file.write_text(f"# ex1: a\n## Hints\n{text}", encoding="utf-8")
        return hints_in(read_sheet(file))

    def test_the_order_is_that_of_the_facts_and_no_hint_comes_twice(self) -> None:
        hints = self.read("### a: finding=nccl, launch=none\n- one\n### b: pattern=other\n- two\n- one\n### steps\n- last\n")
        self.assertEqual(self.chosen(hints, "pattern=other array=z", "finding=nccl access=load")[:2], ["two", "one"])
        self.assertNotIn("last", self.chosen(hints, "pattern=other array=z"))
        self.assertEqual(hints_under(hints, [STEPS, "of_another_version"]), ["last"])

    def test_the_heading_that_names_the_most_words_comes_first(self) -> None:
        hints = self.read(
            "### g: goal, finding\n- g\n### w: goal=ways array\n- w\n### l: finding access=load\n- l\n### steps\n- s\n"
        )
        self.assertEqual(choose_hints(hints, ["goal=ways array=a"]), ["w", "g"])
        self.assertEqual(choose_hints(hints, ["finding=texture access=load thread=5"]), ["l", "g"])
        self.assertEqual(choose_hints(hints, ["finding=texture access=store"]), ["g"])

    def test_a_general_hint_comes_before_one_of_the_exercise_that_names_as_many_words(self) -> None:
        hints = self.read("### own: finding=nccl\n- own\n### more: finding=nccl kernel\n- more\n### steps\n- s\n")
        self.assertEqual(choose_hints(hints, ["finding=nccl access=wait"]), ["nccl_calls_differ", "own"])
        self.assertEqual(choose_hints(hints, ["finding=nccl kernel=k"]), ["more", "own"])

    def chosen(self, hints: Hints, *facts: str) -> list[str]:
        return hints_under(hints, choose_hints(hints, facts))

    def test_errors_in_the_file(self) -> None:
        for text, words in (
            ("### a: finding=rase\n- a\n", ":3: no fact is 'finding=rase': finding is one of"),
            ("### a: finding=race,\n- a\n", ":3: no fact has the word ''"),
            ("### a: two blocks of one launch\n- a\n", ":3: no fact has the word 'two'"),
            ("### a\n- a\n", ":3: hints need the facts under which they hold"),
            ("### steps: finding=race\n- a\n", ":3: hints need the facts under which they hold, and 'steps' has none"),
            ("### a: launch\n- a\n### a: leak\n- b\n", ":5: '### a' is there already"),
            ("### large_block: launch\n- a\n", "'### large_block' is the id of general hints"),
            ("- a\n", ":3: this line is neither '### ID: FACT, FACT' nor a hint"),
            ("### a: finding=race\nplain\n", ":4: this line is neither"),
        ):
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, words):
                self.read(text)


class AllExercisesTest(unittest.TestCase):
    """The requirements for every exercise of the workbook."""

    workbook = Workbook(ROOT)

    def test_each_has_two_steps_and_hints_for_a_failure_of_its_own(self) -> None:
        for exercise in all_exercises(self.workbook):
            with self.subTest(exercise.target):
                own = own_hints(sheet_of(exercise, self.workbook))
                self.assertGreaterEqual(len(own[STEPS].hints), 2)
                self.assertTrue(all(topic.hints for topic in own.values()), "a heading without hints")
                self.assertGreaterEqual(len(own), 2)

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
        first = FailedTest("T.First", ("...",), Recorded(("pattern=border array=z", "launch=refused why=no_blocks")))
        other = FailedTest("T.Second", ("...",), Recorded(("leak=device",)))
        facts = facts_of(CheckResult(Path("a.cu"), Outcome.WRONG, (first, other), varies=True))
        self.assertEqual(facts, [*reversed(first.facts), "result=varies", "result=wrong"])

    def test_a_pattern_of_another_test_is_a_fact_where_the_first_has_none(self) -> None:
        border = FailedTest("T.Second", ("...",), Recorded(("pattern=border array=z",)))
        for first, expected in (("pattern=other array=z", list(border.facts)), ("pattern=nan array=z", [])):
            shown = FailedTest("TFirst.a", ("...",), Recorded((first,)))
            facts = facts_of(CheckResult(Path("a.cu"), Outcome.WRONG, (border, shown)))
            self.assertEqual(facts, [*expected, first, "result=wrong"])

    def test_only_the_last_element_is_a_fact_of_all_tests(self) -> None:
        recorded = "pattern=last_element right=0-3 array=z"
        last = FailedTest("T.First", ("...",), Recorded((recorded,)))
        for other, fact in (("pattern=last_element right=0-31", recorded), ("pattern=first_part right=0-31", "array=z")):
            tests = (last, FailedTest("T.Second", ("...",), Recorded((other,))))
            self.assertEqual(facts_of(CheckResult(Path("a.cu"), Outcome.WRONG, tests)), [fact, "result=wrong"])

    def test_facts_of_a_finding(self) -> None:
        found = "finding=race access=store thread=0 block=0 between=blocks"
        refused = FailedTest("T.a", ("race: ...",), Recorded(("pattern=unwritten", "launch=refused why=no_blocks")))
        for mistake, tests, facts in (
            (Mistake("race", "...", found), (), [found]),
            (Mistake("race", "...", found), (refused,), ["launch=refused why=no_blocks", found]),
            (Mistake("host_pointer", "..."), (), ["finding=host_pointer"]),
        ):
            self.assertEqual(facts_of(CheckResult(Path("a.cu"), Outcome.MISTAKE, tests, mistakes=(mistake,))), facts)
