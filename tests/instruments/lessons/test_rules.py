"""The rules of check.py, on a workbook of one chapter: each row is an edit and the message that the rule must give."""

from __future__ import annotations

import contextlib
import io
import json
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
from right_workbook import (
    ACCESS, ADVANCED, CLANGD, COURSE, HEAD, HEADER, LESSON, NAIVE, NOTES, NVCC, OTHER, PROGRAM, README, RESULTS,
    COMMAND, COUNTED, FIRST_SCREENS, RIGHT, SETTING, SHEET, SOLUTION, SOLVED, SOURCES, STARTER, TILED, TODO, TRACED, WIDE,
)  # fmt: skip


class Row(NamedTuple):
    rule: str
    file: str
    old: str  # appears once in the file; empty: the end of the file
    new: str
    message: str = ""  # a part of one of them; empty: the rule has no objection


FACTOR = "1.6 = naive 100000000 median_ms / tiled 100000000 median_ms"
ASKED, FOLD = "\n**Predict:** how many?\n\n", "<details><summary>Answer</summary>\n\n12\n"
USE = "profile ch1_sort_naive occupancy"
STORE = "    out[i] = in[i];\n"
INDEX = "blockIdx.x * kThreads + threadIdx.x"
COST = "sectors: 4 per load; 32-way bank conflict"
RUN = f"`./workbook run ch1_sort_naive -- --n 100000000` | 7 (a CPU) | 4 | {COST}"
WHOLE = RIGHT[STARTER]
HUNT, REWRITE = (f"{HEAD}{line}\n// TODO: do it." + SOLVED for line in ("// Bug hunt", "// Rewrite"))
# fmt: off
ROWS = [Row(*row) for row in (
    ("listings", LESSON, "constexpr std", "constexpr  std", "README.md:15: these lines are not in 01_naive.cu, or"),
    ("listings", LESSON, "out[i] = in[i];\n", "out[i] = in[i];\n...\n#include \"sort.h\"\n",
     "not in this order:\n#include"),
    ("listings", LESSON, "cuda 01_naive.cu", "cuda 09_none.cu", "a listing names 09_none.cu, but"),
    ("listings", NOTES, "", "```cuda ../chapters/ch1_sort/01_naive.cu\nint x;\n```\n", "these lines are not in ../chapters"),
    ("listings", NOTES, "", "```cuda 09_none.cu\nint x;\n```\n"),
    ("links", LESSON, "[the course]", "[none](none.md)\n\n[the course]", "README.md:3: there is no none.md."),
    ("links", LESSON, "#the-paths", "#no-such", "course.md has no heading '#no-such'"),
    ("links", LESSON, "", "[a](#that)", "this page has no heading '#that'"),
    ("links", LESSON, "", "`x` and [a](no.md) `y`", "there is no no.md"),
    ("links", NOTES, "", '<img src="no.svg">', "there is no no.svg"),
    ("links", NOTES, "",
     "[a](#a-naive-kernel-1--1) [b](#twice-1) [c](https://x.org/no) `[d](no.md)` <img src=\"course.md\">"),
    ("links", NOTES, "", "```\n[a](no.md)\n# In a listing\n```\n````c++ x\n```\n[b](no.md)\n````\n"),
    ("links", NOTES, "", "```\n# In a listing\n```\n[a](#in-a-listing)\n", "has no heading '#in-a-listing'"),
    ("words", NOTES, "", "Begin anew.", "1 + 1 Begin anew. ...\n    write: again"),
    ("words", NOTES, "", "Whoever", "write: the thread that"),
    ("words", NOTES, "", "// a pointer in\n// place of it", "write: instead of"),
    ("words", NOTES, "", "  * in\n  place of it", "write: instead of"),
    ("words", NOTES, "", 'print("a pointer in "\n      f"place of it")', "write: instead of"),
    ("words", NOTES, "", "It is no pointer.", "write: is not a"),
    ("words", NOTES, "",
     'There is no x; it is no longer there. Besides, recommend, amended, shallow, x_beside_y: "in place "\nx = f"of'),
    ("orphans", "docs/shown.svg", "", "x", "docs/shown.svg: no other file names it."),
    ("orphans", "docs/self.md", "", "self.md", "docs/self.md: no other file"),
    ("orphans", "docs/shown.py", "", "import notes, shown", "docs/shown.py: no other file"),
    ("orphans", "tests/a/test_b.py", "", ""),
    ("orphans", TILED, "", "// cli.wide"),
    ("figures", LESSON, "It takes 4.0", "It takes 4.1", "README.md:24: 4.0 is not in the text before its comment."),
    ("figures", LESSON, "It takes 4.0", "It takes 14.0 or 4.05", "4.0 is not in the text before"),
    ("figures", LESSON, FACTOR, "1.6 = tiled 100000000 median_ms", "the text has 1.6, but the results have 2.5: tiled"),
    ("figures", LESSON, FACTOR, "1.6 = naive 7 median_ms", "only at 100000000"),
    ("figures", LESSON, FACTOR, "1.6 = quick 7 median_ms", "no results of a program quick"),
    ("figures", LESSON, FACTOR, "1.6 = naive 100000000 mean_ms", "only program, n, median_ms"),
    ("figures", LESSON, FACTOR, "1.6 = naive 100000000 device", "holds no numbers"),
    ("figures", LESSON, FACTOR, "naive is 1.6", "'naive is 1.6' does not have the form"),
    ("figures", LESSON, FACTOR, "1.6 = open('file')", "cannot be computed"),
    ("figures", LESSON, FACTOR, "1.6 = profile tiled occupancy", "no profile has occupancy of a program tiled"),
    ("figures", LESSON, "factor of 1.6.\n", "factor of 1.6. ", "a comment with figures must be on separate lines"),
    ("figures", NOTES, "", "9 %\n<!-- figure: 9 -->", "does not have the form"),
    ("figures", NOTES, "", f"100 or 97.5\n<!-- figures\n100 to 100 = {USE}\n97.5 = {USE}\n-->\n<!-- figure: x -->"),
    ("figures", LESSON, FACTOR, f"1.6 = (4 * ({FACTOR[6:]}) - 2.4) / 2.5", ""),
    ("figures", NOTES, "", "```\n2\n<!-- figures\n3 = x\n-->\n```", ""),
    ("figures", NOTES, "", f"500 %\n<!-- figures\n500 to 100 = {USE}\n-->",
     "the text has 500, but the results have 97.5"),
    ("readme", README, "2.50 ms", "2.40 ms", "the time is 2.40, but the results have 2.50"),
    ("readme", README, "1.6 x", "1.7 x", "tiled: the gain is 1.7, but the results have 1.6"),
    ("readme", README, "| 1.6 x |", "| |", "the gain is missing, but the results have 2"),
    ("readme", README, "100,000,000", "9", "the size '9 doubles' is not one of"),
    ("readme", README, "| 1.6 x |", "| 1.6 |", "2 lines have a time, but only 1 have the form"),
    ("readme", README, "`ch1_sort_tiled`", "`ch1_sort_tild`", "ch1_sort_tild"),
    ("address", SETTING, "workbook", "other", "start.ipynb: line 1 is"),
    ("address", SETTING, "https://github.com/someone/workbook", '"https://github.com/someone/workbook.git/"'),
    ("address", SETTING, "repository-code", "code", "<address of this repository>"),
    ("address", SETTING, "github.com", "example.org", "but must be\n  <!-- badges:end -->"),
    ("editor", CLANGD, "", "echo 'E[1] [x] Line 4: undeclared' >&2\n",
     "01_naive.cu: E[1] [x] Line 4: undeclared"),
    ("editor", OTHER, "", "add_chapter(ch2_b INTERFACE_OF ch1_sort)\n", ".clangd: line 24 is"),
    ("editor", NAIVE, "naive sort", "naive sort\n// Requires: compute capability 9.0a\n",
     "PathMatch: (chapters/ch1_sort/01_naive\\.cu)"),
    ("titles", TILED, "tiled sort", "column sort", "02_tiled.cu: the name shares no word with the title"),
    ("titles", LESSON, "Stage 02: tiled sort", "Stage 02: tiling",
     "'Stage 02: tiled sort', and the heading is 'tiling'"),
    ("titles", LESSON, "`sort.h` | tiled", "`sort.h` | one more tiled",
     "and the row of the table begins 'one more tiled sort'"),
    ("titles", LESSON, "`03_wide.cu`", "`03_x.cu`", "has a row for it, such as: | `03_wide.cu` | wide sort |"),
    ("titles", "chapters/ch1_sort/16_naive.cu", "", "// Stage 16: 16 bytes per load",
     "16_naive.cu: the name shares no word"),
    ("steps", NAIVE, "", "\n" * 65, "01_naive has 81 lines, 0 of them new. Divide it: its path allows 80 lines, 40"),
    ("steps", NAIVE, "", "\n" * 64),
    ("steps", TILED, "", "x\n" * 40, "02_tiled has 56 lines, 41 of them new."),
    ("steps", TILED, "", "x\n" * 39),
    ("steps", TILED, "", "// x\n\n" * 25 + "/* y\n" * 12 + "*/"),
    ("steps", WIDE, "", "x\n" * 81, "03_wide has 97 lines, 82 of them new. Divide it: its path allows 180 lines, 80"),
    ("steps", WIDE, "", "\n" * 165, "03_wide has 181 lines"),
    ("steps", COURSE, "| ch1_sort |", "| ch2_b |", "ch1_sort is in no row of the table of paths"),
    ("core", NAIVE, STORE, "out[static_cast<std::size_t>(row) * cols] = 0;",
     "01_naive.cu has a cast: static_cast<std::size_t>."),
    ("core", NAIVE, STORE, "const int k = static_cast<int>(blockIdx.x * kThreads);", "has a cast: static_cast<int>"),
    ("core", NAIVE, STORE, "f(static_cast<unsigned long long>(i));", "has a cast: static_cast<unsigned long long>"),
    ("core", NAIVE, STORE, "const std::size_t k = std::size_t{blockIdx.x} * kThreads;",
     "has a cast by a constructor: std::size_t{"),
    ("core", NAIVE, STORE, "out[std::size_t(row) * cols] = 0;", "has a cast by a constructor: std::size_t("),
    ("core", NAIVE, STORE, "out[(size_t)row * cols] = 0;", "has a C cast: (size_t)"),
    ("core", NAIVE, STORE, "out[(unsigned long long)row * cols] = 0;", "has a C cast: (unsigned long long)"),
    ("core", NAIVE, STORE, "out[1LL * row * cols] = 0;", "has a factor that is a cast: 1LL *"),
    ("core", NAIVE, STORE, "out[1ull*row * cols] = 0;", "has a factor that is a cast: 1ull*"),
    ("core", NAIVE, STORE, "const auto [m, n, k] = shape(a, b, c);", "has a structured binding"),
    ("core", NAIVE, STORE, "const int col = blockIdx.x % across * kDim;", "divides blockIdx.x %"),
    ("core", NAIVE, STORE, "const int row = blockIdx.x / across * kDim;", "divides blockIdx.x /"),
    ("core", NAIVE, STORE, "template <typename T>", "has a template"),
    ("core", NAIVE, STORE, "if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];"),
    ("core", NAIVE, "std::size_t kThreads = 256", "int kThreads = 256",
     "computes an index in 32 bits, which wraps at 2^32"),
    ("core", NAIVE, "std::size_t kThreads = 256", "unsigned kThreads = 256", "wraps at 2^32"),
    ("core", NAIVE, INDEX, "blockIdx.x * blockDim.x + threadIdx.x", "wraps at 2^32"),
    ("core", NAIVE, "gridDim.x * kThreads", "gridDim.x * blockDim.x", "wraps at 2^32"),
    ("core", NAIVE, INDEX, "blockIdx.x * 1024 * kThreads", "wraps at 2^32"),
    ("core", NAIVE, STORE, "const unsigned col = blockIdx.x * kCols + threadIdx.x;"),
    ("core", NAIVE, INDEX, "blockIdx.x * chunk + threadIdx.x", "cannot be compiled separately"),
    ("core", NAIVE, STORE, "".join(f'#include "chapters/ch1_sort/h{i}.h"\n' for i in range(5)),
     "includes 6 headers of the workbook, but only 5"),
    ("core", HEADER, "", "".join(f'#include "h{i}.h"\n' for i in range(5)), "includes 6 headers"),
    ("core", HEADER, "", "".join(f'#include "h{i}.h"\n' for i in range(4)) + "#include <vector>\n"),
    ("core", COURSE, "ch1_sort", "ch9_sort", "docs/course.md has no core path of chapters 1 to 8"),
    ("by_hand", LESSON, "nvcc -std=c++17", "nvcc",
     "chapters/ch1_sort/README.md has no line of nvcc that builds a stage."),
    ("by_hand", NVCC, "", "test -f $6 && case \"$*\" in *sort.cpp*) echo no; exit 1;; esac\n",
     "01_naive.cu sort.cpp -o "),
    ("ceiling", NVCC, "fma.rn.f64", "add.f64", "its loop has 0 multiply-adds of f64, and its comment states 1."),
    ("evening", COMMAND, "echo all right", "echo all right; exit 3", "'./workbook run a' ends with 3"),
    ("evening", COMMAND, "check) exit 1", "check) exit 0", "'./workbook check ch1_ex1' ends with 0"),
    ("evening", COMMAND, "echo building", "yes | head -24", "'./workbook run a' prints 25 lines, more than a screen"),
    ("evening", COMMAND, "all right", "all wrong", "quotes an output that './workbook run a' does not print: ...\nall right"),
    ("evening", COMMAND, "ex1_swap.cu:6", "x", "'./workbook inspect x' does not name the two lines of the race"),
    ("evening", SOLUTION, "barrier();", "barriers();", "ex1_swap.cu does not have one line with barrier();"),
    ("evening", README, "## Start", "## Begin", "README.md no longer has its Start"),
    ("evening", README, "## Start", "\n## Start", "contributing.md: line 1 is\n  | lines of README.md | 24 |"),
    ("evening", FIRST_SCREENS, "| commands typed", "| commands", "has no row 'commands typed before the race'"),
    ("pictures", TRACED, '"begin_in_line": 0', '"begin_in_line": 16', "k: a.cu:1:1: global load: 5 sectors drawn, 4 counted"),
    ("pictures", TRACED, '"sectors": 4, "wavefronts"', '"sectors": 3, "wavefronts"', "4 sectors drawn, 3 counted"),
    ("pictures", TRACED, f'"accesses": [{json.dumps(ACCESS)}]', '"accesses": []', "hardware_counts has no accesses."),
    ("course", COURSE, "`ex1_swap`, ", "", "docs/course.md: ch1_sort: ex1_swap is on no path."),
    ("course", COURSE, "`03_wide`", "`03_wide`, `04_x`", "ch1_sort has no 04_x."),
    ("course", COURSE, "`03_wide`", "`03_wide`, `01_naive`", "ch1_sort: 01_naive appears twice."),
    ("course", COURSE, "| `01_naive`, `ex1_swap`, `02_tiled` | C++ | `03_wide` |",
     "| | C++ | all stages, all exercises |"),
    ("course", COURSE, "`03_wide` |", "`03_wide` |\n| ch2_b | `01_x` | | |", "ch2_b is not a chapter."),
    ("course", OTHER, "", "add_chapter(ch2_b)", "ch2_b is in no row of The paths. Add a row"),
    ("course", "chapters/ch1_sort/01b_x.cu", "", ""),
    ("course", COURSE, "", "| `project_a` | ch1_sort | x |\n", "project_a is not a project."),
    ("course", COURSE, "", "| `project_a` | ch9_x | x |\n", "project_a is after ch9_x, which is not a chapter."),
    ("course", "chapters/projects/CMakeLists.txt", "", "add_chapter(projects EXERCISES a)",
     "project_a is in no row of Projects."),
    ("course", SHEET, "5 minutes", "7 minutes", "its first line says 5 minutes, and its sheet 7 minutes"),
    ("course", SHEET, "- week: 1", "- week: later", "course.md: line 7 is"),
    ("course", SHEET, "rows", "n", "but must be\n  | ch1_ex1 | n |"),
    ("course", SHEET, "- hidden shape: rows\n", "", "| ch1_ex1 | none: leave it empty |"),
    ("course", SHEET, "", "\n## Practice\n\n- `one.cu`\n", "| 1 | ch1 | , or a stage | ch1_ex1 |"),
    ("course", "docs/first_hour.md", "", "$ ./workbook check ch1_ex1\n",
     "ch1_ex1 must have docs/first_hour.md under Practice"),
    ("pages", COURSE, "`ex1_swap`, `02_tiled`", "`02_tiled`, `ex1_swap`", "README.md has the order 01, ex1, 02, but"),
    ("pages", COURSE, "`03_wide`", "`03_wide`, `04_x`", "ADVANCED.md has no section of 04"),
    ("pages", ADVANCED, "", "\n## Stages 01 to 03: again\n", "ADVANCED.md has a section of 02"),
    ("pages", LESSON, "\n## Stage 01", "\n<!-- claims:begin -->\n<!-- claims:end -->\n\n## Stage 01",
     "the table 'claims' of all stages"),
    ("pages", LESSON, "See [the", "word " * 394 + "See [the", "README.md has 401 words before the first stage"),
    ("pages", LESSON, "See [the", "word " * 393 + "See [the"),
    ("pages", LESSON, "\n## Answers", "```\n## Stage 09: in a listing\n```\n### On paper\n\n## Next\n\n## Answers"),
    ("pages", ADVANCED, "", "\n" * 640, "ADVANCED.md has 643 lines, but at most 640"),
    ("pages", OTHER, "", "add_chapter(ch2_b)", "chapters/ch2_b/README.md is missing."),
    ("predictions", LESSON, "12 threads = 3 * 4", "12 threads = 3 * 5", "12 is shown, but 3 * 5"),
    ("predictions", LESSON, "16 = naive", "17 = naive", "17 is shown, but naive global"),
    ("predictions", LESSON, "They are 12 or 12.5", "They are 112 or 12.5", "12 does not appear"),
    ("predictions", LESSON, "They are 12 or 12.5", "They are twelve"),
    ("predictions", LESSON, "tiled 100000000 median_ms < naive", "naive 100000000 median_ms < naive",
     "is not less than"),
    ("predictions", LESSON, "[x] tiled", "[ ] tiled", "one of them marked as right"),
    ("predictions", LESSON, "12 threads = 3 * 4", "about 12", "line 11: the question 'All' needs '12 unit"),
    ("predictions", LESSON, "All\n", "  12 = 12\nAll\n", "has no words"),
    ("predictions", LESSON, "16 = naive", "16 = quick", "'quick global load requests'"),
    ("predictions", LESSON, "12 threads = 3 * 4", "12 = quick 7 median_ms", "no results of a program quick"),
    ("predictions", LESSON, "Requests\n", "All\n", "the same"),
    ("predictions", LESSON, "id sort-requests", "id sort-all", "line 11: two questions have the id sort-all."),
    ("predictions", LESSON, "usual 3", "usual 12", "12 is listed as a usual wrong answer"),
    ("predictions", LESSON, "[x] tiled", "[x] tiled\n    usual: no.", "the right option is listed as"),
    ("predictions", LESSON, "**Predict:**", "**Predicted:**", "1 comment(s) '<!-- predict' belong to no prompt"),
    ("predictions", NOTES, "", "**Predict:** how many?\n"),
    ("predictions", ADVANCED, "", ASKED, "ADVANCED.md, line 5: it has no folded answer"),
    ("predictions", ADVANCED, "", f"{ASKED}{FOLD}</details>\n", "ends without a comment"),
    ("predictions", ADVANCED, "", f"{ASKED}{FOLD}<!-- predict\nAll\n  id a\n  1 = 1\n-->\n</details>\n",
     "but must be\n  [Answer](#answer-a)"),
    ("predictions", LESSON, "Line.\n" * 20, "Line.\n", "the answer sort-all is 22 lines below"),
    ("predictions", LESSON, "[Question](#stage-01-naive-sort)", "[Question](#x)",
     "but must be\n  [Question](#stage-01-naive-sort)"),
    ("sources", SOURCES, "7 (a CPU)", "8 (a CPU)", "sources.md: line 5 is"),
    ("sources", SOURCES, "| 4 |", "| 5 |", "sources.md: line 5 is"),
    ("sources", SOURCES, "32-way", "2-way", "sources.md: line 5 is"),
    ("sources", SOURCES, "test ch1_sort", "test ch99", "sources.md:7: There is no chapter 'ch99'"),
    ("sources", SOURCES, "build/bin/ch1_sort_naive", "build/bin/ch1_sort_none", "sources.md:8: There is no target"),
    ("sources", SOURCES, "`ncu --set full build/bin/ch1_sort_naive`", "`ncu`",
     "'ncu' does not start with ./workbook run"),
    ("sources", SOURCES, "-- --n 100000000`", "-- 7`", "'7' is not an option"),
    ("sources", SOURCES, f"| {COST}", "| needs a GPU",
     "what does ch1_sort_naive do without a GPU?"),
    ("sources", SOURCES, "| naive |", "| naive (published: 9) |", "| – | – | sectors: 4"),
    ("sources", SOURCES, RUN, "`./workbook check ch1_ex1` | – | – | they pass"),
    ("sources", SOURCES, RUN, f"`./workbook run ch1_sort_naive` | 7 (a CPU) | 4 | {COST}",
     "ch1_sort_naive --check fails"),
    ("sources", SOURCES, RUN,
     f"`./workbook run ch1_sort_naive -- --n 9` | – | – | {COST}",
     "sources.md:5: ch1_sort_naive_inspect --check --n 9: "),
    ("sources", SOURCES, RUN, f"`./workbook run ch1_sort_naive -- --n 9` | – | – | {COST}, at `--n 8`"),
    ("sources", COUNTED, '"wavefronts": 32', '"wavefronts": 1', "| sectors: 4 per load; no bank conflict"),
    ("sources", SOURCES, RUN, "`./workbook run ch1_sort_tiled -- --n 9` | – | – | sectors: 4 per load",
     "sources.md:5: ch1_sort_tiled_inspect --check --n 9: "),
    ("sources", SOURCES, COST, "the answer", "| sectors: 4 per load; 32-way"),
    ("sources", SOURCES, RUN, "`./workbook run ch1_sort_naive -- --n 64` | – | – | refused: `2000 > 1024`",
     "ch1_sort_naive --check --n 64 fails"),
    ("sources", SOURCES, "| experiment", "| trial", "docs/sources.md has no table with the header"),
    ("sources", PROGRAM, "/bin/sh", "/none", "sources.md:5: ch1_sort_naive cannot be started: No such file"),
    ("sources", PROGRAM, "--n 64", "--n 65", "sources.md:5: ch1_sort_naive --check --n 64 fails:"),
    ("sources", f"{RESULTS}/ch1_sort.csv", "ch1_sort_naive,100000000,5.0",
     "ch1_sort_naive,100000000,10280.4"),
    ("in_step", STARTER, HEAD, f"{HEAD}// Check: ./workbook check ch1_ex1\n"),
    ("in_step", STARTER, HEAD, f"{HEAD}// A goal. Check:   ./workbook check ch1_ex1\n",
     "must be alone on its line:\n// A"),
    ("in_step", STARTER, HEAD, f"{HEAD}// Check: ./workbook check ch1_ex1 Look: ./workbook\n",
     "must be alone on its line"),
    ("in_step", STARTER, " (5 minutes)", "", "The first line is not such as"),
    ("in_step", STARTER, "load()", "load(1)", "or not in this order:\n  load(1);"),
    ("in_step", STARTER, "  load();\n", "  load();\n  reload();\n", "  reload();"),
    ("in_step", STARTER, "  load();\n", "  store();\n  load();\n", "  load();"),
    ("in_step", STARTER, "  load();\n", "  // Old.\n  load();\n", "  // Old."),
    ("in_step", STARTER, TODO, f"{TODO}  store();\n  // Old.\n", "  // Old."),
    ("in_step", STARTER, "// TODO: ", "// ", "no '// TODO' line"),
    ("in_step", STARTER, TODO, f"{TODO}  barrier();  // a reason\n  store();\n", "already solved"),
    ("in_step", STARTER, TODO, f"{TODO}  // Bug hunt\n  barrier(1);\n", "not in the solution"),
    ("in_step", SOLUTION, "// a reason", "// TODO: a reason", "The solution has a TODO"),
    ("in_step", SOLUTION, "// Solution: why", "// Rewrite", "which only a starter can have"),
    ("in_step", STARTER, WHOLE, HUNT, "already solved"),
    ("in_step", STARTER, WHOLE, HUNT.replace("  barrier();  // a reason\n", "")),
    ("in_step", STARTER, WHOLE, HUNT.replace("load()", "load(1)")),
    ("in_step", STARTER, WHOLE, HUNT.replace("  store();\n", "  a();\n  b();\n  c();\n  d();\n"),
     "differs in 4 lines; at most 3"),
    ("in_step", STARTER, WHOLE, HUNT.replace("// TODO: do it.\n", "").replace("load()", "load(1)"),
     "no '// TODO' line"),
    ("in_step", STARTER, WHOLE, REWRITE, "already solved"),
    ("in_step", STARTER, WHOLE, REWRITE.replace("  store();\n", "  a();\n  b();\n  c();\n  d();\n")),
    ("in_step", STARTER, WHOLE, HEAD + '\n#include "sort.h"\n'),
)]
# fmt: on


