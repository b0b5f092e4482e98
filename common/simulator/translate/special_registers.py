"""Inline PTX that only reads a special register, such as a lane's number: an assignment of the same value in C++."""

from __future__ import annotations

import re

from cuda_source import Source

# PTX ISA, "Special Registers". The simulator has no multiprocessors: %smid is as if they took the blocks in turn.
_LANE = "cuda_simulator::lane()"
_VALUES = {
    "laneid": f"unsigned({_LANE})",
    "lanemask_eq": f"(1u << {_LANE})",
    "lanemask_lt": f"((1u << {_LANE}) - 1)",
    "lanemask_le": f"(~0u >> (31 - {_LANE}))",
    "lanemask_gt": f"~(~0u >> (31 - {_LANE}))",
    "lanemask_ge": f"(~0u << {_LANE})",
    "warpid": "((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / warpSize",
    "smid": "unsigned(((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) % 132)",
    "clock": "unsigned(clock64())",
    "clock64": "clock64()",
    "globaltimer": "clock64()",
}
_ASM = re.compile(r"\basm\b[ \t]*(?:(?:volatile|__volatile__)\b[ \t]*)?\(")
_MOVE = re.compile(
    r"""\s*"\s*mov\.[usb](?:32|64)\s+%0\s*,\s*%{1,2}(?P<register>\w+)\s*;?\s*"\s*
        :\s*"=[rl]"\s*(?P<target>\()""",
    re.VERBOSE,
)
_END = re.compile(r"[ \t:]*\)")


def special_register_edits(source: Source) -> list[tuple[int, int, str]]:
    """(from, to, replacement) for each asm("mov.u32 %0, %laneid;" : "=r"(x)) with a register that has a value here."""
    edits = []
    for asm in _ASM.finditer(source.masked):
        move = _MOVE.match(source.text, asm.end())
        value = _VALUES.get(move["register"]) if move else None
        if move is None or value is None:
            continue
        target_end = source.matching_close(move.start("target"))
        end = _END.match(source.masked, target_end)
        if end:
            target = source.text[move.start("target") : target_end]
            lines = "\n" * source.text.count("\n", asm.start(), end.end())
            edits.append((asm.start(), end.end(), f"({target} = {value}){lines}"))
    return edits
