"""A workbook of one chapter in which no rule of check.py has an objection: each file with its text."""

import json

SETTING, README = "CITATION.cff", "README.md"
COURSE, SOURCES, NOTES = "docs/course.md", "docs/sources.md", "docs/notes.md"
CHAPTER, SOLUTIONS, RESULTS = "chapters/ch1_sort", "solutions/ch1_sort", "plots/results/nvidia-h200"
LESSON, ADVANCED = f"{CHAPTER}/README.md", f"{CHAPTER}/ADVANCED.md"
NAIVE, TILED, WIDE, HEADER = (f"{CHAPTER}/{name}" for name in ("01_naive.cu", "02_tiled.cu", "03_wide.cu", "sort.h"))
STARTER, SOLUTION, SHEET = f"{CHAPTER}/ex1_swap.cu", f"{SOLUTIONS}/ex1_swap.cu", f"{SOLUTIONS}/ex1_swap.md"
OTHER, PROGRAM = "chapters/ch2_b/CMakeLists.txt", "build/bin/ch1_sort_naive"
CLANGD, NVCC, TRACED = "build/bin/clangd", "build/bin/nvcc", "build/bin/hardware_counts_inspect"
COMMAND, FIRST_SCREENS, COUNTED = "workbook", "docs/contributing.md", f"{PROGRAM}_inspect"

HEAD, TODO = "// Exercise 1: swap (5 minutes)\n", "  // TODO: wait, and store.\n  // (2 lines)\n"
KERNEL = """
#include "sort.h"

constexpr std::size_t kThreads = 256;

// Not code: static_cast<int>(blockIdx.x), template, auto [a, b].
__global__ void sort_kernel(const float* in, float* out, std::size_t size) {
  for (std::size_t i = blockIdx.x * kThreads + threadIdx.x; i < size; i += gridDim.x * kThreads) {
    out[i] = in[i];
  }
}

void sort(const float* d_in, float* d_out, std::size_t size, void* d_workspace) {
  float* const d_sums = static_cast<float*>(d_workspace);
  sort_kernel<<<ceil_div(size, kThreads), kThreads, kThreads * sizeof(double)>>>(d_in, d_out, size);
}
"""
SOLVED = '\n#include "sort.h"\n\nvoid swap() {\n  load();\n\n  barrier();  // a reason\n  store();\n}\n'
EXAMPLE = {"block": [0, 0, 0], "warp": 0, "approximate": False, "array": "", "array_bytes": 128, "begin_in_line": 0, "sectors": 4,
           "wavefronts": 0, "offsets": [*range(0, 128, 4)]}  # fmt: skip
ACCESS = {"file": "a.cu", "line": 1, "column": 1, "memory": "global", "operation": "load", "bytes_per_lane": 4, "requests": 1,
          "lanes": 32, "sectors": 4, "example": EXAMPLE}  # fmt: skip
KERNEL_COUNTS = {"name": "k", "launches": 1, "grid": [1, 1, 1], "block": [32, 1, 1], "static_shared_bytes": 0,
                 "dynamic_shared_bytes": 0, "blocks": 1, "threads": 32, "barriers": 0, "accesses": [ACCESS]}  # fmt: skip
