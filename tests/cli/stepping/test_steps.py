"""Reading recorded blocks from a report."""

from __future__ import annotations

import unittest

from stepping.support import recorded, report_text
from support import access

from cli.errors import WorkbookError
from cli.tracing.report import parse_report
from cli.tracing.steps import Steps, is_request, offsets_of

REQUEST = [0, 2, 1, 4, 4, 0, 0, 2, 8, 4, 5, 1, 100, 0]


class StepsTest(unittest.TestCase):
    def test_a_request(self) -> None:
        report = parse_report(report_text([access(3)], recorded([REQUEST])))
        step = report.kernels[0].steps.blocks[0].steps[0]
        self.assertTrue(is_request(step))
        offsets = offsets_of(step)
        self.assertEqual(offsets[:6], (8, 12, None, None, None, 100))
        self.assertEqual(offsets[6:], (None,) * 26)

    def test_other_steps(self) -> None:
        steps = [["barrier", 0, 64], ["part", 0, 1, 1, 2], ["meet", 0, 0, 3, "shuffle", 1, 0]]
        report = parse_report(report_text([], recorded(steps)))
        block = report.kernels[0].steps.blocks[0]
        self.assertEqual(block.steps, tuple(map(tuple, steps)))
        self.assertEqual([array.name for array in block.arrays], ["allocation 1", "tile"])
        self.assertEqual(report.kernels[0].steps.places, (("kernel.cu", 3, 3),))

    def test_without_steps(self) -> None:
        self.assertEqual(parse_report(report_text([access(3)])).kernels[0].steps, Steps())

    def test_steps_of_another_version_are_ignored(self) -> None:
        steps = {**recorded([["unknown"]]), "version": 2}
        self.assertEqual(parse_report(report_text([], steps)).kernels[0].steps, Steps())

    def test_invalid_steps_are_refused(self) -> None:
        for wrong in (
            [],
            ["jump", 0, 1],
            ["barrier", 1, 32],
            ["barrier", "0", 32],
            [1, *REQUEST[1:]],
            [0, 2, 2, *REQUEST[3:]],
            REQUEST[:-1],
            [*REQUEST[:6], 30, 3, 0, 4],
            [*REQUEST[:6], -1, 3, 0, 4],
            [0.5, *REQUEST[1:]],
            [*REQUEST[:8], 2**70, 4],
        ):
            with self.subTest(wrong), self.assertRaisesRegex(WorkbookError, "report cannot be read"):
                parse_report(report_text([access(3)], recorded([wrong])))