class RulesTest(unittest.TestCase):
    root: Path

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.root = root = Path(temporary.name).resolve()
        names = " ".join(Path(name).name for name in RIGHT)  # so that no file is an orphan
        files = {**RIGHT, "docs/index.txt": f"{names} ch1_sort_naive more.md", "docs/more.md": "# index.txt\n"}
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        for program in (root / COMMAND, *(root / "build/bin").iterdir()):
            program.chmod(0o755)
        (root / ".clangd").write_text(check_editor.editor_settings(Workbook(root)), encoding="utf-8")
        subprocess.run(["git", "-C", str(root), "init", "--quiet"], check=True)
        (root / ".git/info/exclude").write_text("build/\n", encoding="utf-8")
        for rule in ("address", "evening"):
            cls.said_by(rule, wants_to_write=True)
        path = unittest.mock.patch.dict(os.environ, {"PATH": f"{root / 'build/bin'}:{os.environ['PATH']}"})
        path.start()
        cls.addClassCleanup(path.stop)

    @classmethod
    def said_by(cls, rule: str, wants_to_write: bool = False) -> list[str]:
        if rule in ("evening", "orphans", "words"):
            subprocess.run(["git", "-C", str(cls.root), "add", "--all"], check=True)
        workbook = Workbook(cls.root)
        if rule == "in_step":
            return list(filter(None, [check_starters.problem(read(cls.root / STARTER), read(cls.root / SOLUTION))]))
        with contextlib.redirect_stdout(io.StringIO()):
            in_a_build = check.IN_A_BUILD.get(rule)
            found = in_a_build(workbook, cls.root / "build") if in_a_build else check.RULES[rule](workbook)
            return check.messages(found, rule, wants_to_write)

    def said_with(self, row: Row) -> list[str]:
        file = self.root / row.file
        before = read(file) if file.is_file() else None
        text = before or ""
        self.assertTrue(not row.old or text.count(row.old) == 1, f"{row.file} does not have {row.old!r} once")
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
        run_programs = {"first_hour", "teachers_hour"}  # of a whole workbook
        rules = {*check.RULES, *check.IN_A_BUILD, "in_step"}
        self.assertEqual({row.rule for row in ROWS if row.message}, rules - run_programs)


class ReplayTest(unittest.TestCase):
    def test_an_overwritten_line_counts_once(self) -> None:
        ran = check_evening.run_in_terminal("printf a\\nfirst\\rsecond\\nhalf\\r\\nlast\\n", Path("/"))
        self.assertEqual((ran.exit_code, ran.lines), (0, ["a", "second", "last"]))

    def test_what_a_reader_sees_of_a_section(self) -> None:
        seen = "## Stage 01: one\none [two](a/b.md)\n### part\n"
        page = f"# A\n{seen}<!-- not this --> <details>nor\nthis</details>\n## Stage 02\nother\n"
        self.assertEqual(check_evening.words_in(section(page, "stage-01-one")), len(seen.split()))
        self.assertRaises(ValueError, section, page, "stage-03")

    def test_real_output_below_each_command(self) -> None:
        console = "$ a\nold\n\n$ b\nkept\n$ c\nold\n"
        real = {"a": "\nnew\nlines\n", "b": None, "c": ""}
        self.assertEqual(replayed(console, lambda command: real[command]), "$ a\nnew\nlines\n\n$ b\nkept\n$ c\n")


if __name__ == "__main__":
    unittest.main()
