"""docs/own_programs.md: its commands print the documented output, with the real compiler."""

from __future__ import annotations

import os
import re
import unittest
from pathlib import Path
from unittest import mock

from support import ROOT, built_traced, ended, folder_of, needs_simulator, simulator_tree

from cli.building.own_program import OwnProgram
from cli.verdicts.own_check import check_own, own_check_words
from cli.workbook import Workbook

PAGE = ROOT / "docs/own_programs.md"
_SOURCE = re.compile(r"^```cuda total\.cu\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_OUTPUT = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RACY, _ATOMIC = "*total += x[i];", "atomicAdd(total, x[i]);"
_FREED = "  cudaFree(x);\n  cudaFree(total);\n}\n"


@needs_simulator
class PageTest(unittest.TestCase):
    maxDiff = None

    def setUp(self) -> None:
        before = os.getcwd()
        os.chdir(folder_of(self))
        self.addCleanup(os.chdir, before)
        self.program = OwnProgram((Path.cwd() / "total.cu",))

    def check(self, source: str) -> str:
        """The command's output without the lines about the build."""
        self.program.source.write_text(source, encoding="utf-8")
        with mock.patch.dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm"):
            executable, _ = ended(built_traced, self.program, self.addCleanup)
            words = own_check_words(check_own(self.program, executable, [], Workbook(ROOT)), "total.cu")
        return f"$ ./workbook check total.cu\nChecking total.cu\n{words}\n"

    def test_the_page_has_the_printed_output(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        source = _SOURCE.search(page)[1]
        shown = _OUTPUT.findall(page)
        self.assertIn(_RACY, source)
        without_race = source.replace(_RACY, _ATOMIC)
        for number, text in enumerate((source, without_race)):
            with self.subTest(number):
                start, dots, _ = shown[number].partition("...\n")
                self.assertEqual(start, self.check(text)[: len(start) if dots else None])
        last = self.check(without_race[: without_race.rindex("}")] + _FREED)
        self.assertIn("total.cu passes, with a question.", last, "the question stays and the error does not")

    def test_warnings_of_the_compiler(self) -> None:
        self.check('#include <cstdio>\n__global__ void k() {}\nint main() {\n  k<<<1, 1>>>();\n  printf("%d\\n");\n}\n')
        [warning] = self.program.warnings(simulator_tree())
        sentence, line = warning.split("\n")
        self.assertIn("The compiler warns about line 5: format '%d' expects a matching 'int' argument", sentence)
        self.assertEqual(line, '     5 |   printf("%d\\n");')
