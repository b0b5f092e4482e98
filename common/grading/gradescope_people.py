"""The names of the students in Gradescope's export: submission_metadata.yml, next to the folders submission_N."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

METADATA = "submission_metadata.yml"
_MAX_LINES = 5_000_000
_FOLDER = re.compile(r"(submission_\d+):\s*")
_FIELD = re.compile(r"  (?:- |  ):(name|sid|email):\s+(.*)")


@dataclass(frozen=True)
class Person:
    name: str
    identity: str  # the number of the student, otherwise the address


def read_people(file: Path) -> dict[str, list[Person]]:
    """The submitters of each folder, several if a group handed it in; empty if there is no such file.

    Only these lines of the file are understood (the test results in it are long):

        submission_123:
          :submitters:
          - :name: Ada Lovelace
            :sid: '1815'
            :email: ada@example.org
    """
    people: dict[str, list[dict[str, str]]] = {}
    folder, is_submitter = "", False
    if not file.is_file() or file.is_symlink():
        return {}
    with file.open(encoding="utf-8", errors="replace") as stream:
        for _, line in zip(range(_MAX_LINES), stream):
            at_left = _FOLDER.fullmatch(line.rstrip("\n"))
            if at_left:
                folder, is_submitter = at_left[1], False
            elif folder and re.match(r"  :\w", line):
                is_submitter = line.rstrip() == "  :submitters:"
            elif is_submitter:
                field = _FIELD.fullmatch(line.rstrip("\n"))
                if line.startswith("  - "):
                    people.setdefault(folder, []).append({})
                if field and people.get(folder):
                    people[folder][-1].setdefault(field[1], _scalar(field[2]))
    return {
        name: [Person(one["name"], one.get("sid") or one.get("email", "")) for one in group if one.get("name")]
        for name, group in people.items()
    }


def _scalar(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        escape = re.compile(r'\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))')
        return escape.sub(lambda match: _character(*match.groups()), text[1:-1])
    return "" if text in ("~", "null") else text


def _character(byte: str | None, short: str | None, long: str | None, other: str | None) -> str:
    number = int(byte or short or long or "0", 16)
    return other or (chr(number) if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else "?")
