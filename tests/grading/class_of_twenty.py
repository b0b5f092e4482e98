"""The submissions of the class of twenty in answers.txt; six are hostile. docs/for_teachers.md grades it.

Usage: python3 tests/grading/class_of_twenty.py FOLDER

writes the submissions into FOLDER/handed_in, and all names into FOLDER/class.txt. One student has handed nothing in.
"""

from __future__ import annotations

import sys
from pathlib import Path

from answers import ANSWERS

CLASS = {answer.name: answer for answer in ANSWERS if "class" in answer.how}
HOSTILE = list(CLASS)[list(CLASS).index("=1+1") :]
ABSENT = "Rosa"
VERDICTS = {**{name: answer.verdict for name, answer in CLASS.items()}, ABSENT: "not handed in"}


def write_class(folder: Path) -> None:
    for name, answer in CLASS.items():
        (folder / "handed_in" / name).mkdir(parents=True)
        answer.put(folder / "handed_in" / name)
    (folder / "class.txt").write_text("".join(f"{name}\n" for name in VERDICTS), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_class(Path(sys.argv[1]))
    print(f"{len(VERDICTS)} students, {len(HOSTILE)} of them hostile.")
