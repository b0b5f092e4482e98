"""Gives the copy of a structure the place of the statement that makes it.

Traced code is compiled so that a structure is copied by its own operator= or constructor; otherwise g++ would not trace
a store of a call's result. The compiler's own ones have the place of the structure's definition, and the copy keeps
this place when they are compiled into a kernel. A statement's place comes before it in the assembly, if it has one
there.
"""

from __future__ import annotations

import os
import re
from functools import lru_cache

_FILE = re.compile(r'^\t\.file (?P<number>\d+) (?:"(?P<folder>[^"]*)" )?"(?P<name>[^"]*)"', re.MULTILINE)
_PLACE = re.compile(r"(?P<head>\t\.loc )(?P<place>\d+ \d+ \d+)(?P<rest>.*)", re.DOTALL)
_FUNCTION, _END = "\t.cfi_startproc", "\t.cfi_endproc"
_WITH_ARGUMENT = r"(?:alignas|__align__|__attribute__)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
_IN_FRONT_OF_NAME = re.compile(rf"\b(?:struct|class|union)\b(?:\s|\[\[[^\]]*\]\]|{_WITH_ARGUMENT})*\Z")
_UNNAMED = re.compile(rf"(?:struct|class|union)\b(?:\s|\[\[[^\]]*\]\]|{_WITH_ARGUMENT})*(?:\{{|\Z)")
_NAME_BEHIND = re.compile(r"\w+\s*[;,]")  # typedef struct { ... } Name;
_MOST_BYTES = 16 << 20  # the maximum size of a source file


def place_copies(assembly: str) -> str:
    files = {
        match["number"]: f"{match['folder']}/{match['name']}" if match["folder"] else match["name"]
        for match in _FILE.finditer(assembly)
    }
    known: dict[str, bool] = {}
    lines = assembly.splitlines(keepends=True)
    last = ""  # the place of the last statement,
    is_head = False  # or the beginning of the function
    for position, line in enumerate(lines):
        if line.startswith(_END):
            last = ""  # the place of the next function's beginning comes before its first instruction
        elif match := _PLACE.match(line):
            place = match["place"]
            if not _is_definition_at(place, files, known):
                is_head = not last or (is_head and place == last)
                last = place
            elif last:
                statement = _place_of_first(lines, position, last, files, known) if is_head else last
                lines[position] = match["head"] + statement + match["rest"]
    return "".join(lines)


def _place_of_first(lines: list[str], position: int, head: str, files: dict[str, str], known: dict[str, bool]) -> str:
    """The place of a function's first statement, which is only a copy and has no place of its own: the text before the
    function's next place. `head` if there is none in between.
    """
    number, head_row, _ = head.split(" ")
    for line in lines[position + 1 :]:
        if line.startswith((_FUNCTION, _END)):
            break
        match = _PLACE.match(line)
        if match and not _is_definition_at(match["place"], files, known):
            next_number, next_row, _ = match["place"].split(" ")
            rows = range(int(next_row) - 1, int(head_row), -1) if next_number == number else ()
            for row in rows:
                text = _line_of(files.get(number, ""), row)
                if text.strip() and not text.lstrip().startswith("//"):
                    return f"{number} {row} {len(text) - len(text.lstrip()) + 1}"
            break
    return head


def _is_definition_at(place: str, files: dict[str, str], known: dict[str, bool]) -> bool:
    if place not in known:
        number, row, column = place.split(" ")
        known[place] = is_definition(_line_of(files.get(number, ""), int(row)), int(column))
    return known[place]


def is_definition(text: str, column: int) -> bool:
    """Returns whether the name of a structure that is defined there is at a column of a line; columns start at 1."""
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
        return []  # code that is not the learner's has no place of its own
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > _MOST_BYTES:
            return []
        with open(file, encoding="latin-1", newline="") as source:  # columns are in bytes
            return source.read().split("\n")
    except OSError:
        return []
