"""plots/roofline.py: the positions of programs, and the limits."""

from __future__ import annotations

import importlib.util
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from support import ended

import roofline
from measurements import ResultsError
from roofline import TF32, THREE_TF32, UNITS, Roofline, Stage, all_stages, read_roofline

_END = "device,driver,cuda,commit,date"
_PROVENANCE = "GPU,1,13.0,abc,2026-01-01"
_STAGES = {
    "ch4_reduction_atomic": Stage("01_atomic"),
    "ch6_matmul_naive": Stage("01_naive"),
    "ch6_matmul_cublas": Stage("11_cublas"),
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
    "ch8_tsne": [
        f"program,n,d,median_ms,tflop_per_s,issue_rate_tflop_per_s,ratio_to_issue_rate,{_END}",
        f"ch8_tsne_naive,1024,300,9,1,50,0.02,{_PROVENANCE}",
        f"ch8_tsne_products_norms,1024,300,5,1,50,0.02,{_PROVENANCE}",
        f"ch8_tsne_products_tensor_core,1024,300,1,9,50,0.2,{_PROVENANCE}",
    ],
}


class ReadRoofline(unittest.TestCase):
    def test_the_best_stage_of_each_chapter_is_not_a_library(self) -> None:
        measured = _roofline(_FILES)
        names = [(dot.chapter, dot.stage.name) for dot in measured.best(UNITS)]
        best = [("ch4_reduction", "01_atomic"), ("ch6_matmul", "01_naive"), ("ch8_tsne", "09_norms")]
        self.assertEqual(names, best)
        self.assertEqual([dot.stage.name for dot in measured.best(TF32, THREE_TF32)], ["18_tensor_core"])

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
            code, words = ended(roofline.main, ["--check"])
            self.assertEqual(code, 1)
            self.assertIn("Fix it with: python3 plots/roofline.py", words)
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
