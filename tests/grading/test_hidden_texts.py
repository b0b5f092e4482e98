"""The text that a student reads if tests with hidden seeds and shapes fail."""

from __future__ import annotations

import unittest
from pathlib import Path

from support import EXERCISE

from cli.measuring.claims import Claim
from grading.check_result import CheckResult, FailedTest, Goal, Outcome
from grading.hidden_cases import HiddenCases
from grading.judging import TAMPERED, Examiner, Grade
from grading.marking import Mark
from grading.platforms import gradescope_results
from grading.reports import as_json
from grading.submissions import Submission

FILE = Path("ex2_swizzled.cu")
SECRET = FailedTest("Shapes/Test.MatchesReference/97x613", ("59461 elements are wrong",))
OPEN = FailedTest("Shapes/Test.MatchesReference/5x5", ("25 elements are wrong",))
PASSES = CheckResult(FILE, Outcome.PASSED, passed_tests=("Shapes/Test.MatchesReference/5x5",))


class StudentsTextTest(unittest.TestCase):
    hidden = HiddenCases(7, ("97x613",))
    shows_hidden = False

    whole = "whole: 97x613"

    def text(self, result: CheckResult, verdict: str = "") -> str:
        examiner = object.__new__(Examiner)  # __init__ needs a compiler
        examiner.exercise, examiner._hidden, examiner._shows_hidden = EXERCISE, self.hidden, self.shows_hidden
        return examiner._students_text(verdict or result.outcome.value, self.whole, result, FILE.name)

    def test_a_failure_only_with_hidden_cases(self) -> None:
        wrong = CheckResult(FILE, Outcome.WRONG, (SECRET,), in_public=PASSES)
        first, second = self.text(wrong).splitlines()
        self.assertEqual(first, "ex2_swizzled.cu: wrong result in a hidden case: your teacher's own data or sizes.")
        self.assertEqual(second, "The public tests pass.")

    def test_the_same_failure_in_public(self) -> None:
        public = CheckResult(FILE, Outcome.WRONG, (OPEN,))
        text = self.text(CheckResult(FILE, Outcome.WRONG, (SECRET, OPEN), in_public=public))
        self.assertIn("25 elements are wrong\n1 of 1 tests fail; this is Shapes/Test.MatchesReference/5x5.", text)
        self.assertNotIn("613", text)

    def test_a_different_failure_in_public(self) -> None:
        public = CheckResult(FILE, Outcome.WRONG, (OPEN,))
        crashed = CheckResult(FILE, Outcome.CRASHED, words="printed 97x613", in_public=public)
        text = self.text(crashed)
        expected = "ex2_swizzled.cu: crashed in a hidden case. In the public tests:\nex2_swizzled.cu: wrong result."
        self.assertTrue(text.startswith(expected), text)
        self.assertNotIn("613", text)

    def test_a_goal_that_is_missed_only_at_a_hidden_shape(self) -> None:
        claim = Claim("ex2", ("--rows", "97", "--cols", "613"), "global", "store", "sectors_per_request", 8.0, 0.0)
        missed = CheckResult(FILE, Outcome.GOAL_MISSED, hidden_goals=(Goal(claim, 32.0),), in_public=PASSES)
        first, second = self.text(missed).splitlines()
        self.assertEqual(first, "ex2_swizzled.cu: goal missed in a hidden case: your teacher's own data or sizes.")
        self.assertEqual(second, "The public tests pass, and the public goals are reached.")

    def test_a_stopped_program_s_output_is_left_out(self) -> None:
        stopped = CheckResult(FILE, Outcome.STOPPED, words="printed 97x613", advice="It used too much memory.")
        self.assertEqual(self.text(stopped), "ex2_swizzled.cu: stopped at a limit.\nIt used too much memory.")

    def test_the_judge_s_failures_are_left_out(self) -> None:
        self.whole = "The tests passed in the answer's own process, but fail in the judge's:\n97x613"
        words = "The tests passed in the answer's own process, but fail in the judge's."
        self.assertEqual(self.text(PASSES, TAMPERED), words)
        self.whole = "The tests passed, but left no transcript of the answer's calls."
        self.assertEqual(self.text(PASSES, TAMPERED), self.whole)

    def test_without_hidden_cases_it_is_the_whole_text(self) -> None:
        self.hidden = HiddenCases()
        self.assertEqual(self.text(CheckResult(FILE, Outcome.WRONG, (OPEN,))), "whole: 97x613")

    def test_a_teacher_can_show_the_whole_text(self) -> None:
        self.shows_hidden = True
        self.assertEqual(self.text(CheckResult(FILE, Outcome.WRONG, (SECRET,), in_public=PASSES)), "whole: 97x613")

    def test_platforms_get_the_student_s_text_and_the_report_both(self) -> None:
        grade = Grade(Submission("ada", EXERCISE), "wrong result", "for ada", teachers_text="97x613")
        (report,) = as_json("ada", [grade])["exercises"]
        self.assertEqual((report["text"], report["teachers_text"]), ("for ada", "97x613"))
        self.assertNotIn("97x613", str(gradescope_results([report], [Mark(0, 5)])))
