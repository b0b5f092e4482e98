"""Refuses machine code that is not where the compiler puts it.

The numbers of a program are bytes of its code, and on x86-64 a jump into the middle of an instruction executes them. So
an answer could contain loads and stores that are not traced, and system calls. Two things are refused:

- an address inside a function that is not its start. The compiler uses such addresses for the branches of a function,
  for its switch tables, and for the comparison of the inline trace steps, each in the function itself.
- a number with the bytes of a system call, if the answer also calls through pointers, whose targets are not known
  here. Without such a call a number is only a number. Bytes that come together by accident, as the end of one
  instruction and the start of the next, are not refused: an honest answer cannot avoid them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cli.errors import Refused
from grading.screening.code_listing import Function, Instruction, Listing, Place

_SYSTEM_CALLS = {bytes((0x0F, 0x05)): "syscall", bytes((0x0F, 0x34)): "sysenter", bytes((0xCD, 0x80)): "int 0x80"}
_SYSTEM_CALL = re.compile(r"(?:syscall|sysenter|int|svc|hvc|smc)\b")
_NUMBER = re.compile(r"-?0x[0-9a-f]+")
_ONLY_THE_START = "Only its start can be used: write its name, without arithmetic and without the address of a label."
_CALLS_THEIR_ARGUMENT = ("qsort", "bsearch", "__cxa_atexit")


def check_machine_code(listing: Listing, line: Callable[[Place], str], plain: Callable[[str], str]) -> None:
    """Raises Refused for machine code outside its places. line: " in line 12" for a place; plain: a function's name."""
    for function, instruction in listing.instructions():
        if _SYSTEM_CALL.match(instruction.text):
            raise Refused(f"It contains a system call{line(instruction.place)}, which no exercise needs.")
        for place in _middles(listing, function, instruction):
            inside = listing.function_at(place)
            raise Refused(
                f"It uses an address inside the function {plain(inside.name if inside else '')}{line(instruction.place)}. "
                f"{_ONLY_THE_START}"
            )
    _check_tables(listing, plain)
    pointer_call = _calls_through_pointer(listing)
    if pointer_call is None:
        return
    for _, instruction in listing.instructions():
        for code, name in _SYSTEM_CALLS.items():
            number = _number_with(instruction, code)
            if number:
                raise Refused(
                    f"It uses the number {number}{line(instruction.place)}, which contains the bytes of the instruction "
                    f"{name}, and it calls a function through a pointer{line(pointer_call.place)}: such a call could "
                    "execute them. Call that function by its name, or use a different number."
                )


def _middles(listing: Listing, function: Function, instruction: Instruction) -> Iterator[Place]:
    """The places inside functions that an instruction uses, but should not."""
    for reference in instruction.references:
        for place in reference.places:
            if place.section not in listing.code_sections or listing.is_start(place):
                continue
            is_own = listing.function_at(place) is function
            # A jump to another function goes to the part of this function that is rarely executed, or back from it.
            if instruction.is_call or not (is_own or (instruction.is_branch and _is_part(listing, function, place))):
                yield place
            elif not instruction.is_branch and not instruction.text.startswith("cmp"):
                yield place


def _is_part(listing: Listing, function: Function, place: Place) -> bool:
    other = listing.function_at(place)
    return other is not None and other.name.partition(".cold")[0] == function.name.partition(".cold")[0]


def _check_tables(listing: Listing, plain: Callable[[str], str]) -> None:
    """Raises Refused for an address inside a function in a variable. The compiler's switch tables are not variables."""
    for datum in listing.data:
        name = listing.variable_at(datum.place)
        for place in datum.reference.places:
            if place.section in listing.code_sections and not listing.is_start(place) and not datum.reference.is_relative:
                inside = listing.function_at(place)
                if name or not datum.place.section.startswith(".rodata"):
                    raise Refused(
                        f"It has an address inside the function {plain(inside.name if inside else '')} in the variable "
                        f"{plain(name)}. {_ONLY_THE_START}"
                    )


def _calls_through_pointer(listing: Listing) -> Instruction | None:
    for _, instruction in listing.instructions():
        if instruction.is_through_pointer and not re.match(r"(?:notrack )?jmp +\*0x0\(,", instruction.text):
            return instruction
        if any(reference.name in _CALLS_THEIR_ARGUMENT for reference in instruction.references):
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
        value = int(number, 16) % (1 << 64)
        for size in (8, 4, 2):
            written = value.to_bytes(8, "little")[:size]
            begin = instruction.code.rfind(written)
            if 0 <= begin <= start and start + len(code) <= begin + size:
                return number
    return ""
