#!/usr/bin/env python3
"""Lists orphans: files whose name no other file of the workbook contains. Code can also be named without its suffix.

    python3 tests/instruments/orphans.py [FOLDER]      exits with 1 if there are any, with 77 if git cannot list files

Files that are found by a pattern are left out: C++ sources of chapters and tests, which CMake collects, Python tests,
and results whose names scripts put together. _FOR_OTHERS has the files that other programs search for by name.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FOUND_BY_FORM = re.compile(
    r"(chapters|tests)/.*\.cpp|tests/simulator/findings/\w+\.cu"
    r"|tests/.*/(test_\w+|\w+_test)\.py"
    r"|plots/results/[^/]+/(ch\d+_\w+\.csv|(printed|profile)_\w+\.(csv|txt))"
    r"|chapters/[^/]+/lesson/pictures/ch\d+_\w+\.json"  # traces
    r"|solutions/[^/]+/ex\d+_\w+\.md"  # sheets
    r"|solutions/projects/\w+\.md"
    r"|common/cmake/Backend_\w+\.cmake"
    r"|\.(github/workflows|vscode)/\w+\.(yml|json)"
)
_CODE = (".cu", ".h", ".py", ".cpp", ".cmake")
_FOR_OTHERS = {
    *(".clang-format", ".clangd", ".gitattributes", ".gitignore", "CMakePresets.json", "LICENSE"),
    "cuda_runtime_api.h",  # learners' own files include it
    "compile_flags.txt",  # clangd
    *("__cccl_config", "memory_resource.h"),  # Thrust's headers include them
}


def tracked_files(root: Path) -> list[Path]:
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True).stdout
    return [Path(name) for name in listed.decode().split("\0") if name and (root / name).is_file()]


def words_of(file: Path) -> set[str]:
    """All names in a text, each with and without the part after its first dot; empty for a file that is not text."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return set()
    return {*re.findall(r"[\w-]+(?:\.[\w-]+)?", text), *re.findall(r"[\w-]+", text)}


def names_of(file: Path) -> set[str]:
    """The names by which other files can name it: code also without its suffix, a stage or exercise also without its
    number.
    """
    if file.suffix not in _CODE:
        return {file.name}
    return {file.name, file.stem, re.sub(r"^(\d+[a-z]?|ex\d+)_", "", file.stem)}


def orphans(root: Path) -> Iterator[Path]:
    files = tracked_files(root)
    naming: dict[str, set[Path]] = {}
    for file in files:
        for word in words_of(root / file):
            naming.setdefault(word, set()).add(file)
    for file in files:
        if _FOUND_BY_FORM.fullmatch(str(file)) or file.name in _FOR_OTHERS:
            continue
        if not any(naming.get(name, set()) - {file} for name in names_of(file)):
            yield file


def main(arguments: list[str]) -> int:
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        found = list(orphans(Path(arguments[0]) if arguments else ROOT))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"git cannot list the files: {error}", file=sys.stderr)
        return 77
    for file in found:
        print(f"{file}: no other file names it. Is it still needed? If so, name it on a page or in a script.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
