"""The rules of check.py, on a workbook of one chapter: each row is an edit and the message that the rule must give."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import tempfile
import unittest
import unittest.mock
from pathlib import Path
from typing import NamedTuple

import check
import check_editor
import check_evening
import check_starters
from cli.workbook import Workbook
from pages import read, replayed, section

COURSE, LESSON, ADVANCED = "docs/course.md", "chapters/ch1_sort/README.md", "chapters/ch1_sort/ADVANCED.md"
NAIVE, TILED, STARTER, SHEET = (f"{name}" for name in (
    "chapters/ch1_sort/01_naive.cu", "chapters/ch1_sort/02_tiled.cu", "chapters/ch1_sort/ex1_swap.cu", "solutions/ch1_sort/ex1_swap.md"))  # fmt: skip
SOLUTION, LISTS, SOURCES, NOTES = "solutions/ch1_sort/ex1_swap.cu", "chapters/ch1_sort/CMakeLists.txt", "docs/sources.md", "docs/notes.md"
PROGRAM, RESULTS = "build/bin/ch1_sort_naive", "plots/results/nvidia-h200/ch1_sort.csv"

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
RIGHT = {
    "CITATION.cff": "title: x\nrepository-code: https://github.com/someone/workbook\n",
    "README.md": """# The workbook

git clone https://github.com/someone/workbook workbook

| computation | step | program | time | gain |
|---|---|---|---:|---:|
| [sort](a.md): 100,000,000 doubles | naive | `ch1_sort_naive` | 4.0 ms | |
| | tile | `ch1_sort_tiled` | 2.50 ms | 1.6 x |
""".replace("[sort](a.md)", "[sort](docs/course.md#the-paths)"),
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
    "build/bin/clangd": "#!/bin/sh\n",
    "build/bin/nvcc": "#!/bin/sh\n",
    PROGRAM: '#!/bin/sh\ntest "$*" = "--check --n 64"\n',
    LISTS: "add_chapter(ch1_sort EXERCISES ex1_swap)\n",
    NAIVE: "// Stage 01: naive sort" + KERNEL,
    TILED: "// Stage 02: tiled sort" + KERNEL.replace("sort_kernel(const", "tiled_kernel(const"),
    "chapters/ch1_sort/03_wide.cu": "// Stage 03: wide sort" + KERNEL,
    "chapters/ch1_sort/sort.h": "#pragma once\n",
    STARTER: '// Exercise 1: swap (5 minutes)\n\n#include "sort.h"\n\nvoid swap() {\n  load();\n  // TODO: wait, and store.\n  // (2 lines)\n}\n',
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
    "chapters/ch1_sort/lesson/claims.csv": """stage,n,memory,operation,measure,value,tolerance
naive,64,global,load,requests,16,0
naive,64,global,load,sectors_per_request,4,0
naive,64,shared,store,conflict_ways,32,0
""",
    "chapters/ch1_sort/lesson/inspect_size.csv": "n\n64\n",
    "chapters/ch1_sort/lesson/published.csv": "program,n,median_ms,device\nnaive,100000000,7,a CPU\n",
    RESULTS: """program,n,median_ms,device
ch1_sort_naive,100000000,3.0,NVIDIA H200
ch1_sort_naive,100000000,4.0,NVIDIA H200
ch1_sort_naive,100000000,5.0,NVIDIA H200
ch1_sort_tiled,100000000,2.5,NVIDIA H200
""",
    "plots/results/nvidia-h200/profile_ch1_sort.csv": """program,kernel,name,metric,value,unit
