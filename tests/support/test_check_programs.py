"""Errors in a programs.csv, and the check of a program's output."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from support.check_programs import COLUMNS, Expectation, TableError, holds, in_build, problem, read_expectations

from cli.catalogue import Chapter, Program
from cli.chapter_files import ChapterFiles

STAGES = tuple(
    Program(f"ch3_transpose_{name}", "ch3_transpose", Path(f"{name}.cu"), "stage", needs_gpu=name == "cublas")
    for name in ("naive", "padded", "cublas")
)
SOLUTION = Program("ch3_ex1_solution", "ch3_transpose", Path("ex1.cu"), "solution")
CHAPTER = Chapter(ChapterFiles(Path("root"), "ch3_transpose"), (*STAGES, SOLUTION))


class TableTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def read(self, *rows: str) -> list[Expectation]:
        file = self.folder / "programs.csv"
        file.write_text("\n".join([",".join(COLUMNS), *rows]), encoding="utf-8")
        return read_expectations(file, CHAPTER)

    def program(self, name: str, script: str) -> None:
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)

    def test_star_is_every_program_that_the_simulator_runs(self) -> None:
        targets = [expected.target for expected in self.read("large,*,--n 3,0,all right,,")]
        self.assertEqual(targets, ["ch3_transpose_naive", "ch3_transpose_padded"])

    def test_an_exception_needs_a_program_and_a_reason(self) -> None:
        expectations = self.read("large,*,--n 3,0,,simulator,naive: it has one block")
        self.assertEqual([expected.target for expected in expectations], ["ch3_transpose_padded"])
        for exception, message in (
            ("naive", "excepted without a reason"),
            ("cublas: it needs a GPU", "runs no such program"),
            ("renamed: it is slow", "'renamed' is excepted"),
        ):
            with self.subTest(exception), self.assertRaisesRegex(TableError, f"line 2: .*{message}"):
                self.read(f"large,*,--n 3,0,,,{exception}")

    def test_a_solution_is_a_program_too(self) -> None:
        self.assertEqual(self.read("x,ex1_solution,,0,,,")[0].target, "ch3_ex1_solution")

    def test_a_traced_program_is_one_of_the_simulator(self) -> None:
        self.assertEqual(self.read("x,naive_inspect,,1,,simulator,")[0].target, "ch3_transpose_naive_inspect")

    def test_invalid_rows(self) -> None:
        for row, message in (
            ("x,tiled_inspect,,0,,simulator,", "runs no program 'tiled'"),
            ("x,naive_inspect,,0,,,", "where must be 'simulator'"),
            ("x,tiled,,0,,,", "runs no program 'tiled'.*naive, padded, ex1_solution"),
            ("x,naive,,0", "4 columns instead of 7"),
            ("x,naive,,zero,,,", "invalid literal"),
            ("x,naive,,0,,on a GPU,", "where is empty, 'simulator' or 'every block order', not 'on a GPU'"),
            ("x,naive,,0,,,naive: slow", "only . has exceptions"),
            (",naive,,0,,,", "no name"),
        ):
            with self.subTest(row), self.assertRaisesRegex(TableError, f"line 2: .*{message}"):
                self.read(row)
        with self.assertRaisesRegex(TableError, "ch3_transpose_naive has the test 'x' twice"):
            self.read("x,*,,0,,,", "x,naive,,0,,,")

    def test_an_ellipsis_matches_any_text(self) -> None:
        self.assertTrue(holds("67 ... GB.*", "6712.0\nGB.*"))
        self.assertFalse(holds("GB ... 67", "6712.0 GB"))
        self.assertFalse(holds("a.c", "abc"))

    def test_exit_code_and_output_are_checked(self) -> None:
        self.program("ch3_transpose_naive", 'echo "all $1"; echo right >&2; exit 2')
        for exit_code, text, wrong in ((2, "all 5", None), (2, "right", None), (0, "right", "ended with 2"), (2, "x", "'x'")):
            with self.subTest(exit_code=exit_code, text=text):
                found = problem(self.read(f"x,naive,5,{exit_code},{text},,")[0], self.folder)
                self.assertEqual(found, None) if wrong is None else self.assertIn(wrong, found or "")

    def test_output_that_depends_on_the_order_of_the_blocks(self) -> None:
        expected = self.read("bits,naive,,0,,every block order,")[0]
        self.program("ch3_transpose_naive", "echo 42")
        self.assertIsNone(problem(expected, self.folder))
        self.program("ch3_transpose_naive", 'test "$CUDA_SIMULATOR_BLOCK_ORDER" = 2 && echo 41 || echo 42')
        self.assertIn("in order '2' it printed:\n41\n", problem(expected, self.folder) or "")

    def test_missing_program(self) -> None:
        self.assertIn("ch3_transpose_padded", problem(self.read("x,padded,,0,,,")[0], self.folder) or "")

    def test_a_program_that_the_build_leaves_out_is_not_run(self) -> None:
        expectations = self.read("x,*,,0,,,", "y,padded_inspect,,0,,simulator,")
        reasons = {"ch3_transpose_padded": "its library is not installed"}
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            found = in_build(expectations, lambda target: reasons.get(target, ""))
        self.assertEqual([expected.target for expected in found], ["ch3_transpose_naive"])
        words = "left out because its library is not installed\n"
        self.assertEqual(printed.getvalue(), f"ch3_transpose_padded is {words}ch3_transpose_padded_inspect is {words}")


if __name__ == "__main__":
    unittest.main()
