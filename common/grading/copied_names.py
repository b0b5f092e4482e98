"""The ends that a browser, a file manager or Canvas adds to the name of a second file of one name."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

# "a (1).cu", "a(1).cu", "a-1.cu", "a - Copy.cu", "a - Copy (2).cu", "a copy 2.cu", "a (copy).cu", "a (3rd copy).cu".
_COPY = re.compile(
    r" ?\((?P<number>\d{1,4})\)|-(?P<dashed>\d{1,4})| ?- ?(?:copy|kopie)(?: ?\(\d{1,4}\))?| copy(?: \d{1,4})?"
    r"| \((?:another |\d{1,4}(?:st|nd|rd|th) )?copy\)"
)
_MAX_COPIES = 4  # ends of one name


def name_and_numbers(path: str) -> tuple[str, tuple[int, ...]]:
    """The file's name in small letters without these ends, and the numbers in them, the last one first:
    ("a.cu", (2, 1)) for "folder/A (1)-2.cu". The file with the highest numbers is the last one.
    """
    stem, dot, suffix = PurePosixPath(path).name.lower().rpartition(".")
    numbers: list[int] = []
    for _ in range(_MAX_COPIES):
        match = next((one for one in _COPY.finditer(stem) if one.end() == len(stem) and one.start()), None)
        if not match:
            break
        stem = stem[: match.start()]
        numbers += [int(number) for number in match.groups() if number]
    return stem + dot + suffix, tuple(numbers)
