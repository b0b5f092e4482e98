"""`./workbook grade`"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import Program
from cli.checking.check_result import PARTS
from cli.checking.hidden_cases import HiddenCases, read_hidden_cases
from cli.checking.sheet import sheet_of
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.exercises.attempt import exercise_tree
from cli.exercises.lookup import all_exercises, find_exercise, require_answers
from cli.running.children import temporary_folder
from cli.running.limited_run import MAX_MEMORY_BYTES, Limits
from cli.running.runner import CPU_LIMIT_S
from cli.running.turns import turn
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, printable, say, verdict
from cli.terminal.phases import Phase
from cli.workbook import Workbook
from grading.judge import (
    CLASSROOM50, GRADESCOPE, KINDS, MANUAL_COLUMNS, MAX_WORKERS, NOT_GRADED, Asked, Contained, Examiner, Grade,
    Marking, Sandbox, Student, Submission, Weights, digest_of, export, files_of, filled, find_students,
    find_submission, grade_side_by_side, grade_with_slurm, last_words, listed_students, nvcc_in_room, one_student,
    read_gradebook, read_late_days, read_manual_marks, read_report, read_weights, remove_report, require_sandbox,
    try_references, write_feedback, write_in_one_step, write_marks, write_reports, write_summary, writer_for,
)  # fmt: skip

DEFAULT_POINTS, DEFAULT_PER_DAY = 10, 10
MANUAL = "manual.csv"
SUMMARY = "check students' answers in a sandbox, with your own seeds"
USAGE = (
    "grade FOLDER EXERCISE... [--hidden FILE.csv] [--show-hidden] [--class FILE] [--reports FOLDER] [--seconds N] "
    "[--memory-gib N] [--contained] [--jobs N] [--resume] [--share I/N] [--slurm OPTIONS] "
    "[--points N] [--weights FILE.csv] [--late FILE.csv] [--per-day PERCENT] [--gradebook FILE.csv] "
    "[--platform KIND --result FILE] [--export KIND]"
)
DETAILS = f"""
FOLDER contains a folder for each student, with their .cu files or their copy of the workbook. Each answer is built and
tested in a sandbox, without a network; it can write only to a folder of its own. If it passes the tests, a process to
which it has no access judges it again. docs/for_teachers.md explains what the sandbox prevents, and what it does not.

--hidden FILE.csv     seeds and shapes that your students do not know
--show-hidden         students' texts quote them; otherwise they name "a hidden case"
--class FILE          a list of the students, one name per line: students without a folder also get a report
--reports FOLDER      the folder for NAME.html (feedback), NAME.json, NAME.xml (JUnit), summary.csv and marks.csv
                      (default: ./grades)
--seconds N           limit of CPU time for one program (default: {CPU_LIMIT_S:g})
--memory-gib N        limit of memory for one program (default: {MAX_MEMORY_BYTES >> 30})

--contained           for root in a container that does not allow a sandbox: answers run as a different user, which
                      prevents less (docs/for_teachers.md)
--jobs N              number of answers at the same time (default: the number of cores; 1 with --contained)
--resume              leaves out students who already have a complete report about their present files
--share I/N           grades the I-th of N shares of the students, without the summary
--slurm OPTIONS       divides the students among the tasks of a Slurm job; OPTIONS are for sbatch: '-p cpu --time=60'

--points N            points of an exercise, such as 2.5, in marks.csv and on platforms (default: {DEFAULT_POINTS}). An
                      exercise that has not passed gets 0 of them, unless there is a file of weights:
--weights FILE.csv    percentages of the points for {", ".join(PARTS)}
--late FILE.csv       student,exercise,days: the days for which an answer was late
--per-day PERCENT     percentage of an exercise's points that each late day costs (default: {DEFAULT_PER_DAY})
--gradebook FILE.csv  the gradebook of Moodle or Canvas, exported as CSV: gradebook.csv gets its lines, and the points

The folder of the reports has a file {MANUAL}: student,exercise,points,comment. The points and comments that you write
there replace the computed points. No grading changes this file. With --resume, new weights, late days and manual marks
take effect without grading the answers again.

For class platforms (docs/for_teachers.md):

--export KIND         grades no answer: writes the files for the platform into FOLDER. KIND is {", ".join(KINDS)}
--platform KIND --result FILE
                      FOLDER belongs to one student, and FILE is written in the format of gradescope or classroom50

