"""compare.py with a GPU, a profiler and a simulator that are shell scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import defaultdict
from pathlib import Path
from typing import NamedTuple

SCRIPT = Path(__file__).with_name("compare.py")
sys.path[:0] = [str(SCRIPT.parent), str(SCRIPT.parents[3] / "common")]

from counts import METRICS

HEADER = "case,kernel,grid,block,memory,operation,requests,sectors,wavefronts,bytes,device,driver,cuda,commit,date"
PAGE = "# Page\n\n<!-- hardware_counts:begin -->\n<!-- hardware_counts:end -->\n\nThe end.\n"
KNOWN_HEADER = "cases,memory,operation,reason\n"
FAMILY = "sum/1: shared load 1 1 32; sum/1: shared atomic 1 1 32; sum/2: shared load 1 1 32"
DIFFERENT = "row: global loads are counted differently."


class Example(NamedTuple):
    """What compare.py prints about accesses. Each has a case ("row" if none is named), memory, operation, requests and
    units. The simulator then has the lanes, of 4 bytes each, and "guess" if it guessed; the GPU has the bytes.
    """

    says: str
    simulator: str = "global load 16 64 512"
    gpu: str = "global load 16 64 2048"
    known: str = ""
    waiting: str = ""


AGREEING = (
    Example("1 kernels, 1 comparisons: 1 equal."),
    Example("row   global loads        16        16     64        64  equal"),
    Example(": 1 equal.", "global load 16 64 512; global load 2 1 2", "global load 18 65 2056"),  # added up
    Example(": 1 equal.", "global load 16 64 512; constant load 16 16 512"),  # constant memory is not compared
    Example(": 1 joined by nvcc.", "shared load 16 16 512", "shared load 4 16 2048"),  # 16 bytes per lane
    Example(": 1 approximate.", "global load 16 64 512 guess", "global load 17 64 2048"),
    Example(": 1 known to differ.", gpu="global load 17 64 2048", known="row,global,load,nvcc unrolls."),
    Example(
        ": 1 equal, 2 known to differ.",
        FAMILY,
        "sum/1: shared load 2 2 64; sum/1: shared atomic 1 2 32; sum/2: shared load 1 1 64",
        known="sum/*,shared,*,A loop.",
    ),
    Example("1 kernels, 1 c", "global load 16 64 512; new/1: global load 1 1 1", waiting="# Added today.\nnew/*"),
)
DIFFERING = (
    Example(DIFFERENT, gpu="global load 17 64 2048"),
    Example(DIFFERENT, gpu="global load 16 65 2048"),
    Example(DIFFERENT, gpu="global store 16 64 2048"),
    Example("row: shared loads are counted differently.", gpu="global load 16 64 2048; shared load 1 1 128"),
    Example(DIFFERENT, "global load 32 64 512"),  # not joined: 4 bytes per lane
    Example("row: shared loads are", "shared load 16 16 512", "shared load 4 16 1024"),  # nor with other bytes
    Example("row, global load: equal, or joined by nvcc; remove it", known="row,global,load,nvcc unrolls."),
    Example("sum/*, shared *: equal, or joined", FAMILY, FAMILY, known="sum/*,shared,*,A loop."),
    Example("old: measured, but no longer a case.", gpu="global load 16 64 2048; old: global load 1 1 32"),
    Example("new/2: not measured yet.", "global load 16 64 512; new/2: global load 1 1 1", waiting="new/1"),
    Example("row*: measured, or not a case; remove it", waiting="row*"),
    Example("needs one of the kinds", known="row,local,load,x"),
    Example("needs one of the kinds", known="row,global"),
    Example("has no counts", gpu=""),
)


class CompareTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="work book ")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.counts = self.root / "counts.csv"
        self.known = self.write("known.csv", KNOWN_HEADER)
        self.page = self.write("page.md", PAGE)
        self.waiting = self.write("waiting.txt", "# None.\n")

    def write(self, name: str, text: str) -> Path:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def script(self, name: str, text: str) -> Path:
        file = self.write(name, f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return file

    def simulator(self, accesses: str, block: int = 64) -> Path:
        """A traced program with these cases, of one kernel each."""
        cases = defaultdict(list)
        for case, memory, operation, requests, units, lanes, *guess in parsed(accesses):
            cases[case].append(
                {"file": "k.cu", "line": len(cases[case]), "column": 1, "bytes_per_lane": 4, "memory": memory}
                | {"operation": operation, "requests": int(requests), "lanes": int(lanes), "approximate": bool(guess)}
                | {"wavefronts" if memory == "shared" else "sectors": int(units)}
            )
        for case, of_case in cases.items():
            kernel = {"name": "copy<4>", "launches": 1, "grid": [8, 1, 1], "block": [block, 1, 1], "threads": 0}
            kernel |= {"static_shared_bytes": 0, "dynamic_shared_bytes": 0, "blocks": 8, "barriers": 0}
            report = {"schema": 1, "kernels": [{**kernel, "accesses": of_case}], "findings": []}
            self.write(f"reports/{case}", json.dumps(report))
        listing = "".join(f"Loads\\t{case}\\twhat it does\\n" for case in cases)
        return self.script(
            "simulator",
            f'if [ "$1" = --list ]; then printf "{listing}"; else '
            f'cp "{self.root}/reports/$1" "$CUDA_SIMULATOR_REPORT"; fi',
        )

    def hardware(self, accesses: str) -> None:
        lines = [HEADER]
        for case, memory, operation, requests, units, size in parsed(accesses):
            of_memory = f",{units}" if memory == "shared" else f"{units},"
            lines.append(
                f"{case},copy,8x1x1,64x1x1,{memory},{operation},{requests},{of_memory},{size},"
                "Fake GPU,1.2,13.0,abc1234,2026-11-21"
            )
        self.write("counts.csv", "\n".join(lines) + "\n")

    def compare(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        files = ["--counts", self.counts, "--known", self.known, "--page", self.page, "--waiting", self.waiting]
        return subprocess.run(
            [sys.executable, str(SCRIPT), *map(str, [*files, *arguments])],
            cwd=self.root,
            env={**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=False,
        )

    def compare_example(self, example: Example) -> subprocess.CompletedProcess[str]:
        self.hardware(example.gpu)
        self.known.write_text(KNOWN_HEADER + example.known, encoding="utf-8")
        self.waiting.write_text(example.waiting, encoding="utf-8")
        return self.compare("--simulator", self.simulator(example.simulator))

    def test_agreeing(self) -> None:
        for example in AGREEING:
            with self.subTest(example):
                result = self.compare_example(example)
                self.assertEqual((result.returncode, result.stderr), (0, ""))
                self.assertIn(example.says, result.stdout)

    def test_differing(self) -> None:
        for example in DIFFERING:
            with self.subTest(example):
                result = self.compare_example(example)
                self.assertEqual(result.returncode, 1)
                self.assertIn(example.says, result.stderr)

    def test_files_that_are_no_tables(self) -> None:
        for file, words in ((self.counts, "not a table of counts"), (self.known, "lacks the column 'cases'")):
            self.hardware("global load 16 64 2048")
            file.write_text("a,b\n1,2\n", encoding="utf-8")
            self.assertIn(words, self.compare("--simulator", self.simulator("global load 16 64 512")).stderr)

    def test_a_changed_launch_must_be_measured_again(self) -> None:
        self.hardware("global load 16 64 2048")
        result = self.compare("--simulator", self.simulator("global load 16 64 512", block=128))
        self.assertEqual(result.returncode, 1)
        self.assertIn("row: measured as copy 8x1x1 64x1x1, but is copy 8x1x1 128x1x1 now.", result.stderr)

    def test_a_page_that_is_out_of_date(self) -> None:
        self.hardware("global load 16 64 2048")
        simulator = self.simulator("global load 16 64 512")
        result = self.compare("--simulator", simulator, "--check-table")
        self.assertEqual(result.returncode, 1)
        self.assertIn("has outdated tables", result.stderr)
        self.assertEqual(self.compare("--simulator", simulator, "--table").returncode, 0)
        self.assertIn("\n| Loads | 1 | 1 |\n", self.page.read_text(encoding="utf-8"))
        self.assertEqual(self.compare("--simulator", simulator, "--check-table").returncode, 0)

    def gpu(self, *cases: str) -> Path:
        listing = "".join(f"Loads\\t{case}\\twhat it does\\n" for case in cases or ("row",))
        return self.script(
            "gpu",
            f'case "$1" in --list) printf "{listing}" ;; '
            '--device) printf "device,driver,cuda\\nFake GPU,1.2,13.0\\n" ;; esac',
        )

    def ncu(self, values: dict[str, str], kernels: int = 1) -> None:
        """A profiler that prints these counters, and 0 for the others."""
        names = ["ID", "Kernel Name", "Block Size", "Grid Size", *sorted(METRICS)]
        cells = ["0", "copy", "(64, 1, 1)", "(8, 1, 1)", *(values.get(name, "0") for name in sorted(METRICS))]
        quoted = [",".join(f'"{cell}"' for cell in line) for line in (names, [""] * len(names), *[cells] * kernels)]
        self.write("ncu.csv", "==PROF== Profiling\n" + "\n".join(quoted) + "\n")
        self.script("ncu", f'cat "{self.root}/ncu.csv"')

    def test_measuring(self) -> None:
        self.ncu(
            {
                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "1,016",
                "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "4,064",
                "smsp__sass_data_bytes_mem_global_op_ld.sum": "130,048",
                "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": "3",
                "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum": "4",
                "smsp__sass_data_bytes_mem_global_op_red.sum": "12",
                "smsp__sass_data_bytes_mem_global_op_atom.sum": "24",
            }
        )
        result = self.compare("--gpu", self.gpu())
        self.assertEqual(result.returncode, 0, result.stderr)
        header, *rows = self.counts.read_text(encoding="utf-8").splitlines()
        self.assertEqual(header, HEADER)
        self.assertEqual(
            [row.rsplit(",", 5)[0] for row in rows],
            ["row,copy,8x1x1,64x1x1,global,load,1016,4064,,130048", "row,copy,8x1x1,64x1x1,global,atomic,7,0,,36"],
        )
        self.assertIn(",Fake GPU,1.2,13.0,", rows[0])

    def test_measuring_waiting_cases(self) -> None:
        self.ncu({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "16"})
        self.waiting.write_text("r*\n", encoding="utf-8")
        new = self.root / "new.csv"
        result = self.compare("--gpu", self.gpu("row", "measured"), "--measure-waiting", new)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("row,copy,8x1x1,64x1x1,global,load,16,0,,0,Fake GPU", new.read_text(encoding="utf-8"))
        self.assertFalse(self.counts.exists())
        result = self.compare("--simulator", self.simulator(""), "--measure-waiting", new)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--measure-waiting needs a GPU with ncu.", result.stderr)

    def test_measuring_and_comparing(self) -> None:
        self.ncu({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "16"})
        simulator = self.simulator("global load 16 64 512")
        result = self.compare("--gpu", self.gpu().name, "--simulator", simulator.name)  # from their folder
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"row +global loads +16 +16 +64 +0 +DIFFERENT\n")

    def test_failed_measurements_write_no_counts(self) -> None:
        requests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
        for profiler, words in (
            (lambda: self.ncu({}, kernels=2), "ncu profiled 2 kernels of 1 cases"),
            (lambda: self.ncu({requests: ""}), f"no value of {requests}"),
            (lambda: self.script("ncu", "echo row: element 3 is wrong; exit 1"), "row: element 3 is wrong"),
        ):
            profiler()
            result = self.compare("--gpu", self.gpu())
            self.assertEqual(result.returncode, 1)
            self.assertIn(words, result.stderr)
            self.assertFalse(self.counts.exists())


def parsed(accesses: str) -> list[list[str]]:
    """ "row/1: global load 1 1 32; shared load 1 1 32" as [["row/1", "global", ...], ["row", "shared", ...]]."""
    named = [access.rpartition(": ") for access in accesses.split("; ") if access]
    return [[case or "row", *access.split()] for case, _, access in named]


if __name__ == "__main__":
    unittest.main()
