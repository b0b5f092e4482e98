"""Replaces traced code's calls of malloc, free, new and delete: in a kernel they use the heap of its device.

A header cannot rename new and delete: g++ 12 crashes if they have other names in the assembly.
"""

from __future__ import annotations

import re

_FUNCTIONS = {"malloc": "malloc", "free": "free", "_Zn": "new", "_Zd": "delete"}
_CALL = re.compile(r"^(\t(?:call|jmp|bl|b)\t)(?:(malloc|free)|(_Zn)[wa]m|(_Zd)[la]Pvm?)(?=@PLT$|$)", re.MULTILINE)


def replace_heap_calls(assembly: str) -> str:
    return _CALL.sub(
        lambda call: call.group(1) + "cuda_simulator_" + _FUNCTIONS[call.group(call.lastindex or 0)], assembly
    )
