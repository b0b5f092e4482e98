"""A stage's title, its first comment line, shares a word with its file's name.

check_titles.py

Words are the same if their first letters are: "memory" and "memories". Prints the titles that share none, and exits
with 1 if one of them is not in EXCEPTED.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.workbook import Workbook

SAME_LETTERS = 5

# Stages whose titles share no word with their names, and why.
EXCEPTED = {"ch3_transpose/02_localmem": "OpenCL calls shared memory local memory"}

_NUMBER = re.compile(r"\A\d+[a-z]?_")


def shares_a_word(stem: str, title: str) -> bool:
    """stem: of the file, with its number. title: what follows "Stage NN: "."""
    name, text = (
        {word[:SAME_LETTERS] for word in re.findall(r"[a-z0-9]+", words.lower())}
        for words in (_NUMBER.sub("", stem).replace("_", " "), title)
    )
    return bool(name & text)


def main() -> int:
    stages = [
        (f"{chapter.name}/{stage.source.stem}", stage)
        for chapter in Workbook(ROOT).catalogue.chapters
        for stage in chapter.of_kind("stage")
        if _NUMBER.match(stage.source.stem)
    ]
    apart = {
        key: stage.description()
        for key, stage in stages
        if not shares_a_word(stage.source.stem, stage.description().partition(": ")[2])
    }
    wrong = [f"{key} has no word of its title: {apart[key]}" for key in sorted(apart.keys() - EXCEPTED.keys())]
    wrong += [f"{key} shares a word with its title: take it out of EXCEPTED." for key in sorted(EXCEPTED.keys() - apart.keys())]
    print("\n".join(wrong) or f"{len(stages) - len(apart)} of {len(stages)} titles share a word with their file names.")
    return 1 if wrong or not stages else 0


if __name__ == "__main__":
    sys.exit(main())
