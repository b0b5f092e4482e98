from __future__ import annotations

import unittest
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.compiler_output import explain_failure

ROOT = Path("/home/learner/workbook")
FILE = f"{ROOT}/chapters/ch3_transpose/01_naive.cu"


def last_line(output: str, source: Path | None = None) -> str:
    return explain_failure(output, ROOT, "ch3_transpose_naive", source).splitlines()[-1]


class CompilerOutputTest(unittest.TestCase):
    def test_gcc_error(self) -> None:
        output = (
            "[ 50%] Building CXX object naive.cu.o\n"
            f"{FILE}:27:9: error: expected ';' before '}}' token\n   27 |   x\n"
            "gmake[2]: *** [naive.cu.o] Error 1\n"
        )
        text = explain_failure(output, ROOT, "ch3_transpose_naive")
        self.assertTrue(text.startswith(f"{FILE}:27:9: error:"))
        self.assertNotIn("gmake", text)
        self.assertEqual(
            text.splitlines()[-1], "Fix chapters/ch3_transpose/01_naive.cu, line 27: expected ';' before '}' token"
        )

    def test_nvcc_error(self) -> None:
        self.assertEqual(
            last_line(f'{FILE}(12): error: identifier "blockIdy" is undefined\n'),
            'Fix chapters/ch3_transpose/01_naive.cu, line 12: identifier "blockIdy" is undefined',
        )

    def test_learners_file_goes_before_a_header(self) -> None:
        output = f"{ROOT}/common/ceil_div.h:4:1: error: no match\n{FILE}:30:3: error: wrong type\n"
        self.assertIn("01_naive.cu, line 30", last_line(output))

    def test_linker_error_names_the_source(self) -> None:
        output = (
            "/usr/bin/ld: main.o: in function `main':\nmain.cpp:(.text+0x1): undefined reference to `transpose(int)'\n"
        )
        self.assertEqual(
            last_line(output, Path(FILE)),
            "Fix chapters/ch3_transpose/01_naive.cu: nothing defines transpose(int), which the program calls. "
            "Is its signature the header's?",
        )

    def test_machine_trouble_is_not_blamed_on_a_file(self) -> None:
        self.assertIn("the memory ran out", last_line("c++: fatal error: Killed signal terminated program cc1plus\n"))
        self.assertIn("the disk is full", last_line("fatal error: x.o: No space left on device\n"))

    def test_unknown_failure_keeps_the_output(self) -> None:
        text = explain_failure("something odd\n", ROOT, "ch3_transpose_naive")
        self.assertEqual(text, "something odd\n\nBuilding ch3_transpose_naive failed; the reason is above.")


if __name__ == "__main__":
    unittest.main()
