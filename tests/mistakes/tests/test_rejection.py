"""Endings that are not rejections; the test programs are shell scripts."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from fake_program import KEEPS, MATCHES, ONE_WRONG, WRONG, ending, failed, passed, write_program

import expect_unsolved
from cli.mistakes.reasons import read_reason
from mistakes import rejection
from mistakes.rejection import Unacceptable, expect_rejection

_REASON = "test=MatchesReference case=1x9 wrong=1 size=9"
_RACE = read_reason("finding=race")


class ExpectRejection(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "program"

    def reject(self, *endings: str, reasons: tuple[str, ...] = (_REASON,), order: str = "", **in_order: str) -> str:
        write_program(self.program, *endings, **in_order)
        return expect_rejection(self.program, "last_element_missing", [*map(read_reason, reasons)], order)

    def assert_not_accepted(self, words: str, *endings: str, **options: object) -> str:
        with self.assertRaises(Unacceptable) as caught:
            self.reject(*endings, **options)
        self.assertIn(words, str(caught.exception))
        return str(caught.exception)

    def test_rejection_for_the_stated_reason(self) -> None:
        words = self.reject(failed(MATCHES, WRONG, ONE_WRONG), passed(KEEPS))
        self.assertEqual(words, f"last_element_missing: {MATCHES} failed, for the stated reasons.")

    def test_program_that_passes(self) -> None:
        endings = passed(MATCHES), passed(KEEPS)
        self.assert_not_accepted("The tests accept last_element_missing: none of 2 failed", *endings)

    def test_program_that_skips_its_tests(self) -> None:
        self.assert_not_accepted("The tests accept", ending(MATCHES, "skipped", 0), ending(KEEPS, "skipped", 0))

    def test_reason_that_only_a_passed_test_has(self) -> None:
        has_passed = ending(MATCHES, "passed", 0, WRONG, ONE_WRONG)
        self.assert_not_accepted("holds for no failed test", has_passed, failed(KEEPS))

    def test_reason_split_between_two_failed_tests(self) -> None:
        halves = failed(MATCHES, WRONG), failed(KEEPS, "", ONE_WRONG)
        self.assert_not_accepted("holds for no failed test", *halves)

    def test_reason_split_between_two_facts(self) -> None:
        self.assert_not_accepted("holds for no failed test", failed(MATCHES, WRONG, "wrong=1 size=8; wrong=8 size=9"))

    def test_one_of_several(self) -> None:
        words = self.reject(failed(MATCHES, WRONG, ONE_WRONG), passed(KEEPS), reasons=(f"finding=race, {_REASON}",))
        self.assertIn(f"{MATCHES} failed", words)

    def test_failure_for_another_reason(self) -> None:
        other = failed(MATCHES, "9 of 9 elements are wrong\n", "pattern=unwritten wrong=9 size=9")
        words = self.assert_not_accepted(f"'{_REASON}' holds for no failed test", other, passed(KEEPS))
        self.assertIn("9 of 9 elements are wrong", words)

    def test_every_reason_is_needed(self) -> None:
        endings = failed(MATCHES, WRONG, ONE_WRONG), passed(KEEPS)
        self.assert_not_accepted("'finding=race' holds for no failed test", *endings, reasons=(_REASON, "finding=race"))

    def test_error_that_no_reason_names(self) -> None:
        for error in ("CUDA simulator: kernel: race on tile", 'C++ exception with description "x.cu:9: cudaFree()"'):
            endings = failed(KEEPS, f"words\n{error}\n"), failed(MATCHES, WRONG, ONE_WRONG)
            self.assert_not_accepted(f"there was an error in {KEEPS} that no reason names", *endings)

    def test_mistake_that_shows_in_a_different_block_order(self) -> None:
        right, wrong = passed(MATCHES) + passed(KEEPS), failed(MATCHES, WRONG, ONE_WRONG) + passed(KEEPS)
        self.assert_not_accepted("The tests accept last_element_missing", right, reverse=wrong)
        self.assertIn(f"{MATCHES} failed", self.reject(right, order="reverse", reverse=wrong))
        words = "last_element_missing is wrong in the usual block order too"
        self.assert_not_accepted(words, wrong, order="reverse", reverse=wrong)

    def test_crash(self) -> None:
        words = f"{KEEPS} has no verdict that fits signal 11"
        self.assert_not_accepted(words, ending(KEEPS, "none", -11), failed(MATCHES, WRONG, ONE_WRONG))

    def test_the_tests_after_the_last_reason_do_not_run(self) -> None:
        words = self.reject(failed(MATCHES, WRONG, ONE_WRONG), ending(KEEPS, "none", -11))
        self.assertIn(f"{MATCHES} failed", words)

    def test_crash_after_the_verdict(self) -> None:
        endings = ending(MATCHES, "failed", -6, WRONG), passed(KEEPS)
        self.assert_not_accepted("has no verdict that fits signal 6", *endings)

    def test_end_without_a_verdict(self) -> None:
        for exit_code in (0, 1):
            endings = ending(MATCHES, "none", exit_code, WRONG), passed(KEEPS)
            self.assert_not_accepted(f"has no verdict that fits exit code {exit_code}", *endings)

    def test_exit_code_that_contradicts_the_verdict(self) -> None:
        for contradiction in (ending(KEEPS, "failed", 0), ending(KEEPS, "passed", 1), ending(KEEPS, "skipped", 1)):
            self.assert_not_accepted("has no verdict that fits", contradiction, failed(MATCHES, WRONG, ONE_WRONG))

    def test_hang(self) -> None:
        stopped = ending(MATCHES, "stopped", -9, WRONG)
        self.assert_not_accepted(f"{MATCHES} hangs: stopped after 300 s for all tests", stopped)

    def test_program_that_hangs_itself(self) -> None:
        self.program.write_text("#!/bin/sh\necho words of the program; exec sleep 20\n")
        self.program.chmod(0o755)
        with unittest.mock.patch.object(rejection, "LIMIT_S", 0.1), unittest.mock.patch(
            "support.each_test_alone._GRACE_S", 0.1
        ), self.assertRaisesRegex(Unacceptable, "program ended before its tests did.\nwords of the program"):
            expect_rejection(self.program, "last_element_missing", [_RACE])

    def test_program_without_tests(self) -> None:
        self.assert_not_accepted("program has no tests.\nwords of the program")

    def test_program_that_ends_early(self) -> None:
        write_program(self.program, passed(KEEPS), is_whole=False)
        with self.assertRaisesRegex(Unacceptable, "program ended before its tests did"):
            expect_rejection(self.program, "last_element_missing", [_RACE])

    def test_missing_program(self) -> None:
        with self.assertRaisesRegex(Unacceptable, "gone cannot be started"):
            expect_rejection(self.folder / "gone", "last_element_missing", [_RACE])

    def test_settings_of_the_user_are_ignored(self) -> None:
        self.program.write_text("#!/bin/sh\necho $GTEST_FILTER, $CUDA_SIMULATOR_BLOCK_ORDER, $WORKBOOK_MISTAKE\n")
        self.program.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"GTEST_FILTER": "*x", "CUDA_SIMULATOR_BLOCK_ORDER": "1"}):
            with self.assertRaisesRegex(Unacceptable, "\n, forward, no_guard\n"):
                expect_rejection(self.program, "", [_RACE], environment={"WORKBOOK_MISTAKE": "no_guard"})


class ExpectUnsolved(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def expect(self, sheet_text: str, *traced: str, first: str = failed(MATCHES, WRONG, ONE_WRONG)) -> tuple[int, str]:
        program = write_program(self.folder / "program", first, passed(KEEPS))
        sheet = self.folder / "ex1_last.md"
        sheet.write_text(f"# ex1: the last element\n{sheet_text}")
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            return expect_unsolved.main([str(program), "ex1_last.cu", str(sheet), *traced]), words.getvalue()

    def expect_goal(self, sectors: int, recorded: str, first: str = passed(MATCHES)) -> tuple[int, str]:
        """For an exercise whose tests pass; it has `sectors` per request, and the goal is 4. recorded: in the sheet."""
        access = {"file": "x.cu", "line": 1, "column": 1, "memory": "global", "operation": "load", "bytes_per_lane": 4}
        access.update({"requests": 10, "lanes": 320, "sectors": 10 * sectors, "ideal_sectors": 40})
        kernel = {"name": "k", "launches": 1, "grid": [1, 1, 1], "block": [32, 1, 1], "blocks": 1, "threads": 32}
        kernel.update({"static_shared_bytes": 0, "dynamic_shared_bytes": 0, "barriers": 0, "accesses": [access]})
        report = {"schema": 1, "device": "", "kernels": [kernel], "findings": []}
        traced = self.folder / "traced"
        traced.write_text(f"#!/bin/sh\ncat > \"$CUDA_SIMULATOR_REPORT\" <<'END'\n{json.dumps(report)}\nEND\n")
        traced.chmod(0o755)
        goals = f"n,memory,operation,measure,value,tolerance,starter\n64,global,load,sectors_per_request,4,0,{recorded}"
        return self.expect(f"\n## Goals\n\n```csv\n{goals}\n```\n", str(traced), first=first)

    def test_correct_result_and_a_missed_goal(self) -> None:
        exit_code, words = self.expect_goal(32, "32")
        self.assertEqual(exit_code, 0, words)
        self.assertIn("ex1_last.cu: the result is correct", words)

    def test_counts_that_are_not_those_in_the_sheet(self) -> None:
        for recorded in ("32", "none"):
            exit_code, words = self.expect_goal(8, recorded)
            self.assertEqual(exit_code, 1)
            self.assertIn("the column `starter` of the goals must be 8.\n", words)
            self.assertIn("sectors per request: 8. The goal is 4.", words)

    def test_counts_of_a_starter_that_the_tests_reject(self) -> None:
        exit_code, words = self.expect_goal(8, "8", first=failed(MATCHES, WRONG, ONE_WRONG))
        self.assertEqual(exit_code, 1)
        self.assertIn("the tests reject ex1_last.cu", words)

    def test_goals_that_are_reached(self) -> None:
        exit_code, words = self.expect_goal(4, "4")
        self.assertEqual(exit_code, 1)
        self.assertIn("it is solved", words)

    def test_correct_result_and_no_goals(self) -> None:
        exit_code, words = self.expect(f"\n## Rejected by\n\n- `{_REASON}`\n", first=passed(MATCHES))
        self.assertEqual(exit_code, 1)
        self.assertIn("The tests accept ex1_last.cu", words)

    def test_reasons_in_a_sheet(self) -> None:
        for reason, exit_code in ((_REASON, 0), ("wrong=2 size=9", 1)):
            result = self.expect(f"\n## Rejected by\n\n- `{reason}`\n")
            self.assertEqual(result[0], exit_code, result[1])
            self.assertIn("ex1_last.cu: ", result[1])

    def test_sheet_without_a_reason(self) -> None:
        exit_code, words = self.expect("")
        self.assertEqual(exit_code, 1)
        self.assertIn("ex1_last.md needs reasons under '## Rejected by'", words)

    def test_invalid_reason(self) -> None:
        for reason, words in (
            ("MatchesReference", "no fact has the word 'MatchesReference'"),
            ("finding=rice", "no fact is 'finding=rice'"),
        ):
            result = self.expect(f"\n## Rejected by\n\n- `{reason}`\n")
            self.assertEqual(result[0], 1)
            self.assertIn(f"ex1_last.md: the reason '{reason}' {words}" if reason == "(" else words, result[1])

    def test_malformed_sheet(self) -> None:
        exit_code, words = self.expect("\n## Rejected by\n\nrace\n")
        self.assertEqual(exit_code, 1)
        self.assertIn("ex1_last.md:5: a reason must be a list item", words)


if __name__ == "__main__":
    unittest.main()
