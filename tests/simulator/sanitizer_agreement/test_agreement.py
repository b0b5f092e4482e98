"""The comparison, with shell scripts as the program and as compute-sanitizer."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import agreement
import sanitizer_runs

_LIST = (
    r"printf 'arrays\tends_here\tone too far\tout_of_bounds\t\nraces\ttree\tno barrier\trace\t\n"
    r"races\tunseen\ta trick of __shfl_sync()\tmissed\t\n'"
)
_MEMCHECK = r"""
printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n'
printf '=========     at tree(int *)+0x90 in a.cu:5\n========= \n========= ERROR SUMMARY: 3 errors\n'"""
_RACECHECK = r"""
printf '========= COMPUTE-SANITIZER\n'
printf '========= Error: Race reported between Write access at tree(int *)+0x90 in a.cu:5\n'
printf '========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n'"""
# Output of compute-sanitizer 2025.3 on an H200, shortened, with the number of errors and the message.
_PRINTED = (
    ("198\n========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n", "0", ""),
    (
        "========= Error: process didn't terminate successfully\n"
        "=========     The application may have hit an error when dereferencing Unified Memory from the host.\n"
        "========= Target application returned an error\n========= ERROR SUMMARY: 0 errors\n",
        "0",
        "",
    ),
    (
        "========= Invalid __global__ read of size 4 bytes\n"
        "=========     at <unnamed>::copy_kernel(const int *, int *)+0x60 in global_memory.cu:168\n========= \n"
        "========= Target application returned an error\n========= ERROR SUMMARY: 66 errors\n"
        "========= ERROR SUMMARY: 46 errors were not printed. Use --print-limit option to adjust the number\n",
        "66",
        "Invalid __global__ read of size 4 bytes",
    ),
    (
        '========= Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to '
        "cudaFree.\n"
        "=========         Host Frame: main [0xdc0c] in sanitizer_cases\n========= \n"
        "a.cu:216: cudaFree(d_values): cudaErrorInvalidValue: invalid argument\n========= ERROR SUMMARY: 1 error\n",
        "1",
        'Program hit cudaErrorInvalidValue (error 1) due to "invalid argument" on CUDA API call to cudaFree.',
    ),
    (
        "========= Warning: Race reported between Read access at void <unnamed>::broadcast<(bool)0>(const int *, int *)"
        "+0xb0 in shared_races.cu:93\n=========     and Write access at void <unnamed>::broadcast<(bool)0>(int *)\n"
        "========= \n========= RACECHECK SUMMARY: 6 hazards displayed (1 error, 5 warnings)\n",
        "6",
        "Warning: Race reported between Read access",
    ),
    (
        "========= Host API memory access error at host access to 0x7f7dcc800000 of size 400 bytes\n"
        "=========     Uninitialized access to 0x7f7dcc800180 on access by cudaMemcpy source\n========= \n"
        "0\n========= ERROR SUMMARY: 1 error\n",
        "1",
        "Host API memory access error",
    ),
)
_NOTHING = r"printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n'"


class AgreementTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="sanitizer agreement ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.results = self.folder / "results.csv"
        self.program = self.script("program", f"[ $1 = --list ] && {{ {_LIST}; exit; }}")
        self.page = self.folder / "page.md"
        self.page.write_text("Before.\n<!-- compute-sanitizer:begin -->\n<!-- compute-sanitizer:end -->\nAfter.\n")
        patch = unittest.mock.patch.object(agreement, "TOOLS_ALARMS", set())
        patch.start()
        self.addCleanup(patch.stop)

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

    def measured(self, racecheck: str = _RACECHECK, alone: str = "") -> dict[tuple[str, str], sanitizer_runs.Result]:
        """Measures: memcheck finds only ends_here, racecheck prints this output for every wrong tree."""
        device = r"[ $1 = --device ] && { printf 'NVIDIA H200\t580.1\t13.0\n'; exit; }"
        program = self.script("gpu_program", f"[ $1 = --list ] && {{ {_LIST}; exit; }}\n{device}\n:\n{alone}")
        version = "[ $1 = --version ] && { echo Version 2025.3.0; exit; }"
        cases = f"memcheck_ends_here_wrong) {_MEMCHECK};;\nracecheck_tree_wrong) {racecheck};;\n*) {_NOTHING};;"
        self.script("compute-sanitizer", f"{version}\ncase $2_$6_$7 in\n{cases}\nesac")
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            exit_code, words = self.run_command("measure", program, self.results)
        self.assertEqual(exit_code, 0, words)
        return sanitizer_runs.read_results(self.results, sanitizer_runs.read_pairs(program))

    def replace(self, old: str, new: str) -> None:
        text = self.results.read_text()
        self.assertIn(old, text)
        self.results.write_text(text.replace(old, new))

    def assert_check(self, exit_code: int, words: str) -> None:
        result = self.run_command("check", self.program, self.results, self.page, "--write")
        self.assertRegex(result[1], words)
        self.assertEqual(result[0], exit_code, result[1])

    def test_results(self) -> None:
        results = self.measured()
        result = results["ends_here", "wrong"]
        self.assertEqual([result[tool] for tool in sanitizer_runs.TOOLS], ["3", "0", "0", "0"])
        self.assertEqual(result["says"], "memcheck: Invalid __global__ write of size 4 bytes")
        self.assertEqual(result["compute_sanitizer"], "2025.3.0")
        self.assertEqual(results["tree", "wrong"]["says"], "racecheck: Error: Race reported between Write access")
        self.assert_check(0, "In 3 pairs, the simulator finds every bug")

    def test_ends_of_the_program_alone(self) -> None:
        for alone, expected in (
            ("echo 'a.cu:3: f(): cudaErrorIllegalAddress: illegal'; exit 1", "cudaErrorIllegalAddress"),
            ("exit 7", "exit code 7"),
            ("kill -SEGV $$", "SIGSEGV"),
            ("", ""),
        ):
            self.assertEqual(self.measured(alone=alone)["tree", "right"]["gpu_alone"], expected)

    def test_tool_that_hangs_or_prints_nothing(self) -> None:
        with unittest.mock.patch.object(sanitizer_runs, "TIMEOUT_S", 0.5):
            self.assertEqual(self.measured(racecheck="sleep 20")["tree", "wrong"]["racecheck"], "hang")
        result = self.measured(racecheck="exit 1")["tree", "wrong"]
        self.assertEqual((result["racecheck"], sanitizer_runs.found_by(result)), ("no summary", []))

    def test_no_gpu(self) -> None:
        self.script("compute-sanitizer", "")
        with unittest.mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"}):
            exit_code, words = self.run_command("measure", self.program, self.results)
        self.assertEqual((exit_code, self.results.exists()), (1, False))
        self.assertIn("has no GPU to run on", words)

    def test_output_of_the_tools(self) -> None:
        for output, errors, message in _PRINTED:
            run = sanitizer_runs.Run("tree", "wrong", "any", 0, "========= COMPUTE-SANITIZER\n" + output)
            self.assertEqual(sanitizer_runs.errors_of(run), errors, output)
            self.assertEqual(sanitizer_runs.first_message(run.output), message)

    def test_disagreement(self) -> None:
        self.measured()
        whole = self.results.read_text()
        for old, new, words in (
            ("__shfl_sync(),wrong,0,0,0", "__shfl_sync(),wrong,0,0,2", "unseen wrong: initcheck finds the bug"),
            ("no barrier,right,0,0", "no barrier,right,0,1", "tree right: racecheck reports it"),
            ("unseen", "gone", "Measure again, on a GPU: gone"),
            ("no barrier,right", "no barrier,wrong", "Measure again, on a GPU: tree"),
        ):
            self.results.write_text(whole)
            self.replace(old, new)
            self.assert_check(1, words)

    def test_known_alarm_of_compute_sanitizer(self) -> None:
        self.measured()
        with unittest.mock.patch.object(agreement, "TOOLS_ALARMS", {("tree", "racecheck")}):
            self.assert_check(1, "tree right: TOOLS_ALARMS states that racecheck reports it")
            self.replace("no barrier,right,0,0", "no barrier,right,0,1")
            self.assert_check(0, "finds every bug")

    def test_table_that_is_out_of_date(self) -> None:
        self.measured()
        check = ("check", self.program, self.results, self.page)
        exit_code, words = self.run_command(*check)
        self.assertEqual(exit_code, 1)
        self.assertIn("does not match", words)
        self.assert_check(0, "Wrote the table")
        self.assertIn("| races | 2 | 1 | 1 | racecheck |", self.page.read_text())
        self.assertEqual(self.run_command(*check)[0], 0)


if __name__ == "__main__":
    unittest.main()
