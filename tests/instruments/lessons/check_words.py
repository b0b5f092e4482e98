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

COMPARED = "faster|slower|larger|smaller|better|worse|fewer|cheaper|wider|higher|lower|later|earlier"  # "is no faster"
# What is never right, and what to write. A test quotes none of them, and neither does a page.
REFUSED = {
    r"\banew\b": "again; from scratch",
    r"\bbeside\b": "next to; compared with; in addition to",
    r"\bin place of\b": "instead of",
    r"\bmay not\b": "must not; cannot; might not",
    r"\b(whoever|whomever)\b": "the thread that; any code that",
    r"\b(nobody|somebody)\b": "no thread; a thread; never; the passive",
    rf"(?<!there )\b(is|are) no (?!(longer|more|less|other|different|{COMPARED})\b)": "is not a; are not",
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\b(ways of conflict|conflict ways)\b": "n-way bank conflict",
    r"\bbytes (asked|moved)\b": "bytes requested; bytes transferred",
    r"\bfurther path\b": "advanced path",
    r"\bwhole numbers?\b": "integer",
    r"\bsees? to it\b": "makes sure",
    r"\bneed not\b": "does not have to",
    r"\b(is|by) chance\b": "the order is not defined; by luck",
    r"\bgo(es)? round\b": "iterates; runs again",
    r"\bone behind (the other|another)\b": "contiguous; back to back",
    r"\btakes? turns\b": "alternate; swap roles",
    r"\bon (its|their) way\b": "in flight",
    r"\brubbish\b": "garbage",
    r"\bshall\b": "should; do you want",
    r"\bgive[ns]? back\b": "freed; returned",
    r"\bso as to\b": "to",
}

# Places where one of these is right: the file, the words around it, and the reason.
EXCEPTED: dict[tuple[str, str], str] = {}

_SUFFIXES = {".md", ".txt", ".cff", ".cu", ".cuh", ".cpp", ".h", ".py", ".js", ".css", ".html", ".cmake", ".sh", ".yml",
             ".svg", ".ipynb", ".in"}  # fmt: skip
_NAMES = {"workbook", "Makefile", "run"}
_MARKS = re.compile(r"""^\s*((//+|#+|\*|>)(?=\s|$))?\s*([frR]{0,2}["'](?=\w))?|["'\\]*\s*$""")
_RESULTS = re.compile(r"^plots/results/")


def places(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, the words with those next to them, what to write) of each refused word."""
    flat, starts, at = [], [], 0
    for line in text.split("\n"):
        part = _MARKS.sub("", line).strip() + " "
        starts.append(at)
        flat.append(part)
        at += len(part)
    joined = "".join(flat)
    for pattern, instead in REFUSED.items():
        for found in re.finditer(pattern, joined, re.IGNORECASE):
            line = bisect_right(starts, found.start())
            yield line, joined[max(0, found.start() - 40) : found.end() + 40].strip(), instead


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
