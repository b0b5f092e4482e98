"""`./workbook grade`"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Program
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.exercises.attempt import exercise_tree
from cli.exercises.hidden_cases import HiddenCases, read_hidden_cases
from cli.exercises.lookup import all_exercises, find_exercise, require_answers
from cli.grading.export import KINDS, Asked, export
from cli.grading.judging import NOT_GRADED, Examiner, Grade
from cli.grading.platforms import CLASSROOM50, GRADESCOPE, writer_for
from cli.grading.reports import read_report, remove_report, write_reports, write_summary
from cli.grading.sandbox import Contained, Sandbox, require_sandbox
from cli.grading.slurm import grade_with_slurm, last_words
from cli.grading.submissions import Submission, find_students, find_submission, one_student
from cli.running.limited_run import MAX_MEMORY_BYTES, Limits
from cli.running.runner import CPU_LIMIT_S
from cli.running.turns import turn
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, printable, say
from cli.terminal.phases import Phase
from cli.workbook import Workbook

DEFAULT_POINTS = 10
SUMMARY = "for teachers: check what students have handed in, in a sandbox, and with seeds and shapes of your own"
USAGE = (
    "grade FOLDER EXERCISE... [--hidden FILE.csv] [--reports FOLDER] [--seconds N] [--memory-gib N] [--contained] "
    "[--resume] [--share I/N] [--slurm OPTIONS] "
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
--resume              leaves out the students whose report is whole, and of the files that are there
--share I/N           grades the I-th of N shares of the students, without the summary
--slurm OPTIONS       shares the students among the tasks of a Slurm job; OPTIONS are sbatch's, as '-p cpu --time=60'

For class platforms (docs/for_teachers.md), where an exercise gives --points N or none; {DEFAULT_POINTS} without it:

--export KIND         grades nobody: FOLDER becomes what the platform is given. KIND is {", ".join(KINDS)}
--platform KIND --result FILE
                      FOLDER is one student's, and FILE is written as gradescope or classroom50 reads it

The exit code is 0 if every answer got a grade, whether it passed or not.

  ./workbook grade ~/handed_in ch3_ex1 ch3_ex2 --hidden ~/mine.csv --reports ~/grades
  ./workbook grade --export gradescope ~/for_gradescope ch3_ex1 ch3_ex2 --hidden ~/mine.csv
"""


@dataclass(frozen=True)
class _Task:
    """What is to be done with each student's answers."""

    exercises: list[Program]
    hidden: dict[str, HiddenCases]
    parsed: argparse.Namespace
    reports: Path
    workbook: Workbook

    @property
    def room(self) -> type[Sandbox]:
        return Contained if self.parsed.contained else Sandbox

    def without_report(self, students: list[Path]) -> list[Path]:
        """Those who have no whole report of the files that are there now."""
        return [student for student in students if not self._is_graded(student)]

    def _is_graded(self, student: Path) -> bool:
        report = read_report(self.reports, student.name)
        graded = {one["exercise"]: one for one in report["exercises"]} if report else {}
        for exercise in self.exercises:
            file = find_submission(student, exercise).file
            digest = hashlib.sha256(file.read_bytes()).hexdigest() if file else ""
            one = graded.get(exercise.target)
            if not one or one["verdict"] == NOT_GRADED or one["sha256"] != digest:
                return False
        return True


def run(arguments: list[str], workbook: Workbook) -> int:
    parsed = _parse(arguments)
    require_answers(workbook)
    exercises = list(dict.fromkeys(find_exercise(name, workbook) for name in parsed.exercise))
    hidden = read_hidden_cases(parsed.hidden, all_exercises(workbook)) if parsed.hidden else {}
    if parsed.export:
        options = (*_limit_options(parsed), "--points", f"{parsed.points}")
        say(export(parsed.export, parsed.folder, Asked(tuple(exercises), options, parsed.hidden), workbook))
        return EXIT_OK
    write_for_platform = writer_for(parsed.platform, os.environ) if parsed.platform else None
    everybody = [one_student(parsed.folder)] if parsed.platform else find_students(parsed.folder)
    reports = Path(os.path.realpath(parsed.reports))
    if parsed.folder.resolve() in (reports, *reports.parents):
        raise UsageError(f"The reports cannot go into {parsed.folder}, to the students' files. Name another --reports.")
    task = _Task(exercises, hidden, parsed, reports, workbook)
    require_sandbox(task.room)
    reports.mkdir(parents=True, exist_ok=True)
    if parsed.share:
        return _grade(_share(everybody, parsed.share), task)

    with turn(reports, lambda: say(f"Another grading writes to {reports}: waiting for it.")):
        code = _grade(everybody, task) if parsed.slurm is None else _grade_with_slurm(everybody, task)
        written = [report for student in everybody if (report := read_report(reports, student.name))]
        write_summary(reports, written)
    if write_for_platform:
        write_for_platform(parsed.result, written[0]["exercises"], parsed.points)
    rooms = sorted({report["sandbox"] for report in written if report.get("sandbox")})
    say("\n" + "".join(f"Answers were held by {room}.\n" for room in rooms) + f"The reports are in {reports}.")
    return code


