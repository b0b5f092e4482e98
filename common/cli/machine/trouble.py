"""Builds that fail because of the machine, not because of the source: a full disk, no permission, no memory."""

from __future__ import annotations

import re

_NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded")
_NO_RIGHT = r"(?:Permission denied|Read-only file system)"
# The messages of CMake, Ninja, make, the compiler, its assembler and the linker about a file that they cannot write.
# Messages about a file that they cannot read, such as a header, do not match.
_NOT_WRITTEN = re.compile(
    r"Cannot open file for write|Unable to \(re\)create|ninja: error: opening [^\n]*Permission denied|"
    r"\b(?:writ|creat|output|remov|renam|copy|touch|mkdir|opening dependency)"
    rf"[^\n]*{_NO_RIGHT}",
    re.IGNORECASE,
)
# Messages that begin with the name of a tool. Elsewhere the words may be a quotation of the learner's source.
_TOOL = r"(?:\S*/)?(?:cc1plus|collect2|[\w-]*\+\+(?:-\d+)?|as|ld(?:\.\w+)?|g?make(?:\[\d+\])?|ninja|cmake|nvcc|cicc|ptxas|sh)"
_NO_MEMORY = re.compile(
    rf"Killed signal|^virtual memory exhausted|^terminate called .*bad_alloc|^{_TOOL}:.*Cannot allocate memory", re.MULTILINE
)


def explain_disk_trouble(output: str, folder: str, is_full: bool = False) -> str:
    """The advice for a disk that is full or cannot be written; empty if the output does not report either.

    `output` is the output of CMake, Ninja, make or a compiler. `folder` is the folder that they write to, as the
    learner would type it; without it, permissions are not checked. is_full: the disk is known to be full.
    """
    if is_full or _NO_ROOM.search(output):
        return "the disk is full. Make room and try again. 'df -h .' shows the space."
    in_folder = rf"{_NO_RIGHT}[^\n]*/{re.escape(folder)}/"
    if folder and (_NOT_WRITTEN.search(output) or re.search(in_folder, output)):
        return unwritable(f"{folder}/")
    return ""


def unwritable(path: str) -> str:
    """The advice for a file or a folder of the workbook that cannot be written."""
    return (
        f"{path} cannot be written. Do you own the workbook's folder? ls -ld . {path.rstrip('/')}\n"
        'If not, change its owner (sudo chown -R "$USER" .), or clone the workbook into a folder of your own.'
    )


def explain_memory_trouble(output: str) -> str:
    """The advice for a compiler that ran out of memory; empty if the output does not report that."""
    if not _NO_MEMORY.search(output):
        return ""
    return "the machine ran out of memory. Close other programs, or set CMAKE_BUILD_PARALLEL_LEVEL=1."
