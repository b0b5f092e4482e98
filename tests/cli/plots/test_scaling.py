"""plots/scaling.py: the gain from more GPUs, and the errors for unsuitable files."""

from __future__ import annotations

import unittest
from pathlib import Path

from support import FolderTest

from scaling import ScalingError, Series, Times, read_times, strong_scaling, weak_scaling


class ReadTimes(FolderTest):
    def read(self, text: str) -> Times:
        file = self.folder / "ch10_exchanges.csv"
        file.write_text(text, encoding="utf-8")
        return read_times([file])

    def test_the_median_of_the_rounds(self) -> None:
        rows = "".join(f"ch10_many_gpus_split,8,2,{ms},x\n" for ms in (5, 1, 2))
        self.assertEqual(self.read(f"program,size,gpus,median_ms,device\n{rows}"), {("split", 8, 2): 2})

    def test_the_message_names_an_unusable_or_missing_file(self) -> None:
        for text in ("size,gpus,median_ms\n8,2,1\n", "program,size,gpus,median_ms\nsplit,8\n", "program,size\na,b\n"):
            with self.assertRaisesRegex(ScalingError, "ch10_exchanges.csv needs the columns program, size, gpus"):
                self.read(text)
        with self.assertRaisesRegex(ScalingError, "nowhere.csv cannot be read"):
            read_times([Path("nowhere.csv")])


class Scaling(unittest.TestCase):
    def test_strong_is_the_time_on_one_over_that_on_several(self) -> None:
        times: Times = {("fused", 80, 1): 12, ("fused", 80, 2): 6, ("fused", 80, 4): 4}
        self.assertEqual(strong_scaling(times), [Series("fused\n80", {1: 1.0, 2: 2.0, 4: 3.0})])

    def test_a_program_for_several_gpus_is_compared_with_one_gpu(self) -> None:
        times: Times = {("one_gpu", 80, 2): 12, ("split", 80, 2): 8, ("split", 80, 4): 4}
        self.assertEqual(strong_scaling(times), [Series("split\n80", {1: 1.0, 2: 1.5, 4: 3.0})])

    def test_weak_has_the_same_work_for_each_gpu(self) -> None:
        times: Times = {("split", 1000, 1): 6, ("split", 2000, 2): 8, ("split", 4000, 4): 12, ("split", 9, 4): 1}
        self.assertEqual(weak_scaling(times), [Series("split\n1,000 per GPU", {1: 1.0, 2: 0.75, 4: 0.5})])

    def test_two_numbers_of_gpus_are_not_drawn(self) -> None:
        self.assertEqual(strong_scaling({("fused", 80, 1): 12, ("fused", 80, 2): 6}), [])
        self.assertEqual(strong_scaling({("split", 80, 2): 6, ("split", 80, 4): 6}), [])
