"""Checks that core stages of chapters 1 to 8 are as plain as in a textbook: the rules that check_steps.py does not
have.

check_core.py

docs/course.md lists the core stages. Each of them

- includes at most MAX_HEADERS headers of the workbook, directly or indirectly;
- has no cast to an integer type, and no factor such as 1LL that acts as one: extents and block sizes have the right
  types;
- has no template before chapter 6, and no structured binding;
- has no division of blockIdx: a matrix is mapped to a 2-D grid;
- computes every std::size_t index in 64 bits. The expressions and the constants are taken from the stage and compiled
  twice, with the real blockIdx and with one of 64 bits: for block 2^24 both must give the same number.

Prints the errors and exits with 1. Needs a C++ compiler: $CXX, otherwise c++.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from check_steps import code_lines
from cli.exercises.course import PAGE, read_paths

CHAPTERS = range(1, 9)
FIRST_WITH_TEMPLATES = 6
MAX_HEADERS = 5

_INTEGER = r"(?:const )?(?:std::)?(?:(?:unsigned|signed|long|short|int|char)(?: (?:long|int))*|size_t|ptrdiff_t|u?int\d+_t)"
_CASTS = {
    "a cast": re.compile(rf"\b(?:static|reinterpret)_cast<{_INTEGER}>"),
    "a cast by a constructor": re.compile(r"\b(?:std::)?(?:size_t|ptrdiff_t|u?int\d+_t|unsigned|int|long)\s*[({](?=[^)])"),
    "a C cast": re.compile(rf"(?<!sizeof)(?<!alignof)\({_INTEGER}\)\s*[\w(]"),
    "a factor that is a cast": re.compile(r"\b1(?:[uU]?[lL]{1,2}|[lL]{1,2}[uU])\s*\*"),
}
_BINDING = re.compile(r"\bauto\s*&{0,2}\s*\[")
_DIVIDED_BLOCK = re.compile(r"\bblockIdx\.\w\s*[/%]")
_INCLUDE = re.compile(r'#include "([^"]+)"')
_CONSTANT = re.compile(r"constexpr [^;]+;")
_WIDE_INDEX = re.compile(r"\b(?:std::)?(?:size_t|long long) (\w+) = ([^;]*(?:blockIdx|gridDim)[^;]*);")
_WIDE_STEP = re.compile(r"(\w+) \+= ([^;)]*(?:blockIdx|gridDim)[^;)]*)[;)]")


def project_headers(chapter: Path, text: str) -> set[Path]:
    """The headers of the workbook that a stage includes, directly or indirectly."""
    found: set[Path] = set()
    waiting = _INCLUDE.findall(text)
    while waiting:
        name = waiting.pop()
        header = next((file for file in (chapter / name, ROOT / name) if file.is_file()), Path(name))
        if header not in found:
            found.add(header)
            waiting += _INCLUDE.findall(header.read_text(encoding="utf-8")) if header.is_file() else []
    return found


def rule_problems(chapter_number: int, text: str) -> list[str]:
    """The rules that a stage's text breaks."""
    code = "\n".join(code_lines(text))
    found = [f"has {name}: {match[0]}" for name, rule in _CASTS.items() for match in rule.finditer(code)]
    found += [f"has a structured binding: {match[0]}" for match in _BINDING.finditer(code)]
    found += [f"divides {match[0]}: put the matrix on a 2-D grid" for match in _DIVIDED_BLOCK.finditer(code)]
    if chapter_number < FIRST_WITH_TEMPLATES and re.search(r"\btemplate\b", code):
        found.append(f"has a template, but these start in chapter {FIRST_WITH_TEMPLATES}")
    return found


def wide_indices(text: str) -> list[str]:
    """The expressions of blockIdx or gridDim from which a stage computes indices of 64 bits."""
    code = " ".join(code_lines(text))
    found = [(match[1], match[2]) for match in _WIDE_INDEX.finditer(code)]
    names = {name for name, _ in found}
    steps = [match[2] for match in _WIDE_STEP.finditer(code) if match[1] in names]
    return [expression for _, expression in found] + steps


def index_test(text: str) -> str:
    """C++ that compiles if each of wide_indices() has the same value with a 32-bit and with a 64-bit blockIdx."""
    constants = [match[0] for match in _CONSTANT.finditer("\n".join(code_lines(text))) if "(" not in match[0]]
    lines = ["#include <cstddef>", "template <typename T> struct Three { T x, y, z; };", *constants]
    parameters = ", ".join(f"Three<T> {name}" for name in ("blockIdx", "gridDim", "blockDim", "threadIdx"))
    large = "{1u << 24, 1u << 24, 1u << 24}, {1u << 24, 1u << 24, 1u << 24}, {1024, 1024, 64}, {31, 31, 31}"
    for number, expression in enumerate(wide_indices(text)):
        lines.append(f"template <typename T> constexpr std::size_t index_{number}({parameters}) {{ return {expression}; }}")
        lines.append(f"static_assert(index_{number}<unsigned>({large}) == index_{number}<std::size_t>({large}));")
    return "\n".join(lines) + "\n"


def index_problems(text: str) -> list[str]:
    if not wide_indices(text):
        return []
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-fsyntax-only", "-x", "c++", "-"]
    compiled = subprocess.run(command, input=index_test(text), capture_output=True, text=True, check=False)
    if compiled.returncode == 0:
        return []
    if "static assertion failed" not in compiled.stderr:
        return [f"has an index that cannot be compiled separately:\n{compiled.stderr}"]
    return ["computes an index in 32 bits, which wraps at 2^32. Let the block size be a constexpr std::size_t"]


def problems(chapter: Path, text: str) -> list[str]:
    """The errors of a core stage of that chapter, one line each."""
    number = int(re.match(r"ch(\d+)_", chapter.name)[1])
    headers = project_headers(chapter, text)
    found = rule_problems(number, text) + index_problems(text)
    if len(headers) > MAX_HEADERS:
        names = ", ".join(sorted(header.name for header in headers))
        found.append(f"includes {len(headers)} headers of the workbook, but only {MAX_HEADERS} are allowed: {names}")
    return found


def core_stages(page: str) -> Iterator[Path]:
    for row in read_paths(page):
        chapter = ROOT / "chapters" / row.core.chapter
        if int(re.match(r"ch(\d+)_", chapter.name)[1]) in CHAPTERS:
            yield from (chapter / f"{name}.cu" for name in row.core.names if re.match(r"\d", name))


def main() -> int:
    stages = list(core_stages((ROOT / PAGE).read_text(encoding="utf-8")))
    found = [
        f"{stage.relative_to(ROOT)} {problem}."
        for stage in stages
        for problem in problems(stage.parent, stage.read_text(encoding="utf-8"))
    ]
    print("\n".join(found) or f"{len(stages)} core stages keep to the rules.")
    return 1 if found or not stages else 0


if __name__ == "__main__":
    sys.exit(main())
