"""nvcc refuses programs that the simulator runs: its sentence about the learner's line, and the fix."""

from __future__ import annotations

import io
import os
import sys
import time
import unittest
import unittest.mock
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from support import ROOT, FakeWorkbook, FolderTest

from cli.building.build_tree import BuildTree, processor_count
from cli.building.nvcc import find_nvcc
from cli.errors import BuildError
from cli.machine import nvcc_packages
from cli.machine.nvcc_packages import offer_nvcc
from cli.running.limited_run import Ended, run_limited
from cli.workbook import Workbook

WORKBOOK = Workbook(ROOT)
NVCC = find_nvcc(WORKBOOK, BuildTree(WORKBOOK, os.environ.get("WORKBOOK_SIMULATOR_TREE", "build"), "simulator"))
HOST_FUNCTION = "'{}' is a host function, and this is device code."
# The code before main(), its main(), and a part of the answer; empty for a program that nvcc accepts.
PROGRAMS = (
    ("#include <algorithm>\n__global__ void k(int* a) { *a = std::min(*a, 1); }", "", HOST_FUNCTION.format("std::min")),
    ("#include <array>\n__global__ void k(int* a) { std::array<int, 4> b; b[*a] = 1; }", "", "program.cu, line 2: calling a constexpr __host__ function(\"operator[]\")"),
    ("template <class F> __global__ void k(F f) { f(); }", "k<<<1, 1>>>([] {});", "closure type for a lambda"),
    ('__global__ void k() { printf("1"); }', "", 'identifier "printf" is undefined'),
    ("__device__ int total;", "return total;", 'a __device__ variable "total" cannot be directly read in a host function'),
    ("__constant__ int w[4];", "w[0] = 1;", 'a __constant__ variable "w" cannot be directly written in a host function'),
    ("__constant__ int w[4];\n__global__ void k() { w[0] = 1; }", "", "line 2: Cannot store to pointer that points to constant"),
    ("int f(int i) { return i; }\n__host__ __device__ int g(int i) { return f(i); }", "", HOST_FUNCTION.format("f(int)")),
    ("float w[4];\n__global__ void k(float* a) { *a = w[*(int*)a]; }", "", "'w' is a host variable, and this is device code."),
    ("__device__ int f() { return 1; }", "return f();", "'f' is a __device__ function, and this is host code."),
    ("__global__ void k(int* a) { __shared__ int b[20000]; b[*a] = 1; *a = b[1]; }", "", "'k(int*)' uses too much shared data"),
    ("#include <algorithm>\n__global__ void k(int* a) { std::sort(a, a + 9); }", "", HOST_FUNCTION.format("std::sort<int *> (T1, T1)")),
    ("#include <nosuch.h>", "", ""),  # a library that this Toolkit lacks
    ("#include <cstdio>\n__global__ void k() { printf(\"%d\", threadIdx.x); }", "k<<<1, 1>>>();", ""),
)


@unittest.skipUnless(NVCC, "needs an nvcc")
class RefusalTest(FolderTest):
    def refusal(self, number: int) -> BuildError | None:
        folder = self.folder / str(number)
        folder.mkdir()
        before, in_main, _ = PROGRAMS[number]
        source = folder / "program.cu"
        source.write_text(f"{before}\nint main() {{ {in_main} }}\n", encoding="utf-8")
        return NVCC.refusal(source, (), ROOT, lambda command, at, names: run_limited(command, at, names), folder)

    def test_each_program(self) -> None:
        with ThreadPoolExecutor(processor_count()) as executor:
            refusals = list(executor.map(self.refusal, range(len(PROGRAMS))))
        for (before, in_main, words), refusal in zip(PROGRAMS, refusals):
            with self.subTest(before, in_main=in_main):
                self.assertEqual(bool(refusal), bool(words), refusal)
                self.assertIn(words, refusal.advice.replace(f"{self.folder}/", "") if refusal else "")


    def test_what_it_accepts_is_not_compiled_again(self) -> None:
        source, record, started = self.folder / "program.cu", self.folder / "record.json", []

        def run(command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
            started.append(command)
            return run_limited(command, folder, environment)

        for text, starts in (("int i;", 1), ("int k;", 2)):
            source.write_text(text, encoding="utf-8")
            time.sleep(0.1)  # a file that is as new as the record could have changed since
            for _ in range(2):
                self.assertIsNone(NVCC.refusal(source, (), ROOT, run, self.folder, record=record))
                self.assertEqual(len(started), starts)


class CommandsTest(FakeWorkbook):
    """A learner's own file, k.cu, with an nvcc that refuses it."""

    def setUp(self) -> None:
        super().setUp()
        self.file = self.write_own_program(self.root / "k.cu", "echo ran")

    def refuse(self) -> None:
        """nvcc refuses k.cu, and not the small program with which it is tried."""
        self.write_tool("nvcc", f'for word; do [ "$word" != "{self.file}" ] || {{ echo "$word(2): error: no GPU has it"; exit 1; }}; done')

    def test_check_and_run_of_an_own_file(self) -> None:
        self.assertEqual(self.workbook("check", "k.cu", cwd=self.root).returncode, 0)
        self.refuse()
        for command in ("check", "run"):
            with self.subTest(command):
                result = self.ends(4, command, "k.cu", cwd=self.root)
                self.assertIn("Fix k.cu, line 2: no GPU has it\nThe simulator's compiler accepts this code", result.stderr)
                self.assertNotIn("passes", result.stdout)


class OfferTest(FolderTest):
    def offered(self, typed: str, **environment: str) -> str:
        """The output of an offer on a terminal."""
        shown, typing = Terminal(), Terminal(typed)
        environment = {"WORKBOOK_NO_INSTALL": "0", **environment}
        install = unittest.mock.patch.object(nvcc_packages, "install_packages")
        with unittest.mock.patch.dict(os.environ, environment), install as self.installed:
            with unittest.mock.patch.multiple(sys, stdin=typing, stdout=shown):
                offer_nvcc(self.folder)
        return shown.getvalue()

    def test_a_no_is_remembered(self) -> None:
        for environment in ({"WORKBOOK_NO_INSTALL": "1"}, {}):
            self.assertEqual("(130 MB to download" in self.offered("\n", **environment), not environment)
        self.assertEqual(self.offered("y\n"), "")
        self.installed.assert_not_called()

    def test_a_yes_installs(self) -> None:
        self.offered("y\n")
        self.installed.assert_called_once()

    def test_no_question_without_a_terminal(self) -> None:
        with unittest.mock.patch.object(Terminal, "isatty", lambda _: False):
            self.assertEqual(self.offered("y\n"), "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


if __name__ == "__main__":
    unittest.main()