The exit code is 0 if every answer got a grade, whether it passed or not.

  ./workbook grade ~/handed_in ch3_ex6 ch3_ex7 --hidden ~/mine.csv --reports ~/grades
  ./workbook grade --export gradescope ~/for_gradescope ch3_ex6 ch3_ex7 --hidden ~/mine.csv
"""


@dataclass(frozen=True)
class _Task:
    """The exercises and settings of a grading."""

    exercises: list[Program]
    hidden: dict[str, HiddenCases]
    parsed: argparse.Namespace
    reports: Path
    workbook: Workbook

    @property
    def room(self) -> type[Sandbox]:
        return Contained if self.parsed.contained else Sandbox

    @property
    def jobs(self) -> int:
        """The number of answers at a time: 1 with --contained, because they could see each other."""
        if self.parsed.contained:
            return 1
        return self.parsed.jobs or min(len(os.sched_getaffinity(0)), MAX_WORKERS)

    @property
    def first_worker(self) -> int:
        """The number of this task's first worker: tasks of a job can share a node."""
        return (_share(self.parsed.share)[0] - 1) * self.jobs if self.parsed.share else 0

    def without_report(self, students: list[Student]) -> list[Student]:
        """The students without a complete report about their present files."""
        return [student for student in students if not self._is_graded(student)]

    def _is_graded(self, student: Student) -> bool:
        report = read_report(self.reports, student.name)
        graded = {one["exercise"]: one for one in report["exercises"]} if report else {}
        for exercise in self.exercises:
            file = find_submission(student, exercise).file
            digest = digest_of(files_of(file, exercise, self.workbook)) if file else ""
            one = graded.get(exercise.target)
            if not one or "parts" not in one or one["verdict"] == NOT_GRADED or one["sha256"] != digest:
                return False
        return True


def run(arguments: list[str], workbook: Workbook) -> int:
    with temporary_folder("workbook-handed-in-") as scratch:
        return _run(arguments, workbook, scratch)


def _run(arguments: list[str], workbook: Workbook, scratch: Path) -> int:
    """scratch: an empty folder, for archives that students handed in."""
    parsed = _parse(arguments)
    require_answers(workbook)
    exercises = list(dict.fromkeys(find_exercise(name, workbook) for name in parsed.exercise))
    known = all_exercises(workbook)
    hidden = read_hidden_cases(parsed.hidden, known) if parsed.hidden else {}
    gradebook = read_gradebook(parsed.gradebook) if parsed.gradebook else None
    weights = read_weights(parsed.weights, [one.target for one in known]) if parsed.weights else {}
    if parsed.export:
        options = [*_examiner_options(parsed), "--points", f"{parsed.points:g}"]
        tables = {"hidden": parsed.hidden, "weights": parsed.weights}
        next_step = export(parsed.export, parsed.folder, Asked(tuple(exercises), tuple(options), tables), workbook)
        say(_practice(exercises, workbook) + next_step)
        return EXIT_OK
    write_for_platform = writer_for(parsed.platform, os.environ) if parsed.platform else None
    everybody = _students(parsed, scratch)
    reports = Path(os.path.realpath(parsed.reports))
    if parsed.folder.resolve() in (reports, *reports.parents):
        raise UsageError(
            f"The reports cannot be written to {parsed.folder}, the students' folder. Name a different folder with --reports."
        )
    task = _Task(exercises, hidden, parsed, reports, workbook)
    _marking(everybody, task, weights)  # raises for a wrong table before any student is graded
    require_sandbox(task.room)
    reports.mkdir(parents=True, exist_ok=True)
    if parsed.share:
        number, parts = _share(parsed.share)
        return _grade(everybody[number - 1 :: parts], task)

    if not parsed.platform:
        with contextlib.suppress(FileExistsError), open(reports / MANUAL, "x", encoding="utf-8") as file:
            file.write(",".join(MANUAL_COLUMNS) + "\n")
    with turn(reports, lambda: say(f"Another ./workbook grade is writing to {reports}. Waiting until it has finished ...")):
        code = _grade(everybody, task) if parsed.slurm is None else _grade_with_slurm(everybody, task)
        written = [report for student in everybody if (report := read_report(reports, student.name))]
        write_summary(reports, written)
        marking = _marking(everybody, task, weights)  # the teacher can have written marks during the grading
        write_marks(reports, written, marking)
        write_feedback(reports, written, marking)
        if gradebook:
            identities = {student.name: student.identity for student in everybody}
            text, missing = filled(gradebook, written, marking, identities)
            write_in_one_step(reports / "gradebook.csv", text)
            if missing:
                names = ", ".join(map(_shown, missing))
                complain(f"{parsed.gradebook} has not exactly one line for: {names}. Write their points by hand.")
    if write_for_platform:
        graded = written[0]["exercises"]
        write_for_platform(parsed.result, graded, [marking.mark(written[0]["student"], one) for one in graded])
    rooms = sorted({report["sandbox"] for report in written if report.get("sandbox")})
    sandboxes = "".join(f"Sandbox: {room}.\n" for room in rooms)
    say(f"\n{sandboxes}{_practice(exercises, workbook)}The reports are in {reports}.")
    return code


