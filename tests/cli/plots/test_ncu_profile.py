"""The selected lines of Nsight Compute's reports, and their table."""

from __future__ import annotations

import csv
import io
import unittest
from pathlib import Path

from support import FolderTest, ended

import ncu_profile
from ncu_profile import METRICS, PIPES, STALLS, Provenance, ReportError

PROVENANCE = Provenance("580.82", "13.0", "abc1234", "2026-11-22")
METRIC_NAMES = [metric for _, metric in {**METRICS, **PIPES}.values()]
METRIC_NAMES += [f"smsp__average_warps_issue_stalled_{reason}_per_issue_active.ratio" for reason in STALLS]
HEADER = ["ID", "Process Name", "Kernel Name", "device__attribute_display_name", *METRIC_NAMES]


def lines_of(*rows: list[str]) -> str:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return text.getvalue()


def kernel(name: str, value: str, program: str = "ch9_sort_naive") -> list[str]:
    return ["0", program, name, "NVIDIA H200", *[value] * len(METRIC_NAMES)]


UNITS = ["", "", "", "", *["%"] * len(METRIC_NAMES)]
REPORT = "==PROF== Connected\n\n" + lines_of(
    HEADER, UNITS, kernel("turn_kernel(const float *)", "7"), kernel("void sort_kernel<0>(int)", "1,234.50")
)


class Report(unittest.TestCase):
    def test_keeps_each_metric_of_each_kernel(self) -> None:
        rows = ncu_profile.rows_of_report(REPORT, "report", PROVENANCE)
        self.assertEqual(len(rows), 2 * len(METRIC_NAMES))
        self.assertEqual([row["kernel"] for row in rows[:: len(METRIC_NAMES)]], ["turn_kernel", "sort_kernel"])
        expected = ["ch9_sort_naive", "sort_kernel", "duration", "gpu__time_duration.sum", "1234.50", "%"]
        expected += ["NVIDIA H200", "580.82", "13.0", "abc1234", "2026-11-22"]
        self.assertEqual(list(rows[len(METRIC_NAMES)].values()), expected)

    def test_takes_several_reports_behind_one_another(self) -> None:
        both = REPORT + "## the next\n" + lines_of(HEADER, UNITS, kernel("merge_kernel()", "3", "ch9_sort_tiled"))
        rows = ncu_profile.rows_of_report(both, "report", PROVENANCE)
        self.assertEqual({row["program"] for row in rows}, {"ch9_sort_naive", "ch9_sort_tiled"})

    def test_names_a_metric_that_is_not_a_number(self) -> None:
        with self.assertRaisesRegex(ReportError, "sort_kernel has 'n/a' instead of a number for gpu__time_duration.sum"):
            ncu_profile.rows_of_report(lines_of(HEADER, UNITS, kernel("sort_kernel()", "n/a")), "report", PROVENANCE)

    def test_names_a_metric_that_is_missing(self) -> None:
        text = lines_of(HEADER[:-1], UNITS[:-1], kernel("sort_kernel()", "1")[:-1])
        with self.assertRaisesRegex(ReportError, f"has '' instead of a number for {METRIC_NAMES[-1]}"):
            ncu_profile.rows_of_report(text, "report", PROVENANCE)

    def test_refuses_a_report_without_kernels(self) -> None:
        for text in ("", "==ERROR== ERR_NVGPUCTRPERM\n", lines_of(HEADER, UNITS)):
            with self.subTest(text), self.assertRaisesRegex(ReportError, "report has no kernel"):
                ncu_profile.rows_of_report(text, "report", PROVENANCE)


class Table(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        (self.folder / "report.csv").write_text(REPORT, encoding="utf-8")

    def write_profile(self) -> Path:
        arguments = [str(self.folder / "report.csv"), "--driver=580.82", "--cuda=13.0", "--commit=abc", "--date=d"]
        code, printed = ended(ncu_profile.main, arguments)
        self.assertEqual(code, 0)
        file = self.folder / "profile.csv"
        file.write_text(printed, encoding="utf-8")
        return file

    def test_shows_the_last_kernel_of_a_program(self) -> None:
        table = ncu_profile.render_profile(self.write_profile(), "ch9_sort")
        self.assertIn("| | naive |\n", table)
        self.assertIn("| registers per thread | 1,234 |", table)
        self.assertIn("| mio_throttle | queue to shared memory full | 1,234 |", table)
        self.assertTrue(table.endswith("NVIDIA H200, driver 580.82, CUDA 13.0, commit abc, d."))

    def test_units_have_lines_where_the_file_has_rows_of_them(self) -> None:
        file = self.write_profile()
        title, metric = PIPES["pipe_fp64"]
        self.assertIn(f"| {title} | 1,234 |", ncu_profile.render_profile(file, "ch9_sort"))
        older = [line for line in file.read_text(encoding="utf-8").splitlines(True) if metric not in line]
        file.write_text("".join(older), encoding="utf-8")
        self.assertNotIn(title, ncu_profile.render_profile(file, "ch9_sort"))

    def test_refuses_other_files(self) -> None:
        for text in ("", "program,value\nnaive,1\n"):
            file = self.folder / "other.csv"
            file.write_text(text, encoding="utf-8")
            with self.subTest(text), self.assertRaisesRegex(ReportError, "other.csv needs the columns program, kernel"):
                ncu_profile.render_profile(file, "ch9_sort")

    def test_a_missing_report_is_named(self) -> None:
        arguments = [str(self.folder / "none.csv"), "--driver=1", "--cuda=1", "--commit=1", "--date=1"]
        code, complaint = ended(ncu_profile.main, arguments)
        self.assertEqual((code, "none.csv" in complaint), (1, True))