REPORT = json.dumps({"schema": 1, "device": "", "kernels": [KERNEL_COUNTS], "findings": []})
SHARED = {**ACCESS, "memory": "shared", "operation": "store", "wavefronts": 32, "ideal_wavefronts": 1}
TWO_SHARED = [ACCESS, SHARED, {**SHARED, "operation": "load", "wavefronts": 1}]
BANKS = REPORT.replace(json.dumps([ACCESS]), json.dumps(TWO_SHARED))
RIGHT = {
    SETTING: "title: x\nrepository-code: https://github.com/someone/workbook\n",
    README: """# The workbook

## Start

```
git clone https://github.com/someone/workbook workbook
./workbook run a
```

| 1 | [x](docs/notes.md#twice) | `./workbook check ch1_ex1` |
| 2 | [x](docs/notes.md#twice-1) | `./workbook inspect x` |

Then delete the line with `barrier();` in `solutions/ch1_sort/ex1_swap.cu` and repeat step 2.

```console
$ ./workbook run a
...
all right
```

| computation | step | program | time | gain |
|---|---|---|---:|---:|
| [sort](docs/course.md#the-paths): 100,000,000 doubles | naive | `ch1_sort_naive` | 4.0 ms | |
| | tile | `ch1_sort_tiled` | 2.50 ms | 1.6 x |
""",
    COMMAND: """#!/bin/sh
case $1 in
  run) echo building; echo all right;;
  check) exit 1;;
  inspect) grep -q barrier solutions/ch1_sort/ex1_swap.cu || { echo race; echo ex1_swap.cu:5; echo ex1_swap.cu:6; exit 1; };;
esac
""",
    FIRST_SCREENS: """| lines of README.md | 0 |
| lines of `./workbook list` | 0 |
| lines of `./workbook help` | 0 |
| commands typed before the race | 0 |
| words read before it, to the next 500 | 0 |
""",
    "docs/setup.md": "# Set up\n<!-- badges:begin -->\n<!-- badges:end -->\n",
    "docs/start.ipynb": '{"cells": [{"source": ["ADDRESS = \\"https://github.com/someone/workbook\\""]}]}\n',
    COURSE: """# The course

## The paths

| ch1_sort | `01_naive`, `ex1_swap`, `02_tiled` | C++ | `03_wide` |

| 1 | ch1 | ch1_ex1, or a stage | |
| later | ch2_b |  | |
""",
    "docs/for_teachers.md": "| exercises | a shape |\n|---|---|\n| ch1_ex1 | rows |\n",
    "docs/first_hour.md": "Not solved: ex1.\n",
    NOTES: "# Twice\n\n# Twice\n\n# A `naive` kernel: 1 + 1\n",
    SOURCES: """# Sources

| experiment | here | published, ms | H200, ms | without a GPU |
|:---|
| naive | `./workbook run ch1_sort_naive -- --n 100000000` | 7 (a CPU) | 4 | sectors: 4 per load; 32-way bank conflict |
| reading | [course](course.md) | – | – | reading |
| tests | `./workbook test ch1_sort` | – | – | they pass |
| stalls | `ncu --set full build/bin/ch1_sort_naive` | – | – | needs a GPU |
""",
    CLANGD: "#!/bin/sh\n",
    NVCC: '#!/bin/sh\n[ "$4" != -ptx ] || echo fma.rn.f32 fma.rn.f64 > $7\n',
    "common/harness/fma_rate.cu": "// Cost: 1 multiply-adds\n",
    TRACED: f"#!/bin/sh\ncat > $CUDA_SIMULATOR_REPORT <<END\n{REPORT}\nEND\n",
    COUNTED: f'#!/bin/sh\ncat > $CUDA_SIMULATOR_REPORT <<END\n{BANKS}\nEND\ntest "$*" != "--check --n 9"\n',
    PROGRAM: '#!/bin/sh\ntest "$*" = "--check --n 64"\n',
    f"{CHAPTER}/CMakeLists.txt": "add_chapter(ch1_sort EXERCISES ex1_swap)\n",
    NAIVE: "// Stage 01: naive sort" + KERNEL,
    TILED: "// Stage 02: tiled sort" + KERNEL.replace("sort_kernel(const", "tiled_kernel(const"),
    WIDE: "// Stage 03: wide sort" + KERNEL,
    HEADER: "#pragma once\n",
    STARTER: f'{HEAD}\n#include "sort.h"\n\nvoid swap() {{\n  load();\n{TODO}}}\n',
    SOLUTION: "// Solution: why" + SOLVED,
    SHEET: "# ex1: swap\n\n## Course\n\n- time: 5 minutes\n- week: 1\n- hidden shape: rows\n",
    LESSON: """# Chapter 1: sort

See [the course](../../docs/course.md#the-paths).

| `01_naive.cu` | **naive** sort: one thread | x |
| `02_tiled.cu`, `sort.h` | tiled sort | x |
| `03_wide.cu` | wide sort | x |

## Stage 01: naive sort

**Predict:** how many?

[Answer](#answer-sort-all)

```cuda 01_naive.cu
constexpr std::size_t kThreads = 256;
...
    out[i] = in[i];
```

nvcc -std=c++17 -arch=native -I. -I../.. 01_naive.cu sort.cpp -o naive

It takes 4.0 ms, a factor of 1.6.
<!-- figures
  4.0 = naive 100000000 median_ms
  1.6 = naive 100000000 median_ms / tiled 100000000 median_ms
-->

### Exercise 1: swap (`ex1_swap.cu`)

## Stage 02: tiled sort
""" + "Line.\n" * 20 + """
## Answers

### Answer: sort-all

[Question](#stage-01-naive-sort)

<details><summary>Answer</summary>

They are 12 or 12.5, and 16; tiled.
<!-- predict
All
  id sort-all
  12 threads = 3 * 4
  usual 3: those are blocks.
Requests
  id sort-requests
  16 = naive global load requests
Faster
  id sort-faster
  [ ] naive
    usual: it is slow.
  [x] tiled
  where tiled 100000000 median_ms < naive 100000000 median_ms
-->
</details>
""",
    ADVANCED: "# Chapter 1, advanced\n\n## Stage 03: wide sort\n",
    f"{CHAPTER}/lesson/claims.csv": """stage,n,memory,operation,measure,value,tolerance
naive,64,global,load,requests,16,0
naive,64,global,load,sectors_per_request,4,0
naive,64,shared,store,conflict_ways,32,0
""",
    f"{CHAPTER}/lesson/inspect_size.csv": "n\n64\n",
    f"{CHAPTER}/lesson/published.csv": "program,n,median_ms,device\nnaive,100000000,7,a CPU\n",
    f"{RESULTS}/ch1_sort.csv": """program,n,median_ms,device
ch1_sort_naive,100000000,3.0,NVIDIA H200
ch1_sort_naive,100000000,4.0,NVIDIA H200
ch1_sort_naive,100000000,5.0,NVIDIA H200
ch1_sort_tiled,100000000,2.5,NVIDIA H200
""",
    **{f"{CHAPTER}/h{number}.h": "" for number in range(6)},
    f"{RESULTS}/profile_ch1_sort.csv": """program,kernel,name,metric,value,unit
ch1_sort_naive,prepare_kernel,occupancy,sm__warps_active,12.5,%
ch1_sort_naive,sort_kernel,occupancy,sm__warps_active,97.5,%
""",
}
