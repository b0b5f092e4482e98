"""A stage has one title: in its first comment line, in the lesson's heading, and first in its row of the stage table.

check_titles.py

The title shares a word with the file's name. Words are the same if their first letters are: "memory" and "memories".
Prints each stage for which one of this does not hold, and exits with 1 if there is one that EXCEPTED does not name.
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


def headings(page: str) -> dict[str, str]:
    """The title after each "## Stage NN: ", by the stage's number. A stage of a library can do without a section."""
    return {number: title for number, title in re.findall(r"^#+ Stage (\d+[a-z]?): (.+)$", page, re.MULTILINE)}


def in_tables(page: str, file: str) -> list[str]:
    """The second cell of each table row that begins with the file (in its folder), without marks for code and bold."""
    rows = re.findall(rf"^\|[^|]*`{re.escape(file)}`[^|]*\|([^|]*)\|", page, re.MULTILINE)
    return [plain(cell) for cell in rows]


def plain(words: str) -> str:
    return re.sub(r"[`*]", "", words).strip()


def other_titles(file: str, first_line: str, page: str) -> list[str]:
    """What is wrong with the stage's heading and its rows of tables. page: the text of the chapter's pages.

    A first line "Transpose, step 01: ..." belongs to a second ladder, whose sections are not headed "Stage 01".
    """
    ladder, _, title = plain(first_line).partition(": ")
    heading = plain(headings(page).get(ladder.removeprefix("Stage "), title))
    rows = in_tables(page, file)
    wrong = [f"the heading is {heading!r}"] if heading != title else []
    row = f"| `{file}` | {title} |"
    wrong += [] if rows else [f"no table of the chapter's README.md or ADVANCED.md has a row for it, such as: {row}"]
    return wrong + [f"the row of the table begins {row!r}" for row in rows if not row.startswith(title)]


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
    wrong = [
        f"chapters/{key}.cu: the name shares no word with the title in the first line, {apart[key]!r}: change one."
        for key in sorted(apart.keys() - EXCEPTED.keys())
    ]
    pages = {
        chapter.name: "\n".join(page.read_text(encoding="utf-8") for page in chapter.files.pages)
        for chapter in Workbook(ROOT).catalogue.chapters
    }
    for key, stage in stages:
        chapter = key.partition("/")[0]
        file = stage.source.relative_to(ROOT / "chapters" / chapter).as_posix()
        others = other_titles(file, stage.description(), pages[chapter])
        wrong += [f"chapters/{chapter}/{file} has the title {stage.description()!r}, and {other}" for other in others]
    wrong += [f"{key} shares a word with its title: take it out of EXCEPTED." for key in sorted(EXCEPTED.keys() - apart.keys())]
    print("\n".join(wrong) or f"{len(stages) - len(apart)} of {len(stages)} titles share a word with their file names.")
    return 1 if wrong or not stages else 0


if __name__ == "__main__":
    sys.exit(main())
