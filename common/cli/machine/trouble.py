"""A build that fails because of the machine, and not because of what it builds: no room, or no right to write."""

from __future__ import annotations

import re

_NO_ROOM = re.compile(r"No space left on device|Disk quota exceeded")
_NO_RIGHT = r"(?:Permission denied|Read-only file system)"
# What CMake, Ninja, make, the compiler, its assembler and the linker say of a file that they cannot write. Not what they say
# of one that they cannot read, such as a header.
_NOT_WRITTEN = re.compile(
    r"Cannot open file for write|Unable to \(re\)create|ninja: error: opening [^\n]*Permission denied|"
    r"\b(?:writ|creat|output|remov|renam|copy|touch|mkdir|opening dependency)"
    rf"[^\n]*{_NO_RIGHT}",
    re.IGNORECASE,
)
# What a tool says of itself: a learner's own words may be the same in a message of the compiler.
_TOOL = r"(?:\S*/)?(?:cc1plus|collect2|[\w-]*\+\+(?:-\d+)?|as|ld(?:\.\w+)?|g?make(?:\[\d+\])?|ninja|cmake|nvcc|cicc|ptxas|sh)"
_NO_MEMORY = re.compile(
    rf"Killed signal|^virtual memory exhausted|^terminate called .*bad_alloc|^{_TOOL}:.*Cannot allocate memory", re.MULTILINE
)


def explain_disk_trouble(output: str, folder: str, is_full: bool = False) -> str:
    """What to do about a disk that is full or may not be written; empty if the output says nothing of that.

    `output` is that of CMake, Ninja, make or a compiler, `folder` where they write, as the learner would type it; without it
    the right to write is not looked at. is_full: there is no room in it.
    """
    if is_full or _NO_ROOM.search(output):
        return "the disk is full. Make room and try again. What is full: df -h ."
    in_folder = rf"{_NO_RIGHT}[^\n]*/{re.escape(folder)}/"
    if folder and (_NOT_WRITTEN.search(output) or re.search(in_folder, output)):
        return unwritable(f"{folder}/")
    return ""


def unwritable(path: str) -> str:
    """What to do about a file or a folder of the workbook, as the learner would type it."""
    return (
        f"{path} cannot be written. Is the workbook's folder yours? ls -ld . {path.rstrip('/')}\n"
        'If not, make it yours (sudo chown -R "$USER" .), or clone the workbook into a folder of your own.'
    )


def explain_memory_trouble(output: str) -> str:
    """The same for a compiler that got no memory."""
    if not _NO_MEMORY.search(output):
        return ""
    return "the memory ran out. Close other programs, or set CMAKE_BUILD_PARALLEL_LEVEL=1."
