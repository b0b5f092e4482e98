"""All mistakes of an operation, one at a time or in parallel, and the output about them."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from fake_program import KEEPS, MATCHES, ONE_WRONG, ROOT, WRONG, failed, passed, write_program

import expect_mistakes
from cli.verdicts.googletest import State, read_results

_CATALOGUE = """\
== no_guard: 01_copy.cu
The guard is missing.
rejected by: test=MatchesReference wrong=1 size=9
@@
-  if (i < n) return;

== off_by_one: 01_copy.cu
One element too many.
rejected by: finding=out_of_bounds
@@
-  if (i < n) {
+  if (i <= n) {

== of_another_operation: solutions/ex1_sum.cu
Adds nothing.
rejected by: finding=race
@@
-  sum += x;
"""


class ExpectMistakes(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve() / "ch9_copy"
        self.folder.mkdir()
        self.catalogue = self.folder / "mistakes.txt"
        self.catalogue.write_text(_CATALOGUE)
        self.program = write_program(self.folder / "program", failed(MATCHES, WRONG, ONE_WRONG), passed(KEEPS))
        self.xml = self.folder / "results.xml"

    def expect(self, *options: str) -> tuple[int, list[str]]:
        words = io.StringIO()
        stage = ROOT / "chapters" / "ch9_copy" / "01_copy.cu"
        with contextlib.redirect_stdout(words), unittest.mock.patch.dict(os.environ, {"GTEST_OUTPUT": f"xml:{self.xml}"}):
            exit_code = expect_mistakes.main([*options, str(self.program), str(self.catalogue), str(stage)])
        return exit_code, words.getvalue().splitlines()

    def test_a_line_for_each_mistake(self) -> None:
        exit_code, lines = self.expect("--jobs=2")
        self.assertEqual(exit_code, 1)
        self.assertEqual(lines[0], "no_guard: Matrix.MatchesReference/1x9 failed, for the stated reasons.")
        self.assertEqual(lines[1], f"{self.catalogue}:7: off_by_one: 'finding=out_of_bounds' holds for no failed test, but these failed:")
        self.assertEqual(lines[-1], "1 of 2 mistakes are rejected for the stated reasons.")

    def test_one_mistake(self) -> None:
        self.assertEqual(self.expect("--only=no_guard")[0], 0)
        self.assertEqual(self.expect("--only=unknown"), (1, ["0 of 0 mistakes are rejected for the stated reasons."]))

    def test_an_endless_loop_is_stopped_early(self) -> None:
        note = 'echo "$WORKBOOK_MISTAKE $CUDA_SIMULATOR_STEP_LIMIT" >>"$0.limits"'
        self.program.write_text(self.program.read_text().replace("echo words", f"{note}; echo words"))
        self.catalogue.write_text(_CATALOGUE.replace("rejected by: finding=out_of_bounds", "rejected by: finding=endless kernel=copy_kernel"))
        with unittest.mock.patch.dict(os.environ):
            os.environ.pop("CUDA_SIMULATOR_STEP_LIMIT", None)
            self.expect()
        self.assertEqual((self.folder / "program.limits").read_text().splitlines(), ["no_guard ", "off_by_one 5000000"])

    def test_a_case_for_each_mistake(self) -> None:
        self.expect()
        cases = read_results(self.xml)
        self.assertEqual(
            [(case.name, case.state) for case in cases],
            [("program.no_guard", State.PASSED), ("program.off_by_one", State.FAILED)],
        )
        self.assertIn("'finding=out_of_bounds' holds for no failed test", cases[1].messages[0])

    def test_output_that_xml_cannot_hold(self) -> None:
        write_program(self.program, failed(MATCHES, "\x1b[31m\0 wrong <&>\n"))
        self.expect()
        (failure, _) = ElementTree.parse(self.xml).getroot().iter("failure")
        self.assertIn("?[31m? wrong <&>", failure.text)

    def test_malformed_catalogue(self) -> None:
        self.catalogue.write_text(_CATALOGUE.replace("rejected by: finding=race\n", ""))
        exit_code, lines = self.expect()
        self.assertEqual(exit_code, 1)
        self.assertIn(f"{self.catalogue}:14: ", lines[0])

    def test_wrong_command_line(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(expect_mistakes.main(["program"]), 2)
            self.assertEqual(expect_mistakes.main(["--other=1", "a", "b", "c"]), 2)


if __name__ == "__main__":
    unittest.main()
