#!/usr/bin/env python3
"""No text has a word that this house's English does without: docs/contributing.md has the rules.

    check_words.py [FOLDER or FILE...]      of the repository, or of these alone

Reads what git tracks: pages, comments, messages, names of tests. Line breaks, comment marks and the ends of strings count
as spaces. Prints each place with what to write instead; exits with 1 if there is one that EXCEPTED does not name.
"""

from __future__ import annotations

import re
import subprocess
import sys
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OWN = ("check_words.py", "test_check_words.py")

# What is never right, and what to write.
REFUSED = {
    "anew": "again; from scratch",
    "beside": "next to; compared with; in addition to",
    "in place of": "instead of",
    "may not": "must not; cannot; might not",
    "whoever, whomever": "the thread that; any code that",
    "nobody, somebody": "no thread; a thread; never; the passive",
    "is no, are no": "is not a; are not",
    "mend, mends, mended, mending": "fix",
    "ways of conflict, conflict ways": "n-way bank conflict",
    "bytes asked, bytes moved": "bytes requested; bytes transferred",
    "further path": "advanced path",
    "whole number, whole numbers": "integer",
    "see to it, sees to it": "make sure",
    "need not": "does not have to",
    "is chance, by chance": "the order is not defined; by luck",
    "go round, goes round": "iterates; runs again",
    "one behind the other, one behind another": "contiguous; back to back",
    "take turns, takes turns": "alternate; swap roles",
    "on its way, on their way": "in flight",
    "rubbish": "garbage",
    "shall": "should; do you want",
    "give back, gives back, given back": "freed; returned",
    "so as to": "to",
}
# After "there", and before these words, "is no" is right.
_AFTER_IS_NO = "longer|further|more|less|other|different|faster|slower|larger|smaller|better|worse|fewer|cheaper|wider|higher|lower"
_PATTERNS = {
    phrase: re.compile(rf"(?<!there )\b{phrase} (?!({_AFTER_IS_NO})\b)" if phrase.endswith(" no") else rf"(?<![\w-]){phrase}(?![\w-])")
    for phrases in REFUSED
    for phrase in phrases.split(", ")
}
_INSTEAD = {phrase: instead for phrases, instead in REFUSED.items() for phrase in phrases.split(", ")}

# Places where one of these is right: the file, the words around it, and the reason.
EXCEPTED: dict[tuple[str, str], str] = {}

_SUFFIXES = {".md", ".txt", ".cff", ".cu", ".cuh", ".cpp", ".h", ".py", ".js", ".css", ".html", ".cmake", ".sh", ".yml",
             ".svg", ".ipynb", ".in"}  # fmt: skip
_NAMES = {"workbook", "Makefile", "run"}
_LINE_ENDS = " \t/#*>\"'\\"  # comment marks, indentation, quotes
_RESULTS = re.compile(r"^plots/results/")


def places(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, the words with those next to them, what to write) of each refused word."""
    flat, starts, at = [], [], 0
    for line in text.split("\n"):
        part = line.strip(_LINE_ENDS)
        part = (part[2:] if part[:2] in ('f"', "f'", 'R"') else part) + " "
        starts.append(at)
        flat.append(part)
        at += len(part)
    joined = "".join(flat)
    lower = joined.lower()
    for phrase, pattern in _PATTERNS.items():
        if phrase in lower:  # 0.7 s for all texts, and 5.9 s without this line
            for found in pattern.finditer(lower):
                words = joined[max(0, found.start() - 40) : found.end() + 40].strip()
                yield bisect_right(starts, found.start()), words, _INSTEAD[phrase]


def tracked(named: list[str]) -> Iterator[Path]:
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z", *named], capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        file = Path(name)
        if (file.suffix in _SUFFIXES or file.name in _NAMES) and file.name not in OWN and not _RESULTS.match(name):
            yield file


def main(named: list[str]) -> int:
    wrong, files = 0, 0
    for file in tracked(named):
        if not (ROOT / file).is_file():
            continue
        files += 1
        for line, words, instead in sorted(places((ROOT / file).read_text(encoding="utf-8", errors="replace"))):
            if not any(name == str(file) and part in words for name, part in EXCEPTED):
                print(f"{file}:{line}: ... {words} ...\n    write: {instead}")
                wrong += 1
    print(f"{wrong} such words in {files} files.")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
