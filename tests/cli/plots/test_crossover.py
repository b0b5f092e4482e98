"""plots/crossover.py: where the times of two programs cross."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # puts the plotting scripts on the path

from crossover import comparison_of, crossover, render_crossover, shown_programs
from measurements import Measurements, ResultsError, read_measurements

_HEADER = "program,n,median_ms,gb_per_s,copy_gb_per_s,ratio_to_copy,device,driver,cuda,commit,date"


def _measurements(times: dict[str, list[float]]) -> Measurements:
    rows = [
        f"chapter_{program},{10 ** (k + 3)},{ms},1,1,1,GPU,1,13.0,abc,2026-01-01"
        for program, column in times.items()
        for k, ms in enumerate(column)
    ]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "chapter.csv"
        file.write_text("\n".join([_HEADER, *rows]), encoding="utf-8")
        return read_measurements(file)


class Crossover(unittest.TestCase):
    def test_is_the_last_of_several_or_none(self) -> None:
        several = _measurements({"cpu_one_core": [1, 1, 1, 1], "stage": [0.5, 2, 2, 0.5]})
        self.assertAlmostEqual(crossover(several, "stage", "cpu_one_core"), 10**5.5, delta=100)
        ahead = _measurements({"cpu_one_core": [1, 2], "stage": [0.5, 2]})
        self.assertIsNone(crossover(ahead, "stage", "cpu_one_core"))

    def test_table_names_each_program_and_cpu(self) -> None:
        programs = {"fast": [0.5, 1], "slow": [5, 5], "once": [0.5]}  # one size has no crossover
        table = render_crossover(_measurements({"cpu_one_core": [1, 10], "cpu_all_cores": [1, 1], **programs}))
        self.assertIn("| fast | 1000 or fewer | never |", table)
        self.assertIn("| slow | 5", table)
        self.assertNotIn("| cpu_one_core |", table)
        self.assertNotIn("| once |", table)

    def test_needs_a_rival(self) -> None:
        self.assertIsNone(comparison_of(_measurements({"stage": [1, 2]})))
        self.assertIsNotNone(comparison_of(_measurements({"stage": [1, 2], "cpu_one_core": [1, 2]})))
        with self.assertRaises(ResultsError):
            render_crossover(_measurements({"stage": [1, 2]}))

    def test_the_picture_leaves_out_what_is_no_iteration(self) -> None:
        times = {"naive": [5, 50], "shares_by_warp": [1, 2], "neighbours_tiled": [1, 9], "four_warps": [1, 9]}
        self.assertEqual(shown_programs(_measurements(times)), ["naive", "four_warps"])
