"""The comparison, with shell scripts as the program and as compute-sanitizer."""

from __future__ import annotations

import contextlib
import io
import json
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import agreement
import sanitizer_runs

_SOURCE = """\
template <bool kRight>
__global__ void tree(int* sums) {
  sums[threadIdx.x] = 1;
  // wrong in tree: race
  sums[threadIdx.x] += sums[0];  // wrong in ends_*: out_of_bounds
// wrong in unseen: missed
}
"""
_LIST = r"printf 'arrays\tends_here\tone too far\nraces\ttree\tno barrier\nraces\tunseen\ta trick of __shfl_sync()\n'"
_RACE = '{"kind":"race","kernel":"k","message":"m","places":[{"file":"/x/a.cu","line":5,"column":1}]}'
_BOUNDS = _RACE.replace("race", "out_of_bounds")
_MEMCHECK = r"""
printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n'
printf '=========     at tree(int *)+0x90 in a.cu:5\n========= \n========= ERROR SUMMARY: 3 errors\n'"""
_RACECHECK = r"""
printf '========= COMPUTE-SANITIZER\n'
printf '========= Error: Race reported between Write access at tree(int *)+0x90 in a.cu:5\n'
printf '=========     and Read access at tree(int *)+0x80 in a.cu:5 [64 hazards]\n========= \n'
printf '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n'"""
# Output of compute-sanitizer 2025.3 on an H200, shortened, with the number of errors and the message.
_PRINTED = (
    ("========= ERROR SUMMARY: 0 errors\n", "0", ""),
    ("198\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", "0", ""),
    (
        "========= Error: process didn't terminate successfully\n"
        "=========     The application may have hit an error when dereferencing Unified Memory from the host.\n"
        "========= Target application returned an error\n"
        "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n",
        "0",
        "",
    ),
    (
        "========= Invalid __global__ read of size 4 bytes\n"
        "=========     at <unnamed>::copy_kernel(const int *, int *)+0x60 in global_memory.cu:168\n"
        "=========     by thread (0,0,0) in block (0,0,0)\n"
        "=========     Access to 0x7f5c84800000 is out of bounds\n"
        "========= \n"
        "========= Target application returned an error\n"
        "========= ERROR SUMMARY: 66 errors\n"
        "========= ERROR SUMMARY: 46 errors were not printed. Use --print-limit option to adjust the number of "
        "printed errors\n",
        "66",
        "Invalid __global__ read of size 4 bytes",
    ),
    (
        "========= Program hit cudaErrorInvalidValue (error 1) due to \"invalid argument\" on CUDA API call to "
        "cudaFree.\n"
        "=========     Saved host backtrace up to driver entry point at error\n"
        "=========         Host Frame: main [0xdc0c] in sanitizer_cases\n"
        "========= \n"
        "a.cu:216: cudaFree(d_values): cudaErrorInvalidValue: invalid argument\n"
        "========= Target application returned an error\n"
        "========= ERROR SUMMARY: 1 error\n",
        "1",
        'Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaFree.',
    ),
    (
        "========= Warning: Race reported between Read access at void <unnamed>::broadcast<(bool)0>(const int *, "
        "int *)+0xb0 in shared_races.cu:93\n"
        "=========     and Write access at void <unnamed>::broadcast<(bool)0>(const int *, int *)+0x100 in "
        "shared_races.cu:91 [4 hazards]\n"
        "========= \n"
        "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n",
        "1",
        "Warning: Race reported between Read access",
    ),
    (
        "========= Error: Race reported between Write access at void <unnamed>::tree<(bool)0>(const int *, int *)"
        "+0x120 in shared_races.cu:103\n"
        "=========     and Read access at void <unnamed>::tree<(bool)0>(const int *, int *)+0x100 in "
        "shared_races.cu:103 [128 hazards]\n"
        "========= \n"
        "========= RACECHECK SUMMARY: 6 hazards displayed (1 error, 5 warnings)\n",
        "6",
        "Error: Race reported between Write access",
    ),
    (
        "========= Uninitialized __global__ memory read of size 4 bytes\n"
        "=========     at atomicAdd(int *, int)+0x80 in device_atomic_functions.hpp:107\n"
        "========= \n"
        "========= ERROR SUMMARY: 2 errors\n",
        "2",
        "Uninitialized __global__ memory read of size 4 bytes",
    ),
    (
        "========= Host API memory access error at host access to 0x7f7dcc800000 of size 400 bytes\n"
        "=========     Uninitialized access to 0x7f7dcc800180 on access by cudaMemcpy source\n"
        "========= \n"
        "0\n"
        "========= ERROR SUMMARY: 1 error\n",
        "1",
        "Host API memory access error",
    ),
    (
        "========= Barrier error detected. Divergent thread(s) in warp.\n"
        "=========     at void <unnamed>::barriers_in_if_and_else<(bool)0>(const int *, int *)+0xb0 in barriers.cu:48\n"
        "========= \n"
        "========= ERROR SUMMARY: 64 errors\n"
        "========= ERROR SUMMARY: 44 errors were not printed. Use --print-limit option to adjust the number of "
        "printed errors\n",
        "64",
        "Barrier error detected. Divergent thread(s) in warp.",
    ),
)
_NOTHING = r"printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n'"


class AgreementTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="sanitizer agreement ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "a.cu").write_text(_SOURCE)
        patch = unittest.mock.patch.object(agreement, "SOURCES", self.folder)
        patch.start()
        self.addCleanup(patch.stop)
        self.results, self.log = self.folder / "results.csv", self.folder / "log"

    def script(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
        return file

    def run_command(self, *arguments: object) -> tuple[int, str]:
        words = io.StringIO()
        with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
            exit_code = agreement.main([str(argument) for argument in arguments])
        return exit_code, words.getvalue()

    def simulated(self, **finding_of: str) -> Path:
        """A traced program: the findings (JSON) or the script of a kernel, by `pair_variant`."""
        cases = ""
        for kernel, finding in {"tree_wrong": _RACE, "ends_here_wrong": _BOUNDS, **finding_of}.items():
            report = f'{{"schema":1,"kernels":[],"findings":[{finding}]}}'
            does = f"echo '{report}' >$CUDA_SIMULATOR_REPORT; exit 1" if finding.startswith("{") else finding
            cases += f"{kernel}) {does};;\n"
        return self.script("program", f"[ $1 = --list ] && {{ {_LIST}; exit; }}\ncase $1_$2 in\n{cases}esac")

    def measured(
        self, racecheck: str = _RACECHECK, alone: str = "", resume: list[object] | None = None
    ) -> tuple[int, str]:
        """Measures: memcheck finds only ends_here, racecheck prints this output for every wrong tree."""
        device = r"[ $1 = --device ] && { printf 'NVIDIA H200\t580.1\t13.0\n'; exit; }"
        program = self.script("gpu_program", f"[ $1 = --list ] && {{ {_LIST}; exit; }}\n{device}\n:\n{alone}")
        version = "[ $1 = --version ] && { echo Version 2025.3.0; exit; }"
        cases = f"memcheck_ends_here_wrong) {_MEMCHECK};;\nracecheck_tree_wrong) {racecheck};;\n*) {_NOTHING};;"
        self.script("compute-sanitizer", f"{version}\ncase $2_$6_$7 in\n{cases}\nesac")
        path = {"PATH": f"{self.folder}:{os.environ['PATH']}"}
        with unittest.mock.patch.dict(os.environ, path):
            return self.run_command("measure", program, self.results, "--log", self.log, *(resume or []))

    def assert_disagreement(self, result: tuple[int, str], words: str) -> None:
        self.assertEqual(result[0], 1, result[1])
        self.assertIn(words, result[1])

    def test_agreement(self) -> None:
        self.assertEqual(self.measured()[0], 0)
        exit_code, words = self.run_command("check", self.simulated(), self.results)
        self.assertEqual(exit_code, 0, words)
        self.assertRegex(words, r"tree +wrong +race +racecheck")

    def test_results(self) -> None:
        self.measured()
        result = sanitizer_runs.read_results(self.results)["ends_here", "wrong"]
        self.assertEqual(result.errors, {"memcheck": "3", "racecheck": "0", "initcheck": "0", "synccheck": "0"})
        self.assertEqual(result.says, "memcheck: Invalid __global__ write of size 4 bytes")
        self.assertEqual(result.provenance["compute_sanitizer"], "2025.3.0")
        race = sanitizer_runs.read_results(self.results)["tree", "wrong"]
        self.assertEqual(race.says, "racecheck: Error: Race reported between Write access")

    def test_log_has_every_run(self) -> None:
        self.measured()
        runs = [json.loads(line) for line in self.log.read_text().splitlines()]
        self.assertEqual(len(runs), 3 * 2 * 5)
        outputs = {(run["pair"], run["variant"], run["tool"]): run["output"] for run in runs}
        self.assertIn("ERROR SUMMARY: 3 errors", outputs["ends_here", "wrong", "memcheck"])

    def test_resume_makes_only_the_runs_that_the_log_lacks(self) -> None:
        self.measured()
        whole_results, whole_log = self.results.read_text(), self.log.read_text().splitlines(keepends=True)
        first_log = self.folder / "first"
        first_log.write_text("".join(whole_log[:-3]) + whole_log[-3][:20])  # its writer was stopped in a line
        exit_code, words = self.measured(resume=["--resume", first_log])
        self.assertEqual(exit_code, 0, words)
        self.assertEqual([line.split(":")[0] for line in words.splitlines()[:-1]], [f"{n} of 30" for n in (28, 29, 30)])
        self.assertEqual(self.results.read_text(), whole_results)
        self.assertEqual(sorted(self.log.read_text().splitlines(keepends=True)), sorted(whole_log))

    def test_resume_makes_changed_pairs_again(self) -> None:
        self.measured()
        first_log = self.folder / "first"
        first_log.write_text(self.log.read_text().replace("tree", "a_pair_that_is_gone", 1))
        _, words = self.measured(racecheck=_NOTHING, resume=["--resume", first_log, "--again", "t?ee"])
        self.assertEqual(words.count(" of 30: tree "), 10)
        self.assertEqual(sanitizer_runs.read_results(self.results)["tree", "wrong"].errors["racecheck"], "0")

    def test_resume_from_another_file(self) -> None:
        self.measured()
        self.assert_disagreement(self.measured(resume=["--resume", self.results]), "results.csv:1: this is not a run")

    def test_ends_of_the_program_alone(self) -> None:
        for alone, expected in (
            ("echo 'a.cu:3: f(): cudaErrorIllegalAddress: illegal'; exit 1", "cudaErrorIllegalAddress"),
            ("exit 7", "exit code 7"),
            ("kill -SEGV $$", "SIGSEGV"),
            ("", ""),
        ):
            self.measured(alone=alone)
            self.assertEqual(sanitizer_runs.read_results(self.results)["tree", "right"].gpu_alone, expected)

    def test_tool_that_hangs_or_prints_nothing(self) -> None:
        with unittest.mock.patch.object(sanitizer_runs, "TIMEOUT_S", 0.5):
            self.measured(racecheck="sleep 20")
        self.assertEqual(sanitizer_runs.read_results(self.results)["tree", "wrong"].errors["racecheck"], "hang")
        self.measured(racecheck="exit 1")
        result = sanitizer_runs.read_results(self.results)["tree", "wrong"]
        self.assertEqual(result.errors["racecheck"], "no summary")
        self.assertEqual(result.found_by(), [])

    def test_no_gpu(self) -> None:
        self.script("compute-sanitizer", "")
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            result = self.run_command("measure", self.simulated(), self.results)
        self.assert_disagreement(result, "has no GPU to run on")
        self.assertFalse(self.results.exists())

    def test_output_of_the_tools(self) -> None:
        for output, errors, message in _PRINTED:
            run = sanitizer_runs.Run("tree", "wrong", "any", 0, "========= COMPUTE-SANITIZER\n" + output)
            self.assertEqual(sanitizer_runs.errors_of(run), errors, output)
            self.assertEqual(sanitizer_runs.first_message(run.output), message)

    def test_bug_that_only_compute_sanitizer_finds(self) -> None:
        self.measured()
        text = self.results.read_text()
        self.results.write_text(text.replace("__shfl_sync(),wrong,0,0,0,0", "__shfl_sync(),wrong,0,0,2,0"))
        result = self.run_command("check", self.simulated(), self.results)
        self.assert_disagreement(result, "unseen wrong: initcheck finds the bug, the simulator does not.")

    def test_correct_kernel_that_compute_sanitizer_reports(self) -> None:
        self.measured()
        self.results.write_text(self.results.read_text().replace("no barrier,right,0,0", "no barrier,right,0,1"))
        result = self.run_command("check", self.simulated(), self.results)
        self.assert_disagreement(result, "tree right: racecheck reports it")

    def test_table_of_differences(self) -> None:
        self.measured()
        text = self.results.read_text().replace("one too far,wrong,3,", "one too far,wrong,0,")
        self.results.write_text(text.replace("no barrier,right,0,0,", "no barrier,right,0,2,"))
        page = self.folder / "page.md"
        page.write_text("<!-- compute-sanitizer:begin -->\n<!-- compute-sanitizer:end -->\n")
        self.assertEqual(self.run_command("table", self.results, page)[0], 0)
        text = page.read_text()
        self.assertIn("with the bug of the other kernel of the pair:\n\n- races: no barrier (`tree`; racecheck)\n", text)
        self.assertIn("<summary>1 bugs that only the simulator finds", text)
        self.assertIn("| *arrays* | |\n| one too far | `out_of_bounds` |\n\n</details>", text)

    def test_known_alarm_of_compute_sanitizer(self) -> None:
        self.measured()
        with (self.folder / "a.cu").open("a") as source:
            source.write("x = 1;  // tool's alarm in tree: racecheck\n")
        result = self.run_command("check", self.simulated(), self.results)
        self.assert_disagreement(result, "tree right: the source states that racecheck reports it")
        self.results.write_text(self.results.read_text().replace("no barrier,right,0,0", "no barrier,right,0,1"))
        self.assertEqual(self.run_command("check", self.simulated(), self.results)[0], 0)

    def test_results_of_different_kernels(self) -> None:
        self.measured()
        self.results.write_text(self.results.read_text().replace("unseen", "gone"))
        self.assert_disagreement(self.run_command("check", self.simulated(), self.results), "Measure again, on a GPU: gone")

    def test_finding_in_a_correct_kernel(self) -> None:
        result = self.run_command("check", self.simulated(tree_right=_RACE))
        self.assert_disagreement(result, "tree right: ")

    def test_known_false_alarm(self) -> None:
        with (self.folder / "a.cu").open("a") as source:
            source.write("x = 1;  // false alarm in unseen: race\n")
        alarm = _RACE.replace('"line":5', '"line":8')
        self.assertEqual(self.run_command("check", self.simulated(unseen_right=alarm))[0], 0)
        self.assert_disagreement(self.run_command("check", self.simulated()), "unseen right: program passes")

    def test_bug_that_is_not_found(self) -> None:
        self.assert_disagreement(self.run_command("check", self.simulated(tree_wrong="exit 0")), "tree wrong: program passes")

    def test_known_miss_that_is_found(self) -> None:
        self.assert_disagreement(self.run_command("check", self.simulated(unseen_wrong=_RACE)), "unseen wrong: ")

    def test_finding_of_another_kind_or_line(self) -> None:
        result = self.run_command("check", self.simulated(tree_wrong=_BOUNDS))
        self.assert_disagreement(result, "tree wrong: 'out_of_bounds' is found, but no line states it")
        result = self.run_command("check", self.simulated(tree_wrong=_RACE.replace('"line":5', '"line":3')))
        self.assert_disagreement(result, "tree wrong: a.cu:5: no 'race' is found in this line")

    def test_failure_without_a_finding(self) -> None:
        result = self.run_command("check", self.simulated(tree_wrong="echo lost; exit 1"))
        self.assert_disagreement(result, "no 'race' is found in this line:\nlost")

    def test_failed_call(self) -> None:
        (self.folder / "a.cu").write_text(_SOURCE.replace("tree: race", "tree: cuda_error"))
        failed = "echo '/x/a.cu:5: cudaFree(p): cudaErrorInvalidValue: invalid argument'; exit 1"
        self.assertEqual(self.run_command("check", self.simulated(tree_wrong=failed))[0], 0)

    def test_marks_and_pairs_belong_together(self) -> None:
        source = self.folder / "a.cu"
        source.write_text(_SOURCE.replace("in tree", "in three"))
        self.assert_disagreement(self.run_command("check", self.simulated()), "there is no pair 'three'")
        source.write_text(_SOURCE.replace("  // wrong in tree: race\n", ""))
        self.assert_disagreement(self.run_command("check", self.simulated()), "states the bug of tree")

    def test_table(self) -> None:
        self.measured()
        page = self.folder / "page.md"
        page.write_text("Before.\n<!-- compute-sanitizer:begin -->\n<!-- compute-sanitizer:end -->\nAfter.\n")
        self.assert_disagreement(self.run_command("table", self.results, page, "--check"), "does not match")
        self.assertEqual(self.run_command("table", self.results, page)[0], 0)
        text = page.read_text()
        self.assertIn("Of 3 wrong kernels the simulator finds 2, compute-sanitizer's 4 tools together 2; 0", text)
        self.assertIn("\n| arrays | 1 | 1 | 1 | memcheck |\n| races | 2 | 1 | 1 | racecheck |\n", text)
        self.assertIn("does not find:\n\n- races: a trick of `__shfl_sync()` (`unseen`)\n", text)
        self.assertIn("with the bug of the other kernel of the pair: none.\n", text)
        self.assertIn("<summary>0 bugs that only the simulator finds", text)
        self.assertTrue(text.endswith("-->\nAfter.\n"))
        self.assertEqual(self.run_command("table", self.results, page, "--check"), (0, ""))
        page.write_text("No markers.\n")
        self.assert_disagreement(self.run_command("table", self.results, page), "needs the lines")


if __name__ == "__main__":
    unittest.main()
