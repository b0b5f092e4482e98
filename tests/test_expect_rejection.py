"""What expect_rejection.py must not take for a rejection; the test programs are shell scripts."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import expect_rejection

_WRONG_KERNEL = """\
// The guard stops one element early.
// Rejected by: MatchesReference/1x9.*1 of 9 elements are wrong
"""
_LIST = r"""printf 'Running main()\nMatrix.\n  MatchesReference/1x9  # GetParam() = 1x9\n  KeepsEveryBit\n'"""
_PASSED = r"""printf '[       OK ] %s (0 ms)\n[  PASSED  ] 1 test.\n' "$test"; exit 0"""
_FAILED = (
    r"""printf '[  FAILED  ] %s, where GetParam() = 1x9 (0 ms)\n[  PASSED  ] 0 tests.\n' "$test"; """
    r"""printf '[  FAILED  ] 1 test, listed below:\n[  FAILED  ] %s\n\n 1 FAILED TEST\n' "$test"; exit 1"""
)
_WRONG_RESULT = r"""printf '1 of 9 elements are wrong\n'; """ + _FAILED


class ExpectRejectionTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_with(
        self,
        first_test: str,
        second_test: str = _PASSED,
        source_text: str = _WRONG_KERNEL,
        tests: str = _LIST,
        sheet: Path | None = None,
    ) -> tuple[int, str]:
        """The exit code and the words for a program whose two tests run these scripts."""
        program = self.folder / "program"
        program.write_text(
            f"#!/bin/sh\n[ $1 = --gtest_list_tests ] && {{ {tests}; exit; }}\n"
            f"test=${{1#--gtest_filter=}}\nprintf '[ RUN      ] %s\\n' $test\n"
            f"if [ $test = Matrix.MatchesReference/1x9 ]; then {first_test}; else {second_test}; fi\n"
        )
        program.chmod(0o755)
        source = self.folder / "last_element_missing.cu"
        source.write_text(source_text)
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            exit_code = expect_rejection.main([str(program), str(source), *([str(sheet)] if sheet else [])])
        return exit_code, words.getvalue()

    def assert_not_accepted(self, result: tuple[int, str], words: str) -> None:
        self.assertEqual(result[0], 1, result[1])
        self.assertIn(words, result[1])

    def test_rejection_for_the_stated_reason(self) -> None:
        exit_code, words = self.run_with(_WRONG_RESULT)
        self.assertEqual(exit_code, 0, words)
        self.assertIn("1 of 2 tests failed, and for the stated reason", words)

    def test_program_that_passes(self) -> None:
        self.assert_not_accepted(self.run_with(_PASSED), "The tests accept last_element_missing.cu: none of 2 failed")

    def test_program_that_skips_its_tests(self) -> None:
        skipped = (
            r"printf '[  SKIPPED ] %s (0 ms)\n[  PASSED  ] 0 tests.\n' $test; "
            r"printf '[  SKIPPED ] 1 test, listed below:\n'; exit 0"
        )
        self.assert_not_accepted(self.run_with(skipped), "The tests accept")

    def test_reason_that_only_a_passed_test_printed(self) -> None:
        printed_and_passed = r"""printf 'MatchesReference/1x9: 1 of 9 elements are wrong\n'; """ + _PASSED
        self.assert_not_accepted(self.run_with(printed_and_passed, _FAILED), "No failed test printed")

    def test_reason_that_two_failed_tests_printed_half_each(self) -> None:
        other_test = r"""printf '1 of 9 elements are wrong\n'; """ + _FAILED
        self.assert_not_accepted(self.run_with(_FAILED, other_test), "No failed test printed")

    def test_failure_for_another_reason(self) -> None:
        result = self.run_with(r"printf '9 of 9 elements are wrong\n'; " + _FAILED)
        self.assert_not_accepted(result, "No failed test printed 'MatchesReference/1x9.*1 of 9 elements are wrong'")
        self.assertIn("9 of 9 elements are wrong", result[1])

    def test_every_reason_is_needed(self) -> None:
        result = self.run_with(_WRONG_RESULT, source_text=_WRONG_KERNEL + "// Rejected by: race: \n")
        self.assert_not_accepted(result, "No failed test printed 'race: '")

    def test_error_that_no_reason_names(self) -> None:
        for error in ("CUDA simulator: kernel: race on tile", 'C++ exception with description "x.cu:9: cudaFree()"'):
            result = self.run_with(_WRONG_RESULT, f"echo '{error}'; {_FAILED}")
            self.assert_not_accepted(result, "There was an error in Matrix.KeepsEveryBit that no reason names")

    def test_mistake_that_another_block_order_shows(self) -> None:
        in_reverse = f'if [ $CUDA_SIMULATOR_BLOCK_ORDER = reverse ]; then {_WRONG_RESULT}; else {_PASSED}; fi'
        self.assert_not_accepted(self.run_with(in_reverse), "The tests accept last_element_missing.cu")
        mistake, reason, end = _WRONG_KERNEL.split("\n")
        source_text = "\n".join([mistake, "// Rejected only in block order: reverse", reason, end])
        exit_code, words = self.run_with(in_reverse, source_text=source_text)
        self.assertEqual(exit_code, 0, words)
        result = self.run_with(_WRONG_RESULT, source_text=source_text)
        self.assert_not_accepted(result, "last_element_missing.cu is wrong in the usual block order too")

    def test_crash(self) -> None:
        result = self.run_with(_WRONG_RESULT, "kill -SEGV $$")
        self.assert_not_accepted(result, "Matrix.KeepsEveryBit neither passed nor failed: it ended with signal 11")

    def test_crash_after_the_summary(self) -> None:
        result = self.run_with(_WRONG_RESULT.replace("exit 1", "kill -ABRT $$"))
        self.assert_not_accepted(result, "it ended with signal 6")

    def test_end_without_a_summary(self) -> None:
        result = self.run_with(r"printf '1 of 9 elements are wrong\n[  FAILED  ] %s (0 ms)\n' $test; exit 1")
        self.assert_not_accepted(result, "neither passed nor failed: it ended with exit code 1")

    def test_exit_code_that_belies_the_summary(self) -> None:
        for script in (_WRONG_RESULT.replace("exit 1", "exit 0"), _PASSED.replace("exit 0", "exit 1")):
            self.assert_not_accepted(self.run_with(_WRONG_RESULT, script), "neither passed nor failed")

    def test_hang(self) -> None:
        with unittest.mock.patch.object(expect_rejection, "TIMEOUT_S", 0.5):
            result = self.run_with("echo 1 of 9 elements are wrong; exec sleep 20")
        self.assert_not_accepted(result, "--gtest_filter=Matrix.MatchesReference/1x9 hangs: stopped after 0.5 s")

    def test_program_that_lists_no_tests(self) -> None:
        self.assert_not_accepted(self.run_with(_WRONG_RESULT, tests="true"), "lists no tests")

    def test_program_that_is_not_there(self) -> None:
        source = self.folder / "x.cu"
        source.write_text(_WRONG_KERNEL)
        with contextlib.redirect_stdout(io.StringIO()) as words:
            self.assertEqual(expect_rejection.main([str(self.folder / "gone"), str(source)]), 1)
        self.assertIn("cannot be started", words.getvalue())

    def test_reasons_in_a_sheet(self) -> None:
        sheet = self.folder / "last_element_missing.md"
        for reason, exit_code in (("MatchesReference/1x9.*1 of 9 elements", 0), ("2 of 9", 1)):
            sheet.write_text(f"# ex1: the last element\n\n## Rejected by\n\n- `{reason}`\n")
            words = self.run_with(_WRONG_RESULT, source_text="// Exercise 1: the last element\n", sheet=sheet)
            self.assertEqual(words[0], exit_code, words[1])

    def test_sheet_without_a_reason(self) -> None:
        sheet = self.folder / "last_element_missing.md"
        sheet.write_text("# ex1: the last element\n")
        self.assert_not_accepted(self.run_with(_WRONG_RESULT, sheet=sheet), "last_element_missing.md")

    def test_source_that_states_no_reason(self) -> None:
        for text in ("", "// A mistake.\n", "// Rejected by: race\n", "// A mistake.\n\n// Rejected by: race\n"):
            self.assert_not_accepted(self.run_with(_WRONG_RESULT, source_text=text), "must begin with a line")

    def test_reason_that_says_nothing(self) -> None:
        for reason in ("(", "", ".*"):
            result = self.run_with(_WRONG_RESULT, source_text=f"// A mistake.\n// Rejected by: {reason}\n")
            self.assert_not_accepted(result, "states a reason that")


if __name__ == "__main__":
    unittest.main()
