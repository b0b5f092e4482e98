"""Adds padding after every __shared__ variable of traced code: an access past its end is then not in another variable.
"""

from __future__ import annotations

import re

# More bytes than a block's threads reach if each accesses one element too many. A multiple of 128: banks stay the same.
PADDING_BYTES = 4096

_SECTION = re.compile(r"\s*\.(?:section|text|data|bss|pushsection|popsection|previous)\b")
_THREAD_LOCAL = re.compile(r"\s*\.section\s+\.tbss(?:[.,\s]|$)")
_ZEROS = re.compile(r"\s*\.zero\s")


def pad(assembly: str) -> str:
    """Returns the program with PADDING_BYTES after each thread-local variable whose initial value is zero."""
    lines = []
    is_thread_local = False
    for line in assembly.splitlines(keepends=True):
        if _SECTION.match(line):
            is_thread_local = _THREAD_LOCAL.match(line) is not None
        lines.append(line)
        if is_thread_local and _ZEROS.match(line):
            lines.append(f"\t.zero\t{PADDING_BYTES}\n")
    return "".join(lines)
