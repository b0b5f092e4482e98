"""CUDA's rules, checked by clang: each error is found on the learner's line, with no false alarms."""

from __future__ import annotations

import shutil
import tempfile
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import ROOT, folder_of

from in_turn import in_turn

from cli.building.device_rules import broken_rules, read_headers, run_clang
from cli.chapter_files import ChapterFiles
from cli.tracing.findings import DEVICE_RULE
from cli.tracing.report import Finding
from cli.workbook import Workbook

BROKEN = """\
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <vector>
#include "helper.h"

float scale = 2;
struct Wave {
  float height = 1;
  Wave() { height = 2; }
  float twice() const { return 2 * height; }
};
float add(float x) { return x + 1; }
__device__ float twice(float x) { return 2 * x; }
__device__ float at_start = add(1);
__global__ int returns(float* a) { return 1; }
__global__ void calls(float* a) {
  a[0] = add(1);  // line 18
  a[0] = rand();
  std::sort(a, a + 32);
  a[0] = scale;
  Wave wave;
  a[0] = wave.twice();
  std::cout << 1;
  std::vector<int> v;
  auto f = [](float x) { return add(x); };
  a[0] = f(1);
  a[0] = helper(1);
  returns(a);
}
__global__ void memory(float* a, int n) {
  __shared__ float sum = 0;  // line 32
  float own[n];
  extern __shared__ float staged[];
  if (n) throw 1;
}
__global__ void other(double* a) { extern __shared__ double staged[]; }
int main() {
  __shared__ int counter;  // line 39
  memory(nullptr, 3);
  main<<<1, 1>>>();
  return twice(1);
  memory[1, 2](nullptr, 3);
}
"""
FOUND = {
    15: "known at compile time|'add' is a host function",  # clang 14, clang 19
    16: "A kernel returns nothing: write __global__ void",
    18: "'add' is a host function, and this is device code.",
    19: "'rand' is a host function",
    20: "'sort' is a host function",
    21: "'scale' is a host variable",
    22: "The constructor of Wave is a host function",
    23: "'twice' is a host function",
    24: "'std::cout' works only on the host, .* with printf",
    25: r"The constructor of std::vector<int> is a host function",
    26: "'add' is a host function, and a kernel calls this code.",
    28: "'helper' is a host function",
    32: "A __shared__ variable cannot have an initialiser.",
    33: "The length of an array in device code",
    35: "Device code cannot use exceptions.",
    37: "nvcc treats all extern __shared__ arrays named 'staged' as the same array",
    39: "__shared__ memory belongs to a block",
    40: "'memory' is a kernel: launch it",
    42: "'twice' is a __device__ function, and this is host code.",
    43: "kernel<<<blocks, threads>>>",
}

