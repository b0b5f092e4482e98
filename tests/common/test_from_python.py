"""docs/from_python: the library compiles where nvcc is, and transposes where there is a GPU."""

from __future__ import annotations

import subprocess
import sys
import unittest
from array import array
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "docs/from_python"))

import transpose


def has_gpu() -> bool:
    try:
        return subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


class FromPythonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        try:
            cls.library = transpose.build("native" if has_gpu() else "sm_75")
        except RuntimeError as error:
            if "nvcc is not installed" in str(error):
                raise unittest.SkipTest(str(error)) from error
            raise

    def test_its_functions_have_c_names(self) -> None:
        names = subprocess.run(["nm", "-D", "--defined-only", str(self.library)], capture_output=True, text=True, check=True)
        self.assertRegex(names.stdout, r" T transpose_floats\n")
        self.assertRegex(names.stdout, r" T transpose_error\n")

    @unittest.skipUnless(has_gpu(), "needs a GPU")
    def test_awkward_shapes(self) -> None:
        library = transpose.load(self.library)
        for rows, cols in ((1, 1), (1, 7), (33, 20), (31, 97)):
            with self.subTest(rows=rows, cols=cols):
                matrix = array("f", range(rows * cols))
                expected = array("f", (matrix[row * cols + col] for col in range(cols) for row in range(rows)))
                self.assertEqual(transpose.transpose(library, matrix, rows, cols), expected)

    @unittest.skipUnless(has_gpu(), "needs a GPU")
    def test_an_error_arrives_in_words(self) -> None:
        library = transpose.load(self.library)
        with self.assertRaisesRegex(RuntimeError, "cudaErrorInvalid"):
            rows = 32 * 65535 + 1  # one row more than the blocks of a 2-D grid cover
            transpose.transpose(library, array("f", bytes(4 * rows)), rows, 1)

    def test_another_size_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "must have 2 x 3 floats, not 5"):
            transpose.transpose(None, array("f", range(5)), 2, 3)


if __name__ == "__main__":
    unittest.main()
