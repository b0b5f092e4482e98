"""compare.py with a GPU, a profiler and a simulator that are shell scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("compare.py")
sys.path.insert(0, str(SCRIPT.parent))

from counts import METRICS

HEADER = "case,kernel,grid,block,memory,operation,requests,sectors,wavefronts,bytes,device,driver,cuda,commit,date"
PROVENANCE = "Fake GPU,1.2,13.0,abc1234,2026-11-21"
PAGE = "# Page\n\n<!-- hardware_counts:begin -->\n<!-- hardware_counts:end -->\n\nThe end.\n"


def access(memory: str, operation: str, requests: int, units: int, lanes: int, **others: object) -> dict[str, object]:
    """An access of the simulator's report."""
    base: dict[str, object] = {"file": "k.cu", "line": 1, "column": 1, "bytes_per_lane": 4}
    base |= {"memory": memory, "operation": operation, "requests": requests, "lanes": lanes}
    base |= {"wavefronts" if memory == "shared" else "sectors": units}
    return {**base, **others}


class CompareTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="work book ")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.counts = self.root / "counts.csv"
        self.known = self.write("known.csv", "cases,memory,operation,reason\n")
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

    def simulator(self, cases: dict[str, list[dict[str, object]]], block: int = 64) -> Path:
        """A traced program with these cases, of one kernel each."""
        listing = "".join(f"Loads\\t{case}\\twhat it does\\n" for case in cases)
        for case, accesses in cases.items():
            kernel = {"name": "copy<4>", "launches": 1, "grid": [8, 1, 1], "block": [block, 1, 1], "threads": 0}
            kernel |= {"static_shared_bytes": 0, "dynamic_shared_bytes": 0, "blocks": 8, "barriers": 0}
            report = {"schema": 1, "kernels": [{**kernel, "accesses": accesses}], "findings": []}
            self.write(f"reports/{case}", json.dumps(report))
        return self.script(
            "simulator",
            f'if [ "$1" = --list ]; then printf "{listing}"; else '
            f'cp "{self.root}/reports/$1" "$CUDA_SIMULATOR_REPORT"; fi',
        )

    def hardware(self, *rows: str) -> None:
        """Counts as measured: "case,memory,operation,requests,sectors,wavefronts,bytes"."""
        lines = [HEADER]
        for row in rows:
            case, counts = row.split(",", 1)
            lines.append(f"{case},copy,8x1x1,64x1x1,{counts},{PROVENANCE}")
        self.counts.write_text("\n".join(lines) + "\n", encoding="utf-8")

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

    def test_equal_counts(self) -> None:
        self.hardware("row,global,load,16,64,,2048")
        result = self.compare("--simulator", self.simulator({"row": [access("global", "load", 16, 64, 512)]}))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"row +global loads +16 +16 +64 +64 +equal\n")
        self.assertIn("1 kernels, 1 comparisons: 1 equal.", result.stdout)

    def test_the_accesses_of_a_kind_are_added_up(self) -> None:
        self.hardware("row,global,load,18,65,,2056")
        accesses = [access("global", "load", 16, 64, 512), access("global", "load", 2, 1, 2, line=2)]
        self.assertEqual(self.compare("--simulator", self.simulator({"row": accesses})).returncode, 0)

    def test_constant_memory_is_not_compared(self) -> None:
        self.hardware("row,global,load,16,64,,2048")
        accesses = [access("global", "load", 16, 64, 512), access("constant", "load", 16, 16, 512)]
        self.assertEqual(self.compare("--simulator", self.simulator({"row": accesses})).returncode, 0)

    def test_counts_that_differ(self) -> None:
        simulator = self.simulator({"row": [access("global", "load", 16, 64, 512)]})
        for measured in ("17,64,,2048", "16,65,,2048"):
            self.hardware(f"row,global,load,{measured}")
            result = self.compare("--simulator", simulator)
            self.assertEqual(result.returncode, 1)
            self.assertIn("row: global loads are counted differently.", result.stderr)

    def test_accesses_that_only_one_of_them_counts(self) -> None:
        simulator = self.simulator({"row": [access("global", "load", 16, 64, 512)]})
        self.hardware("row,global,load,16,64,,2048", "row,shared,load,1,,1,128")
        self.assertIn("row: shared loads are counted differently.", self.compare("--simulator", simulator).stderr)
        self.hardware("row,global,store,16,64,,2048")
        self.assertIn("row: global loads are counted differently.", self.compare("--simulator", simulator).stderr)

    def test_joined_accesses_are_recognised_from_the_counters(self) -> None:
        self.hardware("row,shared,load,4,,16,2048")  # 512 bytes per request: 16 per lane
        result = self.compare("--simulator", self.simulator({"row": [access("shared", "load", 16, 16, 512)]}))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 joined by nvcc", result.stdout)

    def test_lanes_that_load_together_are_not_joined_accesses(self) -> None:
        self.hardware("row,global,load,16,64,,2048")  # 128 bytes per request: 4 per lane
        result = self.compare("--simulator", self.simulator({"row": [access("global", "load", 32, 64, 512)]}))
        self.assertEqual(result.returncode, 1)

    def test_other_bytes_are_not_joined_accesses(self) -> None:
        self.hardware("row,shared,load,4,,16,1024")
        result = self.compare("--simulator", self.simulator({"row": [access("shared", "load", 16, 16, 512)]}))
        self.assertEqual(result.returncode, 1)

    def test_a_guess_of_the_simulator_can_differ(self) -> None:
        self.hardware("row,global,load,17,64,,2048")
        guess = access("global", "load", 16, 64, 512, approximate=True)
        result = self.compare("--simulator", self.simulator({"row": [guess]}))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 approximate", result.stdout)

    def test_a_known_difference_has_a_reason_while_it_lasts(self) -> None:
        self.known.write_text("cases,memory,operation,reason\nrow,global,load,nvcc unrolls.\n", encoding="utf-8")
        simulator = self.simulator({"row": [access("global", "load", 16, 64, 512)]})
        self.hardware("row,global,load,17,64,,2048")
        result = self.compare("--simulator", simulator)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 known to differ", result.stdout)
        self.hardware("row,global,load,16,64,,2048")
        result = self.compare("--simulator", simulator)
        self.assertEqual(result.returncode, 1)
        self.assertIn("row, global load: equal, or joined by nvcc; remove it", result.stderr)

    def test_a_known_difference_of_a_family(self) -> None:
        self.known.write_text("cases,memory,operation,reason\nrow/*,shared,*,A loop.\n", encoding="utf-8")
        self.hardware("row/1,shared,load,2,,2,64", "row/1,shared,atomic,1,,2,32", "row/2,shared,load,1,,1,64")
        accesses = [access("shared", "load", 1, 1, 32), access("shared", "atomic", 1, 1, 32)]
        simulator = self.simulator({"row/1": accesses, "row/2": accesses[:1]})
        result = self.compare("--simulator", simulator, "--table")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 equal, 2 known to differ", result.stdout)
        self.assertIn(
            "| `row/1` | shared atomics | 1 request, 1 wavefront | 1 request, 2 wavefronts | A loop. |",
            self.page.read_text(encoding="utf-8"),
        )
        self.hardware("row/1,shared,load,1,,1,64", "row/1,shared,atomic,1,,1,32", "row/2,shared,load,1,,1,64")
        result = self.compare("--simulator", simulator)
        self.assertEqual(result.returncode, 1)
        self.assertIn("row/*, shared *: equal, or joined by nvcc; remove it", result.stderr)

    def test_differences_for_one_reason_are_one_row(self) -> None:
        self.known.write_text("cases,memory,operation,reason\n*,global,load,A loop.\n", encoding="utf-8")
        self.hardware("row/1,global,load,2,2,,64", "row/2,global,load,4,9,,64", "one,global,load,3,3,,64")
        loads = [access("global", "load", 1, 1, 32)]
        self.compare("--simulator", self.simulator({"row/1": loads, "row/2": loads, "one": loads}), "--table")
        self.assertIn(
            "| `row` (2), `one` | global loads | 1 request, 1 sector | 2 to 4 requests, 2 to 9 sectors | A loop. |",
            self.page.read_text(encoding="utf-8"),
        )

    def test_cases_come_and_go(self) -> None:
        self.hardware("old,global,load,16,64,,2048")
        result = self.compare("--simulator", self.simulator({"new": [access("global", "load", 16, 64, 512)]}))
        self.assertEqual(result.returncode, 1)
        self.assertIn("old: measured, but no longer a case.\nnew: not measured yet.", result.stderr)

    def test_cases_can_wait_for_a_gpu(self) -> None:
        self.hardware("row/1,global,load,16,64,,2048")
        loads = [access("global", "load", 16, 64, 512)]
        simulator = self.simulator({"row/1": loads, "new/1": loads, "new/2": loads})
        self.waiting.write_text("# Added today.\nnew/*\n", encoding="utf-8")
        result = self.compare("--simulator", simulator, "--table")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertNotIn("new", self.page.read_text(encoding="utf-8"))
        self.waiting.write_text("new/1\n", encoding="utf-8")
        self.assertIn("new/2: not measured yet.", self.compare("--simulator", simulator).stderr)

    def test_measured_cases_do_not_wait(self) -> None:
        self.hardware("row/1,global,load,16,64,,2048")
        self.waiting.write_text("row/*\n", encoding="utf-8")
        simulator = self.simulator({"row/1": [access("global", "load", 16, 64, 512)]})
        result = self.compare("--simulator", simulator)
        self.assertEqual(result.returncode, 1)
        self.assertIn("row/*: measured, or not a case; remove it", result.stderr)

    def test_a_changed_launch_must_be_measured_again(self) -> None:
        self.hardware("row,global,load,16,64,,2048")
        cases = {"row": [access("global", "load", 16, 64, 512)]}
        result = self.compare("--simulator", self.simulator(cases, block=128))
        self.assertEqual(result.returncode, 1)
        self.assertIn("64x1x1", result.stderr)
        self.assertIn("128x1x1", result.stderr)

    def test_the_page(self) -> None:
        self.hardware("row/1,global,load,16,64,,2048", "row/2,global,load,16,128,,2048")
        simulator = self.simulator(
            {"row/1": [access("global", "load", 16, 64, 512)], "row/2": [access("global", "load", 16, 128, 512)]}
        )
        result = self.compare("--simulator", simulator, "--check-table")
        self.assertEqual(result.returncode, 1)
        self.assertIn("has outdated tables", result.stderr)
        self.assertEqual(self.compare("--simulator", simulator, "--table").returncode, 0)
        text = self.page.read_text(encoding="utf-8")
        self.assertIn("| Loads | 2 | 2 |\n", text)
        self.assertIn("| `row` | 2 | what it does |\n", text)
        self.assertIn("Fake GPU, driver 1.2, CUDA 13.0, commit abc1234, 2026-11-21.", text)
        self.assertTrue(text.endswith("The end.\n"))
        self.assertEqual(self.compare("--simulator", simulator, "--check-table").returncode, 0)

    def gpu(self) -> Path:
        return self.script(
            "gpu",
            'case "$1" in --list) printf "Loads\\trow\\twhat it does\\n" ;; '
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
        result = self.compare("--gpu", self.gpu(), "--measure-waiting", new)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("row,copy,8x1x1,64x1x1,global,load,16,0,,0,Fake GPU", new.read_text(encoding="utf-8"))
        self.assertFalse(self.counts.exists())
        result = self.compare("--simulator", self.simulator({}), "--measure-waiting", new)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--measure-waiting needs a GPU with ncu.", result.stderr)

    def test_cases_of_several_days(self) -> None:
        self.hardware("row/1,global,load,16,64,,2048", "row/2,global,load,16,64,,2048")
        text = self.counts.read_text(encoding="utf-8")
        head, last = text.rstrip().rsplit("\n", 1)
        self.counts.write_text(head + "\n" + last.replace("2026-11-21", "2026-11-22") + "\n", encoding="utf-8")
        loads = [access("global", "load", 16, 64, 512)]
        self.compare("--simulator", self.simulator({"row/1": loads, "row/2": loads}), "--table")
        self.assertIn(", 2026-11-21 and 2026-11-22.", self.page.read_text(encoding="utf-8"))

    def test_measuring_and_comparing(self) -> None:
        self.ncu({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": "16"})
        simulator = self.simulator({"row": [access("global", "load", 16, 64, 512)]})
        result = self.compare("--gpu", self.gpu().name, "--simulator", simulator.name)  # from their folder
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"row +global loads +16 +16 +64 +0 +DIFFERENT\n")

    def test_a_kernel_too_many(self) -> None:
        self.ncu({}, kernels=2)
        result = self.compare("--gpu", self.gpu())
        self.assertEqual(result.returncode, 1)
        self.assertIn("ncu profiled 2 kernels of 1 cases", result.stderr)
        self.assertFalse(self.counts.exists())

    def test_a_counter_that_the_gpu_lacks(self) -> None:
        self.ncu({"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": ""})
        result = self.compare("--gpu", self.gpu())
        self.assertEqual(result.returncode, 1)
        self.assertIn("no value of l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", result.stderr)

    def test_a_wrong_result_has_no_counts(self) -> None:
        self.script("ncu", "echo row: element 3 of the result is wrong; exit 1")
        result = self.compare("--gpu", self.gpu())
        self.assertEqual(result.returncode, 1)
        self.assertIn("element 3 of the result is wrong", result.stderr)
        self.assertFalse(self.counts.exists())

    def test_bad_files(self) -> None:
        simulator = self.simulator({"row": [access("global", "load", 16, 64, 512)]})
        for file, text, words in (
            (self.counts, "a,b\n1,2\n", "not a table of counts"),
            (self.counts, HEADER + "\n", "has no counts"),
            (self.known, "cases,memory,operation,reason\nrow,local,load,x\n", "needs one of the kinds"),
            (self.known, "cases,memory,operation,reason\nrow,global\n", "needs one of the kinds"),
            (self.known, "case,memory,operation,reason\nrow,global,load,x\n", "lacks the column 'cases'"),
        ):
            self.hardware("row,global,load,16,64,,2048")
            file.write_text(text, encoding="utf-8")
            result = self.compare("--simulator", simulator)
            self.assertEqual(result.returncode, 1)
            self.assertIn(words, result.stderr)
            self.assertNotIn("Traceback", result.stderr)


if __name__ == "__main__":
    unittest.main()
