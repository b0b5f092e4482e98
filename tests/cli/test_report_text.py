from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.console import Palette
from cli.errors import WorkbookError
from cli.report import parse_report
from cli.report_text import render

SOURCE = """\
__global__ void transpose_naive_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
    out[static_cast<size_t>(col) * rows + row] = in[static_cast<size_t>(row) * cols + col];
  tile[threadIdx.x][threadIdx.y] = 0;
"""


def one_line(text: str) -> str:
    return " ".join(text.split())


class ReportTextTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = str(Path(folder.name) / "01_naive.cu")
        Path(self.file).write_text(SOURCE, encoding="utf-8")

    def access(self, **changes: object) -> dict:
        load = {
            "file": self.file,
            "line": 3,
            "column": 50,
            "memory": "global",
            "operation": "load",
            "bytes_per_lane": 4,
            "requests": 1024,
            "lanes": 32768,
            "sectors": 4096,
            "ideal_sectors": 4096,
            "max_sectors": 4,
            "wavefronts": 0,
            "ideal_wavefronts": 0,
            "max_conflict_ways": 0,
            "approximate": False,
            "stride_bytes": 4,
        }
        return {**load, **changes}

    def strided_store(self) -> dict:
        return self.access(column=5, operation="store", sectors=32768, max_sectors=32, stride_bytes=4096)

    def conflict(self) -> dict:
        return self.access(
            line=4,
            column=3,
            memory="shared",
            operation="store",
            sectors=0,
            ideal_sectors=0,
            wavefronts=32768,
            ideal_wavefronts=1024,
            max_conflict_ways=32,
            stride_bytes=128,
        )

    def text(self, *accesses: dict, findings: tuple[dict, ...] = (), width: int = 100, colours: bool = False) -> str:
        kernel = {
            "name": "transpose_naive_kernel",
            "launches": 1,
            "grid": [32, 1, 1],
            "block": [32, 32, 1],
            "static_shared_bytes": 4096,
            "dynamic_shared_bytes": 128,
            "blocks": 32,
            "threads": 32768,
            "barriers": 1,
            "accesses": list(accesses),
        }
        report = {"schema": 1, "device": "simulator", "kernels": [kernel], "findings": list(findings)}
        return render(parse_report(json.dumps(report)), width, Palette(colours))

    def test_strided_store(self) -> None:
        text = self.text(self.access(), self.strided_store())
        self.assertIn(
            "01_naive.cu:3:5: 32 sectors where 4 would do: neighbouring threads write addresses 4096 bytes apart.",
            one_line(text),
        )
        store, load = [line for line in text.splitlines() if line.startswith("  01_naive.cu:3")]
        self.assertRegex(store, r"^  01_naive.cu:3:5  +global store +1,024  32 sectors, ideal 4$")
        self.assertRegex(load, r"^  01_naive.cu:3:50 +global load +1,024  4 sectors, ideal$")
        self.assertNotIn("Nothing to improve", text)

    def test_totals(self) -> None:
        text = self.text(self.access(), self.strided_store())
        self.assertIn("1 launch: grid 32 x 1 x 1, block 32 x 32 x 1; 32 blocks, 32,768 threads in all", text)
        self.assertIn("4,224 bytes of shared memory a block, 1 barrier", text)
        self.assertIn("global memory: 262,144 bytes asked for, 1,179,648 moved; efficiency 22 %", text)

    def test_bank_conflict(self) -> None:
        text = one_line(self.text(self.conflict()))
        self.assertIn("32-way conflict", text)
        self.assertIn(
            "32-way bank conflict: neighbouring threads write addresses 128 bytes apart, "
            "so 32 of a warp want different words of one bank (32 wavefronts where 1 would do).",
            text,
        )
        self.assertIn("shared memory: 32,768 wavefronts, 1,024 without bank conflicts; efficiency 3 %", text)

    def test_wide_access_without_a_conflict(self) -> None:
        wide = {**self.conflict(), "bytes_per_lane": 16, "wavefronts": 4096, "ideal_wavefronts": 4096}
        text = self.text({**wide, "max_conflict_ways": 4, "stride_bytes": 16})
        self.assertIn("no conflict", text)
        self.assertIn("Nothing to improve here: no bank conflicts.", text)

    def test_unknown_position_and_long_message(self) -> None:
        finding = {
            "kind": "misaligned",
            "kernel": "k",
            "message": "word " * 60,
            "places": [{"file": "", "line": 0, "column": 0, "operation": "load"}],
        }
        text = self.text(self.access(file="", line=0, column=0), findings=(finding,))
        self.assertIn("Misaligned address in k\n", text)
        self.assertIn("  unknown line  load\n", text)
        self.assertLessEqual(max(map(len, text.splitlines())), 100)

    def test_all_ideal(self) -> None:
        self.assertIn(
            "Nothing to improve here: every request to global memory moves the fewest sectors it can.",
            self.text(self.access()),
        )

    def test_a_few_at_the_edges_are_no_advice_and_no_lie(self) -> None:
        text = one_line(self.text(self.access(sectors=4100)))
        self.assertIn("but for a few at the edges.", text)
        self.assertIn("efficiency 99.9 %", text)

    def test_costliest_first_and_the_worst_three_in_words(self) -> None:
        accesses = [self.access(column=column, sectors=4096 * column, stride_bytes=None) for column in (2, 5, 3, 4, 6)]
        text = self.text(*accesses)
        columns = [
            int(line.split()[0].rsplit(":", 1)[1]) for line in text.splitlines() if line.startswith("  01_naive")
        ]
        self.assertEqual(columns, [6, 5, 4, 3, 2])
        self.assertEqual(one_line(text).count("without a regular distance"), 3)
        self.assertIn("2 more could do with less", text)

    def test_misaligned(self) -> None:
        text = one_line(self.text(self.access(sectors=5120)))
        self.assertIn(
            "5 sectors where 4 would do: neighbouring threads read neighbouring addresses, "
            "but warps start inside a sector.",
            text,
        )

    def test_findings_come_first_with_both_lines(self) -> None:
        race = {
            "kind": "race",
            "kernel": "transpose_naive_kernel",
            "count": 12,
            "message": "Two threads use the same element.\nPut __syncthreads() between them.",
            "places": [
                {
                    "file": self.file,
                    "line": 4,
                    "column": 3,
                    "operation": "store",
                    "thread": [1, 0, 0],
                    "block": [0, 0, 0],
                },
                {
                    "file": self.file,
                    "line": 3,
                    "column": 50,
                    "operation": "load",
                    "thread": [33, 0, 0],
                    "block": [2, 0, 0],
                },
            ],
        }
        text = self.text(self.access(), findings=(race,))
        self.assertTrue(text.startswith("Data race in transpose_naive_kernel, 12 times\n  Two threads use"))
        self.assertIn("  01_naive.cu:4:3  store by thread (1, 0, 0) of block (0, 0, 0)\n      tile[threadIdx.x]", text)
        self.assertIn("  01_naive.cu:3:50  load by thread (33, 0, 0) of block (2, 0, 0)\n      out[", text)
        self.assertLess(text.index("Data race"), text.index("1 launch"))

    def test_fits_the_terminal(self) -> None:
        for width in (80, 100, 140):
            lines = self.text(self.access(), self.strided_store(), width=width).splitlines()
            self.assertLessEqual(max(map(len, lines)), width)

    def test_source_stands_below_its_access(self) -> None:
        lines = self.text(self.access()).splitlines()
        below = lines[[line.startswith("  01_naive.cu:3:50") for line in lines].index(True) + 1]
        self.assertEqual(below.strip(), SOURCE.splitlines()[2].strip())

    def test_long_line_is_cut_around_the_access(self) -> None:
        text = self.text(self.access(column=90), width=60)
        self.assertRegex(text, r"\n      \.\.\..*cols \+ col\];\n")
        self.assertRegex(self.text(self.access(column=5), width=60), r"\n      out\[.*\.\.\.\n")

    def test_source_that_is_gone(self) -> None:
        self.assertIn("gone.cu:3:50", self.text(self.access(file="/nowhere/gone.cu")))

    def test_approximate_counts_are_marked(self) -> None:
        text = self.text(self.access(approximate=True))
        self.assertIn("~4 sectors", text)
        self.assertIn("Counts marked ~", text)

    def test_colours_only_when_asked_for(self) -> None:
        self.assertNotIn("\033", self.text(self.strided_store()))
        self.assertIn("\033[33m", self.text(self.strided_store(), colours=True))

    def test_never_speaks_of_time(self) -> None:
        text = self.text(self.access(), self.strided_store(), self.conflict())
        self.assertNotRegex(text.lower(), r"\b(fast|slow|faster|slower|speed|ms|seconds?|time|gb/s)\b")

    def test_broken_reports_are_refused(self) -> None:
        for text in ("", "{}", '{"schema": 1, "kernels": [{}], "findings": []}', "[]"):
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, "cannot be read"):
                parse_report(text)
        with self.assertRaisesRegex(WorkbookError, "schema 2"):
            parse_report('{"schema": 2}')


if __name__ == "__main__":
    unittest.main()
