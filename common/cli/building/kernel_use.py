"""Finds out whether a program of the catalogue launches kernels that `inspect` can count."""

from __future__ import annotations

import os
import re
from pathlib import Path

from cli.catalogue import Program
from cli.workbook import Workbook

_KERNEL = re.compile(r"\b__global__\b")
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


def launches_kernels(program: Program, workbook: Workbook) -> bool:
    """Whether the program's file, the stage that it calls, or one of their headers has a kernel.

    A call of a library, such as NCCL, does not count: the simulator runs no kernel for it.
    """
    folders = [*workbook.files_of(program.chapter).include_folders, workbook.root]
    waiting = [program.source, *([program.calls] if program.calls else [])]
    seen: set[Path] = set()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        text = file.read_text(encoding="utf-8", errors="replace")
        if _KERNEL.search(text):
            return True
        names = _INCLUDE.findall(text)
        waiting += [Path(os.path.normpath(folder / name)) for name in names for folder in (file.parent, *folders)]
    return False
