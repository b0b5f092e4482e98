"""Errors in a programs.csv, and the check of a program's output."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

from support.check_programs import COLUMNS, Expectation, TableError, in_build, problem, read_expectations

from cli.catalogue import Chapter, Program
from cli.chapter_files import ChapterFiles

STAGES = tuple(
    Program(f"ch3_transpose_{name}", "ch3_transpose", Path(f"{name}.cu"), "stage", needs_gpu=name == "cublas")
    for name in ("naive", "padded", "cublas")
)
SOLUTION = Program("ch3_ex1_second", "ch3_transpose", Path("ex1.cu"), "solution")
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

    def test_programs_of_a_row(self) -> None:
        for row, targets, part in (
            ("large,*,--n 3,0,all right,,", ["ch3_transpose_naive", "ch3_transpose_padded"], "programs_of_all"),
            ("large,*,--n 3,0,,simulator,naive: it has one block", ["ch3_transpose_padded"], "programs_of_all"),
            ("x,ex1_second,,0,,,", ["ch3_ex1_second"], "programs_of_all"),
            ("x,naive_inspect,,1,,simulator,", ["ch3_transpose_naive_inspect"], "programs"),
        ):
            found = self.read(row)
            self.assertEqual([expected.target for expected in found], targets)
            self.assertEqual({expected.part for expected in found}, {part})

    def test_invalid_rows(self) -> None:
        for row, message in (
            ("x,*,,0,,,naive", "line 2: .*excepted without a reason"),
            ("x,*,,0,,,cublas: it needs a GPU", "line 2: .*runs no such program"),
            ("x,tiled_inspect,,0,,simulator,", "runs no program 'tiled'"),
            ("x,naive_inspect,,0,,,", "where must be 'simulator'"),
            ("x,tiled,,0,,,", "runs no program 'tiled'.*naive, padded, ex1_second"),
            ("x,naive,,0", "4 columns instead of 7"),
            ("x,naive,,zero,,,", "invalid literal"),
            ("x,naive,,0,,on a GPU,", "where is empty, 'simulator' or 'every block order', not 'on a GPU'"),
            ("x,naive,,0,,,naive: slow", "only . has exceptions"),
            (",naive,,0,,,", "no name"),
            ("", "has no row"),
            ("x,*,,0,,,\nx,naive,,0,,,", "ch3_transpose_naive has the test 'x' twice"),
        ):
            with self.subTest(row), self.assertRaisesRegex(TableError, message):
                self.read(row)

    def test_output_and_exit_codes(self) -> None:
        by_order = 'test "$CUDA_SIMULATOR_BLOCK_ORDER" = 2 && echo 41 || echo 42'
        for row, script, wrong in (
            ("x,naive,5,2,all 5,,", 'echo "all $1"; exit 2', ""),
            ("x,naive,5,2,right,,", "echo right >&2; exit 2", ""),
            ("x,naive,5,0,right,,", "echo right; exit 2", "ended with 2"),
            ("x,naive,5,0,x,,", "echo all", "'x'"),
            ("x,naive,,0,67 ... GB.*,,", "echo 6712.0; echo 'GB.*'", ""),  # an ellipsis matches any text
            ("x,naive,,0,GB ... 67,,", "echo 6712.0 GB", "6712.0 GB"),
            ("x,naive,,0,a.c,,", "echo abc", "'a.c'"),
            ("x,naive,,0,,every block order,", "echo 42", ""),
            ("x,naive,,0,,every block order,", by_order, "in order '2' it printed:\n41\n"),
            ("x,padded,,0,,,", "", "ch3_transpose_padded"),  # it is missing
        ):
            with self.subTest(row):
                self.program("ch3_transpose_naive", script)
                found = problem(self.read(row)[0], self.folder)
                self.assertEqual(found is None, not wrong, found)
                self.assertIn(wrong, found or "")

    def test_a_program_that_the_build_leaves_out_is_not_run(self) -> None:
        expectations = self.read("x,*,,0,,,", "y,padded_inspect,,0,,simulator,")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            found = in_build(expectations, lambda target: "it is gone" if target.endswith("padded") else "")
        self.assertEqual([expected.target for expected in found], ["ch3_transpose_naive"])
        words = "is left out because it is gone\n"
        self.assertEqual(printed.getvalue(), f"ch3_transpose_padded {words}ch3_transpose_padded_inspect {words}")


if __name__ == "__main__":
    unittest.main()
