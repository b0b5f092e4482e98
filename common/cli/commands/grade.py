"""`./workbook grade`"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from cli.catalogue import Program
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.exercises.attempt import exercise_tree
from cli.exercises.hidden_cases import HiddenCases, read_hidden_cases
from cli.exercises.lookup import all_exercises, find_exercise
from cli.grading.export import KINDS, Asked, export
from cli.grading.judging import NOT_GRADED, Examiner, Grade
from cli.grading.platforms import CLASSROOM50, GRADESCOPE, writer_for
from cli.grading.reports import write_reports, write_summary
from cli.grading.sandbox import Contained, Sandbox, require_sandbox
from cli.grading.submissions import Submission, find_students, find_submission, one_student
from cli.running.limited_run import MAX_MEMORY_BYTES, Limits
from cli.running.runner import CPU_LIMIT_S
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, printable, say
from cli.workbook import Workbook

DEFAULT_POINTS = 10
SUMMARY = "for teachers: check what students have handed in, in a sandbox, and with seeds and shapes of your own"
USAGE = (
    "grade FOLDER EXERCISE... [--hidden FILE.csv] [--reports FOLDER] [--seconds N] [--memory-gib N] [--contained] "
    "[--platform KIND --result FILE] [--export KIND] [--points N]"
)
DETAILS = f"""
FOLDER holds a folder for each student, with their .cu files in it, or their copy of the workbook. Each answer is built
and tested in a sandbox, without a network and with nothing to write to but a folder of its own. The tests that it
passes are judged again in a process that it has no access to. docs/for_teachers.md says what is contained, and what
not.

--hidden FILE.csv     seeds and shapes that you keep to yourself
--reports FOLDER      where NAME.json, NAME.xml (JUnit) and summary.csv go; ./grades without it
--seconds N           of processor time for one program; {CPU_LIMIT_S:g} without it
--memory-gib N        {MAX_MEMORY_BYTES >> 30} without it

--contained           for root in a container that allows no sandbox within: answers run there as another user; what
                      that does not hold off is in docs/for_teachers.md

For class platforms (docs/for_teachers.md), where an exercise gives --points N or none; {DEFAULT_POINTS} without it:

--export KIND         grades nobody: FOLDER becomes what the platform is given. KIND is {", ".join(KINDS)}
--platform KIND --result FILE
                      FOLDER is one student's, and FILE is written as gradescope or classroom50 reads it

The exit code is 0 if every answer got a grade, whether it passed or not.

  ./workbook grade ~/handed_in ch3_ex1 ch3_ex2 --hidden ~/mine.csv --reports ~/grades
  ./workbook grade --export gradescope ~/for_gradescope ch3_ex1 ch3_ex2 --hidden ~/mine.csv
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parsed = _parse(arguments)
    exercises = list(dict.fromkeys(find_exercise(name, workbook) for name in parsed.exercise))
    hidden = read_hidden_cases(parsed.hidden, all_exercises(workbook)) if parsed.hidden else {}
    if parsed.export:
        options = ("--seconds", f"{parsed.seconds:g}", "--memory-gib", f"{parsed.memory_gib:g}", "--points", f"{parsed.points}")
        say(export(parsed.export, parsed.folder, Asked(tuple(exercises), options, parsed.hidden), workbook))
        return EXIT_OK
    students = [one_student(parsed.folder)] if parsed.platform else find_students(parsed.folder)
    write_for_platform = writer_for(parsed.platform, os.environ) if parsed.platform else None
    reports = Path(os.path.realpath(parsed.reports))
    if parsed.folder.resolve() in (reports, *reports.parents):
        raise UsageError(f"The reports cannot go into {parsed.folder}, to the students' files. Name another --reports.")
    room = Contained if parsed.contained else Sandbox
    require_sandbox(room)
    reports.mkdir(parents=True, exist_ok=True)

    limits = Limits(cpu_s=parsed.seconds, wall_s=2 * parsed.seconds + 30, memory_bytes=int(parsed.memory_gib * 2**30))
    tree = exercise_tree(workbook)
    grades: dict[str, list[Grade]] = {student.name: [] for student in students}
    for exercise in exercises:
        examiner = Examiner(exercise, workbook, tree, hidden.get(exercise.target, HiddenCases()), limits, room)
        for student in students:
            grades[student.name].append(_graded(examiner, exercise, student))
            write_reports(reports, student.name, grades[student.name])
    everything = [grade for of_student in grades.values() for grade in of_student]
    write_summary(reports, everything)
    if write_for_platform:
        write_for_platform(parsed.result, everything, parsed.points)
    say(f"\nThe reports are in {reports}.")
    return EXIT_FAILED if any(grade.verdict == NOT_GRADED for grade in everything) else EXIT_OK


def _parse(arguments: list[str]) -> argparse.Namespace:
    """Raises UsageError for numbers that are none, and options that need each other."""
    parser = ArgumentParser("grade", USAGE)
    parser.add_argument("folder", type=Path)
    parser.add_argument("exercise", nargs="+")
    parser.add_argument("--hidden", metavar="FILE.csv", type=Path)
    parser.add_argument("--reports", metavar="FOLDER", type=Path, default=Path("grades"))
    parser.add_argument("--seconds", metavar="N", type=float, default=CPU_LIMIT_S)
    parser.add_argument("--memory-gib", metavar="N", type=float, default=MAX_MEMORY_BYTES / 2**30)
    parser.add_argument("--contained", action="store_true")
    parser.add_argument("--platform", metavar="KIND", choices=(GRADESCOPE, CLASSROOM50))
    parser.add_argument("--result", metavar="FILE", type=Path)
    parser.add_argument("--export", metavar="KIND", choices=KINDS)
    parser.add_argument("--points", metavar="N", type=int, default=DEFAULT_POINTS)
    parsed = parser.parse_args(arguments)
    for name, value in (("--seconds", parsed.seconds), ("--memory-gib", parsed.memory_gib), ("--points", parsed.points)):
        if not 0 < value < float("inf"):
            raise UsageError(f"{name} takes a number above 0, not {value:g}.")
    if bool(parsed.platform) != bool(parsed.result):
        raise UsageError("--platform and --result go together: for whom, and into which file.")
    return parsed


def _graded(examiner: Examiner, exercise: Program, student: Path) -> Grade:
    """What becomes of one answer, whatever goes wrong with it."""
    try:
        grade = examiner.grade(find_submission(student, exercise))
    except Exception as error:  # noqa: BLE001  # one student's answer is nobody else's trouble
        words = str(error) or type(error).__name__
        complain(f"{_shown(student.name)}  {exercise.target}  {NOT_GRADED}: {words}")
        return Grade(Submission(student.name, exercise, problem=words), NOT_GRADED, words)
    say(f"{_shown(student.name)}  {exercise.target}  {grade.verdict}")
    return grade


def _shown(name: str) -> str:
    """A folder's name in one line."""
    return printable(name).replace("\n", "?").replace("\t", "?")
