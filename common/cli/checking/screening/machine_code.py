"""Refuses numbers that are system calls.

The numbers of a program are bytes of its code, and on x86-64 a jump into the middle of an instruction executes them. So
a number with the bytes of a system call is refused, if the answer also calls through a pointer, whose target is not known
here. Bytes that come together by accident, as the end of one instruction and the start of the next, are not refused.
Loads and stores in numbers are not refused either: behind the veil (CUDA_SIMULATOR_VEIL) they make the result wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cli.checking.screening.code_listing import Instruction, Place
from cli.errors import Refused

_CALLS_ITS_ARGUMENT = ("qsort", "bsearch")
SYSTEM_CALLS = {bytes((0x0F, 0x05)): "syscall", bytes((0x0F, 0x34)): "sysenter", bytes((0xCD, 0x80)): "int 0x80"}
_NUMBER = re.compile(r"-?0x[0-9a-f]+")
# After the two bytes of the system call, a smaller number has no room for an instruction that returns.
_SMALLEST = 1 << 20


def check_machine_code(listing: list[Instruction], line: Callable[[Place], str]) -> None:
    """Raises Refused for a number that a call through a pointer could execute as a system call.

    listing: with the instructions that contain SYSTEM_CALLS; line: " in line 12" for a place.
    """
    pointer_call = _call_through_pointer(listing)
    for instruction in listing:
        for code, name in SYSTEM_CALLS.items():
            number = _number_with(instruction, code)
            if number and pointer_call:
                raise Refused(
                    f"It uses the number {number}{line(instruction.place)}, which contains the bytes of the "
                    f"instruction {name}, and it calls a function through a pointer{line(pointer_call.place)}: such a "
                    "call could execute them. Call that function by its name, or use a different number."
                )


def _call_through_pointer(listing: list[Instruction]) -> Instruction | None:
    for instruction in listing:
        is_switch = instruction.text.startswith("jmp") and bool(instruction.symbols)
        if instruction.is_through_pointer and not is_switch:
            return instruction
        if any(symbol in _CALLS_ITS_ARGUMENT for symbol in instruction.symbols):
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
