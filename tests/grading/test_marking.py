"""Points: parts and their weights, late days, marks that a teacher wrote. No answer is built."""

from __future__ import annotations

import math
import re
import unittest
from pathlib import Path

from support import ROOT, FolderTest

from cli.checking.check_result import PARTS, CheckResult, FailedTest, Goal, Outcome, parts_of
from cli.errors import UsageError
from cli.measuring.claims import Claim
from cli.tracing.report import Finding
from cli.verdicts.googletest import Recorded
from grading.marking import Mark, Marking, read_late_days, read_manual_marks, read_weights

EXERCISES = ("ch3_ex2", "ch3_ex3")
STUDENTS = ("ada", "J\u00f6rg", "=1+1")
RACE = Finding("race", "transpose_kernel", "thread 1 loads what thread 2 stores.")


def graded(passed: bool = False, exercise: str = "ch3_ex2", **parts: bool) -> dict[str, object]:
    return {"exercise": exercise, "passed": passed, "parts": {**dict.fromkeys(PARTS, passed), **parts}}


class TableTest(FolderTest):
    def assert_refused(self, message: str, read: object, text: str, *arguments: object) -> None:
        with self.subTest(text=text), self.assertRaisesRegex(UsageError, message):
            read(self.put("table.csv", text), *arguments)


class WeightsTest(TableTest):
    def test_reads_shares_of_all_exercises_and_of_one(self) -> None:
        text = "\ufeffexercise;compiles;right\r\nall;12,5;87,5\r\nch3_ex2;;100\r\n"
        expected = {"all": {"compiles": 12.5, "right": 87.5}, "ch3_ex2": {"compiles": 0, "right": 100}}
        self.assertEqual(read_weights(self.put("table.csv", text), EXERCISES), expected)

    def test_names_the_value_and_the_fix(self) -> None:
        head = "exercise,compiles,right,goals\n"
        for text, message in (
            ("", "the first line must be exercise,compiles,right,no_errors,error_handling,goals"),
            ("part,share\n", "the first line must be exercise,"),
            ("exercise,right,speed\n", "line 1: 'speed' is not a part, or appears twice. The parts are compiles, right,"),
            ("exercise,right,right\n", "line 1: 'right' is not a part, or appears twice"),
            (head + "all,10,50,30\n", "line 2: the shares of all add up to 90, not to 100. They are percentages: change them by \\+10."),
            (head + "all,-10,60,50\n", "line 2: compiles must be a number from 0 up, not '-10'"),
            (head + "all,nan,50,50\n", "line 2: compiles must be a number from 0 up, not 'nan'"),
            (head + "ch9_ex77,10,50,40\n", "line 2: there is no exercise 'ch9_ex77'. Write all, or a name such as ch3_ex2"),
            (head + "all,10,50,40\n\nall,10,50,40\n", "line 4: all already has a line. Remove one"),
            (head + "all,10,90\n", "line 2: 3 columns instead of 4"),
        ):
            self.assert_refused(message, read_weights, text, EXERCISES)
        with self.assertRaisesRegex(UsageError, "it is not a file of at most 4 MiB"):
            read_weights(Path("/dev/zero"), EXERCISES)


