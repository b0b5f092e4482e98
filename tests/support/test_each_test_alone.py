"""Each test of a program in a process of its own. Usage: test_each_test_alone.py EVERY_ENDING"""

from __future__ import annotations

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
from support.each_test_alone import NoResults, TestEnding, run_each_test_alone

PROGRAM = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path("every_ending")


class EachTestAlone(unittest.TestCase):
    endings: dict[str, TestEnding]

    @classmethod
    def setUpClass(cls) -> None:
        with unittest.mock.patch.dict(os.environ, {"GTEST_FILTER": "*Passing", "GTEST_BRIEF": "1"}):
            cls.endings = {ending.test: ending for ending in run_each_test_alone(PROGRAM, 60.0, {})}

    def test_each_ending(self) -> None:
        passed, failed, unfinished = State.PASSED, State.FAILED, State.UNFINISHED
        expected = {
            "Ends.Passing": (passed, 0, True, "words of a test\n"),
            "Ends.Failing": (failed, 1, True, "words of a failure\n"),
            "Ends.Skipping": (State.SKIPPED, 0, True, ""),
            "Ends.Throwing": (failed, 1, True, 'description "words of an exception"'),
            "Ends.WithExitCode0": (unfinished, 0, False, ""),
            "Ends.WithExitCode1": (unfinished, 1, False, ""),
            "Ends.WithASignal": (unfinished, -11, False, ""),
            "Ends.FailingAndThenWithASignal": (failed, -15, False, ""),
            "Ends.PassingAndThenWithExitCode3": (passed, 3, False, ""),
            "Ends.WithForgedWords": (unfinished, 0, False, "[  PASSED  ] 1 test.\npassed 0 0 Ends.More\n"),
            "Ends.Breaking": (passed, 0, True, ""),
            "Ends.AfterAnotherThatBreaks": (passed, 0, True, ""),
            "Ends.LeavingAProcessBehind": (passed, 0, True, ""),  # it is ended
            "Ends.StartingTheProgramOnceMore": (passed, 0, True, ""),  # a death test leaves the results alone
            "Hangs.ForEver": (passed, 0, True, "words before the end"),  # only with HANGS
            "Numbers/EndsWith.AParameter/0": (passed, 0, True, ""),
            "Numbers/EndsWith.AParameter/1": (failed, 1, True, "actual: 2 vs 2"),
        }
        self.assertEqual(self.endings.keys(), expected.keys())
        for test, (state, exit_status, is_consistent, words) in expected.items():
            one = self.endings[test]
            self.assertEqual((one.state, one.exit_status, one.is_consistent), (state, exit_status, is_consistent), one)
            self.assertIn(words, one.output)
        self.assertEqual(self.endings["Ends.WithASignal"].explanation(), "signal 11")
        self.assertEqual(self.endings["Ends.PassingAndThenWithExitCode3"].explanation(), "exit code 3")
        self.assertEqual(self.endings["Ends.Failing"].facts, ("pattern=border array=y", "launch=none"))
        self.assertEqual(self.endings["Ends.Passing"].facts, ())

    def test_hang(self) -> None:
        started = time.monotonic()
        *others, last = run_each_test_alone(PROGRAM, 2.0, {"HANGS": "1"})
        self.assertLess(time.monotonic() - started, 10)
        self.assertEqual((last.test, last.state), ("Hangs.ForEver", State.UNFINISHED))
        self.assertIn("timed out", last.stopped)
        self.assertIn("words before the end", last.output)
        self.assertEqual(len(others), 14)  # the tests with parameters come after it
        self.assertFalse(any(ending.stopped for ending in others))

    def test_options(self) -> None:
        ended = subprocess.run([PROGRAM, "--each"], capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (2, "'--each' is not an option.\n"))
        ended = subprocess.run([PROGRAM, "--gtest_filter=*.Passing"], capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 0)
        self.assertIn("[  PASSED  ] 1 test.", ended.stdout)
        for message in ("false does not list its tests", "true has no tests", "gone cannot be started"):
            with self.assertRaisesRegex(NoResults, message):
                [*run_each_test_alone(Path("/bin", message.split()[0]), 60.0, {})]


if __name__ == "__main__":
    unittest.main()
