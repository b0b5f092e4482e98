"""The screening of an answer's object: its machine code, and the library functions that its kernels reach.

The pieces are rewritten and compiled as answers are, with the simulator's header of launches alone.
"""

from __future__ import annotations

import subprocess
import sys
import unittest
from pathlib import Path

from pieces import Pieces, Row
from support import ROOT, FolderTest

from cli.checking.screening.call_graph import check_calls
from cli.checking.screening.code_listing import LISTING_COMMANDS, Place, line_words, read_listing
from cli.checking.screening.machine_code import SYSTEM_CALLS, check_machine_code

_HEADERS = '#include "simulator/traced_memory.h"\n#include "simulator/launch.h"\n'
_OPTIONS = (
    *("-std=c++17", "-O1", "-g1", "-gdwarf-4", "-w", "-fno-pie", "-U_FORTIFY_SOURCE"),
    *("-fno-optimize-sibling-calls", "-fno-builtin-memcpy"),
)
_HEADERS_OF_TEXT = "".join(f"#include <{name}>\n" for name in ("charconv", "cstdio", "cstdlib", "cstring", "string"))
_LAUNCH = "void launch(char* a, const char* b, int n) { k<<<1, 2>>>(a, b); }\n"


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
        commands = (("objdump", "--syms", "--wide"), *LISTING_COMMANDS)
        table, *code = (self.output(*command, compiled) for command in commands)
        listing = read_listing(table, *code, also_with=tuple(SYSTEM_CALLS))

        def line(place: Place) -> str:
            command = ("addr2line", "-i", "-e", compiled, "-j", place.section, hex(place.offset))
            return line_words(self.output(*command), source)

        def plain(name: str) -> str:
            return self.output("c++filt", "--", name).strip()

        check_machine_code(listing, line, plain)
        check_calls(listing, line, plain, lambda section: self.output("objdump", "-s", "-j", section, compiled))

    def output(self, *command: str | Path) -> str:
        return subprocess.run([*map(str, command)], stdout=subprocess.PIPE, text=True, check=True).stdout

    def try_piece(self, row: Row, kind: str, text: str) -> None:
        """kind: a statement of a kernel, arguments of its printf, or code with a kernel that is launched."""
        if kind == "print":
            text = f'#include <cstdio>\n__global__ void k(char*, const char*) {{ printf({text}); }}'
        elif kind == "kernel":
            inner = f"__device__ void inner(char* a, const char* b) {{ {text}; }}\n"
            text = f"{_HEADERS_OF_TEXT}{inner}__global__ void k(char* a, const char* b) {{ inner(a, b); }}"
        self.judged(row, f"{text}\n{_LAUNCH}" if kind else f"{text}\n")


class ListingTest(unittest.TestCase):
    def test_code_for_arm(self) -> None:
        code = (
            "Disassembly of section .text:\n\n0000000000000000 <f>:\n"
            "   0:\t10000041 \tadr\tx1, 8 <f+0x8>\n"
            "   4:\td61f0020 \tbr\tx1\n"
            "   8:\t94000000 \tbl\t0 <strncpy>\t8: R_AARCH64_CALL26\tstrncpy\n"
        )
        listing = read_listing("0000000000000000 g     F .text\t000000000000000c f\n", code, "")
        position, jump, call = listing.functions[Place(".text", 0)].instructions
        self.assertEqual(position.references[0].places, (Place(".text", 8),))
        self.assertTrue(jump.is_through_pointer and call.is_call)
        self.assertEqual(call.references[0].name, "strncpy")
        check_machine_code(listing, lambda place: "", str)
