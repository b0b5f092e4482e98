"""Puts the common case of a traced step into the traced code itself: most steps repeat the steps of the lanes before.

A step is the beginning of a basic block or an access, and a call of one of hooks.cpp's functions. This code does the
same as RunningLane::follow(), on x86-64 only: if the lane's next step has this return address, and the address of an
access is in the permitted range, it records the step and skips the call. An access to a thread's stack, which no check
needs, only skips the call: a kernel that passes local variables by reference makes many. The code changes only
registers that g++ expects a call to change. Offsets are those of PathStep, AccessRow and RunningLane; hooks.cpp
asserts them.
"""

from __future__ import annotations

import re

_LANE = "%fs:_ZN14cuda_simulator12running_laneE@tpoff"
_STEP = re.compile(
    r"^\tcall\t(?P<hook>__sanitizer_cov_trace_pc|__tsan_(?:read|write)(?P<bytes>1|2|4|8|16))\n", re.MULTILINE
)

# kBlockEntryBytes in program/branch_position.cpp is its length up to the label after the call.
_BLOCK = f"""\
\tmovq\t{_LANE}, %rax
\tcmpl\t$.Lstep_behind{{number}}, 2(%rax)
\tje\t.Lstep_quick{{number}}
\tcall\t{{hook}}
.Lstep_behind{{number}}:
\tjmp\t.Lstep_done{{number}}
.Lstep_quick{{number}}:
\taddq\t$32, %rax
\tmovq\t%rax, {_LANE}
.Lstep_done{{number}}:
"""

_ACCESS = f"""\
\tmovq\t{_LANE}, %rax
\tcmpl\t$.Lstep_behind{{number}}, 2(%rax)
\tjne\t.Lstep_slow{{number}}
\tmovq\t%rdi, %rdx
\tsubq\t8(%rax), %rdx
\tcmpq\t16(%rax), %rdx
\tjae\t.Lstep_slow{{number}}
{{alignment}}\
\tmovq\t24(%rax), %rdx
\tmovl\t{_LANE}+16, %ecx
\taddq\t$32, %rax
\tmovq\t%rdi, (%rdx,%rcx,8)
\tmovq\t%rax, {_LANE}
\tjmp\t.Lstep_behind{{number}}
.Lstep_slow{{number}}:
\tmovq\t%rdi, %rdx
\tsubq\t{_LANE}+24, %rdx
\tcmpq\t{_LANE}+40, %rdx
\tjb\t.Lstep_behind{{number}}
\tcall\t{{hook}}
.Lstep_behind{{number}}:
"""
_ALIGNMENT = "\ttestb\t${mask}, %dil\n\tjne\t.Lstep_slow{number}\n"


def inline_steps(assembly: str) -> str:
    number = 0

    def inlined(match: re.Match[str]) -> str:
        nonlocal number
        number += 1
        if match["bytes"] is None:
            return _BLOCK.format(hook=match["hook"], number=number)
        mask = int(match["bytes"]) - 1
        alignment = _ALIGNMENT.format(mask=mask, number=number) if mask else ""
        return _ACCESS.format(hook=match["hook"], number=number, alignment=alignment)

    return _STEP.sub(inlined, assembly)
