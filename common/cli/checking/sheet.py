"""The sheet of an exercise, its goals and hints: solutions/chN_topic/exN_name.md, or for a project
solutions/projects/name.md, whose title starts with the name.

    # ex2: a tile without bank conflicts

    ## Course

    - time: 15 minutes
    - week: 9
    - hidden shape: rows x columns

    ## Goals

    ```csv
    rows,cols,memory,operation,measure,value,tolerance
    1024,512,shared,load,conflict_ways,1,0
    ```

    ## Varying counts

    The rows that a thread reads depend on the data.

    ## Practice

    - `chapters/ch3_transpose/05_swizzled.cu`

    ## Rejected by

    - `test=MatchesReference case=1x1`

    ## Hints

    ### at_the_border: pattern=border, overwritten

    - The vaguest first.

"Course" has the time that a learner needs, the week of the ten weeks in docs/course.md, and what a teacher's hidden
shape is; a line that does not apply is left out. Tables of docs/course.md and docs/for_teachers.md are made from it
(tests/instruments/lessons/check_course.py). Goals are rows like those of a claims.csv: the cost of a solved exercise's
accesses. A value such as <=4096 is a limit: a design that needs less reaches the goal too. So does a design without
atomic accesses, unless a row with >=1 requires them. If the starter passes the tests, and only misses goals, a column
`starter` has its counts, or `none` if it has no such access: check_result.py compares an answer with them. "Varying
counts" is only for an exercise whose counts depend on the data, and gives the reason: other answers whose counts depend
on it are flagged for the teacher. "Practice" names a file in students' copies that has an answer: the exercise is not
for marks. "Rejected by" names the facts (facts.py) that the failed tests of any other starter record. hints.py
describes the headings in "Hints".
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from cli.catalogue import Program
from cli.errors import WorkbookError
from cli.measuring.claims import Claim, parse_claims
from cli.workbook import Workbook

_TITLE = re.compile(r"^# (\w+): \S")
_ITEM = re.compile(r"^- `(?P<text>.+)`$")
_COURSE = re.compile(r"^- (?P<key>time|week|hidden shape): (?P<text>\S.*)$")
_SECTIONS = ("Course", "Goals", "Varying counts", "Practice", "Rejected by", "Hints")


@dataclass(frozen=True)
class Line:
    number: int
    text: str


@dataclass(frozen=True)
class Sheet:
    file: Path
    goals: tuple[Claim, ...]
    reasons: tuple[str, ...]  # facts, for mistakes/reasons.py
    hints: tuple[Line, ...]  # the section's lines: hints.py reads them
    varying_counts: str = ""  # why the counts depend on the data or on the order of the blocks; empty if they do not
    answer: str = ""  # a file in students' copies with an answer: the exercise is for practice
    course: dict[str, str] = field(default_factory=dict)  # the section "Course": time, week, hidden shape


def sheet_of(exercise: Program, workbook: Workbook) -> Sheet:
    """The sheet of an exercise, or of an answer to it."""
    stem = exercise.source.stem
    if exercise.is_project and exercise.kind == "solution":
        stem = re.sub(r"_second\Z", "", stem)
    return read_sheet(workbook.files_of(exercise.chapter).sheet(stem))


def read_sheet(file: Path) -> Sheet:
    """Raises WorkbookError, with the line, for a sheet that does not have the form above."""
    if os.path.exists(file) and not os.path.isfile(file):  # reading a pipe would never end
        raise WorkbookError(f"{file} must be a file with the goals and hints of an exercise.")
    try:
        lines = [Line(number, text) for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)]
    except OSError as error:
        raise WorkbookError(f"{file}: an exercise's goals and hints are missing ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise WorkbookError(f"{file} is not UTF-8 text.") from error
    title = _TITLE.match(lines[0].text) if lines else None
    if title is None:
        raise WorkbookError(f"{file}:1: the first line must be '# exN: TITLE', or '# NAME: TITLE' for a project.")
    sections: dict[str, list[Line]] = {}
    section: list[Line] | None = None
    for line in lines[1:]:
        if line.text.startswith("## "):
            name = line.text[3:].strip()
            if name not in _SECTIONS or name in sections:
                raise WorkbookError(f"{file}:{line.number}: a section must be one of {', '.join(_SECTIONS)}, each once.")
            section = sections.setdefault(name, [])
        elif section is not None:
            section.append(line)
        elif line.text.strip():
            raise WorkbookError(f"{file}:{line.number}: this line must be in a section, such as '## Goals'.")
    goals = _goals(file, sections.get("Goals", []), title[1])
    varying = " ".join(line.text.strip() for line in sections.get("Varying counts", []) if line.text.strip())
    reasons = _items(file, sections.get("Rejected by", []), "a reason must be a list item, '- `KEY=VALUE ...`'")
    answer = "".join(_items(file, sections.get("Practice", []), "a file must be a list item, '- `FILE`'")[:1])
    course = _course(file, sections.get("Course", []))
    return Sheet(file, goals, reasons, tuple(sections.get("Hints", [])), varying, answer, course)


def _course(file: Path, lines: list[Line]) -> dict[str, str]:
    found = {}
    for line in lines:
        item = _COURSE.match(line.text)
        if item:
            found[item["key"]] = item["text"]
        elif line.text.strip():
            raise WorkbookError(f"{file}:{line.number}: a line must be '- time: ...', '- week: ...' or '- hidden shape: ...'.")
    return found


def _goals(file: Path, lines: list[Line], exercise: str) -> tuple[Claim, ...]:
    fences = [index for index, line in enumerate(lines) if line.text.startswith("```")]
    begin, end = fences if len(fences) == 2 else (len(lines), len(lines))
    for index, line in enumerate(lines):
        if line.text.strip() and not begin <= index <= end:
            raise WorkbookError(f"{file}:{line.number}: goals must be in one block between ```csv and ```.")
    if not fences:
        return ()
    rows = [line.text for line in lines[begin + 1 : end]]
    return tuple(parse_claims(rows, file, lines[begin].number + 1, exercise))


def _items(file: Path, lines: list[Line], rule: str) -> tuple[str, ...]:
    found = []
    for line in lines:
        item = _ITEM.match(line.text)
        if item:
            found.append(item["text"])
        elif line.text.strip():
            raise WorkbookError(f"{file}:{line.number}: {rule}.")
    return tuple(found)