def _grade(students: list[Path], task: _Task) -> int:
    """Grades here, one answer after the other. The exit code."""
    if task.parsed.resume:
        students = task.without_report(students)
    grades: dict[str, list[Grade]] = {student.name: [] for student in students}
    for exercise, examiner in _examiners(task) if students else ():
        for number, student in enumerate(students, start=1):
            with Phase(f"Grading {student.name}, {exercise.target}", is_kept=False) as phase:
                phase.at(f"{number} of {len(students)}")
                grades[student.name].append(_graded(examiner, exercise, student))
            write_reports(task.reports, student.name, grades[student.name], task.room.words())
    not_graded = [one for of_student in grades.values() for one in of_student if one.verdict == NOT_GRADED]
    return EXIT_FAILED if not_graded else EXIT_OK


def _examiners(task: _Task) -> Iterator[tuple[Program, Examiner]]:
    seconds, memory_bytes = task.parsed.seconds, int(task.parsed.memory_gib * 2**30)
    limits = Limits(cpu_s=seconds, wall_s=2 * seconds + 30, memory_bytes=memory_bytes)
    tree = exercise_tree(task.workbook)
    for exercise in task.exercises:
        cases = task.hidden.get(exercise.target, HiddenCases())
        yield exercise, Examiner(exercise, task.workbook, tree, cases, limits, task.room)


def _grade_with_slurm(students: list[Path], task: _Task) -> int:
    """Builds here what the tasks share, and tries the reference answers; the rest is done where Slurm says."""
    for _ in _examiners(task):
        pass
    parsed, reports = task.parsed, task.reports
    names = [exercise.target for exercise in task.exercises]
    command = [str(task.workbook.root / "workbook"), "grade", str(parsed.folder.resolve()), *names]
    command += ["--reports", str(reports), "--resume", *_limit_options(parsed)]
    command += ["--hidden", str(parsed.hidden.resolve())] if parsed.hidden else []
    command += ["--contained"] if parsed.contained else []
    logs = reports / "slurm"
    if not parsed.resume:
        for student in students:
            remove_report(reports, student.name)
    grade_with_slurm(parsed.slurm, command, lambda: len(task.without_report(students)), logs)
    without = task.without_report(students)
    for student in without:
        words = last_words(logs, student.name)
        complain(f"{_shown(student.name)}  {NOT_GRADED}: {words}")
        if not read_report(reports, student.name):
            problems = [Submission(student.name, exercise, problem=words) for exercise in task.exercises]
            write_reports(reports, student.name, [Grade(one, NOT_GRADED, words) for one in problems])
    return EXIT_FAILED if without else EXIT_OK


def _share(students: list[Path], share: str) -> list[Path]:
    """Of `I/N`: the I-th, counted from 1, and every N-th after it. Raises UsageError."""
    match = re.fullmatch(r"(\d+)/(\d+)", share)
    number, parts = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= parts:
        raise UsageError(f"--share takes I/N, such as 2/8, not '{share}'.")
    return students[number - 1 :: parts]


def _limit_options(parsed: argparse.Namespace) -> tuple[str, ...]:
    return ("--seconds", f"{parsed.seconds:g}", "--memory-gib", f"{parsed.memory_gib:g}")


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
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--share", metavar="I/N")
    parser.add_argument("--slurm", metavar="OPTIONS")
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
    if parsed.share and parsed.slurm is not None:
        raise UsageError("--share is what --slurm gives each task: give one of them.")
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
