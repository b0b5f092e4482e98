"""What is a rejection for the stated reasons and what is not; catalogues with wrong, missing and unused parts.

The endings of a program's tests are a table here: support/test_each_test_alone.py has real ones.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/mistakes", "tests", "common")]

import expect_mistakes
import expect_unsolved
import list_operations
from cli.mistakes.reasons import read_reason
from cli.verdicts.googletest import State, read_results
from mistakes import rejection
from mistakes.rejection import Unacceptable, expect_rejection
from support.each_test_alone import NoResults, TestEnding

MATCHES, KEEPS = "Matrix.MatchesReference/1x9", "Matrix.KeepsEveryBit"
WRONG = "MatchesReference/1x9\n1 of 9 elements are wrong\n"
ONE_WRONG = "pattern=last_element wrong=1 size=9"
REASON = "test=MatchesReference case=1x9 wrong=1 size=9"


def ending(test: str, state: State, exit_status: int, output: str = "", facts: str = "") -> list[TestEnding]:
    return [TestEnding(test, state, "", exit_status, output, tuple(facts.split("; ")) if facts else ())]


def passed(test: str, output: str = "", facts: str = "") -> list[TestEnding]:
    return ending(test, State.PASSED, 0, output, facts)


def failed(test: str, output: str = "", facts: str = "") -> list[TestEnding]:
    return ending(test, State.FAILED, 1, output, facts)


RIGHT, REJECTED = passed(MATCHES) + passed(KEEPS), failed(MATCHES, WRONG, ONE_WRONG)
CRASHED = ending(KEEPS, State.UNFINISHED, -11)
# The endings of the tests, and a part of the message; empty: that is a rejection for REASON.
ENDINGS = (
    (REJECTED + passed(KEEPS), ""),
    (REJECTED + CRASHED, ""),  # the tests after the last reason do not run
    (RIGHT, "The tests accept last: none of 2 failed"),
    (ending(MATCHES, State.SKIPPED, 0) + ending(KEEPS, State.SKIPPED, 0), "The tests accept"),
    (passed(MATCHES, WRONG, ONE_WRONG) + failed(KEEPS), f"'{REASON}' holds for no failed test"),
    (failed(MATCHES, WRONG) + failed(KEEPS, "", ONE_WRONG), "holds for no failed test"),
    (failed(MATCHES, WRONG, "wrong=1 size=8; wrong=8 size=9"), "holds for no failed test"),
    (failed(MATCHES, "9 of 9\n", "pattern=unwritten wrong=9 size=9"), "but these failed:\n9 of 9"),
    (failed(KEEPS, "CUDA simulator: k: race on tile\n") + REJECTED, f"an error in {KEEPS} that no reason names"),
    (failed(KEEPS, 'x\nC++ exception with description "x.cu:9: cudaFree()"\n') + REJECTED, "that no reason names"),
    (CRASHED + REJECTED, f"{KEEPS} has no verdict that fits signal 11"),
    (ending(MATCHES, State.FAILED, -6, WRONG, ONE_WRONG), "has no verdict that fits signal 6"),
    (ending(MATCHES, State.UNFINISHED, 0, WRONG), "has no verdict that fits exit code 0"),
    (ending(MATCHES, State.UNFINISHED, 1, WRONG), "has no verdict that fits exit code 1"),
    (ending(KEEPS, State.FAILED, 0) + REJECTED, "has no verdict that fits"),
    (ending(KEEPS, State.PASSED, 1) + REJECTED, "has no verdict that fits"),
    (ending(KEEPS, State.SKIPPED, 1) + REJECTED, "has no verdict that fits"),
    ([TestEnding(MATCHES, State.UNFINISHED, "timed out after 9 s", -9, "")], f"{MATCHES} was stopped: it timed out"),
)


class FolderTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)
        return file

    def program(self, endings: Sequence[TestEnding], reverse: Sequence[TestEnding] = ()) -> Path:
        """A program whose tests have these endings, and in reverse block order those."""
        of_order = {"forward": endings, "reverse": reverse}
        self.environments: list[dict[str, str]] = []

        def run(_: Path, limit_s: float, environment: dict[str, str]) -> Iterator[TestEnding]:
            self.assertAlmostEqual(limit_s, rejection.LIMIT_S, delta=60)
            self.environments.append(environment)
            yield from of_order[environment["CUDA_SIMULATOR_BLOCK_ORDER"]]

        patch = unittest.mock.patch.object(rejection, "run_each_test_alone", run)
        patch.start()
        self.addCleanup(patch.stop)
        return self.write("program", "")

    def said(self, module: ModuleType, *arguments: object) -> tuple[int, str]:
        words = io.StringIO()
        with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
            return module.main([str(argument) for argument in arguments]), words.getvalue()


class RejectionTest(FolderTest):
    def message(self, program: Path, *reasons: str, order: str = "") -> str:
        try:
            named = [*map(read_reason, reasons or (REASON,))]
            expect_rejection(program, "last", named, order, {"WORKBOOK_MISTAKE": "no_guard"})
        except Unacceptable as why:
            return str(why)
        return ""

    def test_endings(self) -> None:
        for endings, message in ENDINGS:
            with self.subTest(message, endings=endings):
                found = self.message(self.program(endings))
                self.assertEqual(bool(found), bool(message), found)
                self.assertIn(message, found)

    def test_every_reason_is_needed_but_one_of_several_is_enough(self) -> None:
        program = self.program(REJECTED + passed(KEEPS))
        self.assertIn("'finding=race' holds for no failed test", self.message(program, REASON, "finding=race"))
        self.assertEqual(self.message(program, f"finding=race, {REASON}"), "")

    def test_a_mistake_that_shows_in_another_block_order(self) -> None:
        self.assertIn("The tests accept", self.message(self.program(RIGHT, reverse=REJECTED)))
        self.assertEqual(self.message(self.program(RIGHT, reverse=REJECTED), order="reverse"), "")
        both = self.message(self.program(REJECTED, reverse=REJECTED), order="reverse")
        self.assertIn("last is wrong in the usual block order too", both)

    def test_a_program_that_does_not_run_its_tests(self) -> None:
        with unittest.mock.patch.object(rejection, "run_each_test_alone", side_effect=NoResults("it has no tests")):
            self.assertEqual(self.message(self.root / "program"), "it has no tests")

    def test_the_environment_of_the_tests(self) -> None:
        self.message(self.program(RIGHT))
        self.assertEqual(self.environments, [{"WORKBOOK_MISTAKE": "no_guard", "CUDA_SIMULATOR_BLOCK_ORDER": "forward"}])


class UnsolvedTest(FolderTest):
    def expect(self, sheet: str, endings: list[TestEnding], sectors: int = 0) -> tuple[int, str]:
        """sectors: per request, in the traced program; 0: there is none."""
        access = {"file": "x.cu", "line": 1, "column": 1, "memory": "global", "operation": "load", "bytes_per_lane": 4, "requests": 10,
                  "lanes": 320, "sectors": 10 * sectors, "ideal_sectors": 40}  # fmt: skip
        kernel = {"name": "k", "launches": 1, "grid": [1, 1, 1], "block": [32, 1, 1], "blocks": 1, "threads": 32, "barriers": 0,
                  "static_shared_bytes": 0, "dynamic_shared_bytes": 0, "accesses": [access]}  # fmt: skip
        report = json.dumps({"schema": 1, "device": "", "kernels": [kernel], "findings": []})
        traced = self.write("traced", f"#!/bin/sh\necho '{report}' > \"$CUDA_SIMULATOR_REPORT\"\n")
        file = self.write("ex1_last.md", f"# ex1: the last element\n{sheet}")
        return self.said(expect_unsolved, self.program(endings), "ex1_last.cu", file, *([traced] if sectors else []))

    def test_sheets(self) -> None:
        def reasons(text: str) -> str:
            return f"\n## Rejected by\n\n{text}\n"

        def goal(starter: str) -> str:
            rows = f"n,memory,operation,measure,value,tolerance,starter\n64,global,load,sectors_per_request,4,0,{starter}"
            return f"\n## Goals\n\n```csv\n{rows}\n```\n"

        for sheet, endings, sectors, exit_code, message in (
            (reasons(f"- `{REASON}`"), REJECTED, 0, 0, "ex1_last.cu: "),
            (reasons("- `wrong=2 size=9`"), REJECTED, 0, 1, "ex1_last.cu: "),
            (reasons(f"- `{REASON}`"), RIGHT, 0, 1, "The tests accept ex1_last.cu"),
            (reasons("- `MatchesReference`"), REJECTED, 0, 1, "no fact has the word 'MatchesReference'"),
            (reasons("- `finding=rice`"), REJECTED, 0, 1, "no fact is 'finding=rice'"),
            (reasons("race"), REJECTED, 0, 1, "ex1_last.md:5: a reason must be a list item"),
            ("", REJECTED, 0, 1, "ex1_last.md needs reasons under '## Rejected by'"),
            (goal("32"), RIGHT, 32, 0, "ex1_last.cu: the result is correct"),
            (goal("32"), RIGHT, 8, 1, "the column `starter` of the goals must be 8.\n"),
            (goal("none"), RIGHT, 8, 1, "sectors per request: 8. The goal is 4."),
            (goal("8"), REJECTED, 8, 1, "the tests reject ex1_last.cu"),
            (goal("4"), RIGHT, 4, 1, "it is solved"),
        ):
            with self.subTest(sheet, sectors=sectors):
                found = self.expect(sheet, endings, sectors)
                self.assertEqual(found[0], exit_code, found[1])
                self.assertIn(message, found[1])


CATALOGUE = """\
== no_guard: 01_copy.cu
The guard is missing.
rejected by: test=MatchesReference wrong=1 size=9
@@
-  if (i < n) return;

