"""The screening of an answer's machine code.

The pieces are rewritten and compiled as answers are, with the simulator's header of launches alone.
"""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from pieces import Pieces
from support import ROOT, FolderTest

from cli.checking.screening.code_listing import LISTING_COMMAND, Place, line_words, read_listing
from cli.checking.screening.machine_code import SYSTEM_CALLS, check_machine_code

_HEADERS = '#include "simulator/traced_memory.h"\n#include "simulator/launch.h"\n'
_OPTIONS = (
    *("-std=c++17", "-O1", "-g1", "-gdwarf-4", "-w", "-fno-pie", "-U_FORTIFY_SOURCE"),
    *("-fno-optimize-sibling-calls", "-fno-builtin-memcpy"),
)


class CodeTest(Pieces, FolderTest):
    section = "code"

    def check(self, text: str, *options: str) -> None:
        """Raises Refused as the screening of an answer with this text does."""
        source, rewritten, compiled = self.put("ex1.cu", text), self.folder / "answer.cpp", self.folder / "answer.o"
        self.put("stubs/simulator/compiled_by_nvcc.h", _HEADERS)
        translate, headers = ROOT / "common/simulator/translate", ROOT / "common/simulator/include"
        self.output(sys.executable, "-S", translate / "rewrite_cuda.py", source, rewritten)
        wrapper = f"{sys.executable},-E,-s,-S,{translate}/traced_assembly.py"
        folders = (f"-I{self.folder}/stubs", f"-I{headers}")
        self.output("g++", "-c", *_OPTIONS, *options, "-wrapper", wrapper, *folders, rewritten, "-o", compiled)
        code = self.output(*LISTING_COMMAND, compiled)

        def line(place: Place) -> str:
            command = ("addr2line", "-i", "-e", compiled, "-j", place.section, hex(place.offset))
            return line_words(self.output(*command), source)

        check_machine_code(read_listing(code, also_with=tuple(SYSTEM_CALLS)), line)

    def output(self, *command: str | Path) -> str:
        return subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, check=True).stdout


class ListingTest(unittest.TestCase):
    def test_code_for_arm(self) -> None:
        code = (
            "Disassembly of section .text:\n\n0000000000000000 <f>:\n"
            "   0:\t10000041 \tadr\tx1, 8 <f+0x8>\n"
            "   4:\td61f0020 \tbr\tx1\n"
            "   8:\t94000000 \tbl\t0 <strncpy>\t8: R_AARCH64_CALL26\tstrncpy\n"
        )
        jump, call = read_listing(code)
        self.assertTrue(jump.is_through_pointer and call.is_branch)
        self.assertEqual(call.symbols, ("strncpy",))
        check_machine_code([jump, call], lambda place: "")
