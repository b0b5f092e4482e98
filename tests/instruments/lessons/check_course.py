"""Checks docs/course.md: its stages and exercises exist, and all of them are on one of the two paths. All projects are in
the table of projects, and no others. The exercises in its ten weeks, and the table of shapes in docs/for_teachers.md, are
made from the exercises' sheets (grading/sheet.py), and so is the time in an exercise's first line.

Usage: check_course.py [write]. Prints the errors and exits with 1; `write` writes the tables.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
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
_WEEK = re.compile(r"^\| (?P<week>\d+|later) \|(?P<chapter>[^|\n]*)\|(?P<marked>[^|\n]*)\|[^|\n]*\|$", re.MULTILINE)
_AFTER_NAMES = re.compile(r"^(?:(?:, )?ch\d+_ex\d+(?: to \d+)?)*")
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


def shape_table(shapes: dict[str, str]) -> str:
    """What a hidden shape of each exercise is; empty: it has none."""
    rows = ["| exercises | a shape |", "|---|---|"]
    for shape in [*filter(None, dict.fromkeys(shapes.values())), ""]:
        names = names_of([one for one in shapes if shapes[one] == shape])
        rows += [f"| {names} | {shape or 'none: leave it empty'} |"] if names else []
    return "\n".join(rows) + "\n"


def with_weeks(page: str, weeks: dict[str, str], answers: dict[str, str]) -> str:
    """docs/course.md with the exercises of the sheets in the rows of the ten weeks: those to hand in, and those for
    practice, which have answers. Words that follow the names of a cell stay.
    """

    def row(found: re.Match[str]) -> str:
        chapter = found["chapter"].strip()
        here = [one for one in weeks if weeks[one] == found["week"]]
        if found["week"] == "later":  # several rows: each has the exercises of its chapter
            here = [one for one in here if one.split("_")[0] == chapter.split("_")[0]]
        marked, practice = names_of(one for one in here if one not in answers), names_of(one for one in here if one in answers)
        words = _AFTER_NAMES.sub("", found["marked"].strip())
        return f"| {found['week']} | {chapter} | {marked}{words} | {practice}{' ' if practice else ''}|"

    return _WEEK.sub(row, page)


def first_hour_problems(page: str, answers: dict[str, str]) -> list[str]:
    """The exercises that the page solves are for practice."""
    solved = set(_CHECKED.findall(page))
    recorded = {exercise for exercise, file in answers.items() if file == str(FIRST_HOUR)}
    return [f"{one} must have {FIRST_HOUR} under Practice in its sheet." for one in sorted(solved - recorded)] + [
        f"{one} is not solved there, but its sheet says so." for one in sorted(recorded - solved)
    ]


def names_of(exercises: Iterable[str]) -> str:
    """ "ch0_ex1 to 4, ch0_ex7" for five exercises, in their order."""
    runs: list[list[str]] = []
    for one in exercises:
        stem, number = _number_of(one)
        if runs and number and _number_of(runs[-1][-1]) == (stem, number - 1):
            runs[-1].append(one)
        else:
            runs.append([one])
    parts = []
    for run in runs:
        parts += [f"{run[0]} to {_number_of(run[-1])[1]}"] if len(run) > 2 else run
    return ", ".join(parts)


def _number_of(exercise: str) -> tuple[str, int]:
    found = re.fullmatch(r"(ch\d+_ex)(\d+)", exercise)
    return (found[1], int(found[2])) if found else (exercise, 0)


def main(arguments: list[str]) -> int:
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
    sheets = {exercise.target: sheet_of(exercise, workbook) for exercise in programs}
    answers = {name: sheet.answer for name, sheet in sheets.items() if sheet.answer}
    first_hour = (ROOT / FIRST_HOUR).read_text(encoding="utf-8")
    found += [f"{FIRST_HOUR}: {problem}" for problem in first_hour_problems(first_hour, answers)]
    for exercise in programs:
        wanted = sheets[exercise.target].course.get("time", "")
        if exercise.duration != wanted:
            found.append(f"{exercise.source}: its first line says {exercise.duration or 'no time'}, and its sheet {wanted or 'none'}.")
    weeks = {name: sheet.course.get("week", "") for name, sheet in sheets.items()}
    shapes = {name: sheet.course.get("hidden shape", "") for name, sheet in sheets.items()}
    teachers = (ROOT / SHAPES).read_text(encoding="utf-8")
    for path, old, new in (
        (PAGE, page, with_weeks(page, weeks, answers)),
        (SHAPES, teachers, _SHAPES.sub(lambda _: shape_table(shapes), teachers)),
    ):
        if old != new and "write" in arguments:
            (ROOT / path).write_text(new, encoding="utf-8")
        elif old != new:
            found.append(f"{path}: a table differs from the exercises' sheets. Run {Path(__file__).name} write.")
    print("\n".join(found) or f"Every stage and exercise is on a path of {PAGE}.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
