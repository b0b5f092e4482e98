"""Pairs are numbered past 2^32: the numbers that kernels compute from blockIdx.x do not wrap around.

Usage: check_block_index.py COMPILER

With 2^17 vectors there are 2^33 pairs, which no test has the memory for. So the line of a kernel that numbers its threads,
and the file's constants, are compiled as plain C++ for block 2^24: with `int kThreads` the product is an unsigned int, and
that block would begin again at pair 0. Prints what is wrong and exits with 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_NUMBERS = re.compile(r"^ +const (?:std::size_t|long long) (?P<name>\w+) = (?P<expression>[^;]*\bblockIdx\.x\b[^;]*);", re.MULTILINE)
_CONSTANT = re.compile(r"^constexpr \S+ \w+ = [^;]*;", re.MULTILINE)
_FIRST = 1 << 32  # number of the first thread of block 2^24, of 256 threads
_THREAD = 7


def program(constants: list[str], expression: str) -> str:
    variables = f"constexpr struct {{ unsigned x; }} blockIdx{{{_FIRST // 256}u}}, threadIdx{{{_THREAD}u}};"
    check = f"static_assert({expression} == {_FIRST + _THREAD}ull);"
    return "\n".join(["#include <cstddef>", *constants, variables, check, ""])


def problems(compiler: str, files: list[Path]) -> Iterator[str]:
    found = 0
    for file in files:
        text = file.read_text(encoding="utf-8")
        for numbers in _NUMBERS.finditer(text):
            found += 1
            done = subprocess.run(
                [compiler, "-std=c++17", "-fsyntax-only", "-x", "c++", "-"],
                input=program(_CONSTANT.findall(text), numbers["expression"]),
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode != 0:
                line = text.count("\n", 0, numbers.start("name")) + 1
                yield f"{file.relative_to(ROOT)}:{line}: block 2^24 does not begin with number 2^32:\n{done.stderr}"
    if found == 0:
        yield "No kernel numbers its threads as 'const std::size_t name = ... blockIdx.x ...;'."


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folders = (ROOT / part / "ch8_tsne" for part in ("chapters", "solutions"))
    found = list(problems(arguments[0], [file for folder in folders for file in sorted(folder.glob("*.cu"))]))
    print("\n".join(found) or "No kernel's number of a pair wraps around.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
