"""The messages of a check, about invented failures; test_answers.py checks real answers."""

from __future__ import annotations

import dataclasses
import functools
import tempfile
import unittest
from pathlib import Path

from support import EXERCISE

from cli.checking.answer_build import Programs
from cli.checking.check import check_programs, outcome_of
from cli.checking.check_result import CheckResult, FailedTest, Goal, Outcome
from cli.checking.check_text import explain, last_words, plain_words, size_pattern
from cli.checking.facts import facts_of
from cli.checking.hidden_cases import HiddenCases
from cli.errors import WorkbookError
from cli.measuring.claims import Claim, parse_claims
from cli.running.limited_run import run_limited
from cli.running.runner import Rooms
from cli.tracing.findings import Mistake
from cli.tracing.report import Finding
from cli.verdicts.googletest import Recorded
from grading.judging import TAMPERED, Examiner, Grade
from grading.marking import Mark
from grading.platforms import gradescope_results
from grading.reports import as_json
from grading.submissions import Submission

FILE = Path("ex2_swizzled.cu")
PASSES = CheckResult(FILE, Outcome.PASSED)
WRONG = CheckResult(FILE, Outcome.WRONG, (FailedTest("Test.MatchesReference/5x5", ("25 elements are wrong",)),))
CRASHED = CheckResult(FILE, Outcome.CRASHED, words="printed 97x613", in_public=WRONG)
STOPPED = CheckResult(FILE, Outcome.STOPPED, words="printed 97x613", advice="It used too much memory.")
FAILED = "The tests passed in the answer's own process, but fail in the judge's"
NO_TRANSCRIPT = "The tests passed, but left no transcript of the answer's calls."
STREAM_RACE = Finding("stream_race", "", "race between streams on byte 0.")


