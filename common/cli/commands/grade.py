"""`./workbook grade`"""

from __future__ import annotations

import os
from pathlib import Path

from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.exercises.attempt import exercise_tree
from cli.exercises.hidden_cases import HiddenCases, read_hidden_cases
from cli.exercises.lookup import all_exercises, find_exercise
from cli.grading.judging import NOT_GRADED, Examiner, Grade
from cli.grading.reports import write_reports, write_summary
from cli.grading.sandbox import require_sandbox
from cli.grading.submissions import Submission, find_students, find_submission
from cli.running.limited_run import MAX_MEMORY_BYTES, Limits
from cli.running.runner import CPU_LIMIT_S
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, printable, say
from cli.workbook import Workbook

SUMMARY = "for teachers: check what students have handed in, in a sandbox, and with seeds and shapes of your own"
USAGE = "grade FOLDER EXERCISE... [--hidden FILE.csv] [--reports FOLDER] [--seconds N] [--memory-gib N]"
DETAILS = f"""
FOLDER holds a folder for each student, with their .cu files in it, or their copy of the workbook. Each answer is built
and tested in a sandbox, without a network and with nothing to write to but a folder of its own. The tests that it
passes are judged again in a process that it has no access to. docs/for_teachers.md says what is contained, and what
not.

--hidden FILE.csv     seeds and shapes that you keep to yourself
--reports FOLDER      where NAME.json, NAME.xml (JUnit) and summary.csv go; ./grades without it
--seconds N           of processor time for one program; {CPU_LIMIT_S:g} without it
--memory-gib N        {MAX_MEMORY_BYTES >> 30} without it

The exit code is 0 if every answer got a grade, whether it passed or not.

  ./workbook grade ~/handed_in ch3_ex1 ch3_ex2 --hidden ~/mine.csv --reports ~/grades
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("grade", USAGE)
    parser.add_argument("folder", type=Path)
    parser.add_argument("exercise", nargs="+")
    parser.add_argument("--hidden", metavar="FILE.csv", type=Path)
    parser.add_argument("--reports", metavar="FOLDER", type=Path, default=Path("grades"))
    parser.add_argument("--seconds", metavar="N", type=float, default=CPU_LIMIT_S)
    parser.add_argument("--memory-gib", metavar="N", type=float, default=MAX_MEMORY_BYTES / 2**30)
    parsed = parser.parse_args(arguments)
    for name, value in (("--seconds", parsed.seconds), ("--memory-gib", parsed.memory_gib)):
        if not 0 < value < float("inf"):
            raise UsageError(f"{name} takes a number above 0, not {value:g}.")
    exercises = list(dict.fromkeys(find_exercise(name, workbook) for name in parsed.exercise))
    students = find_students(parsed.folder)
    hidden = read_hidden_cases(parsed.hidden, all_exercises(workbook)) if parsed.hidden else {}
    reports = Path(os.path.realpath(parsed.reports))
    if parsed.folder.resolve() in (reports, *reports.parents):
        raise UsageError(f"The reports cannot go into {parsed.folder}, to the students' files. Name another --reports.")
    require_sandbox()
    reports.mkdir(parents=True, exist_ok=True)

    tree = exercise_tree(workbook)
    limits = Limits(cpu_s=parsed.seconds, wall_s=2 * parsed.seconds + 30, memory_bytes=int(parsed.memory_gib * 2**30))
    grades: dict[str, list[Grade]] = {student.name: [] for student in students}
    ungraded = 0
    for exercise in exercises:
        examiner = Examiner(exercise, workbook, tree, hidden.get(exercise.target, HiddenCases()), limits)
        for student in students:
            try:
                grade = examiner.grade(find_submission(student, exercise))
            except Exception as error:  # noqa: BLE001  # one student's answer is nobody else's trouble
                words = str(error) or type(error).__name__
                complain(f"{_shown(student.name)}  {exercise.target}  {NOT_GRADED}: {words}")
                ungraded += 1
                grade = Grade(Submission(student.name, exercise, problem=words), NOT_GRADED, words)
            else:
                say(f"{_shown(student.name)}  {exercise.target}  {grade.verdict}")
            grades[student.name].append(grade)
            write_reports(reports, student.name, grades[student.name])
    write_summary(reports, [grade for of_student in grades.values() for grade in of_student])
    say(f"\nThe reports are in {reports}.")
    return EXIT_FAILED if ungraded else EXIT_OK


def _shown(name: str) -> str:
    """A folder's name in one line."""
    return printable(name).replace("\n", "?").replace("\t", "?")
