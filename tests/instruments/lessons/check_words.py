"""Rules about all tracked files: no text has a word that this house's English does without (docs/contributing.md has
the rules), and no file is an orphan, whose name no other file contains.

Of a text, line breaks, comment marks and the ends of strings count as spaces. Code can also be named without its
suffix. Files that are found by a pattern are no orphans: C++ sources of chapters and tests, which CMake collects,
Python tests, and results whose names scripts put together. _FOR_OTHERS has the files that other programs search for by
name.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from cli.workbook import Workbook
from pages import Found, tracked

_OWN = ("check_words.py", "test_rules.py")

# What is never right, and what to write.
_REFUSED = {
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
    for phrases in _REFUSED
    for phrase in phrases.split(", ")
}
_INSTEAD = {phrase: instead for phrases, instead in _REFUSED.items() for phrase in phrases.split(", ")}

_SUFFIXES = {".md", ".txt", ".cff", ".cu", ".cuh", ".cpp", ".h", ".py", ".js", ".css", ".html", ".cmake", ".sh", ".yml",
             ".svg", ".ipynb", ".in"}  # fmt: skip
_NAMES = {"workbook", "Makefile", "run"}
_LINE_ENDS = " \t/#*>\"'\\"  # comment marks, indentation, quotes
_RESULTS = Path("plots/results")

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


def words(workbook: Workbook) -> Found:
    for file in tracked(workbook.root):
        if (file.suffix in _SUFFIXES or file.name in _NAMES) and file.name not in _OWN and _RESULTS not in file.parents:
            text = (workbook.root / file).read_text(encoding="utf-8", errors="replace")
            yield from (f"{file}:{line}: ... {near} ...\n    write: {instead}" for line, near, instead in sorted(places(text)))


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


def orphans(workbook: Workbook) -> Found:
    files = tracked(workbook.root)
    naming: dict[str, set[Path]] = {}
    for file in files:
        for word in words_of(workbook.root / file):
            naming.setdefault(word, set()).add(file)
    for file in files:
        if _FOUND_BY_FORM.fullmatch(str(file)) or file.name in _FOR_OTHERS:
            continue
        if not any(naming.get(name, set()) - {file} for name in names_of(file)):
            yield f"{file}: no other file names it. Is it still needed? If so, name it on a page or in a script."
