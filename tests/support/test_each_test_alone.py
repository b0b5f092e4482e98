"""Each test of a program in a process of its own. Usage: test_each_test_alone.py EVERY_ENDING"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import time
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "tests")]

from cli.verdicts.googletest import State
from support.each_test_alone import NoResults, TestEnding, read_endings, run_each_test_alone

PROGRAM = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path("every_ending")


class EachTestAlone(unittest.TestCase):
    endings: dict[str, TestEnding]

    @classmethod
    def setUpClass(cls) -> None:
        with unittest.mock.patch.dict(os.environ, {"GTEST_FILTER": "*Passing", "GTEST_BRIEF": "1"}):
            cls.endings = {ending.test: ending for ending in run_each_test_alone(PROGRAM, 60.0, {})}

    def assert_ends(self, test: str, state: State, exit_status: int, is_consistent: bool, words: str = "") -> None:
        ending = self.endings[test]
        self.assertEqual((ending.state, ending.exit_status), (state, exit_status), ending.output)
        self.assertEqual(ending.is_consistent, is_consistent)
        self.assertIn(words, ending.output)

    def test_each_enabled_test_runs(self) -> None:
        self.assertEqual(len(self.endings), 17)
        self.assertNotIn("Ends.DISABLED_Never", self.endings)

    def test_verdicts(self) -> None:
        self.assert_ends("Ends.Passing", State.PASSED, 0, True, "words of a test\n")
        self.assert_ends("Ends.Failing", State.FAILED, 1, True, "words of a failure\n")
        self.assert_ends("Ends.Skipping", State.SKIPPED, 0, True)
        self.assert_ends("Ends.Throwing", State.FAILED, 1, True, 'description "words of an exception"')
        self.assert_ends("Numbers/EndsWith.AParameter/0", State.PASSED, 0, True)
        self.assert_ends("Numbers/EndsWith.AParameter/1", State.FAILED, 1, True, "actual: 2 vs 2")

    def test_facts(self) -> None:
        self.assertEqual(self.endings["Ends.Failing"].facts, ("pattern=border array=y", "launch=none"))
        self.assertEqual(self.endings["Ends.Passing"].facts, ())

    def test_ends_without_a_verdict(self) -> None:
        self.assert_ends("Ends.WithExitCode0", State.UNFINISHED, 0, False)
        self.assert_ends("Ends.WithExitCode1", State.UNFINISHED, 1, False)
        self.assert_ends("Ends.WithASignal", State.UNFINISHED, -11, False)
        self.assertEqual(self.endings["Ends.WithASignal"].explanation(), "signal 11")

    def test_exit_statuses_that_contradict_the_verdict(self) -> None:
        self.assert_ends("Ends.FailingAndThenWithASignal", State.FAILED, -15, False)
        self.assert_ends("Ends.PassingAndThenWithExitCode3", State.PASSED, 3, False)
        self.assertEqual(self.endings["Ends.PassingAndThenWithExitCode3"].explanation(), "exit code 3")

    def test_output_is_not_a_verdict(self) -> None:
        self.assert_ends("Ends.WithForgedWords", State.UNFINISHED, 0, False, "[  PASSED  ] 1 test.\npassed 0 0 Ends.More\n")
        self.assertNotIn("Ends.More", self.endings)

    def test_a_test_does_not_affect_the_next(self) -> None:
        self.assert_ends("Ends.AfterAnotherThatBreaks", State.PASSED, 0, True)

    def test_processes_that_a_test_leaves_behind_are_ended(self) -> None:
        self.assert_ends("Ends.LeavingAProcessBehind", State.PASSED, 0, True)

    def test_the_program_that_a_death_test_starts_leaves_the_results_alone(self) -> None:
        self.assert_ends("Ends.StartingTheProgramOnceMore", State.PASSED, 0, True)

    def test_hang(self) -> None:
        started = time.monotonic()
        *others, last = run_each_test_alone(PROGRAM, 2.0, {"HANGS": "1"})
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual((last.test, last.state, last.was_stopped), ("Hangs.ForEver", State.UNFINISHED, True))
        self.assertIn("words before the end", last.output)
        self.assertEqual(len(others), 14)  # the tests with parameters come after it
        self.assertFalse(any(ending.was_stopped for ending in others))

    def test_a_closed_generator_ends_the_program(self) -> None:
        started = time.monotonic()
        endings = run_each_test_alone(PROGRAM, 60.0, {"HANGS": "1"})
        self.assertEqual(next(endings).test, "Ends.Passing")
        endings.close()
        self.assertLess(time.monotonic() - started, 10)

    def test_options(self) -> None:
        ended = subprocess.run([PROGRAM, "--each"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (2, "'--each' is not an option.\n"))
        ended = subprocess.run([PROGRAM, "--gtest_filter=*.Passing"], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0)
        self.assertIn("[  PASSED  ] 1 test.", ended.stdout)
        with self.assertRaisesRegex(NoResults, "ended before its tests did"):
            [*run_each_test_alone(Path("/bin/false"), 60.0, {})]

    def test_results_that_end_early(self) -> None:
        whole = b"passed 0 11 6 A.B\nleak=devicewords\n\ndone\n"
        self.assertEqual([*read_endings(io.BytesIO(whole))], [TestEnding("A.B", State.PASSED, False, 0, "words\n", ("leak=device",))])
        for cut in (whole[:-5], b"", b"passed 0\n", b"unknown 0 0 0 A.B\n\ndone\n"):
            with self.assertRaises((ValueError, KeyError)):
                [*read_endings(io.BytesIO(cut))]


if __name__ == "__main__":
    unittest.main()
