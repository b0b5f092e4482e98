"""The code of an object file as objdump shows it: functions, their instructions, and what each address refers to.

The text is the answer's to shape, except for its form: names are C++ identifiers of any length. A line that has another
form is skipped.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

# The commands whose output `read_listing` reads, without the file. -z also shows bytes that are zero.
LISTING_COMMANDS = (
    ("objdump", "--disassemble", "--disassemble-zeroes", "--reloc", "--wide"),
    ("objdump", "--reloc", "--wide"),
)
_SYMBOL = re.compile(r"([0-9a-f]+) (.{7}) ([^\t]+)\t([0-9a-f]+) (?:\.(?:hidden|protected|internal) )?(\S+)\Z")
_CODE_SECTION = re.compile(r"Disassembly of section (\S+):\Z")
_DATA_SECTION = re.compile(r"RELOCATION RECORDS FOR \[(\S+)\]:\Z")
_INSTRUCTION = re.compile(r" *([0-9a-f]+):\t([0-9a-f ]+)(?:\t([^\t]*))?((?:\t[^\t]*)*)\Z")
_RELOCATION = re.compile(r"([0-9a-f]+):? +?(R_\w+) *\Z")
_VALUE = re.compile(r"(\S+?)(?:([+-])0x([0-9a-f]+))?\Z")
# Sections that refer to code, but are not used to call it: they are for debuggers and for exceptions.
_NOT_CALLED = (".debug_", ".eh_frame", ".gcc_except_table", ".init_array", ".note", ".text")
_TARGET = re.compile(r"(?:b|bl|b\.\w+|cbn?z|tbn?z|call|j\w+)\s+(?:[^<]*[, ])?([0-9a-f]+) <")
_BRANCH = re.compile(r"(?:(?:notrack|bnd) )*(?:call|j\w+|bl?|b\.\w+|cbn?z|tbn?z)\Z")


@dataclass(frozen=True)
class Place:
    """A position in a section of the object."""

    section: str
    offset: int


@dataclass(frozen=True)
class Reference:
    """An address in an instruction or in data: of a function or variable elsewhere (`name`), or a place in the object."""

    name: str
    places: tuple[Place, ...]  # none for a name from elsewhere; several if the object has several symbols of the name
    is_relative: bool = False  # to its own address, in data: what it refers to is not known


@dataclass(frozen=True)
class Instruction:
    place: Place
    code: bytes
    text: str
    references: tuple[Reference, ...]

    @property
    def is_call(self) -> bool:
        return re.match(r"(?:(?:notrack|bnd) )?(?:call|blr?)\b", self.text) is not None

    @property
    def is_branch(self) -> bool:
        """Whether it is a call or a jump to a fixed place: only the compiler decides where it goes."""
        return _BRANCH.match(self.text.partition(" ")[0]) is not None and "*" not in self.text

    @property
    def is_through_pointer(self) -> bool:
        return re.match(r"(?:(?:notrack|bnd) )?(?:call|jmp) +\*|bl?r ", self.text) is not None


@dataclass
class Function:
    name: str
    place: Place
    instructions: list[Instruction] = field(default_factory=list)


@dataclass(frozen=True)
class DataReference:
    place: Place
    reference: Reference


@dataclass
class Listing:
    """Functions and data of an object. `symbols`: the places of its names."""

    functions: list[Function]
    data: list[DataReference]
    variables: dict[str, list[tuple[int, int, str]]]  # by section: begin, end and name of each
    code_sections: frozenset[str]
    _starts: dict[str, list[int]]
    _by_place: dict[Place, Function]

    def function_at(self, place: Place) -> Function | None:
        """The function that contains a place of the code."""
        starts = self._starts.get(place.section, [])
        number = bisect.bisect_right(starts, place.offset) - 1
        return self._by_place[Place(place.section, starts[number])] if number >= 0 else None

    def is_start(self, place: Place) -> bool:
        return place in self._by_place

    def variable_at(self, place: Place) -> str:
        """The name of the variable that contains a place; empty if none does."""
        variables = self.variables.get(place.section, [])
        number = bisect.bisect_right(variables, (place.offset, 1 << 64, "")) - 1
        return variables[number][2] if number >= 0 and place.offset < variables[number][1] else ""

    def instructions(self) -> Iterator[tuple[Function, Instruction]]:
        for function in self.functions:
            for instruction in function.instructions:
                yield function, instruction


def read_listing(symbol_table: str, code: str, relocations: str) -> Listing:
    """symbol_table: `objdump --syms --wide`; code and relocations: what LISTING_COMMANDS print."""
    symbols: dict[str, list[Place]] = defaultdict(list)
    variables: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    by_place: dict[Place, Function] = {}
    for value, flags, section, size, name in _symbols(symbol_table):
        place = Place(section, value)
        symbols[name].append(place)
        if "F" in flags:
            by_place.setdefault(place, Function(name, place))
        elif "O" in flags:
            variables[section].append((value, value + size, name))
    starts: dict[str, list[int]] = defaultdict(list)
    for place in by_place:
        starts[place.section].append(place.offset)
    for offsets in starts.values():
        offsets.sort()
    listing = Listing([], [], {name: sorted(them) for name, them in variables.items()}, frozenset(), starts, by_place)
    sections = set()
    for instruction in _instructions(code, symbols):
        sections.add(instruction.place.section)
        function = listing.function_at(instruction.place)
        if function is None:  # code in front of the first function
            function = by_place[Place(instruction.place.section, -1)] = Function("", Place(instruction.place.section, -1))
            starts[instruction.place.section].insert(0, -1)
        function.instructions.append(instruction)
    listing.functions = list(by_place.values())
    listing.code_sections = frozenset(sections)
    listing.data = list(_data(relocations, symbols))
    return listing


def line_words(lines: str, source: Path) -> str:
    """The source line of an instruction, as in " in line 12", from what `addr2line --inlines` prints: the innermost line
    of `source`, or of the file that contains the instruction. Empty if there is none.
    """
    found = re.findall(r"^(.*):(\d+)(?: \(discriminator \d+\))?$", lines, re.MULTILINE)
    for file, line in found:
        if file == str(source):
            return f" in line {line}"
    return f" in line {found[0][1]} of {Path(found[0][0]).name}" if found else ""


def _symbols(table: str) -> Iterator[tuple[int, str, str, int, str]]:
    for line in table.splitlines():
        match = _SYMBOL.match(line)
        if match and match[3] not in ("*UND*", "*ABS*", "*COM*"):
            yield int(match[1], 16), match[2], match[3], int(match[4], 16), match[5]


def _instructions(code: str, symbols: dict[str, list[Place]]) -> Iterator[Instruction]:
    section = ""
    for line in code.splitlines():
        if heading := _CODE_SECTION.match(line):
            section = heading[1]
        match = _INSTRUCTION.match(line)
        if not match:
            continue
        offset, code_bytes, text = int(match[1], 16), _bytes(match[2]), match[3] or ""
        references = []
        words = match[4].split("\t")[1:]
        for kind, value in zip(words[::2], words[1::2]):
            relocation = _RELOCATION.match(kind)
            if relocation:
                field_offset = int(relocation[1], 16)
                is_relative = re.search(r"PC32|PLT32|GOTPC|GOTTPOFF|TLSGD|TLSLD", relocation[2]) is not None
                bias = offset + len(code_bytes) - field_offset if is_relative else 0
                references.append(_reference(value, symbols, bias))
        target = _TARGET.match(text)
        if target and not references:
            references.append(Reference("", (Place(section, int(target[1], 16)),)))
        yield Instruction(Place(section, offset), code_bytes, text, tuple(references))


def _bytes(text: str) -> bytes:
    words = text.split()
    # Arm's instructions are printed as words, whose lowest byte comes first.
    return b"".join(bytes.fromhex(word)[:: 1 if len(word) == 2 else -1] for word in words if len(word) % 2 == 0)


def _data(relocations: str, symbols: dict[str, list[Place]]) -> Iterator[DataReference]:
    section = ""
    for line in relocations.splitlines():
        if heading := _DATA_SECTION.match(line):
            section = heading[1]
        words = line.split()
        if len(words) == 3 and words[1].startswith("R_") and not section.startswith(_NOT_CALLED):
            is_relative = re.search(r"PC\d+|PLT32|PREL", words[1]) is not None
            reference = _reference(words[2], symbols, 0, is_relative)
            yield DataReference(Place(section, int(words[0], 16)), reference)


def _reference(value: str, symbols: dict[str, list[Place]], bias: int, is_relative: bool = False) -> Reference:
    match = _VALUE.match(value)
    assert match  # \S matches any word
    addend = int(match[3] or "0", 16) * (-1 if match[2] == "-" else 1) + bias
    places = tuple(Place(place.section, place.offset + addend) for place in symbols.get(match[1], ()))
    return Reference(match[1], places, is_relative)
