"""The results of a GoogleTest program are trusted only if they are consistent, no matter what the program prints."""

from __future__ import annotations

import json
import signal

from support import FolderTest

from cli.running.limited_run import Ended
from cli.verdicts.googletest import Ending, Recorded, State, Test, TestRun, judge

PASSES = {"name": "Adds/3x5", "result": "COMPLETED"}
FAILURE = "a_test.cpp:7\nFailed\n1 of 9 is wrong\nGoogle Test trace:\na_test.cpp:5: in reverse\na_test.cpp:3: n = 9"
FAILS = {"name": "Adds/9x9", "result": "COMPLETED", "failures": [{"failure": FAILURE}]}
SKIPPED = {"name": "NeedsGpu", "result": "SKIPPED"}
FILTERED_OUT = {"name": "Other", "result": "SUPPRESSED"}


class ResultsFile(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "tests.json"

    def judge(self, tests: list[dict] | str | None, ended: Ended = Ended(0)) -> TestRun:
        if tests is not None:
            results = {"testsuites": [{"name": "Matrix", "testsuite": tests}]}
            self.file.write_text(tests if isinstance(tests, str) else json.dumps(results), encoding="utf-8")
        return judge("a_test", ended, self.file)

    def assert_no_pass(self, run: TestRun, ending: Ending, words: str) -> None:
        self.assertEqual((run.passed, run.ending, run.words), (False, ending, words))

    def test_all_pass(self) -> None:
        run = self.judge([PASSES, SKIPPED, FILTERED_OUT])
        self.assertTrue(run.passed)
        self.assertEqual(
            [(test.name, test.state) for test in run.tests],
            [("Matrix.Adds/3x5", State.PASSED), ("Matrix.NeedsGpu", State.SKIPPED)],
        )

    def test_failure_with_the_tests_own_message(self) -> None:
        run = self.judge([PASSES, FAILS], Ended(1))
        self.assertEqual((run.passed, run.ending), (False, Ending.COMPLETE))
        self.assertEqual(
            run.in_state(State.FAILED),
            (Test("Matrix.Adds/9x9", State.FAILED, ("n = 9 / in reverse: 1 of 9 is wrong",)),),
        )

    def test_facts_of_a_failed_test(self) -> None:
        failed = {**FAILS, "facts": "pattern=border array=z; launch=none"}
        run = self.judge([PASSES, failed], Ended(1))
        self.assertEqual(run.in_state(State.FAILED)[0].recorded.facts, ("pattern=border array=z", "launch=none"))
        self.assertEqual(run.in_state(State.PASSED)[0].recorded, Recorded())

    def test_endings_without_a_pass(self) -> None:
        early = "a_test ended before its tests did."
        prints_passed = "[ RUN      ] Matrix.Adds\n[       OK ] Matrix.Adds (0 ms)\n[  PASSED  ] 1 test.\n"
        stopped = Ended(-signal.SIGKILL, stopped="timed out after 60.0 s")
        for tests, ended, ending, words in (
            ([PASSES], stopped, Ending.STOPPED, "a_test was stopped: it timed out after 60.0 s."),
            ([PASSES], Ended(3), Ending.CRASHED, "a_test failed (exit code 3)."),
            ([], Ended(0), Ending.CRASHED, early),
            ([FILTERED_OUT], Ended(0), Ending.CRASHED, early),
            ([SKIPPED], Ended(0), Ending.COMPLETE, ""),
            ([FAILS], Ended(0), Ending.BELIED, "a_test: tests failed, but the exit code of the program is 0."),
            ([PASSES], Ended(1), Ending.BELIED, "a_test: all tests passed, but then the program failed."),
        ):
            with self.subTest(words):
                self.assert_no_pass(self.judge(tests, ended), ending, words)
        self.file.unlink()
        self.assert_no_pass(self.judge(None, Ended(0, prints_passed)), Ending.CRASHED, early)
        self.file.mkdir()
        self.assert_no_pass(self.judge(None), Ending.CRASHED, early)

    def test_crash_after_the_results(self) -> None:
        run = self.judge([PASSES], Ended(-signal.SIGSEGV))
        self.assertEqual((run.passed, run.ending), (False, Ending.CRASHED))
        self.assertIn("[SIGSEGV]", run.words)

    def test_xml(self) -> None:
        self.file = self.file.with_suffix(".xml")
        failure = f'<failure message="m" type=""><![CDATA[{FAILURE}]]></failure>'
        tests = (
            '<testcase name="Adds/3x5" status="run" result="completed" />'
            f'<testcase name="Adds/9x9" status="run" result="completed">{failure}</testcase>'
            '<testcase name="NeedsGpu" status="run" result="skipped"><skipped message="m" /></testcase>'
            '<testcase name="Other" status="notrun" result="suppressed" />'
        )
        run = self.judge(f'<testsuites><testsuite name="Matrix">{tests}</testsuite></testsuites>', Ended(1))
        self.assertEqual(run.ending, Ending.COMPLETE)
        self.assertEqual(
            run.tests,
            (
                Test("Matrix.Adds/3x5", State.PASSED),
                Test("Matrix.Adds/9x9", State.FAILED, ("n = 9 / in reverse: 1 of 9 is wrong",)),
                Test("Matrix.NeedsGpu", State.SKIPPED),
            ),
        )
        no_result = '<testsuites><testsuite><testcase name="a" /></testsuite></testsuites>'
        for text in ("", "<testsuites><testsuite>", no_result):
            with self.subTest(text):
                self.assert_no_pass(self.judge(text), Ending.CRASHED, "a_test ended before its tests did.")

    def test_files_that_are_not_results(self) -> None:
        for text in (
            "",
            "{",
            "[" * 100_000,
            "7",
            '{"testsuites": 7}',
            '{"testsuites": [{"name": "S", "testsuite": [7]}]}',
            '{"testsuites": [{"name": "S", "testsuite": [{"name": "t", "result": ["COMPLETED"]}]}]}',
            '{"testsuites": [{"name": "S", "testsuite": [{"name": "t", "result": "COMPLETED", "failures": 1}]}]}',
            '{"testsuites": [{"name": "S", "testsuite": [{"name": "t", "failures": [{"failure": 1}]}]}]}',
            '{"testsuites": [' + "9" * 5000 + "]}",
        ):
            with self.subTest(text[:60]):
                self.assert_no_pass(self.judge(text), Ending.CRASHED, "a_test ended before its tests did.")