def _students(parsed: argparse.Namespace, scratch: Path) -> list[Student]:
    """The students; their archives are unpacked into `scratch`. Raises UsageError."""
    if parsed.platform:
        return [one_student(parsed.folder, scratch)]
    if parsed.class_list:
        return listed_students(parsed.folder, parsed.class_list, scratch)
    return find_students(parsed.folder, scratch)


def _marking(students: list[Student], task: _Task, weights: Weights) -> Marking:
    """Raises UsageError for a wrong line in a table of late days or of manual marks."""
    parsed, manual = task.parsed, task.reports / MANUAL
    names, exercises = [student.name for student in students], [exercise.target for exercise in task.exercises]
    late = read_late_days(parsed.late, names, exercises) if parsed.late else {}
    has_manual = manual.exists() and not parsed.platform
    marks = read_manual_marks(manual, names, exercises, parsed.points) if has_manual else {}
    return Marking(parsed.points, weights, late, parsed.per_day, marks)


def _grade(students: list[Student], task: _Task) -> int:
    """Grades on this machine, several answers at a time. Returns the exit code."""
    if task.parsed.resume:
        students = task.without_report(students)
    if not students:
        return EXIT_OK
    examiners = _examiners(task)
    for student in students:  # so that --resume, after an interruption, keeps no report of an earlier grading
        remove_report(task.reports, student.name)
    asked = [(examiner, student) for examiner in examiners for student in students]
    grades: dict[str, dict[int, Grade]] = {student.name: {} for student in students}
    grading = contextlib.closing(grade_side_by_side(asked, task.jobs, task.first_worker))
    with Phase("Grading", is_kept=False) as phase, grading as done:
        for count, (number, grade) in enumerate(done, start=1):
            examiner, student = asked[number]
            phase.at(f"{count} of {len(asked)}: {student.name}, {examiner.exercise.target}")
            _tell(student.name, examiner.exercise, grade)
            of_student = grades[student.name]
            of_student[number] = grade
            in_order = [of_student[one] for one in sorted(of_student)]
            write_reports(task.reports, student.name, in_order, task.room.words())
    verdicts = {grade.verdict for of_student in grades.values() for grade in of_student.values()}
    return EXIT_FAILED if NOT_GRADED in verdicts else EXIT_OK


def _examiners(task: _Task) -> list[Examiner]:
    """Examiners that have built the parts that answers are linked with, and tried the reference answers."""
    seconds, memory_bytes = task.parsed.seconds, int(task.parsed.memory_gib * 2**30)
    limits = Limits(cpu_s=seconds, wall_s=2 * seconds + 30, memory_bytes=memory_bytes)
    tree = exercise_tree(task.workbook)
    cases = [task.hidden.get(exercise.target, HiddenCases()) for exercise in task.exercises]
    nvcc = nvcc_in_room(task.workbook, tree, task.room, limits)
    examiners = [
        Examiner(exercise, task.workbook, tree, hidden, limits, task.room, task.parsed.show_hidden, nvcc)
        for exercise, hidden in zip(task.exercises, cases)
    ]
    try_references(examiners, task.jobs, task.first_worker)
    return examiners


def _grade_with_slurm(students: list[Student], task: _Task) -> int:
    """Builds the parts that the tasks share and tries the reference answers; Slurm's tasks grade the answers."""
    _examiners(task)
    parsed, reports = task.parsed, task.reports
    names = [exercise.target for exercise in task.exercises]
    command = [str(task.workbook.root / "workbook"), "grade", str(parsed.folder.resolve()), *names]
    command += ["--reports", str(reports), "--resume", *_examiner_options(parsed)]
    command += ["--hidden", str(parsed.hidden.resolve())] if parsed.hidden else []
    command += ["--class", str(parsed.class_list.resolve())] if parsed.class_list else []
    command += ["--contained"] if parsed.contained else []
    command += ["--jobs", "1"]  # sbatch gives a task one core unless it is asked for more
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


