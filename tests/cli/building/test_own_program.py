"""A learner's own file: end-to-end tests with shell scripts as programs, and one with the real compiler."""

from __future__ import annotations

import json
import os
import re
import shutil
import unittest
from dataclasses import replace
from pathlib import Path

from support import FINDING, REPORT, FakeWorkbook, built_traced, folder_of, needs_simulator

from cli.building.own_program import BuildOptions, OwnProgram, find_own_program
from cli.catalogue import read_catalogue
from cli.errors import BuildError, UsageError
from cli.tracing.trace import trace


class OwnFileTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.folder = folder_of(self, "my kernels ")

    def write_own(self, name: str, script: str, report: dict = REPORT) -> Path:
        return self.write_own_program(self.folder / name, script, report)

    def test_runs_in_the_current_folder_and_leaves_nothing_there(self) -> None:
        self.write_own("saxpy.cu", 'pwd; echo "with $*"')
        for command in ("run", "inspect"):
            with self.subTest(command):
                result = self.ends(0, command, "saxpy.cu", "--", "-n", "5", cwd=self.folder)
                self.assertIn(f"{self.folder}\nwith -n 5\n", result.stdout)
                self.assertEqual(os.listdir(self.folder), ["saxpy.cu"])
        self.assertIn("\nk\n  1 launch: grid 1 x 1 x 1", result.stdout)

    def test_files_of_one_name_do_not_clash_and_are_added_once(self) -> None:
        first = self.write_own("a/k.cu", "echo first")
        second = self.write_own("b/k.cu", "echo second")
        for file, words, is_new in ((first, "first", True), (second, "second", True), (first, "first", False)):
            said = self.workbook("run", str(file)).stdout
            self.assertIn(f"{words}\n", said)
            self.assertEqual("Adding k.cu ...\n" in said, is_new)

    def test_a_fresh_tree_has_no_chapter(self) -> None:
        self.workbook("run", "k.cu", cwd=self.write_own("k.cu", "echo ran").parent)
        self.assertRegex((self.root / "build/CMakeCache.txt").read_text(), "(?m)^WORKBOOK_CHAPTERS:[A-Z]+=none$")

    def test_file_in_the_current_folder_comes_before_a_program_of_the_workbook(self) -> None:
        self.write_own("01_naive.cu", "echo my own")
        self.assertIn("my own\n", self.workbook("run", "01_naive.cu", cwd=self.folder).stdout)
        self.assertIn("naive ran", self.workbook("run", "01_naive.cu", cwd="/").stdout)
        self.assertIn("naive ran", self.workbook("run", "chapters/ch3_transpose/01_naive.cu", cwd=self.folder).stdout)

    def test_machine_with_a_gpu_inspects_in_a_second_build_folder(self) -> None:
        self.write("has_gpu", "")
        file = self.write_own("k.cu", "echo $0")
        for command, folder in (("run", "build"), ("inspect", "build-simulator")):
            self.assertIn(f"{self.root}/{folder}/bin/own/own_k_", self.ends(0, command, str(file)).stdout)

    def test_run_is_checked_without_the_option_unchecked(self) -> None:
        file = self.write_own("k.cu", "echo $0")
        self.assertIn("_inspect/k.cu\n", self.workbook("run", str(file)).stdout)
        self.assertNotIn("_inspect/", self.ends(0, "run", str(file), "--unchecked").stdout)

    def test_only_a_file_runs_unchecked(self) -> None:
        result = self.workbook("run", "naive", "--unchecked")
        self.assertEqual(
            (result.returncode, result.stderr), (2, "--unchecked is for a program of your own; 'naive' is not a file.\n")
        )

    def test_a_file_in_the_build_folder_itself(self) -> None:
        self.write_own("k.cu", "echo ran")
        self.workbook("run", "naive")
        shutil.copy(self.folder / "k.cu", self.root / "build/k.cu")
        result = self.workbook("run", str(self.root / "build/k.cu"))
        self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1))
        self.assertIn("k.cu cannot be built in build/ itself: move it to a different folder.", result.stderr)

    def test_failing_program(self) -> None:
        file = self.write_own("k.cu", "exit 3")
        for command in ("run", "inspect"):
            self.assertIn("k.cu failed (exit code 3).", self.ends(1, command, str(file)).stderr)

    def test_the_suggested_command_can_be_typed(self) -> None:
        file = self.write_own("my kernel.cu", "exit 3")
        self.assertIn(f"Line by line: ./workbook inspect '{file}'\n", self.workbook("run", str(file)).stdout)

    def test_finding_is_printed_once(self) -> None:
        place = "  k.cu:7:3  store by thread (0,0,0) of block (0,0,0)"
        file = self.write_own(
            "k.cu",
            f'echo "CUDA simulator: k: Wrote past the end.\n{place}\nlearner\'s words" >&2\n'
            'echo "CUDA simulator: j cannot be launched: too many threads." >&2',
            {**REPORT, "findings": [FINDING]},
        )
        result = self.ends(1, "inspect", str(file))
        self.assertEqual(
            result.stderr, "learner's words\nCUDA simulator: j cannot be launched: too many threads.\n"
        )
        self.assertIn("Out of bounds in k\n  Wrote past the end.", result.stdout)

    def test_crash_loses_no_message(self) -> None:
        file = self.write_own("k.cu", 'echo "CUDA simulator: k: race" >&2; kill -SEGV $$')
        file.write_text(file.read_text(encoding="utf-8").replace("cp ", "true "), encoding="utf-8")
        result = self.ends(1, "inspect", str(file))
        self.assertRegex(result.stderr, r"CUDA simulator: k: race\n(.|\n)*segmentation fault")

    def test_usage_errors_exit_with_2(self) -> None:
        self.write_own("k.cu", "")
        for name in ("k.txt", "odd;name.cu", "folder.cu/x"):
            self.write_own(name, "")
        for arguments, words in (
            (("missing.cu",), f"There is no file 'missing.cu'. The current folder is {self.folder}."),
            (("./missing",), "There is no file './missing'."),
            (("01_nave.cu",), "Did you mean ch3_transpose_naive?"),
            (("folder.cu",), "'folder.cu' is a folder; name the .cu file in it."),
            (("./k.txt",), "'./k.txt' cannot be built: the name of a source file ends in one of .cu, .cpp, .cc, .cxx, .c."),
            (("odd;name.cu",), "CMake cannot handle the ';'"),
            (("k.cu", "more.cpp"), "There is no file 'more.cpp'."),
            (("naive", "k.cu"), "Only files of your own can be combined; 'naive' is not such a file."),
            (("naive", "--include", "."), "--include works only with a file of your own"),
            (("k.cu", "--include", "nowhere"), "--include nowhere: there is no such folder."),
            (("naive", "--define", "N=1"), "--define works only with a file of your own; 'naive' is not such a file."),
            (("k.cu", "--define", "2N=1"), "--define 2N=1: write NAME=VALUE, such as --define N=1000."),
            (("k.cu", "--compiler=O3"), "--compiler=O3: a compiler's option begins with -"),
        ):
            for command in ("run", "inspect"):
                with self.subTest(arguments, command=command):
                    self.assertIn(words, self.ends(2, command, *arguments, cwd=self.folder).stderr)


