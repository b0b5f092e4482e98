"""The code of an object file as objdump prints it: functions, and the instructions and data that refer to something.

An answer determines its names (C++ identifiers of any length) and the amount of code. Lines of any other form are
skipped.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

# The commands whose output read_listing() reads, without the file. They also print code bytes that are zero.
LISTING_COMMANDS = (
    ("objdump", "--disassemble", "--disassemble-zeroes", "--reloc", "--wide"),
    ("objdump", "--reloc", "--wide"),
)
_MAX_NAME = 300  # characters
_STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >"
_SYMBOL = re.compile(r"([0-9a-f]+) (.{7}) ([^\t]+)\t([0-9a-f]+) (?:\.(?:hidden|protected|internal) )?(\S+)\Z")
_HEADING = re.compile(r"(?:Disassembly of section (\S+):|RELOCATION RECORDS FOR \[(\S+)\]:)\Z")
_VALUE = re.compile(r"(\S+?)(?:([+-])0x([0-9a-f]+))?\Z")
_BRANCH = re.compile(r"(?:call|j\w+|bl?|b\.\w+|cbn?z|tbn?z) +[^ *]")
_CALL = re.compile(r"(?:call|blr?)\b")
_THROUGH_POINTER = re.compile(r"(?:call|jmp) +\*|blr |br ")
_TARGET = re.compile(r"(?:.*[ ,])?([0-9a-f]+) <")
_RELATIVE = re.compile(r"PC|PLT|GOTTPOFF|TLSGD|TLSLD|PREL")
# Nothing is called through these sections: they are for debuggers, exceptions and the start of the program, which
# object_file.py checks.
_NOT_CALLED = (".debug_", ".eh_frame", ".gcc_except_table", ".init_array", ".note", ".text")


class Place(NamedTuple):
    """A position in a section of the object."""

    section: str
    offset: int


class Reference(NamedTuple):
    """An address in an instruction or in data."""

    name: str  # of the symbol; empty for a position in the same section
    places: tuple[Place, ...]  # where it is: none for a symbol of another file, several if several have the name
    is_relative: bool  # a distance and not an address


class Instruction(NamedTuple):
    place: Place
    code: bytes
    text: str  # without prefixes
    references: tuple[Reference, ...]

    @property
    def is_call(self) -> bool:
        return _CALL.match(self.text) is not None

    @property
    def is_branch(self) -> bool:
        """Whether it is a call or jump to a fixed position."""
        return _BRANCH.match(self.text) is not None

    @property
    def is_through_pointer(self) -> bool:
        return _THROUGH_POINTER.match(self.text) is not None


@dataclass
class Function:
    name: str
    place: Place
    instructions: list[Instruction] = field(default_factory=list)


class DataReference(NamedTuple):
    place: Place
    reference: Reference


@dataclass
class Listing:
    functions: dict[Place, Function] = field(default_factory=dict)  # by their starts
    data: list[DataReference] = field(default_factory=list)
    variables: dict[str, list[tuple[int, int, str]]] = field(default_factory=lambda: defaultdict(list))
    """The begin, end and name of each variable, by section."""
    symbols: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    code_sections: set[str] = field(default_factory=set)
    _starts: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add_symbols(self, table: str) -> None:
        for match in filter(None, map(_SYMBOL.match, table.splitlines())):
            value, flags, section, size, name = match.groups()
            if section in ("*UND*", "*ABS*", "*COM*"):
                continue
            place = Place(section, int(value, 16))
            self.symbols[name].append(place)
            if "F" in flags:
                self.functions.setdefault(place, Function(name, place))
            elif "O" in flags:
                self.variables[section].append((place.offset, place.offset + int(size, 16), name))
        for place in self.functions:
            self._starts[place.section].append(place.offset)
        for sorted_by_begin in (*self._starts.values(), *self.variables.values()):
            sorted_by_begin.sort()

    def function_at(self, place: Place) -> Function | None:
        """The function that contains a position; None in a section without functions."""
        starts = self._starts.get(place.section)
        if not starts:
            return None
        number = max(0, bisect.bisect_right(starts, place.offset) - 1)
        return self.functions[Place(place.section, starts[number])]

    def is_inside_function(self, place: Place) -> bool:
        """Whether a position is in code, but not the start of a function."""
        return place.section in self.code_sections and place not in self.functions

    def variable_at(self, place: Place) -> str:
        """The name of the variable that contains a position; empty if none does."""
        variables = self.variables.get(place.section, [])
        number = bisect.bisect_right(variables, (place.offset, 1 << 64, "")) - 1
        return variables[number][2] if number >= 0 and place.offset < variables[number][1] else ""

    def instructions(self) -> Iterator[tuple[Function, Instruction]]:
        for function in self.functions.values():
            for instruction in function.instructions:
                yield function, instruction


def read_listing(symbol_table: str, code: str, relocations: str, also_with: tuple[bytes, ...] = ()) -> Listing:
    """symbol_table: `objdump --syms --wide`; code and relocations: what LISTING_COMMANDS print.

    The listing has the instructions that refer to a function or to data, go through a pointer, or contain bytes of
    also_with.
    """
    listing = Listing()
    listing.add_symbols(symbol_table)
    for instruction in _instructions(code, listing, also_with):
        function = listing.function_at(instruction.place)
        if function:
            function.instructions.append(instruction)
    listing.data = list(_data(relocations, listing))
    return listing


def read_contents(dump: str) -> bytes:
    """The bytes of a section, from what `objdump --full-contents` prints."""
    lines = re.findall(r"^ [0-9a-f]+ ((?:[0-9a-f]+ ){1,4})", dump, re.MULTILINE)
    return b"".join(bytes.fromhex(line) for line in lines)


def function_name(plain: str) -> str:
    """The name in the plain text of a function, without types, and not too long for a message."""
    depth, text = 0, ""
    for part in re.split(r"([<>()])", plain.replace("(anonymous namespace)::", "").replace(_STRING, "std::string")):
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(part, 0)
        text += part if depth <= 0 and part not in (">", ")") else ""
    words = [word for word in text.split() if word != "const"]
    return re.sub(r"\A__isoc\d+_", "", words[-1])[:_MAX_NAME] if words else ""


def line_words(lines: str, source: Path) -> str:
    """The source line of an instruction, as in " in line 12", from what `addr2line --inlines` prints: the innermost
    line of `source`, or of the file that contains the instruction. Empty if there is none.
    """
    found = re.findall(r"^(.*):(\d+)(?: \(discriminator \d+\))?$", lines, re.MULTILINE)
    for file, line in found:
        if file == str(source):
            return f" in line {line}"
    return f" in line {found[0][1]} of {Path(found[0][0]).name}" if found else ""


def _instructions(code: str, listing: Listing, also_with: tuple[bytes, ...]) -> Iterator[Instruction]:
    section = ""
    for line in code.splitlines():
        parts = line.split("\t")
        if len(parts) < 3:
            if heading := _HEADING.match(line):
                section = heading[1]
                listing.code_sections.add(section)
            continue
        try:
            place, code_bytes = Place(section, int(parts[0][:-1], 16)), bytes.fromhex(parts[1])
        except ValueError:
            continue
        # On Arm the operands are a part of their own.
        number = next((number for number in range(3, len(parts)) if ": R_" in parts[number]), len(parts))
        text = " ".join(parts[2:number]).removeprefix("bnd ").removeprefix("notrack ")
        end = place.offset + len(code_bytes)
        words = zip(parts[number::2], parts[number + 1 :: 2])
        references = tuple(reference for where, value in words for reference in _reference(where, value, end, listing))
        if not references and "<" in text and (target := _TARGET.match(text)):
            references = (Reference("", (Place(section, int(target[1], 16)),), False),)
        if references or _THROUGH_POINTER.match(text) or any(wanted in code_bytes for wanted in also_with):
            yield Instruction(place, code_bytes, text, references)


def _data(relocations: str, listing: Listing) -> Iterator[DataReference]:
    section = ""
    for line in relocations.splitlines():
        if heading := _HEADING.match(line):
            section = heading[2]
        words = line.split()
        if len(words) == 3 and not section.startswith(_NOT_CALLED):
            for reference in _reference(f"{words[0]}: {words[1]}", words[2], None, listing):
                yield DataReference(Place(section, int(words[0], 16)), reference)


def _reference(where: str, value: str, end: int | None, listing: Listing) -> Iterator[Reference]:
    """The reference of a relocation, "offset: type" and value. end: of the instruction that contains it, because a
    processor adds a distance to that address.
    """
    offset, _, kind = where.partition(": ")
    match = _VALUE.match(value)
    if not match or not kind.startswith("R_"):
        return
    is_relative = _RELATIVE.search(kind) is not None
    bias = end - int(offset, 16) if is_relative and end is not None and kind.startswith("R_X86_64_") else 0
    addend = int(match[3] or "0", 16) * (-1 if match[2] == "-" else 1) + bias
    places = tuple(Place(section, begin + addend) for section, begin in listing.symbols.get(match[1], ()))
    yield Reference(match[1], places, is_relative)