ch1_sort_naive,prepare_kernel,occupancy,sm__warps_active,12.5,%
ch1_sort_naive,sort_kernel,occupancy,sm__warps_active,97.5,%
""",
}


class Row(NamedTuple):
    rule: str
    file: str
    old: str  # appears once in the file; empty: the end of the file
    new: str
    message: str = ""  # a part of one of them; empty: the rule has no objection


FACTOR = "1.6 = naive 100000000 median_ms / tiled 100000000 median_ms"
STORE = "    out[i] = in[i];\n"
INDEX = "blockIdx.x * kThreads + threadIdx.x"
RUN = "`./workbook run ch1_sort_naive -- --n 100000000` | 7 (a CPU) | 4 | sectors: 4 per load; 32-way bank conflict"
HEAD = "// Exercise 1: swap (5 minutes)\n"
TODO = "  // TODO: wait, and store.\n  // (2 lines)\n"
HUNT, REWRITE = (f"{HEAD}{line}\n// TODO: do it." + SOLVED for line in ("// Bug hunt", "// Rewrite"))
# fmt: off
ROWS = (
    Row("listings", LESSON, "constexpr std", "constexpr  std", "README.md:15: these lines are not in 01_naive.cu, or not in this order:\nconstexpr  std"),
    Row("listings", LESSON, "out[i] = in[i];\n", "out[i] = in[i];\n...\n#include \"sort.h\"\n", "not in this order:\n#include"),
    Row("listings", LESSON, "cuda 01_naive.cu", "cuda 09_none.cu", "a listing names 09_none.cu, but there is no such file"),
    Row("links", LESSON, "[the course]", "[none](none.md)\n\n[the course]", "README.md:3: there is no none.md."),
    Row("links", LESSON, "#the-paths", "#no-such", "course.md has no heading '#no-such'"),
    Row("links", LESSON, "", "[a](#that)", "this page has no heading '#that'"),
    Row("links", LESSON, "", "`x` and [a](no.md) `y`", "there is no no.md"),
    Row("links", NOTES, "", '<img src="no.svg">', "there is no no.svg"),
    Row("links", NOTES, "", "[a](#a-naive-kernel-1--1) [b](#twice-1) [c](https://x.org/no) `[d](no.md)` <img src=\"course.md\">"),
    Row("links", NOTES, "", "```\n[a](no.md)\n# In a listing\n```\n````c++ x\n```\n[b](no.md)\n````\n"),
    Row("links", NOTES, "", "```\n# In a listing\n```\n[a](#in-a-listing)\n", "has no heading '#in-a-listing'"),
    Row("words", NOTES, "", "Begin anew.", "1 + 1 Begin anew. ...\n    write: again"),
    Row("words", NOTES, "", "Whoever", "write: the thread that"),
    Row("words", NOTES, "", "// a pointer in\n// place of it", "write: instead of"),
    Row("words", NOTES, "", "  * in\n  place of it", "write: instead of"),
    Row("words", NOTES, "", 'print("a pointer in "\n      f"place of it")', "write: instead of"),
    Row("words", NOTES, "", "It is no pointer.", "write: is not a"),
    Row("words", NOTES, "", 'There is no pointer; it is no longer there. Besides, recommend, amended, shallow, x_beside_y: "in place "\nx = f"of'),
    Row("orphans", "docs/shown.svg", "", "x", "docs/shown.svg: no other file names it."),
    Row("orphans", "docs/self.md", "", "self.md", "docs/self.md: no other file"),
    Row("orphans", "docs/shown.py", "", "import notes, shown", "docs/shown.py: no other file"),
    Row("orphans", "tests/a/test_b.py", "", ""),
    Row("orphans", TILED, "", "// cli.wide"),
    Row("figures", LESSON, "It takes 4.0", "It takes 4.1", "README.md:24: 4.0 is not in the text before its comment."),
    Row("figures", LESSON, "It takes 4.0", "It takes 14.0 or 4.05", "4.0 is not in the text before"),
    Row("figures", LESSON, FACTOR, "1.6 = tiled 100000000 median_ms", "the text has 1.6, but the results have 2.5: tiled"),
    Row("figures", LESSON, FACTOR, "1.6 = naive 7 median_ms", "only at 100000000"),
    Row("figures", LESSON, FACTOR, "1.6 = quick 7 median_ms", "no results of a program quick"),
    Row("figures", LESSON, FACTOR, "1.6 = naive 100000000 mean_ms", "only program, n, median_ms"),
    Row("figures", LESSON, FACTOR, "1.6 = naive 100000000 device", "holds no numbers"),
    Row("figures", LESSON, FACTOR, "naive is 1.6", "'naive is 1.6' does not have the form"),
    Row("figures", LESSON, FACTOR, "1.6 = open('file')", "cannot be computed"),
    Row("figures", LESSON, FACTOR, "1.6 = profile tiled occupancy", "no profile has occupancy of a program tiled"),
    Row("figures", LESSON, "factor of 1.6.\n", "factor of 1.6. ", "a comment with figures must be on separate lines"),
    Row("figures", NOTES, "", "9 %\n<!-- figure: 9 -->", "does not have the form"),
    Row("figures", NOTES, "", "About 100, or 97.5 %, or 1,500.\n<!-- figures\n100 to 100 = profile ch1_sort_naive occupancy\n97.5 = profile ch1_sort_naive occupancy\n"
        "1,500 = 1000 * (ch1_sort_naive 100000000 median_ms - ch1_sort_tiled 100000000 median_ms)\n-->\n\n9 %\n\n<!-- figure: sectors -->\n```\n2\n<!-- figures\n3 = x\n-->\n```"),
    Row("figures", NOTES, "", "500 %\n<!-- figures\n500 to 100 = profile ch1_sort_naive occupancy\n-->", "the text has 500, but the results have 97.5"),
    Row("readme", "README.md", "2.50 ms", "2.40 ms", "README.md: ch1_sort_tiled: the time is 2.40, but the results have 2.50"),
    Row("readme", "README.md", "1.6 x", "1.7 x", "ch1_sort_tiled: the gain is 1.7, but the results have 1.6"),
    Row("readme", "README.md", "| 1.6 x |", "| |", "the gain is missing, but the results have 2"),
    Row("readme", "README.md", "100,000,000", "9", "the size '9 doubles' is not one of"),
    Row("readme", "README.md", "| 1.6 x |", "| 1.6 |", "2 lines have a time, but only 1 have the form"),
    Row("readme", "README.md", "`ch1_sort_tiled`", "`ch1_sort_tild`", "ch1_sort_tild"),
    Row("address", "CITATION.cff", "workbook", "other", "start.ipynb: line 1 is"),
    Row("address", "CITATION.cff", "https://github.com/someone/workbook", '"https://github.com/someone/workbook.git/"'),
    Row("address", "CITATION.cff", "repository-code", "code", "<address of this repository>"),
    Row("address", "CITATION.cff", "github.com", "example.org", "but must be\n  <!-- badges:end -->"),
    Row("editor", "build/bin/clangd", "", "echo 'E[1] [x] Line 4: undeclared' >&2\n", "01_naive.cu: E[1] [x] Line 4: undeclared"),
    Row("editor", "chapters/ch2_b/CMakeLists.txt", "", "add_chapter(ch2_b INTERFACE_OF ch1_sort)\n", ".clangd: line 24 is"),
    Row("editor", NAIVE, "naive sort", "naive sort\n// Requires: compute capability 9.0a\n", "PathMatch: (chapters/ch1_sort/01_naive\\.cu)"),
    Row("titles", TILED, "tiled sort", "column sort", "02_tiled.cu: the name shares no word with the title"),
    Row("titles", LESSON, "Stage 02: tiled sort", "Stage 02: tiling", "02_tiled.cu has the title 'Stage 02: tiled sort', and the heading is 'tiling'"),
    Row("titles", LESSON, "`sort.h` | tiled", "`sort.h` | one more tiled", "and the row of the table begins 'one more tiled sort'"),
    Row("titles", LESSON, "`03_wide.cu`", "`03_x.cu`", "has a row for it, such as: | `03_wide.cu` | wide sort |"),
    Row("titles", "chapters/ch1_sort/16_naive.cu", "", "// Stage 16: 16 bytes per load", "16_naive.cu: the name shares no word"),
    Row("steps", NAIVE, "", "\n" * 65, "01_naive has 81 lines, 0 of them new. Divide it: its path allows 80 lines, 40 of them new."),
    Row("steps", NAIVE, "", "\n" * 64),
    Row("steps", TILED, "", "x\n" * 40, "02_tiled has 56 lines, 41 of them new."),
    Row("steps", TILED, "", "x\n" * 39),
    Row("steps", TILED, "", "// x\n\n" * 25 + "/* y\n" * 12 + "*/"),
    Row("steps", "chapters/ch1_sort/03_wide.cu", "", "x\n" * 81, "03_wide has 97 lines, 82 of them new. Divide it: its path allows 180 lines, 80 of them new."),
    Row("steps", "chapters/ch1_sort/03_wide.cu", "", "\n" * 165, "03_wide has 181 lines"),
    Row("steps", COURSE, "| ch1_sort |", "| ch2_b |", "ch1_sort is in no row of the table of paths"),
    Row("core", NAIVE, STORE, "out[static_cast<std::size_t>(row) * cols] = 0;", "01_naive.cu has a cast: static_cast<std::size_t>."),
    Row("core", NAIVE, STORE, "const int k = static_cast<int>(blockIdx.x * kThreads);", "has a cast: static_cast<int>"),
    Row("core", NAIVE, STORE, "f(static_cast<unsigned long long>(i));", "has a cast: static_cast<unsigned long long>"),
    Row("core", NAIVE, STORE, "const std::size_t k = std::size_t{blockIdx.x} * kThreads;", "has a cast by a constructor: std::size_t{"),
    Row("core", NAIVE, STORE, "out[std::size_t(row) * cols] = 0;", "has a cast by a constructor: std::size_t("),
    Row("core", NAIVE, STORE, "out[(size_t)row * cols] = 0;", "has a C cast: (size_t)"),
    Row("core", NAIVE, STORE, "out[(unsigned long long)row * cols] = 0;", "has a C cast: (unsigned long long)"),
    Row("core", NAIVE, STORE, "out[1LL * row * cols] = 0;", "has a factor that is a cast: 1LL *"),
    Row("core", NAIVE, STORE, "out[1ull*row * cols] = 0;", "has a factor that is a cast: 1ull*"),
    Row("core", NAIVE, STORE, "const auto [m, n, k] = shape(a, b, c);", "has a structured binding"),
    Row("core", NAIVE, STORE, "const int col = blockIdx.x % across * kDim;", "divides blockIdx.x %"),
    Row("core", NAIVE, STORE, "const int row = blockIdx.x / across * kDim;", "divides blockIdx.x /"),
    Row("core", NAIVE, STORE, "template <typename T>", "has a template, but these start in chapter 6"),
    Row("core", NAIVE, STORE, "if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];"),
    Row("core", NAIVE, "std::size_t kThreads = 256", "int kThreads = 256", "computes an index in 32 bits, which wraps at 2^32"),
    Row("core", NAIVE, "std::size_t kThreads = 256", "unsigned kThreads = 256", "wraps at 2^32"),
    Row("core", NAIVE, INDEX, "blockIdx.x * blockDim.x + threadIdx.x", "wraps at 2^32"),
    Row("core", NAIVE, "gridDim.x * kThreads", "gridDim.x * blockDim.x", "wraps at 2^32"),
    Row("core", NAIVE, INDEX, "blockIdx.x * 1024 * kThreads", "wraps at 2^32"),
    Row("core", NAIVE, STORE, "const unsigned col = blockIdx.x * kCols + threadIdx.x;"),
    Row("core", NAIVE, INDEX, "blockIdx.x * chunk + threadIdx.x", "cannot be compiled separately"),
    Row("core", NAIVE, STORE, "".join(f'#include "chapters/ch1_sort/h{i}.h"\n' for i in range(5)), "includes 6 headers of the workbook, but only 5 are allowed: h0.h"),
    Row("core", "chapters/ch1_sort/sort.h", "", "".join(f'#include "h{i}.h"\n' for i in range(5)), "includes 6 headers"),
    Row("core", "chapters/ch1_sort/sort.h", "", "".join(f'#include "h{i}.h"\n' for i in range(4)) + "#include <vector>\n"),
    Row("core", COURSE, "ch1_sort", "ch9_sort", "docs/course.md has no core path of chapters 1 to 8"),
    Row("by_hand", LESSON, "nvcc -std=c++17", "nvcc", "chapters/ch1_sort/README.md has no line of nvcc that builds a stage."),
    Row("by_hand", "build/bin/nvcc", "", "test -f $6 && case \"$*\" in *sort.cpp*) echo no; exit 1;; esac\n", "01_naive.cu sort.cpp -o "),
    Row("course", COURSE, "`ex1_swap`, ", "", "docs/course.md: ch1_sort: ex1_swap is on no path."),
    Row("course", COURSE, "`03_wide`", "`03_wide`, `04_x`", "ch1_sort has no 04_x."),
    Row("course", COURSE, "`03_wide`", "`03_wide`, `01_naive`", "ch1_sort: 01_naive appears twice."),
    Row("course", COURSE, "| `01_naive`, `ex1_swap`, `02_tiled` | C++ | `03_wide` |", "| | C++ | all stages, all exercises |"),
    Row("course", COURSE, "`03_wide` |", "`03_wide` |\n| ch2_b | `01_x` | | |", "ch2_b is not a chapter."),
    Row("course", "chapters/ch2_b/CMakeLists.txt", "", "add_chapter(ch2_b)", "ch2_b is in no row of The paths. Add a row at its place in the order of the course, such as: | ch2_b |"),
    Row("course", "chapters/ch1_sort/01b_x.cu", "", ""),
    Row("course", COURSE, "", "| `project_a` | ch1_sort | x |\n", "project_a is not a project."),
    Row("course", COURSE, "", "| `project_a` | ch9_x | x |\n", "project_a is after ch9_x, which is not a chapter."),
    Row("course", "chapters/projects/CMakeLists.txt", "", "add_chapter(projects EXERCISES a)", "project_a is in no row of Projects."),
    Row("course", SHEET, "5 minutes", "7 minutes", "its first line says 5 minutes, and its sheet 7 minutes"),
    Row("course", SHEET, "- week: 1", "- week: later", "course.md: line 7 is\n  | 1 | ch1 | ch1_ex1, or a stage | |\nbut must be\n  | 1 | ch1 | , or a stage | |"),
    Row("course", SHEET, "rows", "n", "for_teachers.md: line 3 is\n  | ch1_ex1 | rows |\nbut must be\n  | ch1_ex1 | n |"),
    Row("course", SHEET, "- hidden shape: rows\n", "", "| ch1_ex1 | none: leave it empty |"),
    Row("course", SHEET, "", "\n## Practice\n\n- `one.cu`\n", "| 1 | ch1 | , or a stage | ch1_ex1 |"),
    Row("course", "docs/first_hour.md", "", "$ ./workbook check ch1_ex1\n", "ch1_ex1 must have docs/first_hour.md under Practice in its sheet."),
    Row("pages", COURSE, "`ex1_swap`, `02_tiled`", "`02_tiled`, `ex1_swap`", "README.md has the order 01, ex1, 02, but docs/course.md has 01, 02, ex1."),
    Row("pages", COURSE, "`03_wide`", "`03_wide`, `04_x`", "ADVANCED.md has no section of 04, which docs/course.md has on the advanced path."),
    Row("pages", ADVANCED, "", "\n## Stages 01 to 03: again\n", "ADVANCED.md has a section of 02"),
    Row("pages", LESSON, "\n## Stage 01", "\n<!-- claims:begin -->\n<!-- claims:end -->\n\n## Stage 01", "the table 'claims' of all stages: it belongs on ADVANCED.md."),
    Row("pages", LESSON, "See [the", "word " * 394 + "See [the", "README.md has 401 words before the first stage, but at most 400 are allowed."),
    Row("pages", LESSON, "See [the", "word " * 393 + "See [the"),
    Row("pages", LESSON, "\n## Answers", "```\n## Stage 09: in a listing\n```\n### On paper\n\n## Next\n\n## Answers"),
    Row("pages", ADVANCED, "", "\n" * 640, "ADVANCED.md has 643 lines, but at most 640 are allowed."),
    Row("pages", "chapters/ch2_b/CMakeLists.txt", "", "add_chapter(ch2_b)", "chapters/ch2_b/README.md is missing."),
    Row("predictions", LESSON, "12 threads = 3 * 4", "12 threads = 3 * 5", "12 is shown, but 3 * 5"),
    Row("predictions", LESSON, "16 = naive", "17 = naive", "17 is shown, but naive global"),
    Row("predictions", LESSON, "They are 12 or 12.5", "They are 112 or 12.5", "12 does not appear"),
    Row("predictions", LESSON, "They are 12 or 12.5", "They are twelve"),
    Row("predictions", LESSON, "tiled 100000000 median_ms < naive", "naive 100000000 median_ms < naive", "is not less than"),
    Row("predictions", LESSON, "[x] tiled", "[ ] tiled", "one of them marked as right"),
    Row("predictions", LESSON, "12 threads = 3 * 4", "about 12", "README.md, line 11: the question 'All' needs '12 unit = expression'"),
    Row("predictions", LESSON, "All\n", "  12 = 12\nAll\n", "has no words"),
    Row("predictions", LESSON, "16 = naive", "16 = quick", "'quick global load requests'"),
    Row("predictions", LESSON, "12 threads = 3 * 4", "12 = quick 7 median_ms", "no results of a program quick"),
    Row("predictions", LESSON, "Requests\n", "All\n", "the same"),
    Row("predictions", LESSON, "id sort-requests", "id sort-all", "README.md, line 11 and chapters/ch1_sort/README.md, line 11: two questions have the id sort-all."),
    Row("predictions", LESSON, "usual 3", "usual 12", "12 is listed as a usual wrong answer, but it is right"),
    Row("predictions", LESSON, "[x] tiled", "[x] tiled\n    usual: no.", "the right option is listed as a usual wrong answer"),
    Row("predictions", LESSON, "**Predict:**", "**Predicted:**", "1 comment(s) '<!-- predict' belong to no prompt"),
    Row("predictions", NOTES, "", "**Predict:** how many?\n"),
    Row("predictions", ADVANCED, "", "\n**Predict:** how many?\n", "ADVANCED.md, line 5: it has no folded answer"),
    Row("predictions", ADVANCED, "", "\n**Predict:** how many?\n\n[Answer](#answer-a)\n" + "\n" * 30 + "## Answers\n\n### Answer: a\n\n[Question](#x)\n\n"
        "<details><summary>Answer</summary>\n\nx\n</details>\n", "ends without a comment"),
    Row("predictions", ADVANCED, "", "\n**Predict:** how many?\n\n<details><summary>Answer</summary>\n\n12\n<!-- predict\nAll\n  id a\n  12 = 12\n-->\n</details>\n",
        "ADVANCED.md: line 7 is\n  <details><summary>Answer</summary>\nbut must be\n  [Answer](#answer-a)"),
    Row("predictions", LESSON, "Line.\n" * 20, "Line.\n", "the answer sort-all is 22 lines below its question. Move another answer between them."),
    Row("predictions", LESSON, "[Question](#stage-01-naive-sort)", "[Question](#x)", "  [Question](#x)\nbut must be\n  [Question](#stage-01-naive-sort)"),
    Row("sources", SOURCES, "7 (a CPU)", "8 (a CPU)", "sources.md: line 5 is"),
    Row("sources", SOURCES, "| 4 |", "| 5 |", "sources.md: line 5 is"),
    Row("sources", SOURCES, "32-way", "2-way", "sources.md: line 5 is"),
    Row("sources", SOURCES, "test ch1_sort", "test ch99", "sources.md:7: There is no chapter 'ch99'"),
    Row("sources", SOURCES, "build/bin/ch1_sort_naive", "build/bin/ch1_sort_none", "sources.md:8: There is no target"),
    Row("sources", SOURCES, "`ncu --set full build/bin/ch1_sort_naive`", "`ncu`", "'ncu' does not start with ./workbook run"),
    Row("sources", SOURCES, "-- --n 100000000`", "-- 7`", "'7' is not an option"),
    Row("sources", SOURCES, "| sectors: 4 per load; 32-way bank conflict", "| needs a GPU", "what does ch1_sort_naive do without a GPU?"),
    Row("sources", SOURCES, "| naive |", "| naive (published: 9) |", "| – | – | sectors: 4"),
    Row("sources", SOURCES, RUN, "`./workbook check ch1_ex1` | – | – | they pass"),
    Row("sources", SOURCES, RUN, "`./workbook run ch1_sort_naive` | 7 (a CPU) | 4 | sectors: 4 per load; 32-way bank conflict", "ch1_sort_naive --check fails"),
    Row("sources", SOURCES, RUN, "`./workbook run ch1_sort_naive -- --n 9` | – | – | sectors: 4 per load; 32-way bank conflict"),
    Row("sources", SOURCES, RUN, "`./workbook run ch1_sort_naive -- --n 64` | – | – | refused: `2000 > 1024`", "ch1_sort_naive --check --n 64 fails"),
    Row("sources", SOURCES, "| experiment", "| trial", "docs/sources.md has no table with the header"),
    Row("sources", PROGRAM, "/bin/sh", "/none", "sources.md:5: ch1_sort_naive cannot be started: No such file"),
    Row("sources", PROGRAM, "--n 64", "--n 65", "sources.md:5: ch1_sort_naive --check --n 64 fails:"),
    Row("sources", "plots/results/nvidia-h200/ch1_sort.csv", "ch1_sort_naive,100000000,5.0", "ch1_sort_naive,100000000,10280.4"),
    Row("in_step", STARTER, HEAD, f"{HEAD}// Check: ./workbook check ch1_ex1\n"),
    Row("in_step", STARTER, HEAD, f"{HEAD}// A goal. Check:   ./workbook check ch1_ex1\n", "must be alone on its line:\n// A goal."),
    Row("in_step", STARTER, HEAD, f"{HEAD}// Check: ./workbook check ch1_ex1 Look: ./workbook\n", "must be alone on its line"),
    Row("in_step", STARTER, " (5 minutes)", "", "The first line is not such as"),
    Row("in_step", STARTER, "load()", "load(1)", "not in the solution, or not in this order:\n  load(1);"),
    Row("in_step", STARTER, "  load();\n", "  load();\n  reload();\n", "  reload();"),
    Row("in_step", STARTER, "  load();\n", "  store();\n  load();\n", "  load();"),
    Row("in_step", STARTER, "  load();\n", "  // Old.\n  load();\n", "  // Old."),
    Row("in_step", STARTER, TODO, f"{TODO}  store();\n  // Old.\n", "  // Old."),
    Row("in_step", STARTER, "// TODO: ", "// ", "no '// TODO' line"),
    Row("in_step", STARTER, TODO, f"{TODO}  barrier();  // a reason\n  store();\n", "already solved"),
    Row("in_step", STARTER, TODO, f"{TODO}  // Bug hunt\n  barrier(1);\n", "not in the solution"),
    Row("in_step", SOLUTION, "// a reason", "// TODO: a reason", "The solution has a TODO"),
    Row("in_step", SOLUTION, "// Solution: why", "// Rewrite", "'// Rewrite', which only a starter can have"),
    Row("in_step", STARTER, RIGHT[STARTER], HUNT, "already solved"),
    Row("in_step", STARTER, RIGHT[STARTER], HUNT.replace("  barrier();  // a reason\n", "")),
    Row("in_step", STARTER, RIGHT[STARTER], HUNT.replace("load()", "load(1)")),
    Row("in_step", STARTER, RIGHT[STARTER], HUNT.replace("  store();\n", "  a();\n  b();\n  c();\n  d();\n"), "differs in 4 lines; at most 3"),
    Row("in_step", STARTER, RIGHT[STARTER], HUNT.replace("// TODO: do it.\n", "").replace("load()", "load(1)"), "no '// TODO' line"),
    Row("in_step", STARTER, RIGHT[STARTER], REWRITE, "already solved"),
    Row("in_step", STARTER, RIGHT[STARTER], REWRITE.replace("  store();\n", "  a();\n  b();\n  c();\n  d();\n")),
    Row("in_step", STARTER, RIGHT[STARTER], HEAD + '\n#include "sort.h"\n'),
)
# fmt: on


class RulesTest(unittest.TestCase):
    root: Path

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.root = root = Path(temporary.name).resolve()
        files = {**RIGHT, **{f"chapters/ch1_sort/h{number}.h": "" for number in range(6)}}
        files["docs/index.txt"] = " ".join(Path(name).name for name in files) + " ch1_sort_naive more.md"
        files["docs/more.md"] = "# index.txt\n"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        for program in (root / "build/bin").iterdir():
            program.chmod(0o755)
        (root / ".clangd").write_text(check_editor.editor_settings(Workbook(root)), encoding="utf-8")
        check.messages(check.RULES["address"](Workbook(root)), "address", wants_to_write=True)  # the badges
        subprocess.run(["git", "-C", str(root), "init", "--quiet"], check=True)
        path = unittest.mock.patch.dict(os.environ, {"PATH": f"{root / 'build/bin'}:{os.environ['PATH']}"})
        path.start()
        cls.addClassCleanup(path.stop)

    def said_by(self, rule: str) -> list[str]:
        if rule in ("orphans", "words"):
            subprocess.run(["git", "-C", str(self.root), "add", "--all"], check=True)
        workbook = Workbook(self.root)
        if rule == "in_step":
            return list(filter(None, [check_starters.problem(read(self.root / STARTER), read(self.root / SOLUTION))]))
        with contextlib.redirect_stdout(io.StringIO()):
            found = check.RULES[rule](workbook) if rule in check.RULES else check.IN_A_BUILD[rule](workbook, self.root / "build")
            return check.messages(found, rule, wants_to_write=False)

    def said_with(self, row: Row) -> list[str]:
        file = self.root / row.file
        before = read(file) if file.is_file() else None
        text = before or ""
        self.assertTrue(not row.old or text.count(row.old) == 1, f"{row.old!r} is in {row.file} {text.count(row.old)} times")
        file.parent.mkdir(parents=True, exist_ok=True)
        try:
            file.write_text(text.replace(row.old, row.new) if row.old else text + row.new, encoding="utf-8")
            return self.said_by(row.rule)
        finally:
            file.unlink() if before is None else file.write_text(before, encoding="utf-8")

    def test_each_row(self) -> None:
        for row in ROWS:
            with self.subTest(row.rule, file=row.file, new=row.new):
                found = self.said_with(row)
                self.assertEqual(bool(found), bool(row.message), found)
                self.assertTrue(not row.message or any(row.message in one for one in found), found)

    def test_nothing_is_wrong_in_the_right_workbook(self) -> None:
        for rule in {row.rule for row in ROWS}:
            self.assertEqual(self.said_by(rule), [], rule)

    def test_each_rule_has_a_row(self) -> None:
        run_programs = {"evening", "first_hour", "pictures", "teachers_hour"}  # of a whole workbook
        self.assertEqual({row.rule for row in ROWS if row.message} | run_programs, {*check.RULES, *check.IN_A_BUILD, "in_step"})


class ReplayTest(unittest.TestCase):
    def test_quotations(self) -> None:
        lines = ["Building x ...", "first", "second  column", "last"]
        for quoted, is_right in (
            ("...\nsecond column\nlast\n", True),
            ("Building x ...\n...\nlast\n", True),
            ("second column\nlast\n", False),
            ("...\nsecond\nlast\n", False),
        ):
            self.assertEqual(check_evening.is_quoted(quoted, lines), is_right, quoted)

    def test_an_overwritten_line_counts_once(self) -> None:
        ran = check_evening.run_in_terminal("printf a\\nfirst\\rsecond\\nhalf\\r\\nlast\\n", Path("/"))
        self.assertEqual((ran.exit_code, ran.lines), (0, ["a", "second", "last"]))

    def test_what_a_reader_sees_of_a_section(self) -> None:
        page = "# A\n## Stage 01: one\none [two](a/b.md)\n### part\n<!-- not this --> <details>nor\nthis</details>\n## Stage 02\nother\n"
        self.assertEqual(check_evening.words_in(section(page, "stage-01-one")), len("## Stage 01: one one [two] ### part".split()))
        for missing in (lambda: section(page, "stage-03"), lambda: check_evening.with_numbers("| lines | many |\n", {"lines": "89"})):
            self.assertRaises(ValueError, missing)

    def test_real_output_below_each_command(self) -> None:
        console = "$ a\nold\n\n$ b\nkept\n$ c\nold\n"
        real = {"a": "\nnew\nlines\n", "b": None, "c": ""}
        self.assertEqual(replayed(console, lambda command: real[command]), "$ a\nnew\nlines\n\n$ b\nkept\n$ c\n")


if __name__ == "__main__":
    unittest.main()