class FindOwnProgramTest(FakeWorkbook):
    def test_a_program_without_kernels(self) -> None:
        main, helper = self.write("own/query.cpp", ""), self.write("own/helper.c", "")
        program = find_own_program([str(main), str(helper)], BuildOptions(), read_catalogue(self.root))
        self.assertEqual((program.name, program.cuda_sources), ("query.cpp", ()))

    def test_first_cuda_file_names_the_program(self) -> None:
        main, kernel = self.write("own/main.cpp", ""), self.write("own/my kernel.cu", "")
        program = find_own_program([str(main), str(kernel)], BuildOptions((self.root,)), read_catalogue(self.root))
        self.assertEqual(program.name, "my kernel.cu")
        self.assertRegex(program.target, r"^own_my_kernel_[0-9a-f]{10}$")
        self.assertEqual(program.sources, (main, kernel))
        self.assertEqual(program.include_folders, (self.root,))

    def test_files_of_the_workbook_are_not_the_learners(self) -> None:
        catalogue = read_catalogue(self.root)
        for name in ("ch3_transpose", "naive", str(self.root / "chapters/ch3_transpose/01_naive.cu"), "no.cu"):
            self.assertIsNone(find_own_program([name], BuildOptions(), catalogue))

    def test_newline_in_a_path(self) -> None:
        file = self.write("two\nlines.cu", "")
        with self.assertRaisesRegex(UsageError, r"CMake cannot handle the '\\n'"):
            find_own_program([str(file)], BuildOptions(), read_catalogue(self.root))


