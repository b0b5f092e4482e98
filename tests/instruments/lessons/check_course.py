"""Checks docs/course.md: its stages and exercises exist, and all of them are on one of the two paths. All projects are in
the table of projects, and no others. In the ten weeks, the exercises for practice (grading/sheet.py) have a column of
their own, and a week has others to hand in. docs/for_teachers.md states for each exercise what a hidden shape is.

Prints the errors and exits with 1.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import PROJECTS
from cli.exercises.course import PAGE, read_paths, read_projects
from cli.workbook import Workbook
from grading.sheet import sheet_of

SHAPES = Path("docs/for_teachers.md")
FIRST_HOUR = Path("docs/first_hour.md")
_SHAPES = re.compile(r"^\| exercises \| a shape \|\n(?:\|.*\n)+", re.MULTILINE)
_WEEK = re.compile(r"^\| (?P<week>\d+|later) \|[^|\n]*\|(?P<marked>[^|\n]*)\|(?P<practice>[^|\n]*)\|$", re.MULTILINE)
_CHECKED = re.compile(r"^\$ \./workbook check (\w+)$", re.MULTILINE)
_NUMBERED = re.compile(r"(?:\d+[a-z]?|ex\d+)_\w+\Z")


def problems(page: str, stems: dict[str, list[str]]) -> list[str]:
    """stems: the numbered files of each chapter, without .cu. Only a variant, such as 01b_name, can be on no path."""
    found = []
    rows = {row.core.chapter: row for row in read_paths(page)}
    for chapter in sorted(stems.keys() | rows.keys()):
        if chapter not in stems or chapter not in rows:
            row = f"| {chapter} | {', '.join(f'`{stem}`' for stem in stems.get(chapter, ()))} | | |"
            add = f"Add a row at its place in the order of the course, such as: {row}"
            found.append(f"{chapter} is {'not a chapter.' if chapter in rows else f'in no row of The paths. {add}'}")
            continue
        row = rows[chapter]
        if row.core.has_everything or row.advanced.has_everything:
            continue
        named = [*row.core.names, *row.advanced.names]
        found += [f"{chapter} has no {name}." for name in named if name not in stems[chapter]]
        found += [f"{chapter}: {name} appears twice." for name in sorted(set(named)) if named.count(name) > 1]
        wanted = [stem for stem in stems[chapter] if not re.match(r"\d+[a-z]_", stem)]
        found += [f"{chapter}: {stem} is on no path." for stem in wanted if stem not in named]
    return found


def project_problems(page: str, projects: set[str]) -> list[str]:
    chapters = {row.core.chapter for row in read_paths(page)}
    needed = read_projects(page)
    found = [f"{project} is in no row of Projects." for project in sorted(projects - needed.keys())]
    found += [f"{project} is not a project." for project in sorted(needed.keys() - projects)]
    return found + [f"{project} is after {chapter}, which is not a chapter." for project, chapter in needed.items() if chapter not in chapters]


def shape_problems(page: str, exercises: set[str]) -> list[str]:
    """page: for_teachers.md."""
    named = _named_in("".join(_SHAPES.findall(page)))
    advice = "If its tests use no shapes, add it to the last row."
    found = [f"{one} is in no row of the table of shapes. {advice}" for one in exercises - named]
    return sorted(found + [f"{one}, in the table of shapes, is not an exercise." for one in named - exercises])


def week_problems(page: str, exercises: set[str], answers: dict[str, str]) -> list[str]:
    """answers: the exercises for practice, each with a file that has an answer."""
    found, listed = [], set()
    for row in _WEEK.finditer(page):
        week, marked, practice = row["week"], _named_in(row["marked"]), _named_in(row["practice"])
        listed |= practice
        found += [f"Week {week}: there is no {one}." for one in sorted((marked | practice) - exercises)]
        found += [f"Week {week}: {one} is for practice: {answers[one]}." for one in sorted(marked & answers.keys())]
        found += [] if marked - answers.keys() else [f"Week {week} has no exercise to hand in."]
    found += [f"{one} is for practice, and is in no week." for one in sorted(answers.keys() - listed)]
    others = sorted(listed - answers.keys())
    return found + [f"{one} is not for practice (its sheet has no section Practice)." for one in others]


def first_hour_problems(page: str, answers: dict[str, str]) -> list[str]:
    """The exercises that the page solves are for practice."""
    solved = set(_CHECKED.findall(page))
    recorded = {exercise for exercise, file in answers.items() if file == str(FIRST_HOUR)}
    return [f"{one} must have {FIRST_HOUR} under Practice in its sheet." for one in sorted(solved - recorded)] + [
        f"{one} is not solved there, but its sheet says so." for one in sorted(recorded - solved)
    ]


def _named_in(text: str) -> set[str]:
    """The exercises in a text; "ch0_ex1 to 5, ch0_ex7" are six."""
    named: set[str] = set()
    for first, last in re.findall(r"\b((?:ch\d+_ex|project_)\w+)(?: to (\d+))?", text):
        stem, _, number = first.rpartition("ex")
        named |= {f"{stem}ex{index}" for index in range(int(number), int(last) + 1)} if last else {first}
    return named


def main() -> int:
    workbook = Workbook(ROOT)
    every = workbook.catalogue.chapters
    chapters = [chapter for chapter in every if chapter.name != PROJECTS]
    programs = [exercise for chapter in every for exercise in chapter.of_kind("exercise")]
    projects = {exercise.target for exercise in programs if exercise.is_project}
    stems = {
        chapter.name: [p.source.stem for p in chapter.of_kind("stage", "exercise") if _NUMBERED.match(p.source.stem)]
        for chapter in chapters
    }
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    found = [f"{PAGE}: {problem}" for problem in problems(page, stems) + project_problems(page, projects)]
    exercises = {exercise.target for exercise in programs}
    sheets = {exercise.target: sheet_of(exercise, workbook).answer for exercise in programs}
    answers = {exercise: answer for exercise, answer in sheets.items() if answer}
    found += [f"{PAGE}: {problem}" for problem in week_problems(page, exercises, answers)]
    first_hour = (ROOT / FIRST_HOUR).read_text(encoding="utf-8")
    found += [f"{FIRST_HOUR}: {problem}" for problem in first_hour_problems(first_hour, answers)]
    found += [f"{SHAPES}: {one}" for one in shape_problems((ROOT / SHAPES).read_text(encoding="utf-8"), exercises)]
    print("\n".join(found) or f"Every stage and exercise is on a path of {PAGE}.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
