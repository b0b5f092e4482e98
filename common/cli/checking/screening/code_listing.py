"""The code of an object file as objdump prints it: the instructions that matter to machine_code.py.

An answer determines its names (C++ identifiers of any length) and the amount of code. Lines of any other form are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# The command whose output read_listing() reads, without the file. It also prints code bytes that are zero.
LISTING_COMMAND = ("objdump", "--disassemble", "--disassemble-zeroes", "--reloc", "--wide")
_HEADING = re.compile(r"Disassembly of section (\S+):\Z")
_BRANCH = re.compile(r"(?:call|j\w+|bl?|b\.\w+|cbn?z|tbn?z) +[^ *]")
_THROUGH_POINTER = re.compile(r"(?:call|jmp) +\*|blr |br ")
_SYMBOL = re.compile(r"\S+?(?=(?:[+-]0x[0-9a-f]+)?\Z)")


class Place(NamedTuple):
    """A position in a section of the object."""

    section: str
    offset: int


class Instruction(NamedTuple):
    place: Place
    code: bytes
    text: str  # without prefixes
    symbols: tuple[str, ...]  # to which it refers

    @property
    def is_branch(self) -> bool:
        """Whether it is a call or jump to a fixed position."""
        return _BRANCH.match(self.text) is not None

    @property
    def is_through_pointer(self) -> bool:
        return _THROUGH_POINTER.match(self.text) is not None


def read_listing(code: str, also_with: tuple[bytes, ...] = ()) -> list[Instruction]:
    """code: what LISTING_COMMAND prints. Returns the instructions that refer to a symbol, go through a pointer, or contain
    bytes of also_with.
    """
    return [
        instruction
        for instruction in _instructions(code)
        if instruction.symbols or instruction.is_through_pointer or any(wanted in instruction.code for wanted in also_with)
    ]


def line_words(lines: str, source: Path) -> str:
    """The source line of an instruction, as in " in line 12", from what `addr2line --inlines` prints: the innermost
    line of `source`, or of the file that contains the instruction. Empty if there is none.
    """
    found = re.findall(r"^(.*):(\d+)(?: \(discriminator \d+\))?$", lines, re.MULTILINE)
    for file, line in found:
        if file == str(source):
            return f" in line {line}"
    return f" in line {found[0][1]} of {Path(found[0][0]).name}" if found else ""


def _instructions(code: str) -> Iterator[Instruction]:
    section = ""
    for line in code.splitlines():
        parts = line.split("\t")
        if len(parts) < 3:
            if heading := _HEADING.match(line):
                section = heading[1]
            continue
        try:
            place, code_bytes = Place(section, int(parts[0][:-1], 16)), bytes.fromhex(parts[1])
        except ValueError:
            continue
        # On Arm the operands are a part of their own. Relocations follow: "8: R_X86_64_PLT32", "f-0x4".
        number = next((number for number in range(3, len(parts)) if ": R_" in parts[number]), len(parts))
        text = " ".join(parts[2:number]).removeprefix("bnd ").removeprefix("notrack ")
        symbols = tuple(match[0] for match in map(_SYMBOL.match, parts[number + 1 :: 2]) if match)
        yield Instruction(place, code_bytes, text, symbols)