KERNEL = """\
#include "stride.h"

__global__ void spread(float* out) { out[kStride * threadIdx.x] = 1; }

int main(int argc, char**) {
  float* out;
  cudaMalloc(&out, 32 * 8 * sizeof(float));
  spread<<<1, 32>>>(out);
  return argc == 2 ? cudaDeviceSynchronize() : 5;
}
"""


@needs_simulator
class RealBuildTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = folder_of(self, "my kernels ")
        (self.folder / "headers").mkdir()
        (self.folder / "headers/stride.h").write_text("constexpr int kStride = 8;\n", encoding="utf-8")
        source = self.folder / "own kernel.cu"
        # With the line ends of Windows, and a comment in an old encoding.
        source.write_bytes(b"\xef\xbb\xbf// gr\xfc\xdfe\n" + KERNEL.replace("\n", "\r\n").encode())
        self.program = OwnProgram((source,), BuildOptions((self.folder / "headers",)))

    def store(self, definitions: tuple[str, ...] = ()) -> dict:
        options = replace(self.program.options, definitions=definitions)
        traced = trace(built_traced(replace(self.program, options=options), self.addCleanup), ["option"])
        self.assertTrue(traced.outcome.passed, traced.outcome.output)
        (kernel,) = json.loads(traced.json_text)["kernels"]
        self.assertEqual(kernel["name"], "spread")
        (store,) = kernel["accesses"]
        return store

    def test_counts_by_the_learners_line_and_rebuilds_for_a_changed_header(self) -> None:
        store = self.store()
        place = (store["file"], store["line"], store["column"])
        self.assertEqual(place, (str(self.folder / "own kernel.cu"), 4, 65))
        self.assertEqual((store["requests"], store["sectors"], store["stride_bytes"]), (1, 32, 32))
        (self.folder / "headers/stride.h").write_text("constexpr int kStride = 1;\n", encoding="utf-8")
        self.assertEqual(self.store()["sectors"], 4)
        self.assertEqual(self.store(definitions=("kStride=2",))["sectors"], 8)
        self.assertEqual(sorted(os.listdir(self.folder)), ["headers", "own kernel.cu"])

        self.program.sources[0].write_text("__global__ void k() { undeclared = 1; }\n", encoding="utf-8")
        with self.assertRaisesRegex(BuildError, "line 1: 'undeclared' was not declared in this scope"):
            built_traced(self.program, self.addCleanup)


COPIES = """\
#include <cuda_runtime.h>
#include <cstring>

__constant__ int w[4];

int main(int, char** arguments) {
  int h[4] = {1, 2, 3, 4};
  int* d = nullptr;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
  const char* const mistake = arguments[1];
  if (std::strcmp(mistake, "exchanged") == 0) cudaMemcpy(h, d, sizeof h, cudaMemcpyHostToDevice);
  if (std::strcmp(mistake, "target") == 0) cudaMemcpy(d, d, sizeof h, cudaMemcpyDeviceToHost);
  if (std::strcmp(mistake, "source") == 0) cudaMemcpy(d, d, sizeof h, cudaMemcpyHostToDevice);
  if (std::strcmp(mistake, "bytes") == 0) cudaMemcpy(h, d, sizeof h + 1, cudaMemcpyDeviceToHost);
  if (std::strcmp(mistake, "variable") == 0) return cudaMemcpy(w, h, sizeof h, cudaMemcpyHostToDevice) != cudaSuccess;
  if (std::strcmp(mistake, "heard") == 0) {
    cudaMemcpy(h, d, sizeof h, cudaMemcpyHostToDevice);
    cudaGetLastError();
  }
  return 0;
}
"""


