"""Tests of check_programs.py, without a compiler."""

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

from check_programs import Program, classify, is_worse, read_table, write_table

PROGRAM = Program("owner+name", "a.cu;b.cpp", "", "--define N=8", "16", "ours", "yes", "ran")


class CheckProgramsTest(unittest.TestCase):
    def test_how_a_program_ends(self) -> None:
        for returncode, output, result in (
            (0, "Test PASSED\n", "passed"),
            (0, "max error 0.1\n", "ran"),
            (0, "CUDA simulator: Note: 4 bytes are not freed\n", "ran"),
            (0, "Test FAILED\n", "wrong"),
            (1, "Test FAILED\n", "failed"),
            (1, "3 CUDA simulator: k: race\n", "found"),
            (1, "CUDA simulator: the program has computed for 8 s. If\nWRONG\n", "failed"),
            (None, "computing\n", "slow"),
        ):
            self.assertEqual(classify(returncode, output), result, output)

    def test_a_result_that_is_worse(self) -> None:
        self.assertTrue(is_worse(replace(PROGRAM, built="no"), PROGRAM))
        self.assertTrue(is_worse(replace(PROGRAM, result="found"), PROGRAM))
        self.assertFalse(is_worse(replace(PROGRAM, result="passed"), PROGRAM))

    def test_the_table_is_written_as_it_is_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            write_table([PROGRAM], Path(folder) / "programs.csv")
            self.assertEqual(read_table(Path(folder) / "programs.csv"), [PROGRAM])

    def test_no_program_of_the_table_is_wrong(self) -> None:
        self.assertEqual([program.files for program in read_table() if program.result == "wrong"], [])


if __name__ == "__main__":
    unittest.main()