== endless: 01_copy.cu
It never ends.
rejected by: finding=endless kernel=copy_kernel
whole file: mistakes/endless.cu

== of_another_operation: solutions/ex1_sum.cu
Adds nothing.
rejected by: finding=race
@@
-  sum += x;
"""


class CatalogueTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.catalogue = self.write("tests/ch9_copy/mistakes.txt", CATALOGUE)
        self.write("tests/ch9_copy/mistakes/endless.cu", "")

    def expect(self, *options: str) -> tuple[int, list[str]]:
        program, stage = self.program(REJECTED + passed(KEEPS)), ROOT / "chapters/ch9_copy/01_copy.cu"
        with unittest.mock.patch.dict(os.environ, {"GTEST_OUTPUT": f"xml:{self.root}/results.xml"}):
            exit_code, words = self.said(expect_mistakes, *options, program, self.catalogue, stage)
        return exit_code, words.splitlines()

    def test_a_line_and_a_case_for_each_mistake_of_the_operation(self) -> None:
        exit_code, lines = self.expect("--jobs=2")
        self.assertEqual(exit_code, 1)
        self.assertEqual(lines[0], f"no_guard: {MATCHES} failed, for the stated reasons.")
        self.assertIn(f"{self.catalogue}:7: endless: 'finding=endless kernel=copy_kernel' holds for no failed test", lines[1])
        self.assertEqual(lines[-1], "1 of 2 mistakes are rejected for the stated reasons.")
        cases = read_results(self.root / "results.xml")
        self.assertEqual([one.name for one in cases], ["program.no_guard", "program.endless"])
        self.assertEqual([one.state for one in cases], [State.PASSED, State.FAILED])
        limits = {tried["WORKBOOK_MISTAKE"]: tried.get("CUDA_SIMULATOR_STEP_LIMIT") for tried in self.environments}
        self.assertEqual(limits, {"endless": "5000000", "no_guard": None})

    def test_one_mistake(self) -> None:
        self.assertEqual(self.expect("--only=no_guard")[0], 0)
        self.assertEqual(self.expect("--only=unknown"), (1, ["0 of 0 mistakes are rejected for the stated reasons."]))

    def test_output_that_xml_cannot_hold(self) -> None:
        with unittest.mock.patch(f"{__name__}.REJECTED", failed(MATCHES, "\x1b[31m\0 wrong <&>\n")):
            self.expect()
        texts = [failure.text or "" for failure in ElementTree.parse(self.root / "results.xml").getroot().iter("failure")]
        self.assertIn("?[31m? wrong <&>", texts[0])

    def test_a_catalogue_without_a_reason(self) -> None:
        self.catalogue.write_text(CATALOGUE.replace("rejected by: finding=race\n", ""))
        exit_code, lines = self.expect()
        self.assertEqual(exit_code, 1)
        self.assertIn(f"{self.catalogue}:12: ", lines[0])

    def list(self) -> tuple[int, str]:
        rows = (("ch9_copy_test", "chapters/ch9_copy/01_copy.cu"), ("ch9_copy_cpu_test", "chapters/ch9_copy/baselines/cpu.cpp"),
                ("ch9_copy_sum_test", "solutions/ch9_copy/ex1_sum.cu"))  # fmt: skip
        operations = self.write("operations.txt", "".join(f"ch9_copy\t{tests}\t{self.root}/{file}\n" for tests, file in rows))
        with unittest.mock.patch.object(list_operations, "ROOT", self.root):
            return self.said(list_operations, operations)

    def test_operations_that_have_mistakes(self) -> None:
        self.assertEqual(self.list(), (0, "ch9_copy_test 2\nch9_copy_sum_test 1\n"))

    def test_missing_and_unused_parts(self) -> None:
        name, other = "tests/ch9_copy/mistakes.txt", "tests/ch9_copy/mistakes/third.cu"
        for file, text, message in (
            ("tests/ch10_gone/mistakes.txt", "", "tests/ch10_gone/mistakes.txt belongs to no chapter"),
            (other, "", "third.cu is not used"),
            (name, CATALOGUE.replace("ex1_sum", "ex1_all"), ":12: of_another_operation: no tests in the simulator judge"),
            (name, CATALOGUE.replace("It never ends.\n", ""), ":7: == endless: 01_copy.cu: describe the bug"),
            (name, "# None yet.\n", "endless.cu is not used"),
        ):
            with self.subTest(message):
                self.write(file, text)
                exit_code, words = self.list()
                self.assertEqual(exit_code, 1)
                self.assertIn(message, words)
        self.catalogue.unlink()
        self.assertIn(f"{self.catalogue} is missing", self.list()[1])


if __name__ == "__main__":
    unittest.main()