# Each call fails. A comment has the kind of its finding, if there is one.
FAILED_CALLS = r"""
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>
__constant__ int c[4];
__global__ void k(int* x) { x[threadIdx.x] = c[0]; }
#define CHECK(call) do { if ((call) != cudaSuccess) std::puts("failed"); } while (0)
#define LAUNCH(kernel, blocks) kernel<<<blocks, 1>>>(x)
cudaError_t returned(int* x) { return cudaMemset(x, 0, 1000); }
int main(int, char** arguments) {
  int h[32] = {1}, *x = nullptr, *y = nullptr;
  cudaMalloc(&x, 16);
  cudaMalloc(&y, std::size_t{1} << 60);  // failed_call
  cudaMemset(x, 0, 32);  // failed_call
  if (h[0] == 1) cudaMemset(x, 1, 33);  // failed_call
  for (int i = 0; i < 2; ++i) cudaMemset(x, 2, 34);  // failed_call
  label: cudaMemset(x, 3, 35);  // failed_call
  if (h[0] == 2) goto label; else
    cudaMemset(x, 4, 36);  // failed_call
  cudaMemcpyToSymbol(  // failed_call; the statement goes on
      c, h, 64);
  cudaMemcpyFromSymbol(h, c, 64);  // failed_call
  cudaFree(h);  // failed_call
  cudaFreeHost(h);  // failed_call
  cudaSetDevice(1);  // failed_call
  cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000);  // failed_call
  cudaMemcpy2D(x, 4, h, 8, 8, 10, cudaMemcpyHostToDevice);  // failed_call
  cudaEventDestroy(nullptr);  // failed_call
  cudaStreamDestroy(nullptr);  // failed_call
  cudaFree(x);
  cudaFree(x);  // failed_call
  k<<<1, 2000>>>(x);  // refused_launch
  LAUNCH(k, 0);  // refused_launch
  if (h[0] == 1) k<<<1, 1, 300000>>>(x);  // refused_launch
  CHECK(cudaMemset(x, 5, 37));
  CHECK(
      cudaMemset(x, 5, 37));
  (void)cudaMemset(x, 6, 38);
  cudaError_t error = cudaMemset(x, 7, 39);
  error = cudaMemset(x, 7, 39);
  if (cudaMemset(x, 8, 40) != cudaSuccess) std::puts("failed");
  if (returned(x)) std::puts("failed");
  std::printf("%d\n", cudaMemset(x, 9, 41));
  void* parameters[] = {&x};
  error = cudaLaunchKernel(reinterpret_cast<const void*>(k), 1, 2000, parameters, 0, nullptr);
  cudaDeviceReset();
  cudaFree(y);
  cudaFree(parameters);
  if (std::strcmp(arguments[1], "get") == 0) cudaGetLastError();
  if (std::strcmp(arguments[1], "peek") == 0) CHECK(cudaPeekAtLastError());
  return error == cudaSuccess;
}
"""


@needs_simulator
class FailedCallsTest(unittest.TestCase):
    def built(self, text: str) -> Path:
        source = folder_of(self, "my calls ") / "calls.cu"
        source.write_text(text, encoding="utf-8")
        return built_traced(OwnProgram((source,)), self.addCleanup)

    def test_are_findings_if_nothing_reads_the_error(self) -> None:
        executable = self.built(FAILED_CALLS)
        kinds = [re.search(r"// (\w+_\w+)|$", text)[1] for text in FAILED_CALLS.splitlines()]
        expected = [(kind, line) for line, kind in enumerate(kinds, start=1) if kind]
        findings = trace(executable, ["none"]).report.findings
        self.assertEqual([(one.kind, one.places[0].line) for one in findings], expected)
        for option in ("get", "peek"):
            self.assertEqual(trace(executable, [option]).report.findings, ())

    def test_a_failed_copy_copies_nothing_and_is_a_finding_if_its_error_is_not_checked(self) -> None:
        executable = self.built(COPIES)
        mistakes = {
            "variable": (16, "If w is a __device__ or __constant__ variable, copy to it with cudaMemcpyToSymbol."),
            "exchanged": (12, "its target is in host memory and its source in device memory: change the direction"),
            "target": (13, "cudaMemcpyDeviceToHost, but its target, the first argument, is in device memory."),
            "source": (14, "cudaMemcpyHostToDevice, but its source, the second argument, is in device memory."),
            "bytes": (15, "All 17 bytes must be in allocated memory, but those at the source"),
        }
        for option, (line, words) in mistakes.items():
            with self.subTest(option):
                traced = trace(executable, [option])
                (finding,) = traced.report.findings
                self.assertEqual((finding.kind, finding.places[0].line), ("refused_copy", line))
                self.assertTrue(finding.message.startswith("cudaMemcpy failed and copied nothing. "), finding.message)
                self.assertIn(words, finding.message)
                self.assertEqual("did not check this error" in finding.message, option != "variable")
                self.assertEqual(traced.outcome.exit_code, 1)
        for option in ("none", "heard"):
            with self.subTest(option):
                self.assertTrue(trace(executable, [option]).passed)
