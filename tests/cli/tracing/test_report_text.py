from __future__ import annotations

import json
import unittest
from pathlib import Path

from support import FINDING, KERNEL, REPORT, FolderTest, access, report_of

from cli.errors import WorkbookError
from cli.terminal.console import Palette, bare_mark
from cli.tracing.report import Place, parse_report, place_line
from cli.tracing.report_text import render

SOURCE = """\
__global__ void transpose_naive_kernel(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
    out[static_cast<size_t>(col) * rows + row] = in[static_cast<size_t>(row) * cols + col];
  tile[threadIdx.x][threadIdx.y] = 0;
"""
SOURCE_LINE = SOURCE.splitlines()[2].strip()


def one_line(text: str) -> str:
    return " ".join(text.split())


class ForgedReportTest(unittest.TestCase):
    """Anything that a program writes instead of a report leads to an error with a message."""

    KERNEL = {**KERNEL, "accesses": [access(sectors=4, ideal_sectors=4)]}

    def test_a_report_can_be_read(self) -> None:
        self.assertEqual(len(parse_report(json.dumps({**REPORT, "kernels": [self.KERNEL]})).kernels), 1)

    def test_values_of_other_types(self) -> None:
        others = ("1", None, 1.5, [], {}, True, 10**30, [1], ["1", 2, 3])
        for name in self.KERNEL:
            for value in others:
                if name == "name" and value == "1" or name in ("accesses", "grid", "block") and value in ([], [1], {}):
                    continue
                with self.subTest(name=name, value=value):
                    self.assert_refused({**REPORT, "kernels": [{**self.KERNEL, name: value}]})
        for name in ("line", "column", "lanes", "sectors", "stride_bytes", "file"):
            for value in (1.5, [], {}, True, 10**30):
                access = {**self.KERNEL["accesses"][0], name: value}
                with self.subTest(access=name, value=value):
                    self.assert_refused({**REPORT, "kernels": [{**self.KERNEL, "accesses": [access]}]})
        for finding in ({**FINDING, "message": 3}, {**FINDING, "count": "1"}, {**FINDING, "kind": []}):
            self.assert_refused({**REPORT, "findings": [finding]})
        self.assert_refused({**REPORT, "device": 3})
        self.assert_refused({**REPORT, "devices": "3"})
        for link in ({}, {"from": 0, "to": 1}, {"from": "0", "to": 1, "bytes": 1}, {"from": 0, "to": 1, "bytes": 1.5}, 3):
            self.assert_refused({**REPORT, "links": [link]})

    def test_an_example_without_all_lanes(self) -> None:
        example = {"block": [0, 0, 0], "warp": 0, "approximate": False, "sectors": 4, "wavefronts": 0}
        example |= {"array": "x", "array_bytes": 128, "begin_in_line": 0, "offsets": list(range(0, 128, 4))}
        for offsets, is_right in ((example["offsets"], True), (example["offsets"][:31], False), ([], False)):
            access = {**self.KERNEL["accesses"][0], "example": {**example, "offsets": offsets}}
            report = {**REPORT, "kernels": [{**self.KERNEL, "accesses": [access]}]}
            with self.subTest(lanes=len(offsets)):
                if is_right:
                    self.assertEqual(parse_report(json.dumps(report)).kernels[0].accesses[0].example.sectors, 4)
                else:
                    self.assert_refused(report)

    def test_too_deep_or_too_long(self) -> None:
        for text in ("[" * 100_000, '{"schema": ' + "9" * 5000 + "}", '{"a":' * 50_000):
            with self.assertRaises(WorkbookError):
                parse_report(text)

    def assert_refused(self, report: dict) -> None:
        with self.assertRaises(WorkbookError):
            parse_report(json.dumps(report))


class ReportTextTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = str(self.folder / "01_naive.cu")
        Path(self.file).write_text(SOURCE, encoding="utf-8")

    def access(self, **changes: object) -> dict:
        load = {"file": self.file, "line": 3, "column": 50, "requests": 1024, "lanes": 32768, "stride_bytes": 4}
        return access(**{**load, "sectors": 4096, "ideal_sectors": 4096, "max_sectors": 4, **changes})

    def strided_store(self) -> dict:
        return self.access(column=5, operation="store", sectors=32768, max_sectors=32, stride_bytes=4096)

    def conflict(self) -> dict:
        counts = {"sectors": 0, "ideal_sectors": 0, "wavefronts": 32768, "ideal_wavefronts": 1024}
        counts["max_conflict_ways"] = 32
        return self.access(line=4, column=3, memory="shared", operation="store", stride_bytes=128, **counts)

    def text(
        self,
        *accesses: dict,
        findings: tuple[dict, ...] = (),
        branches: tuple[dict, ...] = (),
        width: int = 100,
        colours: bool = False,
    ) -> str:
        size = {"grid": [32, 1, 1], "block": [32, 32, 1], "blocks": 32, "threads": 32768, "barriers": 1}
        size.update(static_shared_bytes=4096, dynamic_shared_bytes=128)
        report = report_of(*accesses, name="transpose_naive_kernel", branches=list(branches), **size)
        return render(parse_report(json.dumps({**report, "findings": list(findings)})), width, Palette(colours))

    def test_strided_store(self) -> None:
        text = self.text(self.access(), self.strided_store())
        self.assertIn(
            "01_naive.cu:3:5: 32 sectors per request, 4 are enough: "
            "consecutive threads write addresses 4096 bytes apart.",
            one_line(text),
        )
        table = text[text.index("  global memory  ") :].splitlines()
        self.assertEqual(
            table[:4],
            [
                "  global memory  requests  lanes  sectors  ideal  bytes requested  transferred",
                "    store           1,024     32       32      4          131,072    1,048,576",
                f"      01_naive.cu:3:5  {SOURCE_LINE[:74]}...",
                "    load            1,024     32        4      4          131,072      131,072",
            ],
        )
        self.assertNotIn("minimum cost", text)

    def test_totals(self) -> None:
        text = self.text(self.access(), self.strided_store())
        self.assertIn("1 launch: grid 32 x 1 x 1, block 32 x 32 x 1\n", text)
        self.assertIn("32 blocks, 32,768 threads, 1 barrier; 4,224 shared bytes per block\n", text)
        self.assertIn("global memory: 262,144 bytes requested, 1,179,648 transferred; minimum 262,144", text)

    def test_bank_conflict(self) -> None:
        text = one_line(self.text(self.conflict()))
        self.assertIn("requests lanes wavefronts ideal conflict store 1,024 32 32 1 32-way 01_naive.cu:4:3", text)
        self.assertIn(
            "32-way bank conflict: consecutive threads write addresses 128 bytes apart, "
            "so 32 threads of a warp write different words of the same bank (32 wavefronts per request, 1 is enough).",
            text,
        )
        self.assertIn("shared memory: 32,768 wavefronts; minimum 1,024", text)

    def test_wide_access_without_a_conflict(self) -> None:
        wide = {**self.conflict(), "bytes_per_lane": 16, "wavefronts": 4096, "ideal_wavefronts": 4096}
        text = self.text({**wide, "max_conflict_ways": 4, "stride_bytes": 16})
        self.assertRegex(text, r"store +1,024 +32 +4 +4 +none\n")
        self.assertIn("Each access has its minimum cost: shared memory has no bank conflicts.", text)

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

    def test_sentences_of_an_access(self) -> None:
        for changes, words in (
            (
                {},
                "Each access has its minimum cost: every request to global memory transfers the minimum number of sectors. "
                "Whether fewer accesses are enough is not counted.",
            ),
            (
                {"sectors": 2048, "ideal_sectors": 1024, "stride_bytes": 0},
                "2 sectors per request, 1 is enough: many threads read the same address, and others",
            ),
            (
                {"sectors": 5120, "max_sectors": 5, "lanes": 32000},
                "5 sectors per request, 4 are enough: consecutive threads read consecutive addresses, "
                "but a warp's first address is not a multiple of 32 bytes.",
            ),
            ({"lanes": 16384, "ideal_sectors": 2048}, "load 1,024 16 4 2 65,536 131,072"),
            ({"lanes": 16384, "ideal_sectors": 2048}, "consecutive addresses, but only 16 of 32 lanes are active."),
            ({"sectors": 4100}, ", except for a few requests at the edges."),
            ({"sectors": 4100}, "131,200 transferred; minimum 131,072"),
            ({"file": "/nowhere/gone.cu"}, "gone.cu:3:50"),
            (
                {"memory": "constant", "different_addresses": 16000},
                "3:50: the lanes of a warp read different addresses of constant memory. A GPU serialises them: "
                "15.6 reads per request, 1 is enough.",
            ),
        ):
            with self.subTest(words):
                self.assertIn(words, one_line(self.text(self.access(**changes))))

    def test_constants_read_at_one_address(self) -> None:
        self.assertNotIn("serialises", self.text(self.access(memory="constant", different_addresses=1024)))

    def test_a_local_array_that_is_indexed_by_data(self) -> None:
        local = {"file": "k.cu", "line": 4, "column": 3, "array": "bins", "accesses": 1280}
        report = report_of(self.access())
        report["kernels"][0]["local_accesses"] = [local]
        text = render(parse_report(json.dumps(report)), 100, Palette(False))
        words = "k.cu:4:3: bins is indexed by data, so a GPU cannot keep it in registers: 1,280 accesses to local"
        self.assertIn(words, one_line(text))
        self.assertNotIn("minimum cost", text)

    def test_unfreed_memory(self) -> None:
        one = {"file": "k.cu", "line": 4, "column": 3, "function": "cudaMalloc", "allocations": 2, "bytes": 64}
        report = parse_report(json.dumps({**REPORT, "unfreed": [one]}))
        self.assertEqual([(found.line, found.allocations, found.bytes) for found in report.unfreed], [(4, 2, 64)])

    def test_the_line_of_a_place(self) -> None:
        place = Place("a/k.cu", 4, 3, "load", (1, 0, 0), (2, 0, 0))
        self.assertEqual(place_line(place), "\n  k.cu:4:3  load by thread (1,0,0) of block (2,0,0)")
        self.assertEqual(place_line(Place("k.cu", 4, 3, "copy")), "\n  k.cu:4:3  copy", "of the host")

    def test_the_costliest_access_of_a_kind(self) -> None:
        accesses = [self.access(line=line, sectors=sectors) for line, sectors in ((1, 4096), (2, 9999), (3, 5000))]
        report = parse_report(json.dumps(report_of(*accesses)))
        self.assertEqual(report.costliest("global", "load").line, 2)
        self.assertIsNone(report.costliest("shared", "load"))

    def test_links_between_devices(self) -> None:
        link = {"from": 0, "to": 1, "bytes": 4128, "by_kernels": 32, "by_copies": 4096, "by_nccl": 0}
        report = parse_report(json.dumps({**REPORT, "devices": 2, "links": [link]}))
        text = render(report, 100, Palette(False))
        self.assertIn("links between devices  bytes  by kernels  by copies  by NCCL", text)
        self.assertIn("0 to 1               4,128          32      4,096        0", text)

    def test_costliest_first_and_advice_on_the_worst_three(self) -> None:
        accesses = [self.access(column=column, sectors=4096 * column, stride_bytes=None) for column in (2, 5, 3, 4, 6)]
        text = self.text(*accesses)
        columns = [
            int(line.split()[0].rsplit(":", 1)[1]) for line in text.splitlines() if line.startswith("      01_naive")
        ]
        self.assertEqual(columns, [6, 5, 4, 3, 2])
        self.assertEqual(one_line(text).count("with no constant stride"), 3)
        self.assertIn("2 more accesses cost more than they need", text)

    def test_memory_with_the_most_to_gain_comes_first(self) -> None:
        store = self.strided_store()
        without_conflict = {**self.conflict(), "wavefronts": 1024, "max_conflict_ways": 1}
        for accesses, first in (((self.conflict(), self.access()), "shared"), ((without_conflict, store), "global")):
            headers = [line.split()[0] for line in self.text(*accesses).splitlines() if " requests " in line]
            self.assertEqual(headers[0], first)
            self.assertEqual(len(headers), 2)

    def test_atomics_on_one_address(self) -> None:
        text = self.text(self.access(operation="atomic", sectors=1024, ideal_sectors=4096, stride_bytes=0))
        self.assertIn("01_naive.cu:3:50: the lanes of a warp update the same address. A GPU serialises", one_line(text))
        self.assertNotIn("enough", text)
        self.assertNotIn("update the same address", self.text(self.access(operation="atomic")))

    def test_divergent_branches(self) -> None:
        place = {"file": self.file, "line": 3, "column": 9}
        seldom = {**place, "line": 4, "executions": 64, "diverged": 2, "lanes": 2048}
        often = {**place, "executions": 1024, "diverged": 1000, "lanes": 24576}
        together = {**place, "line": 2, "executions": 64, "diverged": 0, "lanes": 2048}
        text = self.text(self.access(), branches=(seldom, together, often))
        table = text[text.index("  divergent branches") :].splitlines()
        self.assertEqual(table[0], "  divergent branches  executions  diverged  lanes")
        self.assertEqual(table[1], "    branch                 1,024     1,000     24")
        self.assertIn("01_naive.cu:3:9  out[", table[2])
        self.assertEqual(table[3], "    branch                    64         2     32")
        self.assertEqual(table[5], "When the lanes of a warp diverge, the warp executes both branches, one after the other.")
        self.assertNotIn("divergent branches", self.text(self.access(), branches=(together,)))

    def test_broken_rule_of_cuda(self) -> None:
        place = {"file": self.file, "line": 3, "column": 5, "operation": "", "thread": [], "block": []}
        finding = {"kind": "device_rule", "kernel": "", "message": "'rand' is a host function.", "places": [place]}
        text = self.text(self.access(), findings=(finding,))
        self.assertTrue(text.startswith(f"{bare_mark(False)} Not allowed in CUDA\n  'rand' is a host function.\n  01_naive.cu:3:5\n"))

    def test_a_finding_is_shown_alone_with_both_lines(self) -> None:
        store = {"file": self.file, "operation": "store"}
        race = {
            "kind": "race",
            "kernel": "transpose_naive_kernel",
            "count": 12,
            "message": "Two threads use the same element.\nPut __syncthreads() between them.",
            "places": [
                {**store, "line": 4, "column": 3, "thread": [1, 0, 0], "block": [0, 0, 0]},
                {**store, "line": 3, "column": 50, "thread": [33, 0, 0], "block": [2, 0, 0], "operation": "load"},
            ],
        }
        text = self.text(self.access(), findings=(race,))
        self.assertTrue(text.startswith(f"{bare_mark(False)} Data race in transpose_naive_kernel, 12 times\n  Two threads use"))
        self.assertIn("  01_naive.cu:4:3  store by thread (1, 0, 0) of block (0, 0, 0)\n      tile[threadIdx.x]", text)
        self.assertIn("  01_naive.cu:3:50  load by thread (33, 0, 0) of block (2, 0, 0)\n      out[", text)
        self.assertNotIn("1 launch", text)
        self.assertTrue(text.endswith("\n\nFix this first. The counts of memory accesses are shown for a program without errors."))

    def test_fits_the_terminal(self) -> None:
        branch = {"file": self.file, "line": 3, "column": 9, "executions": 1, "diverged": 1, "lanes": 32}
        for width in (40, 60, 80, 100, 140):
            accesses = (self.access(), self.strided_store(), self.conflict())
            lines = self.text(*accesses, branches=(branch,), width=width).splitlines()
            self.assertLessEqual(max(map(len, lines)), width, max(lines, key=len))

        self.assertNotIn("requested  transferred", self.text(self.access(), width=60))
        self.assertIn(f"      01_naive.cu:3:50  {SOURCE_LINE}", self.text(self.access(), width=140).splitlines())

    def test_long_line_is_cut_around_the_access(self) -> None:
        text = self.text(self.access(column=90), width=60)
        self.assertRegex(text, r"\n      01_naive.cu:3:90  \.\.\..*cols \+ col\];\n")
        self.assertRegex(self.text(self.access(column=5), width=60), r"\n      01_naive.cu:3:5  out\[.*\.\.\.\n")

    def test_approximate_counts_are_marked(self) -> None:
        text = self.text(self.access(approximate=True))
        self.assertRegex(text, r"load +1,024 +32 +~4 +4 ")
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
