"""The contents of a page, without a browser."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any
from unittest import mock

from stepping.support import recorded, report_text, traced, values_of
from support import FolderTest, access

from cli.errors import WorkbookError
from cli.stepping import page_file
from cli.stepping.options import wanted_page
from cli.stepping.page_data import page_data
from cli.tracing.report_text import totals
from cli.tracing.traced_run import TracedRun


def stride_request(access_number: int, array: int, units: int, ideal: int, stride: int) -> list[int]:
    return [access_number, 0, array, units, ideal, 0, 0, 32, 0, stride]


class PageTest(FolderTest):
    def run_of(self, steps: list[Any], accesses: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
        data = page_data([traced(report_text(accesses, recorded(steps), **changes))], time.time())
        return values_of(page_file.page_text(data))["runs"][0]

    def block_of(self, steps: list[Any], **changes: Any) -> dict[str, Any]:
        """The one recorded block of a run with a load of shared memory."""
        (block,) = self.run_of(steps, [access(3, memory="shared")], **changes)["kernels"][0]["blocks"]
        return block

    def array_of(self, steps: list[Any], elements: list[Any], bytes_per_lane: int = 4) -> tuple[int, int, bool]:
        """The columns and the bytes of an element of the array in global memory, and whether it has rows."""
        run = self.run_of(steps, [access(3, bytes_per_lane=bytes_per_lane)], elements=elements)
        array = run["kernels"][0]["blocks"][0]["arrays"][0]
        return array["columns"], array["element_bytes"], array["has_rows"]


class ValuesTest(PageTest):
    def test_totals_and_tables_are_those_of_the_printed_report(self) -> None:
        accesses = [access(3, sectors=32, ideal_sectors=4, max_sectors=32)]
        run = traced(report_text(accesses, recorded([stride_request(0, 0, 32, 4, 128)])))
        shown = page_data([run], time.time()).runs[0]["kernels"][0]
        self.assertEqual(shown["totals"], totals(run.report.kernels[0]))
        (table,) = shown["tables"]
        header = ["access", "requests", "lanes", "sectors", "ideal", "bytes requested", "transferred", "at", "source"]
        self.assertEqual(table["header"], header)
        self.assertEqual(table["rows"], [["load", "1", "32", "32", "4", "128", "1,024", "kernel.cu:3:1", ""]])

    def test_wavefronts_of_a_bank_conflict(self) -> None:
        block = self.block_of([stride_request(0, 1, 2, 1, 8)])
        self.assertEqual(block["wavefront_list_of"], {"0": 0})
        first, second = block["wavefront_lists"][0]
        self.assertEqual((first[:2], second[:2]), ([[0, 0], [2, 1]], [[0, 16], [2, 17]]))

    def test_requests_share_their_wavefronts_and_one_needs_no_list(self) -> None:
        block = self.block_of([[0, 0, 1, 2, 1, 0, 0, 32, 128 * row, 8] for row in range(3)])  # only the rows differ
        self.assertEqual((len(block["wavefront_lists"]), block["wavefront_list_of"]), (1, {"0": 0, "1": 0, "2": 0}))
        block = self.block_of([stride_request(0, 1, 1, 1, 4)])
        self.assertEqual((block["wavefront_lists"], block["wavefront_list_of"]), ([], {}))

    def test_rows_are_those_of_the_map_of_elements_or_a_warps(self) -> None:
        elements = {"memory": "global", "array": "allocation 1", "array_bytes": 4096, "element_bytes": 2}
        elements.update(columns=48, has_rows=True, loads=None, stores=None)
        self.assertEqual(self.array_of([stride_request(0, 0, 4, 4, 4)], [elements]), (48, 2, True))
        self.assertEqual(self.array_of([stride_request(0, 0, 8, 8, 8)], [], bytes_per_lane=8), (32, 8, False))

    def test_rows_without_gaps_are_found_between_barriers(self) -> None:
        """A block reads both halves of 4 rows of 64 floats, with a barrier between them: together they have no gap."""
        elements = {"memory": "global", "array": "allocation 1", "array_bytes": 1024, "element_bytes": 4, "columns": 32}
        elements.update(has_rows=False, loads=None, stores=None)
        halves = [[[0, row, 0, 4, 4, 0, 0, 32, 256 * row + half, 4] for row in range(4)] for half in (0, 128)]
        for steps, expected in (
            ([*halves[0], ["barrier", 0, 128], *halves[1]], (64, 4, True)),
            ([*halves[0], *halves[1]], (32, 4, False)),
            ([halves[0][0]], (32, 4, False)),
        ):
            self.assertEqual(self.array_of(steps, [elements]), expected)

    def test_a_page_without_a_kernel(self) -> None:
        run = traced('{"schema": 1, "kernels": [], "findings": []}')
        self.assertEqual(values_of(page_file.page_text(page_data([run], 0)))["runs"][0]["kernels"], [])


class SourceTest(PageTest):
    def page(self, file: Path, built_s: float) -> tuple[str, dict[str, Any]]:
        run = traced(report_text([access(1, file=str(file))]))
        text = page_file.page_text(page_data([run], built_s))
        return text, values_of(text)

    def test_no_character_of_html_comes_from_a_source_or_a_path(self) -> None:
        file = self.folder / "a <b> & \"c\" 'd' ${e}.cu"
        line = "x = \"</script><script>alert('1')</script>\"; // <!-- & ${title} \u2028"
        file.write_text(line)
        text, values = self.page(file, time.time() + 9)
        self.assertEqual(values["runs"][0]["sources"][str(file)], line.splitlines())
        data = text[text.index('id="data">') + 10 :]
        self.assertNotRegex(data[: data.index("</script>")], "[<>&]")

    def test_the_program_in_the_heading_is_escaped(self) -> None:
        run = traced(report_text([]), program="<i>&amp;.cu_inspect")
        self.assertIn("<h1>&lt;i&gt;&amp;amp;.cu, step by step</h1>", page_file.page_text(page_data([run], 0)))

    def test_a_changed_source(self) -> None:
        file = self.folder / "kernel.cu"
        file.write_text("one\n")
        _, values = self.page(file, time.time() - 100)
        note = "kernel.cu was changed after the program was built: the lines that ran can differ from those shown."
        self.assertEqual(values["notes"], [note])

    def test_a_missing_source(self) -> None:
        _, values = self.page(self.folder / "kernel.cu", time.time())
        self.assertEqual(values["runs"][0]["sources"], {})
        self.assertEqual(values["notes"], ["kernel.cu is not shown: it cannot be read (No such file or directory)."])

    def test_a_source_too_long_to_show(self) -> None:
        file = self.folder / "kernel.cu"
        file.write_text("x" * 300_000)
        _, values = self.page(file, time.time() + 9)
        self.assertEqual(values["notes"], ["kernel.cu is not shown: it has over 200 KB."])

    def test_a_program_that_failed_without_a_finding(self) -> None:
        data = page_data([traced(report_text([]), exit_code=3)], 0)
        expected = "ch3_transpose_naive_inspect --rows 5 failed (exit code 3). The page shows the run up to that point."
        self.assertEqual(data.notes, [expected])


class FileTest(PageTest):
    def wanted(self, **options: Any) -> Any:
        return wanted_page(mock.Mock(**{"html": None, "against": None, "columns": None, **options}))

    def test_the_traced_program_is_asked_for_steps_and_elements(self) -> None:
        expected = {"CUDA_SIMULATOR_STEPS": "1", "CUDA_SIMULATOR_ELEMENTS": "1", "CUDA_SIMULATOR_COLUMNS": "7"}
        self.assertEqual(self.wanted(html=self.folder / "a.html", columns="7").environment, expected)

    def test_a_full_disk_leaves_no_incomplete_page(self) -> None:
        file = self.folder / "page.html"
        file.write_text("half")
        full = OSError(28, os.strerror(28))
        with mock.patch.object(Path, "write_text", side_effect=full):
            with self.assertRaisesRegex(WorkbookError, "could not be written: No space left on device"):
                page_file.write(file, page_data([traced(report_text([]))], 0))
        self.assertFalse(file.exists())

    def test_two_programs(self) -> None:
        padded = traced(report_text([]), program="ch3_transpose_padded_inspect")
        runs: list[TracedRun] = [traced(report_text([])), padded]
        data = page_data(runs, 0)
        self.assertEqual(data.heading, "ch3_transpose_naive and ch3_transpose_padded, step by step")
        self.assertEqual(len(values_of(page_file.page_text(data))["runs"]), 2)
