"""plots/roofline.py: the positions of programs, and the limits."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # puts the plotting scripts on the path

from measurements import ResultsError
from roofline import Roofline, read_roofline, stage_numbers

_END = "device,driver,cuda,commit,date"
_PROVENANCE = "GPU,1,13.0,abc,2026-01-01"
_NUMBERS = {
    "ch4_reduction_atomic": "1",
    "ch6_matmul_naive": "1",
    "ch6_matmul_cublas": "L",
    "ch3_transpose_naive_1x1024": "1c",
}


def _roofline(files: dict[str, list[str]]) -> Roofline:
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in files.items():
            Path(folder, f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
        return read_roofline(Path(folder), _NUMBERS)


_FILES = {
    "ch4_reduction": [
        f"program,size,median_ms,gb_per_s,read_probe_gb_per_s,ratio_to_read_probe,{_END}",
        f"ch4_reduction_atomic,1000,0.5,16,4000,0.004,{_PROVENANCE}",
        f"ch4_reduction_atomic,1000000,2,4,4000,0.001,{_PROVENANCE}",
        f"ch4_reduction_read_probe,1000000,0.002,4000,4000,1.0,{_PROVENANCE}",
    ],
    "ch6_matmul": [
        f"program,m,n,k,bits,median_ms,tflop_per_s,fma_tflop_per_s,ratio_to_fma,{_END}",
        f"ch6_matmul_naive,1000,1000,1000,32,0.5,4,60,0.0667,{_PROVENANCE}",
        f"ch6_matmul_naive,1000,1000,1000,64,1,2,30,0.0667,{_PROVENANCE}",
        f"ch6_matmul_cublas,1000,1000,1000,32,0.04,50,60,0.833,{_PROVENANCE}",
    ],
    "ch3_transpose": [
        f"program,rows,cols,median_ms,gb_per_s,copy_gb_per_s,ratio_to_copy,{_END}",
        f"ch3_transpose_naive_1x1024,64,64,1,400,4000,0.1,{_PROVENANCE}",
        f"ch3_transpose_copy_simple,64,64,1,3000,4000,0.75,{_PROVENANCE}",
    ],
}


class ReadRoofline(unittest.TestCase):
    def test_the_limits_are_the_probe_and_the_multiply_adds_of_floats(self) -> None:
        roofline = _roofline(_FILES)
        self.assertEqual((roofline.gb_per_s, roofline.tflop_per_s), (4000, 60))

    def test_a_reduction_has_three_operations_for_eight_bytes(self) -> None:
        dot = next(dot for dot in _roofline(_FILES).dots if dot.chapter == "ch4_reduction")
        self.assertEqual(dot.operations_per_byte, 0.375)
        self.assertAlmostEqual(dot.tflop_per_s, 3 * 1e6 / 2e-3 / 1e12)  # at the largest size

    def test_a_product_moves_each_matrix_once(self) -> None:
        dots = [dot for dot in _roofline(_FILES).dots if dot.chapter == "ch6_matmul"]
        self.assertEqual([dot.label for dot in dots], ["1", "L"])
        self.assertAlmostEqual(dots[0].operations_per_byte, 2e9 / (4 * 3e6))
        self.assertAlmostEqual(dots[0].tflop_per_s, 4)

    def test_a_chapter_without_floating_point_has_its_share_alone(self) -> None:
        roofline = _roofline(_FILES)
        self.assertNotIn("ch3_transpose", [dot.chapter for dot in roofline.dots])
        shares = [(share.label, share.share, share.ceiling) for share in roofline.shares if share.chapter == "ch3_transpose"]
        self.assertEqual(shares, [("1c", 0.1, "copy")])  # without the copy, which is not a stage

    def test_without_the_chapter_of_a_limit(self) -> None:
        files = {name: lines for name, lines in _FILES.items() if name != "ch6_matmul"}
        with self.assertRaisesRegex(ResultsError, "no ch6_matmul.csv, which the limits need"):
            _roofline(files)


class StageNumbers(unittest.TestCase):
    def test_are_those_of_the_files(self) -> None:
        numbers = stage_numbers()
        self.assertEqual(numbers["ch3_transpose_naive_1024x1"], "1b")
        self.assertEqual(numbers["ch3_transpose_padded"], "3")
        self.assertEqual(numbers["ch5_dot_product_cublas"], "L")
        self.assertNotIn("ch3_transpose_copy_simple", numbers)


if __name__ == "__main__":
    unittest.main()