class LateAndManualTest(TableTest):
    def test_late_days(self) -> None:
        text = "student,exercise,days\nada,all,2\nada,ch3_ex3,0.5\n'=1+1,ch3_ex2,1\nJo\u0308rg,all,1\n"
        expected = {("ada", "all"): 2, ("ada", "ch3_ex3"): 0.5, ("=1+1", "ch3_ex2"): 1, ("J\u00f6rg", "all"): 1}
        self.assertEqual(read_late_days(self.put("table.csv", text), STUDENTS, EXERCISES), expected)

    def test_manual_marks_keep_comments_of_several_lines(self) -> None:
        text = 'student,exercise,points,comment\nada,ch3_ex2,2.5,"Good.\nBut slow."\nada,ch3_ex3,,"See me, please."\n'
        expected = {("ada", "ch3_ex2"): (2.5, "Good.\nBut slow."), ("ada", "ch3_ex3"): (None, "See me, please.")}
        self.assertEqual(read_manual_marks(self.put("table.csv", text), STUDENTS, EXERCISES, 5), expected)

    def test_names_the_wrong_line(self) -> None:
        head = "student,exercise,points,comment\n"
        for text, message in (
            ("name,points\n", "the first line must be student,exercise,points,comment"),
            (head + "zoe,ch3_ex2,1,\n", "line 2: there is no student 'zoe'. Write the name as in marks.csv"),
            (head + "ada,ch3_ex9,1,\n", "line 2: 'ch3_ex9' is not an exercise of this grading: ch3_ex2, ch3_ex3"),
            (head + "ada,ch3_ex2,-1,\n", "line 2: points must be a number from 0 up, not '-1'"),
            (head + "ada,ch3_ex2,25,\n", "line 2: 25 points of 5. Correct the number"),
            (head + "ada,ch3_ex2,1,\nada,ch3_ex2,2,\n", "line 3: ada already has a line for ch3_ex2"),
            (head + "ada,ch3_ex2,1,good, but slow\n", "line 2: 5 columns instead of 4. Quote a cell that has a comma"),
        ):
            self.assert_refused(message, read_manual_marks, text, STUDENTS, EXERCISES, 5)
        text = "student,exercise,days\nada,all,late\n"
        self.assert_refused("line 2: days must be", read_late_days, text, STUDENTS, EXERCISES)


class MarkingTest(unittest.TestCase):
    WEIGHTS = {"all": {"compiles": 10.0, "right": 60.0, "goals": 30.0}, "ch3_ex3": {"right": 100.0}}

    def test_without_weights_an_exercise_gives_all_points_or_none(self) -> None:
        self.assertEqual(Marking(2.5).mark("ada", graded(True)), Mark(2.5, 2.5))
        self.assertEqual(Marking(2.5).mark("ada", graded(compiles=True, right=True)), Mark(0, 2.5))

    def test_points_in_parts(self) -> None:
        mark = Marking(2.5, self.WEIGHTS).mark("ada", graded(compiles=True, right=True))
        self.assertEqual(mark.points, 1.75)
        self.assertEqual(mark.parts, (("compiles", 0.25, 0.25), ("right", 1.5, 1.5), ("goals", 0, 0.75)))
        self.assertEqual(Marking(5, self.WEIGHTS).mark("ada", graded(compiles=True, exercise="ch3_ex3")).points, 0)

    def test_thirds_add_up(self) -> None:
        thirds = {"all": {"compiles": 33.33, "right": 33.33, "goals": 33.34}}
        self.assertEqual(Marking(10, thirds).mark("ada", graded(True)).points, 10)

    def test_late_days_cost_points_of_the_exercise_and_never_more_than_there_are(self) -> None:
        late = {("ada", "all"): 2.0, ("ada", "ch3_ex3"): 0.5, ("bo", "all"): 20.0}
        marking = Marking(10, self.WEIGHTS, late, per_day=10)
        self.assertEqual(marking.mark("ada", graded(compiles=True, right=True)).points, 5)
        self.assertEqual(marking.mark("ada", graded(True, "ch3_ex3")).points, 9.5)
        mark = marking.mark("bo", graded(compiles=True))
        self.assertEqual((mark.points, mark.late_days, mark.deduction), (0, 20, 1))

    def test_the_teachers_points_are_final(self) -> None:
        manual = {("ada", "ch3_ex2"): (4.0, "Good."), ("ada", "ch3_ex3"): (None, "See me.")}
        marking = Marking(10, {}, {("ada", "all"): 1.0}, 10, manual)
        mark = marking.mark("ada", graded())
        self.assertEqual((mark.points, mark.is_manual, mark.comment), (4, True, "Good."))
        mark = marking.mark("ada", graded(True, "ch3_ex3"))
        self.assertEqual((mark.points, mark.is_manual, mark.comment), (9, False, "See me."))


