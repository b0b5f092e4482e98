"""Catalogues with missing and unused parts."""

from __future__ import annotations

import contextlib
import io
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import fake_program  # noqa: F401  # puts the modules on the path

import list_operations

_MISTAKES = """\
== first: 01_copy.cu
The first.
rejected by: test=MatchesReference
@@
-nothing

== second: 01_copy.cu
The second.
rejected by: test=MatchesReference
whole file: mistakes/second.cu

== third: solutions/ex1_sum.cu
The third.
rejected by: test=MatchesReference
@@
-nothing
"""


class ListOperations(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.catalogue = self.write("tests/ch9_copy/mistakes.txt", _MISTAKES)
        self.write("tests/ch9_copy/mistakes/second.cu", "")
        self.write("tests/ch9_copy/copy_test.cpp", "")

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def list(self, solution: str = "ex1_sum") -> tuple[int, str, str]:
        rows = [
            ("ch9_copy", "ch9_copy_test", f"{self.root}/chapters/ch9_copy/01_copy.cu"),
            ("ch9_copy", "ch9_copy_cpu_test", f"{self.root}/chapters/ch9_copy/baselines/cpu.cpp"),
            ("ch9_copy", "ch9_copy_sum_test", f"{self.root}/solutions/ch9_copy/{solution}.cu"),
        ]
        operations = self.write("operations.txt", "".join("\t".join(row) + "\n" for row in rows))
        out, err = io.StringIO(), io.StringIO()
        with unittest.mock.patch.object(list_operations, "ROOT", self.root):
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                exit_code = list_operations.main([str(operations)])
        return exit_code, out.getvalue(), err.getvalue()

    def assert_refused(self, words: str, solution: str = "ex1_sum") -> None:
        exit_code, _, said = self.list(solution)
        self.assertEqual(exit_code, 1)
        self.assertIn(words, said)

    def test_operations_that_have_mistakes(self) -> None:
        self.assertEqual(self.list(), (0, "ch9_copy_test 2\nch9_copy_sum_test 1\n", ""))

    def test_catalogue_without_mistakes(self) -> None:
        self.catalogue.write_text("# None yet.\n")
        (self.root / "tests/ch9_copy/mistakes/second.cu").unlink()
        self.assertEqual(self.list(), (0, "", ""))

    def test_chapter_without_a_catalogue(self) -> None:
        self.catalogue.unlink()
        self.assert_refused(f"{self.catalogue} is missing")

    def test_catalogue_without_a_chapter(self) -> None:
        file = self.write("tests/ch10_gone/mistakes.txt", "")
        self.assert_refused(f"{file} belongs to no chapter")

    def test_mistake_in_a_file_that_no_operation_has(self) -> None:
        self.assert_refused(f"{self.catalogue}:12: third: no tests in the simulator judge solutions/ex1_sum.cu", "ex1_all")

    def test_file_that_no_mistake_uses(self) -> None:
        file = self.write("tests/ch9_copy/mistakes/third.cu", "")
        self.assert_refused(f"{file} is not used")

    def test_malformed_catalogue(self) -> None:
        self.catalogue.write_text(_MISTAKES.replace("The second.\n", ""))
        self.assert_refused(f"{self.catalogue}:7: == second: 01_copy.cu: describe the bug in a line below its name")


if __name__ == "__main__":
    unittest.main()