class StoppedTest(unittest.TestCase):
    def test_endless_answer(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            tests = Path(name, "ch1_ex1_test")
            tests.write_text("#!/bin/sh\necho begun\nwhile :; do :; done\n", encoding="utf-8")
            tests.chmod(0o755)
            run = functools.partial(run_limited, cpu_limit_s=0.2)
            result = check_programs(Path("mine.cu"), Programs(tests), [], Path(name), Rooms(run))
        self.assertEqual((result.outcome, facts_of(result)), (Outcome.STOPPED, ["ended=stopped"]))
        said = explain(result, "mine.cu", "ch1_ex1")
        self.assertIn("stopped at a limit.\nch1_ex1_test was stopped: it timed out after 0.2 s of CPU time.\nLikely: a loop", said)
        self.assertTrue(said.endswith("\nbegun"), said)


class WordsTest(unittest.TestCase):
    """Messages about invented failures."""

    def test_text_of_googletest_is_left_out(self) -> None:
        for message, words in (
            ("Value of: ok\n  Actual: false\nExpected: true\nx has changed", "x has changed"),
            ("Expected: (a) <= (b), actual: 2 vs 1\nc(0, 0): expected 1", "c(0, 0): expected 1"),
            ("floats: Expected: (a) <= (b), actual: 2 vs 1\nc(0, 0)", "floats: c(0, 0)"),
            ("Expected equality of these values:\n  a\n    Which is: 1\n  2\nthe sum", "the sum: expected 2, got 1"),
            (
                "n: Expected equality of these values:\n  f(1)\n    Which is: 1\n  b\n    Which is: 2",
                "n: f(1): expected 2, got 1",
            ),
            (
                "The difference between a() and 5.01 is 5, which exceeds 1e-9, where\na() evaluates to 0.01,\n"
                "5.01 evaluates to 5.01, and\n1e-9 evaluates to 1e-09.",
                "a(): expected 5.01, got 0.01",
            ),
            ('C++ exception with description "a: b" thrown in the test body.', "It threw: a: b"),
            ("3 of 4 elements are wrong.", None),
        ):
            with self.subTest(message):
                self.assertEqual(plain_words(message), words or message)

    def test_the_line_of_a_file_that_is_named_from_another_folder(self) -> None:
        result = CheckResult(Path(__file__), Outcome.NOT_BUILT, advice="Fix test_check.py, line 1: no")
        first_line = Path(__file__).read_text(encoding="utf-8").splitlines()[0]
        self.assertEqual(explain(result, "a", None).splitlines()[2], f"     1 | {first_line}")

    def test_long_advice_is_wrapped_and_its_source_line_is_not(self) -> None:
        advice = f"Fix test_check.py, line 1: {'more words ' * 20}\nA sentence about the cause, {'with words, ' * 20}"
        said = explain(CheckResult(Path(__file__), Outcome.NOT_BUILT, advice=advice), "a", None, columns=60).splitlines()
        self.assertEqual([line for line in said if len(line) > 60], [line for line in said if line.startswith("     1 | ")])

    def sizes(self, passed: tuple[str, ...], failed: tuple[str, ...]) -> str:
        tests = tuple(FailedTest(f"S/T.M/{name}", ("wrong",)) for name in failed)
        return size_pattern(CheckResult(Path("a"), Outcome.WRONG, tests, tuple(f"S/T.M/{name}" for name in passed)))

    def test_the_last_lines_before_a_crash_are_the_programs_own(self) -> None:
        printed = """Note: Google Test filter = A.*
unknown file: Failure
C++ exception with description "a.cu:26: cudaErrorInvalidDevice: invalid device ordinal" thrown in the test body.
[  FAILED  ] A.B/1, where GetParam() = (1, 5) (0 ms)
unknown file: Failure
C++ exception with description "a.cu:26: cudaErrorInvalidDevice: invalid device ordinal" thrown in the test body.
/work/a_test.cpp:33: Failure
n is 3
[  FAILED  ] A.B/2, where GetParam() = (1, 6) (0 ms)"""
        self.assertEqual(last_words(printed), ["It threw: a.cu:26: cudaErrorInvalidDevice: invalid device ordinal", "n is 3"])

    def test_sizes(self) -> None:
        for passed, failed, words in (
            (("32x64", "64x64"), ("31x32", "64x65"), "The result is correct only for sizes that are multiples of 32."),
            (("1", "31", "32"), ("33", "1000"), "The result is correct for sizes up to 32, and wrong from 33 on."),
            (("1", "40"), ("33", "1000"), ""),
            (("0", "1"), ("2", "3"), ""),
            (("n32_threads32", "n64_threads32"), ("n33_threads32", "n1_threads32"), "The result is correct only for sizes that are multiples of 32."),
            (("n32_threads32", "n256_threads256"), ("n33_threads32", "n257_threads256"), ""),
            (("blocks1_threads8", "blocks1_threads9"), ("blocks2_threads8", "blocks2_threads9"), ""),
            (("1",), ("33", "1000"), ""),
            ((), ("33", "1000"), ""),
            (("1", "31", "32"), ("33", "1000", "x/T.N/n7_threads4"), ""),  # another test belies the sentence
            (("n1_threads9", "n32_threads9", "n40_threads8"), ("n33_threads9", "n99_threads9"), ""),
            (("3x4", "1x5"), ("7x8", "9x40"), ""),  # of which number is a size "up to 3"?
        ):
            with self.subTest((passed, failed)):
                self.assertEqual(self.sizes(passed, failed), words)

    def test_sizes_of_a_test_without_numbers_in_its_name(self) -> None:
        failed = tuple(FailedTest(f"S/T.M/{name}", ("wrong",)) for name in ("33", "1000"))
        for size, is_said in ((5, False), (50, True)):
            first = FailedTest("TFirst.AddsFive", ("wrong",), Recorded((f"pattern=other wrong=3 size={size} first=2",)))
            result = CheckResult(Path("a"), Outcome.WRONG, (first, *failed), ("S/T.M/1", "S/T.M/32"))
            self.assertEqual(bool(size_pattern(result)), is_said)

    def test_a_pattern_that_another_test_found_is_shown(self) -> None:
        first = FailedTest("S/T.MatchesReference/31x33", ("1 of 9 elements is wrong.",))
        pattern = Recorded(("pattern=border",))
        others = [FailedTest(f"S/T.M/{n}", (f"2 of 9 elements are wrong. Pattern: {n} sides.",), pattern) for n in (1, 2)]
        said = explain(CheckResult(Path("a"), Outcome.WRONG, (*others, first)), "a", "ch3_ex2")
        self.assertIn("a: wrong result.\n1 of 9 elements is wrong.\n3 of 3 tests fail; this is S/T.MatchesRef", said)
        self.assertIn("\nS/T.M/1: 2 of 9 elements are wrong. Pattern: 1 sides.", said)
        self.assertNotIn("2 sides", said)

    def test_outcomes_of_failed_tests(self) -> None:
        wrong = FailedTest("S/T.MatchesReference/5x5", ("5 of 25 elements are wrong",))
        race = FailedTest("TOnce.RunsInItsStream", ("stream_race: ...",), Recorded(findings=(STREAM_RACE,)))
        throws = "TOnce.ThrowsIfItCannotBeLaunched"
        unreported = FailedTest(throws, ("Actual: it throws nothing.",), Recorded(part="error_handling"))
        unlaunched = FailedTest(throws, ("Actual: it throws nothing.",), Recorded(("launches=none",), "error_handling"))
        each = FailedTest(throws, ("no kernel was launched",), Recorded(("launch=none",), "error_handling"))
        racing = FailedTest(throws, ("stream_race: ...",), Recorded(part="error_handling", findings=(STREAM_RACE,)))
        for failed, outcome in (
            ((unreported,), Outcome.UNREPORTED),
            ((unreported, wrong), Outcome.WRONG),
            ((unreported, race), Outcome.MISTAKE),
            ((racing,), Outcome.UNREPORTED),  # the next copy reads what was not computed
            ((unlaunched,), Outcome.ELSEWHERE),
            ((unlaunched, race), Outcome.ELSEWHERE),
            ((each,), Outcome.ELSEWHERE),
            ((each, unreported), Outcome.ELSEWHERE),
            ((unlaunched, wrong), Outcome.WRONG),
        ):
            with self.subTest(outcome=outcome, failed=failed):
                has_mistakes = any(test.recorded.findings for test in failed)
                self.assertEqual(outcome_of(failed, has_mistakes), outcome)

    def test_a_result_that_no_kernel_wrote_is_said_without_streams(self) -> None:
        race = FailedTest("TOnce.RunsInItsStream", ("stream_race: ...",), Recorded(findings=(STREAM_RACE,)))
        result = CheckResult(Path("a"), Outcome.ELSEWHERE, (race,), ("T.B",), (Mistake("stream_race", "two streams"),))
        self.assertEqual(facts_of(result), ["launch=none"])
        said = explain(result, "a", None).splitlines()
        self.assertEqual(said[0], "a: computed elsewhere.")
        self.assertRegex(said[1], "^No kernel wrote the result: the tests saw no launch, so host code or copies")
        self.assertEqual(said[3:], ["1 of 2 tests fail."])

    def test_an_error_that_is_not_reported_is_said_with_its_fix_and_a_missed_goal(self) -> None:
        recorded = Recorded(("launch=unchecked",), "error_handling")
        failed = FailedTest("TOnce.ThrowsIfItCannotBeLaunched", ("it throws nothing",), recorded)
        goal = Goal(Claim("ex2", (), "global", "store", "sectors_per_request", 4, 0), 32.0)
        result = CheckResult(Path("a"), Outcome.UNREPORTED, (failed,), ("T.B",), goals=(goal,))
        said = explain(result, "a", None)
        self.assertIn("a: errors not reported.\nThe result is correct, but the caller does not learn of every launch", said)
        self.assertIn("CUDA_CHECK(cudaGetLastError()); after each launch: it throws the error.\nit throws nothing\n", said)
        self.assertTrue(said.endswith(f"misses a performance goal:\n  {goal.words()}"), said)
        self.assertEqual(facts_of(result)[0], "launch=unchecked")

    def test_a_lower_count_meets_a_limit(self) -> None:
        table = ["memory,operation,measure,value,tolerance", "global,load,requests,<=4096,2"]
        (limit,) = parse_claims(table, Path("ex7.md"), stage="ex7")
        for counted, is_met in ((1.0, True), (4096.0, True), (4098.0, True), (4099.0, False)):
            self.assertEqual(Goal(limit, counted).is_met, is_met)
        self.assertIn("requests: 4099. The goal is at most 4096.", Goal(limit, 4099.0).words())

    def test_a_lower_limit_requires_accesses_that_an_upper_limit_does_not(self) -> None:
        table = ["memory,operation,measure,value,tolerance", "global,atomic,requests,>=1,0", "global,atomic,requests,<=96,0"]
        lower, upper = parse_claims(table, Path("ex7.md"), stage="ex7")
        for counted, are_met in ((None, (False, True)), (1.0, (True, True)), (97.0, (True, False))):
            self.assertEqual((Goal(lower, counted).is_met, Goal(upper, counted).is_met), are_met)
        self.assertIn("has none, but the goal requires them (requests: at least 1)", Goal(lower, None).words())

    def test_accesses_that_are_missing_are_named_once(self) -> None:
        table = ["memory,operation,measure,value,tolerance", "shared,load,wavefronts,<=9,0", "shared,load,conflict_ways,1,0"]
        goals = tuple(Goal(claim, None) for claim in parse_claims(table, Path("ex7.md"), stage="ex7"))
        said = explain(CheckResult(Path("a"), Outcome.GOAL_MISSED, goals=goals), "a", None)
        self.assertEqual(said.count("shared-memory loads: the kernel has none"), 1)

    def test_goals_without_values_are_refused(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "ex7.md:2: cannot read this claim"):
            parse_claims(["memory,operation,measure,tolerance", "global,load,requests,2"], Path("ex7.md"), stage="ex7")

    def test_a_claim_of_a_stage_is_not_a_limit(self) -> None:
        table = ["stage,memory,operation,measure,value,tolerance", "naive,global,load,requests,<=4096,2"]
        with self.assertRaisesRegex(WorkbookError, "claims.csv:2: cannot read this claim"):
            parse_claims(table, Path("claims.csv"))

    def test_resemblance_needs_all_counts_of_the_stage(self) -> None:
        def claim(stage: str, operation: str, value: float) -> Claim:
            return Claim(stage, (), "global", operation, "sectors_per_request", value, 0)

        goals = (Goal(claim("ex1", "load", 4), 4.0), Goal(claim("ex1", "store", 4), 32.0))
        result = CheckResult(Path("a"), Outcome.GOAL_MISSED, goals=goals)
        for store, is_named in ((32, True), (16, False)):
            stages = [claim("naive", "load", 4), claim("naive", "store", store)]
            self.assertEqual("stage naive" in explain(result, "a", "ch3_ex1", stages), is_named)

    def test_the_number_of_threads_alone_resembles_no_stage(self) -> None:
        threads, loads = (Claim("naive", (), *kind, 4, 0) for kind in (("kernel", "launch", "threads"), ("global", "load", "requests")))
        goals = (Goal(dataclasses.replace(threads, value=2), 4.0), Goal(loads, 4.0))
        said = explain(CheckResult(Path("a"), Outcome.GOAL_MISSED, goals=goals), "a", "ch3_ex1", [threads, loads])
        self.assertNotIn("stage naive", said)


class StudentsTextTest(unittest.TestCase):
    """The text of a grading with hidden seeds and shapes, in cases that no answer of answers.txt has."""

    def text(self, result: CheckResult, verdict: str, whole: str, hidden: HiddenCases, shows_hidden: bool) -> str:
        examiner = object.__new__(Examiner)  # __init__ needs a compiler
        examiner.exercise, examiner._hidden, examiner._shows_hidden = EXERCISE, hidden, shows_hidden
        return examiner._students_text(verdict or result.outcome.value, whole, result, FILE.name)

    def test_each_text(self) -> None:
        in_public = "crashed in a hidden case. In the public tests:\nex2_swizzled.cu: wrong result."
        in_public += "\n25 elements are wrong\n1 of 1 tests fail; this is Test.MatchesReference/5x5."
        hidden = HiddenCases(7, ("97x613",))
        for result, verdict, whole, expected in (
            (CRASHED, "", "97x613", f"ex2_swizzled.cu: {in_public}"),
            (STOPPED, "", "97x613", "ex2_swizzled.cu: stopped at a limit.\nIt used too much memory."),
            (PASSES, TAMPERED, f"{FAILED}:\n97x613", f"{FAILED}."),
            (PASSES, TAMPERED, NO_TRANSCRIPT, NO_TRANSCRIPT),
        ):
            with self.subTest(expected):
                self.assertEqual(self.text(result, verdict, whole, hidden, False), expected)
                self.assertEqual(self.text(result, verdict, whole, hidden, True), whole)  # --show-hidden
                self.assertEqual(self.text(result, verdict, whole, HiddenCases(), False), whole)

    def test_platforms_get_the_student_s_text_and_the_report_both(self) -> None:
        grade = Grade(Submission("ada", EXERCISE), "wrong result", "for ada", teachers_text="97x613")
        (report,) = as_json("ada", [grade])["exercises"]
        self.assertEqual((report["text"], report["teachers_text"]), ("for ada", "97x613"))
        self.assertNotIn("97x613", str(gradescope_results([report], [Mark(0, 5)])))
