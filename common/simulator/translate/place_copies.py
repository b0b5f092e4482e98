"""Gives the copy of a structure the place of the statement that makes it.

Traced code is compiled so that a structure is copied by its own operator= or constructor: else g++ would not trace what
a call stores. Those that the compiler writes have the place of the structure's definition, and so has the copy where
they are compiled into a kernel. A statement's place comes before it in the assembly.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

_FILE = re.compile(r'^\t\.file (?P<number>\d+) (?:"(?P<folder>[^"]*)" )?"(?P<name>[^"]*)"', re.MULTILINE)
_PLACE = re.compile(r"(?P<head>\t\.loc )(?P<place>\d+ \d+ \d+)(?P<rest>.*)", re.DOTALL)
_FUNCTION = "\t.cfi_startproc"
_WITH_ARGUMENT = r"(?:alignas|__align__|__attribute__)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_IN_FRONT_OF_NAME = re.compile(rf"\b(?:struct|class|union)\b(?:\s|\[\[[^\]]*\]\]|{_WITH_ARGUMENT})*\Z")
_UNNAMED = re.compile(rf"(?:struct|class|union)\b(?:\s|\[\[[^\]]*\]\]|{_WITH_ARGUMENT})*(?:\{{|\Z)")
_NAME_BEHIND = re.compile(r"\w+\s*[;,]")  # typedef struct { ... } Name;
_MOST_BYTES = 16 << 20  # of a source file


def place_copies(assembly: str) -> str:
    files = {
        match["number"]: f"{match['folder']}/{match['name']}" if match["folder"] else match["name"]
        for match in _FILE.finditer(assembly)
    }
    known: dict[str, bool] = {}
    lines = []
    last = ""
    for line in assembly.splitlines(keepends=True):
        if line.startswith(_FUNCTION):
            last = ""
        elif match := _PLACE.match(line):
            place = match["place"]
            if place not in known:
                number, row, column = place.split(" ")
                known[place] = is_definition(_line_of(files.get(number, ""), int(row)), int(column))
            if not known[place]:
                last = place
            elif last:
                line = match["head"] + last + match["rest"]
        lines.append(line)
    return "".join(lines)


def is_definition(text: str, column: int) -> bool:
    """Whether the name of a structure that is defined there stands at a column of a line, the first of which is 1."""
    before, behind = text[: column - 1], text[column - 1 :]
    if _IN_FRONT_OF_NAME.search(before) or _UNNAMED.match(behind):
        return True
    return before.rstrip().endswith("}") and _NAME_BEHIND.match(behind) is not None


def _line_of(file: str, number: int) -> str:
    lines = _lines(file)
    return lines[number - 1] if 0 < number <= len(lines) else ""


@lru_cache(maxsize=None)
def _lines(file: str) -> list[str]:
    if file.startswith("/usr/"):
        return []  # what is not the learner's has no place of its own
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > _MOST_BYTES:
            return []
        with open(file, encoding="latin-1", newline="") as source:  # columns are bytes
            return source.read().split("\n")
    except OSError:
        return []