def _share(share: str) -> tuple[int, int]:
    """The I and N of `I/N`: the share of number I, counted from 1, and every N-th after it. Raises UsageError."""
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})", share)
    number, parts = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= number <= parts:
        raise UsageError(f"--share takes I/N, such as 2/8, not '{share}'.")
    return number, parts


def _examiner_options(parsed: argparse.Namespace) -> list[str]:
    """The options for each answer, for another call of the command: a task of Slurm, or a platform."""
    options = ["--seconds", f"{parsed.seconds:g}", "--memory-gib", f"{parsed.memory_gib:g}"]
    return [*options, "--show-hidden"] if parsed.show_hidden else options


def _parse(arguments: list[str]) -> argparse.Namespace:
    """Raises UsageError for numbers out of range, and for options that exclude or need each other."""
    parser = ArgumentParser("grade", USAGE)
    parser.add_argument("folder", type=Path)
    parser.add_argument("exercise", nargs="+")
    parser.add_argument("--hidden", metavar="FILE.csv", type=Path)
    parser.add_argument("--show-hidden", action="store_true")
    parser.add_argument("--class", metavar="FILE", type=Path, dest="class_list")
    parser.add_argument("--reports", metavar="FOLDER", type=Path, default=Path("grades"))
    parser.add_argument("--seconds", metavar="N", type=float, default=CPU_LIMIT_S)
    parser.add_argument("--memory-gib", metavar="N", type=float, default=MAX_MEMORY_BYTES / 2**30)
    parser.add_argument("--contained", action="store_true")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--jobs", metavar="N", type=int)
    parser.add_argument("--share", metavar="I/N")
    parser.add_argument("--slurm", metavar="OPTIONS")
    parser.add_argument("--platform", metavar="KIND", choices=(GRADESCOPE, CLASSROOM50))
    parser.add_argument("--result", metavar="FILE", type=Path)
    parser.add_argument("--export", metavar="KIND", choices=KINDS)
    parser.add_argument("--points", metavar="N", type=float, default=DEFAULT_POINTS)
    parser.add_argument("--weights", metavar="FILE.csv", type=Path)
    parser.add_argument("--late", metavar="FILE.csv", type=Path)
    parser.add_argument("--gradebook", metavar="FILE.csv", type=Path)
    parser.add_argument("--per-day", metavar="PERCENT", type=float, default=DEFAULT_PER_DAY)
    parsed = parser.parse_args(arguments)
    for name, value in (("--seconds", parsed.seconds), ("--memory-gib", parsed.memory_gib), ("--points", parsed.points)):
        if not 0 < value < float("inf"):
            raise UsageError(f"{name} takes a number above 0, not {value:g}.")
    if not 0 <= parsed.per_day <= 100:
        raise UsageError(f"--per-day takes a percentage from 0 to 100, not {parsed.per_day:g}.")
    if parsed.jobs is not None and not 1 <= parsed.jobs <= MAX_WORKERS:
        raise UsageError(f"--jobs takes a number from 1 to {MAX_WORKERS}, not {parsed.jobs}.")
    if parsed.contained and (parsed.jobs or 1) > 1:
        raise UsageError("With --contained, answers that run at the same time could see each other: leave --jobs out.")
    if bool(parsed.platform) != bool(parsed.result):
        raise UsageError("--platform and --result are used together: the platform, and the file to write.")
    if parsed.share and parsed.slurm is not None:
        raise UsageError("--slurm itself gives each task a --share: give only one of these options.")
    return parsed


def _practice(exercises: list[Program], workbook: Workbook) -> str:
    """A line for each exercise that is not for marks."""
    answers = {exercise.target: sheet_of(exercise, workbook).answer for exercise in exercises}
    why = "is for practice, because students have an answer"
    return "".join(f"{name} {why}: {file}. Do not give marks for it.\n" for name, file in answers.items() if file)


def _tell(student: str, exercise: Program, grade: Grade) -> None:
    which = f"{_shown(student)}  {exercise.target}"  # first in the line: last_words() looks for the name there
    if grade.verdict == NOT_GRADED:
        complain(f"{which}  {grade.verdict}: {grade.text}")
    else:
        say(f"{which}  {verdict(grade.passed, grade.verdict)}")


def _shown(name: str) -> str:
    """A folder's name without line ends and tabs."""
    return printable(name).replace("\n", "?").replace("\t", "?")
