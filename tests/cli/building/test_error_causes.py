"""What a failed compilation and g++'s warnings say about beginners' bugs, from the real g++."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

from support import ROOT, FolderTest, needs_simulator, simulator_tree

from in_turn import in_turn

from cli.building.compiler_output import explain_failure
from cli.building.gxx_warnings import WARNING_OPTIONS, gxx_warnings
from cli.chapter_files import ChapterFiles
from cli.checking.answer_build import PLAIN, BuildSteps
from cli.running.runner import run_with_limits
from cli.workbook import Workbook

# A line with a bug has a part of the advice behind //.
_ERRORS = r"""
__global__ void declared_only(int* x);
__global__ void k(const int* in, int* out, int n) {
  __shared__ int tile[2];
  const int i = threadIdx.x;
  out[0] = threads;  // 'threads' is a parameter of host(), which is host code. The kernel has only its own parameters (in, out, n). In device code, the number of threads per block is blockDim.x.
  out[0] = launched;  // In device code, the number of blocks is gridDim.x.
  out[0] = d_x[0];  // 'd_x' is a variable of host(), which is host code. The kernel has only its own parameters (in, out, n). Pass it as an argument of the launch.
  std::cout << n;  // std::cout works only on the host
  in[i] = 1;  // 'in' is declared const, so its elements can only be read.
  ++*in;  // 'in' is declared const, so its elements can only be read.
  i = 2;  // 'i' is declared const, so its value cannot change.
  atomicAdd(*out, 1);  // The first argument of atomicAdd is an address
  atomicMax(out[2], n);  // The first argument of atomicMax is an address
  atomicAdd(&out, 1);  // A pointer is one already
  atomicAdd(&tile, 1);  // is the address of one element: atomicAdd(&x[i], ...).
  out[i] = __shfl_down(n, 1);  // write __shfl_down_sync(0xffffffff, ...)
  out[i] = __ballot(n);  // write __ballot_sync(0xffffffff, ...)
  for (int j = 0; j < n; ++j) {}
  out[j] = 1;  // The 'j' of line 19 exists only in its own block
  out[later] = 1;  // 'later' is declared below, in line 22
  int later = 2;
  out[0] = helper(later);  // 'helper' is defined below, in line 56
  out[0][1] = 1;  // element (row, col) is [row * cols + col]
  out[0] = n[1];  // is a number, not an array
  out = in[0];  // One element of the array is out[i].
  out[0] = in + 1;  // The address of an array is used as a number here.
  out[0] = in * n;  // The address of an array is used as a number here.
  out[0] = in + in;  // These are addresses of arrays.
  out[0] = in[1.5f];  // An index must be an integer.
  out[0] = 1.5f % n;  // fmodf(a, b)
  if (threadIdx < n) return;  // write threadIdx.x and so on
  out[0] = max(n, 1.0f);  // The arguments of max have different types
  static int last = n - 1;  // must be known at compile time
  out[0] = tile[0] + last;
}
void host(const int* h_x, int* h_y, int n, int threads, cudaStream_t stream) {
  int *d_x = nullptr, *d_y = nullptr; const int launched = 3;
  int* a, b;
  CUDA_CHECK(cudaGetLastError());  // #include "common/cuda_check.h"
  cudaMalloc(&b, 4);  // 'b' is an int, not a pointer: in 'int* a, b' the * belongs to a alone. Write int *a, *b;
  cudaMalloc(&n, 4);  // 'n' is an int, not a pointer.
  cudaMalloc(d_x, 4);  // pass it the address of the pointer
  const int blocks = ceil_div(n, threads);  // #include "common/ceil_div.h"
  DeviceBuffer<int> buffer(3);  // #include "common/device_buffer.h"
  std::vector<int> v;  // Write #include <vector> at the top of the file.
  k<<launched, threads>>(d_x, d_y, n);  // three < and three >: k<<<blocks, threads>>>(...).
  k<<<launched, threads>>>(d_x, b, n);  // 'b' is an int, not a pointer: in 'int* a, b' the * belongs to a alone.
  k<<<launched, threads>>>(d_x, 0L, n);  // For a null pointer write nullptr, not 0.
  k<<<launched, threads, stream>>>(d_x, d_y, n);  // 0, stream>>>
  k<<<launched, threads>>>(h_x, h_x, n);  // in the right order?
  const cudaError_t error = cudaGetLastError;  // named here but not called
  const int r = k<<<launched, threads>>>(d_x, d_y, n);  // call cudaGetLastError() in the next line
  out[0] = 1;  // 'out' is a parameter of k(). Another function does not have it
}
__device__ int helper(int x) { return x; }
void host(const int* h_x, int* h_y, int n, int threads = 3, cudaStream_t stream = nullptr);
void host(const int* h_x, int* h_y, int n, int threads = 3, cudaStream_t stream = nullptr);  // must not repeat it
extern void f(int);
static void f(int) {}  // Remove 'static' here
out[0] = 1;  // Is there a } too many above it?
"""

_WARNINGS = r"""
#include <cstdio>
__global__ void k(const double* in, double* out, unsigned char* bytes, const char* text, int n, long m) {
  double mine;
  for (int i = threadIdx.x; i < n; i += 32) mine += in[i];
  out[4] = mine;  // 'mine' may be used uninitialized. Give it a first value
  auto sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];  // 'auto sum = 0' is an int.
  const short s = blockIdx.x * blockDim.x + threadIdx.x;  // A short has only the values
  const unsigned short u = blockIdx.x * blockDim.x;  // from 0 to 65535.
  printf("%d to %d\n", n);  // Each % of the text needs a value of its own.
  printf("%s\n", n);  // format '%s' expects
  for (unsigned i = n; i >= 0; --i) out[i] = 0;  // An unsigned number is never negative
  out[0] = m >> 24 + n;  // write ( ) around the shift
  if (n = 3) out[s + u] = 1;  // == compares
  n == 3;  // statement has no effect
  ++bytes[text[0]];  // A char can be negative
  for (int i = 0; i < n; ++i);  // this 'for' clause does not guard
    out[3] = sum;
  if (n > 4)  // this 'if' clause does not guard
    out[0] = 1;
    out[1] = 2;
  { int sum = 3; out[2] = sum; }  // two variables with the same name
  // Lines that correct code has:
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const int blocks = m / 3;
  if (i < n) atomicAdd(&out[i], 1.0);
  out[i] = static_cast<int>(in[i]) + blocks;
  bytes[i] = n + 1;
  int unused = n;
}
void host(double* x, int n) {
  dim3 grid = (3, n);  // write dim3(a, b)
  k<<<grid, 32>>>(x, x, nullptr, nullptr, n, 2);
}
"""


def _marked(source: str) -> dict[int, str]:
    lines = enumerate(source.splitlines(), start=1)
    return {number: line.split("  // ")[1] for number, line in lines if "  // " in line.lstrip()}


class CausesTest(FolderTest):
    def rewritten(self, file: Path, folders: tuple[Path, ...] = ()) -> Path:
        new = self.folder / f"{file.stem}.cpp"
        script = ROOT / "common/simulator/translate/rewrite_cuda.py"
        subprocess.run([sys.executable, str(script), str(file), str(new), *map(str, folders)], check=True)
        return new

    def compiled(self, file: Path, folders: tuple[Path, ...] = (), options: tuple[str, ...] = ("-fsyntax-only",)) -> str:
        before = ["g++", "-std=c++17", "-include", "cuda_runtime.h", "-o", "/dev/null"]
        own = [f"-I{folder}" for folder in (*folders, ROOT, ROOT / "common/simulator/include")]
        command = ["env", "LC_ALL=C", *before, *own, str(file), *options]
        return subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False).stderr

    def file(self, text: str) -> Path:
        file = self.folder / "own.cu"
        file.write_text(text, encoding="utf-8")
        return file

    def test_errors(self) -> None:
        source = self.file(_ERRORS)
        output = self.compiled(self.rewritten(source))
        for line, words in _marked(_ERRORS).items():
            of_line = re.findall(rf"^{source}:{line}:.* error: .*\n|^.*is defined in header.*\n", output, re.MULTILINE)
            with self.subTest(line=line, says=words):
                advice = explain_failure("".join(of_line), ROOT, "own.cu", source, simulated=True).advice
                self.assertIn(f"line {line}: ", advice)
                self.assertIn(words, advice)

    def test_a_file_in_the_current_folder(self) -> None:
        self.addCleanup(os.chdir, Path.cwd())
        source = self.file("void f() {\n  int n = 3\n  n = 4;\n  cudaMalloc(&n, 4);\n}\n")
        os.chdir(self.folder)
        for error, said in (
            ("3:3: error: expected ',' or ';' before 'n'", "Is a semicolon missing at the end of line 2?"),
            ("4:3: error: no matching function for call to 'cudaMalloc(int*, int)'", "'n' is an int, not a pointer."),
        ):
            advice = explain_failure(f"{source}:{error}\n", ROOT, "own.cu", source, simulated=True).advice
            self.assertTrue(advice.startswith(f"Fix own.cu, line {error[0]}: "), advice)
            self.assertIn(said, advice)

    def test_const_array_of_an_atomic_function(self) -> None:
        source = self.file(_ERRORS)
        output = (
            f"{source}:9:12:   required from here\n{ROOT}/common/simulator/include/a.h:3:1: error: 'reinterpret_cast' from "
            "type 'const int*' to type 'Bits*' casts away qualifiers\n"
        )
        advice = explain_failure(output, ROOT, "own.cu", source, simulated=True).advice
        self.assertIn("line 9: ", advice)
        self.assertIn("This call writes the array, but the array is const.", advice)

    def test_function_without_a_body(self) -> None:
        output = "own.cu:3: error: undefined reference to 'declared_only(int*)'\n"
        advice = explain_failure(output, ROOT, "own.cu", self.file(_ERRORS), simulated=True).advice
        self.assertIn("own.cu, line 2: declared_only(int*) is declared here, but nothing defines it.", advice)

    def test_a_call_of_a_macro_that_is_not_closed(self) -> None:
        source = self.file('#include "common/cuda_check.h"\nvoid f() {\n  CUDA_CHECK(cudaFree(0);\n\n}\n')
        advice = explain_failure(self.compiled(self.rewritten(source)), ROOT, "own.cu", source, simulated=True).advice
        self.assertEqual(advice, f"Fix {source}, line 3: CUDA_CHECK( is not closed. Each ( needs a ).")

    def test_warnings(self) -> None:
        source = self.file(_WARNINGS)
        as_in_a_tree_with_errors = functools.partial(self.compiled, options=("-Werror", *WARNING_OPTIONS))
        warnings = gxx_warnings(source, self.rewritten(source), as_in_a_tree_with_errors)
        told = {int(line.split("|")[0]): sentence for sentence, line in (warning.split("\n") for warning in warnings)}
        self.assertEqual(told.keys(), _marked(_WARNINGS).keys())
        for line, words in _marked(_WARNINGS).items():
            self.assertIn(words, told[line])

    @needs_simulator
    def test_warnings_about_an_answer(self) -> None:
        workbook, tree = Workbook(ROOT), simulator_tree()
        exercise = workbook.catalogue.find("ch0_ex1")
        source = self.file(exercise.source.read_text(encoding="utf-8") + "__global__ void k(int n) { n == 2; }\n")
        steps = BuildSteps(exercise, source, workbook, tree, self.folder, run_with_limits, PLAIN)
        lines = [warning.partition("|")[2] for warning in steps.warnings()]
        self.assertEqual(lines, [" __global__ void k(int n) { n == 2; }"])

    def test_no_warning_about_starters_and_answers(self) -> None:
        for program in in_turn(p for c in Workbook(ROOT).catalogue.chapters for p in c.of_kind("exercise", "solution")):
            folders = ChapterFiles(ROOT, program.chapter).include_folders
            with self.subTest(program.target):
                compiled = functools.partial(self.compiled, folders=(program.source.parent, *folders), options=WARNING_OPTIONS)
                self.assertEqual(gxx_warnings(program.source, self.rewritten(program.source, folders), compiled), [])