# Code that nvcc accepts and clang might not.
KEPT = """\
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <vector>

constexpr int kSize = 4;
const float kScale = 0.5f;
__managed__ float managed = 1;
__constant__ float table[kSize];
__device__ int counter;
extern __shared__ float staged[];
struct Add {
  __host__ __device__ float operator()(float x) const { return x + 1; }
};
struct DeviceOnly {
  __device__ float operator()(float x) const { return __expf(x); }
};
struct Point {
  float x, y;
};
__host__ __device__ float both(float x) {
#ifdef __CUDA_ARCH__
  return __fdividef(x, 2);
#else
  return x / 2 + rand();
#endif
}
// nvcc only warns: no device code calls it.
__host__ __device__ float on_the_host_only(float x) { return x + rand(); }
template <typename Function>
__global__ void apply(float* a, Function function) {
  a[threadIdx.x] = function(a[threadIdx.x]);
}
template <typename Function>
auto result_of(float x) -> decltype(Function{}(x)) {
  std::vector<decltype(Function{}(x))> values(1);
  return values[0];
}
template <int kCount, typename T>
__global__ void __launch_bounds__(32) many(T* __restrict__ a) {
  __shared__ float4 vectors[32];
  __shared__ Point points[kCount];
  __shared__ T tile[kCount];
  vectors[threadIdx.x] = make_float4(1, 2, 3, 4);
  points[0] = {1, 2};
  tile[1] = __ldg(&a[1]) + rsqrtf(a[2]) + warpSize;
  __syncthreads();
  float b[4];
  memcpy(b, a, sizeof b);
  std::memset(b, 0, sizeof b);
  float* const heap = static_cast<float*>(malloc(16));
  float* const fresh = new float[3];
  delete[] fresh;
  free(heap);
  new (a) float(3);
  assert(a);
  printf("%d %zu\\n", threadIdx.x, strlen("four"));
  const long long start = clock64() + clock();
  a[0] = sinf(a[0]) + std::sqrt(a[1]) + std::abs(a[2]) + fmaxf(a[3], 1) + pow(a[4], 2) + abs(-3) + labs(-3L) +
         std::fmax(a[5], a[6]) + std::isnan(a[7]) + isinf(a[8]) + start;
  const auto twice = [](float x) { return 2 * x; };
  a[1] = twice(kScale) + kSize + managed + table[1] + staged[0] + both(1);
  T sum = a[threadIdx.x];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  if (threadIdx.x == 0) atomicAdd(&counter, __popc(__ballot_sync(~0u, sum > 0)));
  __syncwarp();
  __threadfence();
  const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  a[2] = cooperative_groups::reduce(tile, a[2], cooperative_groups::plus<float>()) + tile.shfl_down(a[3], 1);
}
int main() {
  std::vector<float> host(32, on_the_host_only(both(1)));
  std::mt19937 generator(1);
  float* a = nullptr;
  cudaMalloc(&a, 128);
  cudaMemcpyToSymbol(table, host.data(), sizeof table);
  managed = 2;
  many<kSize><<<1, 32>>>(a);
  many<8, float><<<dim3(1), dim3(32), 128, nullptr>>>(a);
  apply<<<1, 32>>>(a, Add{});
  apply<Add><<<1, 32>>>(a, Add());
  void (*pointer)(float*, Add) = apply<Add>;
  pointer<<<1, 32>>>(a, Add{});
  std::function<void()> print = [] { std::cout << std::string("text"); };
  const auto start = std::chrono::steady_clock::now();
  if (cudaDeviceSynchronize() != cudaSuccess) throw std::make_unique<int>(1);
  return static_cast<int>(result_of<DeviceOnly>(1)) + start.time_since_epoch().count() % 2;
}
"""


def precompiled_for(tests: type[unittest.TestCase]) -> Path:
    folder = tempfile.TemporaryDirectory()
    tests.addClassCleanup(folder.cleanup)
    headers = Path(folder.name).resolve() / "kept.pch"
    read_headers(ROOT, headers)
    return headers


@unittest.skipUnless(shutil.which("clang++"), "needs clang++")
class DeviceRulesTest(unittest.TestCase):
    headers: Path | None = None  # precompiled

    def setUp(self) -> None:
        self.folder = folder_of(self, "my kernels ")

    def check(self, text: str) -> dict[int, str]:
        source = self.folder / "k.cu"
        source.write_text(text, encoding="utf-8")
        findings = broken_rules(source, [], ROOT, headers=self.headers)
        for finding in findings:
            self.assertEqual((finding.kind, finding.places[0].file), (DEVICE_RULE, str(source)))
        return {finding.places[0].line: finding.message for finding in findings}

    def test_finds_each_on_its_line(self) -> None:
        (self.folder / "helper.h").write_text("inline float helper(float x) { return x; }\n", encoding="utf-8")
        found = self.check(BROKEN)
        for line, words in FOUND.items():
            with self.subTest(line=line, source=BROKEN.splitlines()[line - 1]):
                self.assertRegex(found.get(line, "nothing"), words)

    def test_in_a_header_next_to_the_file(self) -> None:
        header = self.folder / "helper.h"
        header.write_text("#include <cstdlib>\n__device__ int f() { return rand(); }\n", encoding="utf-8")
        source = self.folder / "k.cu"
        source.write_text('#include "helper.h"\n', encoding="utf-8")
        (finding,) = broken_rules(source, [], ROOT, headers=self.headers)
        self.assertEqual((finding.places[0].file, finding.places[0].line), (str(header), 2))

    def test_accepts_what_nvcc_accepts(self) -> None:
        self.assertEqual(self.check(KEPT), {})

    def test_without_clang(self) -> None:
        with unittest.mock.patch.dict("os.environ", PATH=str(self.folder)):
            self.assertEqual(self.check("__global__ int k() { return 1; }\n"), {})

    def test_other_errors_are_ignored(self) -> None:
        self.assertEqual(self.check('#include "absent.h"\n__global__ void k() { undeclared(1) }\n'), {})
        self.assertEqual(self.check("__global__ void k(float* a) { a[0] = undeclared(a); float x = ; }\n"), {})