class PartsTest(unittest.TestCase):
    def test_a_launch_with_other_blocks_is_no_missing_report(self) -> None:
        clamped = FailedTest("T.Throws", ("1024",), Recorded(("launch=block_size",), "error_handling"))
        self.assertFalse(clamped.is_of_error_handling)
        self.assertTrue(clamped.has_wrong_result)

    def test_each_test_that_makes_a_launch_fail_is_of_error_handling(self) -> None:
        found = 0
        for file in sorted((ROOT / "tests").glob("ch*/*_test*.[ch]*")):
            text = file.read_text(encoding="utf-8")
            for suite, name, body in re.findall(r"(?ms)^TEST(?:_[FP])?\((\w+), (\w+)\) \{$(.*?)^\}", text):
                needs_none = re.search("NoLaunch|NoElements|MayBeNone", name)  # for no elements
                if re.search("fail_next_launch|add_missing_refusal", body) and not needs_none:
                    found += 1
                    self.assertIn("test_error_handling();", body, f"{file.name}: {suite}.{name}")
        self.assertGreater(found, 5)  # most operations share one such test

    def reached(self, outcome: Outcome, *failed: FailedTest, **more: object) -> str:
        result = CheckResult(Path("a.cu"), outcome, failed, ("Test.B",) if failed else (), **more)
        return " ".join(part for part, is_reached in parts_of(result).items() if is_reached)

    def test_each_outcome(self) -> None:
        wrong = FailedTest("Shapes/Test.MatchesReference/1x1", ("5 of 5 elements are wrong",))
        unreported = FailedTest("T.Throws", ("launch 1 failed",), Recorded(("launch=unchecked",), "error_handling"))
        race = FailedTest("Shapes/Test.MatchesReference/1x1", ("race: ...",), Recorded(findings=(RACE,)))
        for outcome, failed, expected in (
            (Outcome.NOT_BUILT, (), ""),
            (Outcome.REFUSED, (), ""),
            (Outcome.STOPPED, (), "compiles"),
            (Outcome.CRASHED, (), "compiles"),
            (Outcome.ELSEWHERE, (), "compiles"),
            (Outcome.WRONG, (wrong,), "compiles"),
            (Outcome.WRONG_IN_REVERSE, (wrong,), "compiles"),
            (Outcome.MISTAKE, (), "compiles"),  # it ended the program
            (Outcome.MISTAKE, (wrong, race), "compiles"),
            (Outcome.MISTAKE, (race,), "compiles right error_handling"),
            (Outcome.MISTAKE, (race, unreported), "compiles right"),
            (Outcome.UNREPORTED, (unreported,), "compiles right no_errors goals"),
            (Outcome.PASSED, (), "compiles right no_errors error_handling goals"),
        ):
            with self.subTest(outcome=outcome, failed=failed):
                self.assertEqual(self.reached(outcome, *failed), expected)

    def test_an_answer_that_is_not_better_than_a_right_starter_only_compiles(self) -> None:
        stores = Claim("ex6", (), "global", "store", "sectors_per_request", 4, 0, starter=32.0)
        ways = Claim("ex6", (), "shared", "load", "conflict_ways", 1, 0, starter=math.inf)  # no such access
        loads = Claim("ex6", (), "global", "load", "requests", 100, 0, limit="<=", starter=50.0)
        ordinary = "compiles right no_errors error_handling"
        for counts, expected in (
            ((32.0, None, 50.0), "compiles"),
            ((40.0, None, 20.0), "compiles"),  # fewer loads, but the starter reaches this goal
            ((20.0, None, 50.0), "compiles"),  # less than halfway
            ((16.0, None, 50.0), ordinary),
            ((32.0, 32.0, 50.0), ordinary),
            ((4.0, 1.0, 200.0), ordinary),
            ((4.0, 1.0, 50.0), f"{ordinary} goals"),
        ):
            goals = tuple(map(Goal, (stores, ways, loads), counts))
            with self.subTest(counts=counts):
                self.assertEqual(self.reached(Outcome.GOAL_MISSED, goals=goals, starter_is_right=True), expected)
        race = FailedTest("Shapes/Test.MatchesReference/1x1", (RACE,))
        self.assertEqual(self.reached(Outcome.MISTAKE, race, starter_is_right=True), "compiles")
