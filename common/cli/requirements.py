"""The requirements of a stage, from the line `// Requires: ...` of its head comment. CMake reads the same line:
common/cmake/Requirements.cmake lists the allowed words and refuses all others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_HEAD = re.compile(r"(?://[^\n]*\n)*")
_LINE = re.compile(r"^// Requires: *(.+)$", re.MULTILINE)
_MAIN = re.compile(r"^int main\(", re.MULTILINE)
_NEEDS_GPU = re.compile(r"a GPU|compute capability .*|cuFFT")


@dataclass(frozen=True)
class Requirements:
    needs_gpu: bool = False  # the simulator does not run it
    needs_mpi: bool = False
    is_whole: bool = False  # one file with its own main(): it has no test program and no common options


def read_requirements(source: Path) -> Requirements:
    """The requirements of a stage's file; none if the file cannot be read."""
    try:
        text = source.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return Requirements()
    head = _HEAD.match(text)
    line = _LINE.search(head.group() if head else "")
    words = [word.strip() for word in line[1].split(",")] if line else []
    return Requirements(
        any(_NEEDS_GPU.fullmatch(word) for word in words), "MPI" in words, _MAIN.search(text) is not None
    )
