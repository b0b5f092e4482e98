"""plots/roofline.py: the positions of programs, and the limits."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401  # puts the plotting scripts on the path

import roofline
from measurements import ResultsError
from roofline import TF32, THREE_TF32, UNITS, Dot, Roofline, Stage, all_stages, read_roofline, table

_END = "device,driver,cuda,commit,date"
_PROVENANCE = "GPU,1,13.0,abc,2026-01-01"
_STAGES = {
    "ch4_reduction_atomic": Stage("01_atomic"),
    "ch6_matmul_naive": Stage("01_naive"),
    "ch6_matmul_cublas": Stage("11_cublas"),
    "ch3_transpose_naive_1x1024": Stage("01c_naive_1x1024"),
    "ch8_tsne_naive": Stage("01_naive"),
    "ch8_tsne_products_norms": Stage("09_norms"),
    "ch8_tsne_products_tensor_core": Stage("18_tensor_core", THREE_TF32),
}


def _roofline(files: dict[str, list[str]]) -> Roofline:
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in files.items():
            Path(folder, f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
        return read_roofline(Path(folder), _STAGES)


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


_DISTANCES = [
    f"program,n,d,median_ms,tflop_per_s,issue_rate_tflop_per_s,ratio_to_issue_rate,{_END}",
    f"ch8_tsne_naive,1024,300,9,1,50,0.02,{_PROVENANCE}",
    f"ch8_tsne_products_norms,1024,300,5,1,50,0.02,{_PROVENANCE}",
    f"ch8_tsne_products_tensor_core,1024,300,1,9,50,0.2,{_PROVENANCE}",
]


class ReadRoofline(unittest.TestCase):
    roofline = _roofline({**_FILES, "ch8_tsne": _DISTANCES})

    def dots(self, chapter: str) -> list[Dot]:
        return [dot for dot in self.roofline.dots if dot.chapter == chapter]

    def test_the_limits_are_the_probe_and_the_multiply_adds_of_floats(self) -> None:
        self.assertEqual((self.roofline.gb_per_s, self.roofline.tflop_per_s), (4000, 60))

    def test_a_reduction_has_three_operations_for_eight_bytes(self) -> None:
        (dot,) = self.dots("ch4_reduction")
        self.assertEqual(dot.operations_per_byte, 0.375)
        self.assertAlmostEqual(dot.tflop_per_s, 3 * 1e6 / 2e-3 / 1e12)  # at the largest size

    def test_a_product_moves_each_matrix_once(self) -> None:
        dots = self.dots("ch6_matmul")
        self.assertEqual([dot.stage.name for dot in dots], ["01_naive", "11_cublas"])
        self.assertAlmostEqual(dots[0].operations_per_byte, 2e9 / (4 * 3e6))
        self.assertAlmostEqual(dots[0].tflop_per_s, 4)

    def test_distances_from_products_have_two_operations_per_component(self) -> None:
        from_differences, from_products, *_ = self.dots("ch8_tsne")
        self.assertAlmostEqual(from_differences.tflop_per_s / from_products.tflop_per_s, 1.5 * 5 / 9)
        self.assertAlmostEqual(from_differences.operations_per_byte / from_products.operations_per_byte, 1.5)

    def test_the_best_stage_of_each_chapter_is_not_a_library(self) -> None:
        names = [(dot.chapter, dot.stage.name) for dot in self.roofline.best(UNITS)]
        best = [("ch4_reduction", "01_atomic"), ("ch6_matmul", "01_naive"), ("ch8_tsne", "09_norms")]
        self.assertEqual(names, best)
        self.assertEqual([dot.stage.name for dot in self.roofline.best(TF32, THREE_TF32)], ["18_tensor_core"])

    def test_a_chapter_without_floating_point_has_its_share_alone(self) -> None:
        shares = [(dot.stage.name, dot.share, dot.ceiling, dot.tflop_per_s) for dot in self.dots("ch3_transpose")]
        self.assertEqual(shares, [("01c_naive_1x1024", 0.1, "copy", None)])  # without the copy, which is not a stage

    def test_the_table_has_all_stages(self) -> None:
        lines = table(self.roofline).splitlines()
        self.assertEqual(lines[2], "| ch3_transpose | 01c naive 1x1024 | - | - | 0.1 | copy |")
        self.assertIn("| ch6_matmul | 11 cublas | 167 | 50 | 0.83 | fma |", lines)
        self.assertTrue(lines[-1].startswith("GPU. "))

    def test_without_the_chapter_of_a_limit(self) -> None:
        files = {name: lines for name, lines in _FILES.items() if name != "ch6_matmul"}
        with self.assertRaisesRegex(ResultsError, "no ch6_matmul.csv, which the limits need"):
            _roofline(files)


class AllStages(unittest.TestCase):
    stages = all_stages()

    def test_names_are_those_of_the_files(self) -> None:
        self.assertEqual(self.stages["ch3_transpose_naive_1024x1"], Stage("01b_naive_1024x1"))
        self.assertTrue(self.stages["ch5_dot_product_cublas"].is_library)
        self.assertNotIn("ch3_transpose_copy_simple", self.stages)

    def test_stages_on_tensor_cores(self) -> None:
        on_units = {target for target, stage in self.stages.items() if stage.computes_on == UNITS}
        on_tensor_cores = sorted(set(self.stages) - on_units)
        self.assertEqual({target.rsplit("_", 1)[0][:10] for target in on_tensor_cores}, {"ch11_tenso", "ch8_tsne_p"})
        self.assertEqual(self.stages["ch8_tsne_products_tensor_core"].computes_on, THREE_TF32)
        self.assertIn("ch8_tsne_products_one_pass", on_units)
        self.assertIn("ch8_tsne_products_cublas", on_units)
        one = [self.stages[target].name for target in on_tensor_cores if self.stages[target].computes_on == TF32]
        self.assertEqual(sorted(one), ["01_mma_sync", "02_padded_rows", "03_tf32"])


class Page(unittest.TestCase):
    def test_the_table_of_the_page_matches_the_results(self) -> None:
        self.assertEqual(roofline.main(["--check"]), 0)

    def test_a_table_that_is_out_of_date(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch("roofline._PAGE", Path(folder, "limits.md")) as page:
            page.write_text("<!-- roofline:begin -->\n<!-- roofline:end -->\n", encoding="utf-8")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                self.assertEqual(roofline.main(["--check"]), 1)
            self.assertIn("Fix it with: python3 plots/roofline.py", output.getvalue())
            self.assertNotIn("ch3_transpose", page.read_text(encoding="utf-8"))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_pictures(self) -> None:
        measured = ReadRoofline.roofline
        with tempfile.TemporaryDirectory() as folder:
            for draw, words in (
                (
                    roofline.draw_units,
                    ("ch6 matmul", "stage 01: 4", "memory: 4.0 TB/s", "66", "ch4 reduction, stage 01: 0.0015"),
                ),
                (roofline.draw_tensor_cores, ("ch8 tsne, stage 18:", "float multiply-adds: 60 TFLOP/s")),
            ):
                draw(measured, Path(folder, "one.svg"))
                svg = Path(folder, "one.svg").read_text(encoding="utf-8")
                for text in words:
                    self.assertTrue(text in svg, text)
