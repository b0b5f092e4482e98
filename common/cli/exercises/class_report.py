"""A page about the progress of a class: students and exercises, from the students' progress.csv files.

The files come from students, so they are untrusted: links are not followed, the size is limited, and every text on the
page is escaped.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from cli.catalogue import Program
from cli.errors import UsageError, WorkbookError
from cli.exercises.progress import REPEATED, SOLVED, WRONG, Entry, read_entries
from cli.exercises.question_names import QUESTION_PREFIX
from cli.workbook import PROGRESS

MOST_STUDENTS = 1000
_MOST_BYTES = 1 << 20
_MOST_CHARACTERS = 120
_STYLE = """
body { font: 13px/1.25 system-ui, sans-serif; margin: 1em; color: #111; background: #fff; }
h1 { font-size: 1.3em; margin: 0 0 .3em; } h2 { font-size: 1.1em; margin: 1em 0 .3em; }
table { border-collapse: collapse; } .grid { font-size: 11px; line-height: 1.15; }
th, td { padding: 1px 4px; text-align: left; vertical-align: top; }
.grid td, .grid th { padding: 0 2px; border: 1px solid #ccc; white-space: nowrap; }
.grid .e { text-align: center; min-width: 13px; padding: 0; } .grid .n { text-align: right; }
.grid thead .e { writing-mode: vertical-rl; transform: rotate(180deg); vertical-align: bottom; padding: 2px 0; }
.grid tbody tr:nth-child(5n) td { border-bottom-color: #555; }
.name { max-width: 16em; overflow: hidden; text-overflow: ellipsis; }
.s { background: #bfe3ff; } .t { background: #ffd59e; font-weight: bold; }
sup { font-size: 8px; line-height: 0; vertical-align: 3px; }
.s, .t { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
@page { size: A4 landscape; margin: 7mm; }
@media print {
  body { margin: 0; font-size: 7pt; } h1 + p { margin: 0; } h2 { break-before: page; }
  .grid { font-size: 5.6pt; line-height: 1.05; } .grid .e { min-width: 9px; font-size: 5pt; }
  sup { font-size: 4pt; vertical-align: 1px; }
}
"""
_LEGEND = (
    "<span class='s'>✓</span> solved, <span class='t'>✗</span> checked but not solved, empty: not checked. A small "
    "number is the number of hints for the last failure. Wrong: Predict questions whose first answer was wrong, of all "
    "answered ones."
)


@dataclass
class Student:
    name: str
    entries: dict[str, Entry] = field(default_factory=dict)
    problem: str = ""  # the reason why there are no entries

    def of(self, exercise: Program) -> Entry | None:
        entry = self.entries.get(exercise.target)
        return entry if entry and entry.checks else None

    @property
    def questions(self) -> list[Entry]:
        return [entry for name, entry in self.entries.items() if name.startswith(QUESTION_PREFIX)]


def read_students(folder: Path, now_called: dict[str, str]) -> list[Student]:
    """The students of a folder, sorted by name: folders with a progress.csv, such as clones, and files NAME.csv. Raises
    UsageError if there are none, or too many.
    """
    if not folder.is_dir():
        raise UsageError(f"There is no folder '{folder}'. The current folder is {Path.cwd()}.")
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if not entry.name.startswith(".")]
    if len(names) > MOST_STUDENTS:
        raise UsageError(f"{folder} has {len(names)} entries; a class has at most {MOST_STUDENTS}.")
    places = [(name, folder / name) for name in sorted(names, key=lambda name: (name.casefold(), name))]
    students = [_student(name, place, now_called) for name, place in places if place.is_dir() or name.endswith(".csv")]
    if not students:
        raise UsageError(f"{folder} contains no folder of a student and no progress file NAME.csv.")
    return students


def _student(name: str, place: Path, now_called: dict[str, str]) -> Student:
    if place.is_symlink():
        return Student(name, problem="a link, which is not followed")
    file = place / PROGRESS if place.is_dir() else place
    student = Student(name if place.is_dir() else name[: -len(".csv")])
    try:
        status = file.lstat()
        if not stat.S_ISREG(status.st_mode):
            student.problem = f"{PROGRESS} is not a plain file"
        elif status.st_size > _MOST_BYTES:
            student.problem = f"{PROGRESS} is larger than {_MOST_BYTES >> 20} MiB"
        else:
            student.entries, _ = read_entries(file, now_called)
    except FileNotFoundError:
        student.problem = f"no {PROGRESS}"
    except (OSError, WorkbookError):
        student.problem = f"{PROGRESS} cannot be read"
    return student


def report_page(students: list[Student], exercises: list[Program], date: str) -> str:
    """A page in HTML that needs no other file."""
    begun = [one for one in exercises if any(student.of(one) for student in students)]
    words = f"{len(students)} students; {len(begun)} of {len(exercises)} exercises are begun. {date}."
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>Progress of the class</title>"
        f"<style>{_STYLE}</style></head><body>\n<h1>Progress of the class</h1>\n<p>{words} {_LEGEND}</p>\n"
        f"{_grid(students, begun)}\n{_failures(students, begun)}\n</body></html>\n"
    )


def _grid(students: list[Student], exercises: list[Program]) -> str:
    heads = "".join(f"<th class='e'>{_text(one.target)}</th>" for one in exercises)
    rows = [_row(student, exercises) for student in students]
    solved = [sum(_is_solved(student.of(one)) for student in students) for one in exercises]
    sums = "".join(f"<td class='e'>{count}</td>" for count in solved)
    return (
        f"<table class='grid'><thead><tr><th>Student</th><th>Solved</th><th>Wrong</th>{heads}</tr></thead><tbody>\n"
        + "\n".join(rows)
        + f"</tbody>\n<tfoot><tr><th>Solved by</th><td class='n'>{sum(solved)}</td><td></td>{sums}</tr></tfoot></table>"
    )


def _row(student: Student, exercises: list[Program]) -> str:
    name = f"<td class='name' title='{_text(student.name)}'>{_text(student.name)}</td>"
    if student.problem:
        return f"<tr>{name}<td colspan='{len(exercises) + 2}'>{_text(student.problem)}</td></tr>"
    cells = "".join(_cell(student.of(one)) for one in exercises)
    solved = sum(_is_solved(student.of(one)) for one in exercises)
    wrong = sum(entry.failure in (WRONG, REPEATED) for entry in student.questions)
    asked = f"{wrong} of {len(student.questions)}" if student.questions else ""
    return f"<tr>{name}<td class='n'>{solved}</td><td class='n'>{asked}</td>{cells}</tr>"


def _cell(entry: Entry | None) -> str:
    if not entry:
        return "<td class='e'></td>"
    kind, sign = ("s", "✓") if _is_solved(entry) else ("t", "✗")
    hints = f"<sup>{min(entry.hints, 99)}</sup>" if entry.hints else ""
    facts = [entry.exercise, entry.date, f"checks: {entry.checks}", entry.failure]
    return f"<td class='e {kind}' title='{_text(', '.join(filter(None, facts)))}'>{sign}{hints}</td>"


def _failures(students: list[Student], exercises: list[Program]) -> str:
    """The last failures of exercises that are not solved, with the students, the most frequent failure first."""
    rows = []
    for exercise in exercises:
        stuck: dict[str, list[str]] = {}
        for student in students:
            entry = student.of(exercise)
            if entry and not _is_solved(entry):
                failure = entry.failure.replace("_", " ") or "does not compile, or is refused"
                stuck.setdefault(failure, []).append(student.name)
        for failure, names in sorted(stuck.items(), key=lambda item: -len(item[1])):
            rows.append(f"<tr>{_cells([exercise.target, failure, str(len(names)), ', '.join(names)])}</tr>")
    if not rows:
        return ""
    head = "<tr><th>Exercise</th><th>Last failure</th><th>Students</th><th>Names</th></tr>"
    return "<h2>Not solved yet</h2>\n<table>" + head + "\n".join(rows) + "</table>"


def _cells(texts: Iterable[str]) -> str:
    return "".join(f"<td>{_text(text, 10 * _MOST_CHARACTERS)}</td>" for text in texts)


def _is_solved(entry: Entry | None) -> bool:
    return entry is not None and entry.state == SOLVED


def _text(text: str, most: int = _MOST_CHARACTERS) -> str:
    """A student's text for the page: escaped, without control characters, and cut if it is long."""
    shown = "".join(char if char.isprintable() else "?" for char in text[:most])
    return escape(shown + ("..." if len(text) > most else ""), quote=True)
