"""The C++ that is generated from mistakes."""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/mistakes", "common", "common/simulator/translate")]

import make_units
from interface import Function, declared_functions

_HEADER = """\
#pragma once

#include "layout.h"

#include <cuda_runtime.h>

// copy(x) is y. Not a function: void none(int n);
void copy(const float* d_x, Pair<int, float>& d_y, int n = 1,
          cudaStream_t stream = nullptr);

struct Pair {
  int sum() const;
};
constexpr int kMax = twice(21);
inline int twice(int n) { return 2 * n; }
template <typename T>
void each(T value);
using Function = void(int);
int reference(int n);
"""
_LAYOUT = "#pragma once\nstd::vector<Pair<int, int>> layout();\n"
_STAGE = """\
#include "copy.h"

#include "common/cuda_check.h"

#include <cstddef>
// #include <none>

__global__ void copy_kernel(const float* x) {}

void copy(const float* d_x, Pair<int, float>& d_y, int n,
          cudaStream_t stream) {
  copy_kernel<<<1, n, 0, stream>>>(d_x);
}

std::vector<Pair<int, int>> layout() { return {}; }
"""
_MISTAKES = """\
== one_block: 01_copy.cu
One thread too few.
rejected by: test=MatchesReference
@@
-  copy_kernel<<<1, n, 0, stream>>>(d_x);
+  copy_kernel<<<1, n - 1, 0, stream>>>(d_x);

== no_launch: 01_copy.cu
Launches nothing.
rejected by: test=MatchesReference
@@
-  copy_kernel<<<1, n, 0, stream>>>(d_x);

== rewritten: 01_copy.cu
Something else.
rejected by: test=MatchesReference
whole file: mistakes/rewritten.cu

== elsewhere: 02_other.cu
Another operation's.
rejected by: test=MatchesReference
@@
-nothing
"""
_REWRITTEN = """\
#include "copy.h"

#include <cmath>

void copy(const float*, Pair<int, float>&, int, cudaStream_t) {}
std::vector<Pair<int, int>> layout() { return {}; }
"""


_WEAK = "[[gnu::weak]] "


class DeclaredFunctions(unittest.TestCase):
    def test_functions_that_a_header_only_declares(self) -> None:
        copy, reference = declared_functions(_HEADER)
        parameters = ("const float* d_x", "Pair<int, float>& d_y", "int n", "cudaStream_t stream")
        self.assertEqual(copy, Function("void", "copy", parameters))
        self.assertEqual(copy.declaration, f"void copy({', '.join(parameters)})")
        self.assertEqual(copy.arguments, "d_x, d_y, n, stream")
        self.assertEqual(reference, Function("int", "reference", ("int n",)))

    def test_result_of_a_template(self) -> None:
        self.assertEqual(declared_functions(_LAYOUT), [Function("std::vector<Pair<int, int>>", "layout", ())])

    def test_definitions(self) -> None:
        copy, reference = declared_functions(_HEADER)
        self.assertTrue(copy.is_defined_in(_STAGE))
        self.assertFalse(reference.is_defined_in(_STAGE))
        self.assertFalse(copy.is_defined_in("// void copy(int) {\nvoid run() { copy(x); }\nvoid no_copy() {}\n"))


class MakeFiles(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.chapter = self.root / "chapters" / "ch9_copy"
        self.tests = self.root / "tests" / "ch9_copy"
        self.output = self.root / "output"
        for part in (self.chapter, self.tests / "mistakes", self.output):
            part.mkdir(parents=True)
        (self.chapter / "copy.h").write_text(_HEADER)
        (self.chapter / "layout.h").write_text(_LAYOUT)
        (self.chapter / "01_copy.cu").write_text(_STAGE)
        (self.tests / "mistakes.txt").write_text(_MISTAKES)
        (self.tests / "mistakes" / "rewritten.cu").write_text(_REWRITTEN)

    def make(self, *stages: str) -> tuple[int, str]:
        words = io.StringIO()
        files = [str(self.chapter / stage) for stage in stages or ("01_copy.cu",)]
        with unittest.mock.patch.object(make_units, "ROOT", self.root), contextlib.redirect_stderr(words):
            exit_code = make_units.main([str(self.tests / "mistakes.txt"), str(self.output), "2", *files])
        return exit_code, words.getvalue()

    def made(self, name: str) -> str:
        return (self.output / name).read_text()

    def test_lines_are_numbered_as_in_the_spoiled_file(self) -> None:
        self.make()
        unit = self.made("unit_1.cpp")
        stage = unit[unit.index(f'#line 1 "{self.chapter / "01_copy.cu"}"\n') :].split("\n")
        self.assertEqual(stage[8], "__global__ void copy_kernel(const float* x) {}")
        self.assertIn(f'#line 1 "{self.tests / "mistakes" / "rewritten.cu"}"\n', unit)

    def test_files_that_were_read_are_listed(self) -> None:
        self.make()
        listed = self.made("units.d")
        self.assertTrue(listed.startswith(f"{self.output / 'choice.cpp'}: "))
        for file in ("mistakes.txt", "01_copy.cu", "mistakes/rewritten.cu", "copy.h", "layout.h"):
            self.assertIn(f"{file} ", listed.replace("\n", " "))

    def test_what_is_refused(self) -> None:
        stage, whole = self.chapter / "01_copy.cu", self.tests / "mistakes" / "rewritten.cu"
        for file, text, message in (
            (stage, _STAGE.replace("1, n, 0", "2, n, 0"), "mistakes.txt:4: one_block: the edit does not apply"),
            (stage, f"{_STAGE}void more() {{ copy_kernel<<<1, 2; }}\n", "this '<<<' has no '>>>'"),
            (whole, _REWRITTEN.replace("layout()", "other()"), "mistakes.txt:14: rewritten: it does not define layout(), but other mistakes do."),
            (self.chapter / "copy.h", "#pragma once\n", "the headers of the chapter that it includes declare none of its functions."),
        ):
            before = file.read_text()
            with self.subTest(message):
                file.write_text(text)
                exit_code, words = self.make()
                self.assertEqual(exit_code, 1)
                self.assertIn(message, words)
            file.write_text(before)
        self.assertIn("mistakes.txt has no mistake in any of: 03_none.cu", self.make("03_none.cu")[1])

    def write_facts(self, file: str, pair: str, weak: str = "") -> None:
        path = self.chapter / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(f'#include "copy.h"\n\n{weak}std::vector<Pair<int, int>> layout() {{ return {{{pair}}}; }}\n')

    def test_functions_that_a_stage_leaves_out(self) -> None:
        own = "std::vector<Pair<int, int>> layout() { return {}; }\n"
        (self.chapter / "01_copy.cu").write_text(_STAGE.replace(own, ""))
        self.write_facts("copy.cpp", "{1, 2}", _WEAK)
        self.assertEqual(self.make(), (0, ""))
        unit = self.made("unit_1.cpp")  # one_block, and rewritten, which defines its layout
        self.assertEqual(unit.count("layout() {"), 2)
        self.assertEqual(unit.count("return {{1, 2}};"), 1)
        self.assertIn("/copy.cpp", self.made("units.d"))
        self.write_facts("stage_facts/01_copy.cpp", "{3, 4}")
        self.make()
        self.assertIn("return {{3, 4}};", self.made("unit_2.cpp"))


if __name__ == "__main__":
    unittest.main()