class WithPrecompiledHeaders(DeviceRulesTest):
    """The findings are the same, in a fifth of the time."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.headers = precompiled_for(cls)

    def test_headers_are_precompiled_once(self) -> None:
        before = self.headers.stat().st_ino
        read_headers(ROOT, self.headers)
        self.assertEqual(self.headers.stat().st_ino, before)

    def test_clang_uses_them(self) -> None:
        source = self.folder / "k.cu"
        source.write_text("__global__ int k() { return 1; }\n", encoding="utf-8")
        commands: list[list[str]] = []

        def clang(command: list[str]) -> str:
            commands.append(command)
            return run_clang(command)

        self.assertEqual(len(broken_rules(source, [], ROOT, clang, self.headers)), 1)
        self.assertEqual(len(commands), 1)
        self.assertIn(str(self.headers), commands[0])

    def test_unusable_headers_are_read_again(self) -> None:
        source, bad = self.folder / "k.cu", self.folder / "bad.pch"
        source.write_text("__global__ int k() { return 1; }\n", encoding="utf-8")
        whole = self.headers.read_bytes()
        for content in (b"", b"no headers", whole[: len(whole) // 2]):
            with self.subTest(size=len(content)):
                bad.write_bytes(content)
                self.assertEqual(len(broken_rules(source, [], ROOT, headers=bad)), 1)


@unittest.skipUnless(shutil.which("clang++"), "needs clang++")
class WorkbookTest(unittest.TestCase):
    """An editor shows what clang finds: check_editor.py checks that clangd reads the same options and folders."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.headers = precompiled_for(cls)
        folders_of_kernels = ("chapters/*", "chapters/*/*", "solutions/*", "tests/simulator", "tests/simulator/hardware_counts")
        sources = in_turn(
            source
            for folder in folders_of_kernels
            for source in sorted(ROOT.glob(f"{folder}/*.cu"))
            if not source.name.startswith(("kernel_failure", "memory_functions", "veil_"))  # these break rules on purpose
        )
        with ThreadPoolExecutor(max_workers=2) as pool:
            cls.seen = dict(zip(sources, pool.map(cls.look, sources)))

    @classmethod
    def look(cls, source: Path) -> tuple[list[Finding], str]:
        """The broken rules of a file, and clang's output."""
        folders = [*ChapterFiles(ROOT, source.relative_to(ROOT).parts[1]).include_folders, ROOT / "common/simulator"]
        printed: list[str] = []

        def clang(command: list[str]) -> str:
            printed.append(run_clang(command))
            return printed[-1]

        return broken_rules(source, folders, ROOT, clang, cls.headers), printed[-1]

    def test_no_false_alarm_in_the_workbook(self) -> None:
        self.assertGreater(len(self.seen), 20)
        alarms = [f"{source}: {finding}" for source, (findings, _) in self.seen.items() for finding in findings]
        self.assertEqual(alarms, [])

    def test_no_error_of_any_kind_in_exercises_solutions_and_stages(self) -> None:
        chapters = Workbook(ROOT).catalogue.chapters
        programs = [p for chapter in chapters for p in chapter.of_kind("exercise", "solution", "stage")]
        sources = {p.source for p in programs if p.source.suffix == ".cu" and not p.needs_gpu}
        # clang does not see Thrust's headers, which are not always installed.
        sources = {source for source in sources if "<thrust/" not in source.read_text(encoding="utf-8")}
        self.assertGreater(len(sources), 200)
        printed = [words for source, (_, words) in self.seen.items() if source in sources]
        self.assertEqual([words for words in printed if "error:" in words], [])
