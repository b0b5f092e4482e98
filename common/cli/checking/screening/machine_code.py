"""Refuses machine code that is not where the compiler puts it.

The numbers of a program are bytes of its code, and on x86-64 a jump into the middle of an instruction executes them. So
an answer could contain loads and stores that are not traced, and system calls. Two things are refused:

- an address inside a function that is not its start. The compiler uses such addresses for the branches of a function,
  for its switch tables, and for the comparison of the inline trace steps: each in the function itself.
- a number with the bytes of a system call, if the answer also calls through a pointer, whose target is not known here.
  Bytes that come together by accident, as the end of one instruction and the start of the next, are not refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cli.checking.screening.call_graph import CALLS_ITS_ARGUMENT
from cli.checking.screening.code_listing import Function, Instruction, Listing, Place, function_name
from cli.errors import Refused

SYSTEM_CALLS = {bytes((0x0F, 0x05)): "syscall", bytes((0x0F, 0x34)): "sysenter", bytes((0xCD, 0x80)): "int 0x80"}
_NUMBER = re.compile(r"-?0x[0-9a-f]+")
# A trace step compares with its return address; on Arm a switch adds to a position.
_OWN_POSITIONS = ("cmp", "adr ")
# After the two bytes of the system call, a smaller number has no room for an instruction that returns.
_SMALLEST = 1 << 20
_ONLY_THE_START = "Only its start can be used: write its name, without arithmetic and without the address of a label."


def check_machine_code(listing: Listing, line: Callable[[Place], str], plain: Callable[[str], str]) -> None:
    """Raises Refused for machine code outside its places.

    listing: with the instructions that contain SYSTEM_CALLS; line: " in line 12" for a place; plain: the plain text of
    a name.
    """
    for function, instruction in listing.instructions():
        for place in _inside_functions(listing, function, instruction):
            raise Refused(
                f"It uses an address inside the function {_name(listing, place, plain)}{line(instruction.place)}. "
                f"{_ONLY_THE_START}"
            )
    for datum in listing.data:
        for place in filter(listing.is_inside_function, datum.reference.places):
            variable = listing.variable_at(datum.place)
            # The compiler's switch tables are not variables.
            if variable or not datum.place.section.startswith(".rodata"):
                raise Refused(
                    f"It has an address inside the function {_name(listing, place, plain)} in the variable "
                    f"{function_name(plain(variable))}. {_ONLY_THE_START}"
                )
    pointer_call = _call_through_pointer(listing)
    for _, instruction in listing.instructions():
        for code, name in SYSTEM_CALLS.items():
            number = _number_with(instruction, code)
            if number and pointer_call:
                raise Refused(
                    f"It uses the number {number}{line(instruction.place)}, which contains the bytes of the "
                    f"instruction {name}, and it calls a function through a pointer{line(pointer_call.place)}: such a "
                    "call could execute them. Call that function by its name, or use a different number."
                )


def _name(listing: Listing, place: Place, plain: Callable[[str], str]) -> str:
    function = listing.function_at(place)
    return function_name(plain(function.name)) if function else place.section


def _inside_functions(listing: Listing, function: Function, instruction: Instruction) -> Iterator[Place]:
    """The places inside functions that an instruction uses, but the compiler would not."""
    for reference in instruction.references:
        for place in filter(listing.is_inside_function, reference.places):
            other = listing.function_at(place)
            is_jump = instruction.is_branch and not instruction.is_call
            # The compiler can move the part of a function that is rarely executed.
            is_own = other is not None and other.name.partition(".cold")[0] == function.name.partition(".cold")[0]
            if not (is_own and (is_jump or instruction.text.startswith(_OWN_POSITIONS))):
                yield place


def _call_through_pointer(listing: Listing) -> Instruction | None:
    for _, instruction in listing.instructions():
        is_switch = instruction.text.startswith("jmp") and bool(instruction.references)
        if instruction.is_through_pointer and not is_switch:
            return instruction
        if any(reference.name in CALLS_ITS_ARGUMENT for reference in instruction.references):
            return instruction
    return None


def _number_with(instruction: Instruction, code: bytes) -> str:
    """The number of the source in an instruction that contains these bytes; empty if there is none. The distance of a
    branch is the compiler's.
    """
    start = instruction.code.find(code)
    if start < 0 or instruction.is_branch:
        return ""
    for number in _NUMBER.findall(instruction.text.partition("#")[0]):
        value = int(number, 16)
        for size in (8, 4) if abs(value) >= _SMALLEST else ():
            written = (value % (1 << 64)).to_bytes(8, "little")[:size]
            begin = instruction.code.rfind(written)
            if 0 <= begin <= start and start + len(code) <= begin + size:
                return number
    return ""
