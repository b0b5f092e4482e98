"""Grades one answer: checks it in a sandbox, and accepts only results that the judge confirms."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
import os
import shlex
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.command_lines import compile_command, link_command
from cli.building.contents import identity
from cli.building.nvcc import Nvcc, find_nvcc
from cli.catalogue import Program
from cli.checking.answer_build import Programs
from cli.checking.check import Grading, check_exercise, check_programs
from cli.checking.check_result import PARTS, CheckResult, Outcome, parts_of
from cli.checking.check_text import explain
from cli.checking.hidden_cases import HiddenCases, refused_shape
from cli.checking.screening.directives import have_same_code
from cli.checking.screening.source import text_of
from cli.checking.sheet import sheet_of
from cli.errors import WorkbookError
from cli.running.children import run_child, temporary_folder
from cli.running.isolated import Share, call_isolated, call_side_by_side
from cli.running.limited_run import Ended, Limits
from cli.running.runner import Rooms
from cli.terminal.console import complain
from cli.workbook import Workbook
from grading.apart import build_apart, build_parts_apart, grading_objects, judge_program
from grading.hidden_goals import claims_at_hidden_shape, limits_of, with_limits
from grading.reference_record import ReferenceCosts, ReferenceRecord
from grading.runs import Runs
from grading.sandbox import Sandbox, shared_libraries
from grading.students import Student
from grading.submissions import Submission, copy_to, digest_of, files_of, find_submission

PASSED = Outcome.PASSED.value
NOT_HANDED_IN = "not handed in"
REFUSED = Outcome.REFUSED.value
TAMPERED = "tampered with the tests"
NOT_GRADED = "not graded"
UNCHANGED = "unchanged starter"
ELSEWHERE = Outcome.ELSEWHERE.value
# The host may handle this share of the bytes of a call's arrays, by copies or by accesses to managed or pinned memory, or
# twice the share of the reference answer. The sums of warps are 1/32 of the elements; host code that computes the result
# needs all of its input.
_MOST_OF_HOST = 1 / 16
# The limits for work on one answer outside the sandbox.
SHARE = Share()
# Free space to build an answer: two programs with their debug information, and the linker's files.
_LEAST_ROOM_BYTES = 64 << 20
# The build folder's copies of reference answers, also of answers with a bug made from them.
_OTHER_ANSWERS = ("*_solution*", "*_second*", "*_mistakes*")
_MAX_TEXT = 50_000  # characters: a compiler can print far more
# Verdicts on a correct result, and why it can earn no points.
_CORRECT = (Outcome.GOAL_MISSED.value, Outcome.UNREPORTED.value)
_NOT_BETTER = (
    "\nThe starter's result is correct too. To earn more than the points for compiling, bring a count at least halfway "
    "from the starter's to a goal that the starter misses."
)
_UNCHANGED_TEXT = "Its code is that of the file that the exercise begins with. Write your answer into that file."


@dataclass(frozen=True)
class Grade:
    submission: Submission
    verdict: str  # an Outcome's value, or a verdict above
    text: str  # the text of a check, for the student: it quotes no hidden case
    result: CheckResult | None = None
    sha256: str = ""  # of the files
    duration_s: float = 0.0
    teachers_text: str = ""  # quotes hidden cases; empty if `text` is the whole text

    @property
    def passed(self) -> bool:
        return self.verdict == PASSED

    @property
    def parts(self) -> dict[str, bool]:
        """The parts of the exercise that it has reached."""
        if self.passed or not self.result or self.verdict in (TAMPERED, UNCHANGED):
            return dict.fromkeys(PARTS, self.passed)
        if self.verdict == ELSEWHERE:
            return {part: part == "compiles" for part in PARTS}
        return parts_of(self.result)


class Examiner:
    """Grades answers to one exercise, with the same hidden cases and limits."""

    def __init__(
        self,
        exercise: Program,
        workbook: Workbook,
        tree: BuildTree,
        hidden: HiddenCases,
        limits: Limits,
        room: type[Sandbox] = Sandbox,
        shows_hidden: bool = False,
        nvcc: Nvcc | None = None,
    ) -> None:
        """Builds the objects that answers are linked with; try_references() comes next. Raises BuildError.

        shows_hidden: students' texts quote hidden cases. nvcc: an nvcc_in_room, with which answers are compiled too.
        """
        self.exercise, self._workbook, self._tree = exercise, workbook, tree
        self._hidden, self._limits, self._room = hidden, limits, room
        self._shows_hidden, self._nvcc = shows_hidden, nvcc
        self._worker = 0
        self.reference: ReferenceCosts | None = ReferenceCosts()  # None while it is counted
        build_parts_apart(exercise, workbook, tree)
        room.hide(self._secret_paths())
        self._libraries = shared_libraries((judge_program(exercise, tree),))  # those of every answer
        self._require_tests_of_shapes()

    def grade(self, submission: Submission) -> Grade:
        """Raises WorkbookError if there can be no grade: the workbook or the machine is broken, or the answer causes an
        unforeseen failure. Work outside the sandbox is limited by SHARE.
        """
        return call_isolated(lambda: self.grade_as(0, submission), SHARE)

    def grade_as(self, worker: int, submission: Submission) -> Grade:
        """As `grade`, but without the limits of SHARE: for one of several processes that grade in parallel."""
        self._worker = worker
        return self._grade(submission)

    def _grade(self, submission: Submission) -> Grade:
        if not submission.file:
            return Grade(submission, NOT_HANDED_IN, submission.problem)
        grade = self._grade_file(submission, submission.file)
        if submission.note:
            teachers = f"{submission.note}\n{grade.teachers_text}" if grade.teachers_text else ""
            grade = dataclasses.replace(grade, text=f"{submission.note}\n{grade.text}", teachers_text=teachers)
        if not grade.passed:
            _require_room()  # no answer fails because the disk was full
        return grade

    def _grade_file(self, submission: Submission, file: Path) -> Grade:
        _require_room()
        started = time.monotonic()
        with temporary_folder("workbook-grade-") as folder:
            folder.chmod(0o755)  # the sandbox has a different user
            handed_in = folder / "handed_in"
            copies = copy_to(handed_in, self.exercise, files_of(file, self.exercise, self._workbook))
            verdict, text, result = self._examine(copies[0], folder)
            digest = digest_of(copies)
            starter = self.exercise.source
            if verdict != PASSED and starter.is_file() and have_same_code(text_of(copies[0]), text_of(starter)):
                verdict, text = UNCHANGED, f"{copies[0].name}: {UNCHANGED}. {_UNCHANGED_TEXT}"
        students = self._students_text(verdict, text, result, copies[0].name)
        if result and verdict == PASSED:
            text += differences_text(result.differences)
        if result and verdict in _CORRECT and not parts_of(result)["right"]:
            text, students = text + _NOT_BETTER, students + _NOT_BETTER
        text, students = (
            words.replace(f"{handed_in}/", "").replace(f"{folder}/", "")[:_MAX_TEXT] for words in (text, students)
        )
        teachers = text if students != text else ""
        return Grade(submission, verdict, students, result, digest, time.monotonic() - started, teachers)

    def _students_text(self, verdict: str, text: str, result: CheckResult | None, name: str) -> str:
        """The text without hidden cases. An answer can print or throw the shapes that it sees, also in a test after the
        hidden one. So the text is about a run without hidden cases, not the same text with parts left out.
        """
        if not result or self._shows_hidden or not self._hidden.environment():
            return text
        if verdict in (UNCHANGED, ELSEWHERE):
            return text
        if verdict == TAMPERED:
            return text.partition(":\n")[0].rstrip(".") + "."  # without the judge's own tests
        if result.outcome is Outcome.STOPPED:
            return explain(dataclasses.replace(result, words=""), name, self.exercise.target)
        if not result.in_public:
            return text
        public = explain(result.in_public, name, self.exercise.target)
        if result.in_public.passed:
            reached = ", and the public goals are reached" if result.hidden_goals else ""
            first = f"{name}: {verdict} in a hidden case: your teacher's own data or sizes."
            return f"{first}\nThe public tests pass{reached}."
        same = result.in_public.outcome is result.outcome
        return public if same else f"{name}: {verdict} in a hidden case. In the public tests:\n{public}"

    def _examine(self, file: Path, folder: Path) -> tuple[str, str, CheckResult | None]:
        hidden = self._hidden.environment()
        rooms = Runs(self._room_to_build(file.parent).run, self._run_sealed, folder / "transcripts", hidden)
        grading = self._grading()
        result = check_exercise(self.exercise, self._workbook, self._tree, file, rooms, hidden, build_apart, grading, self._nvcc)
        text = explain(result, file.name, self.exercise.target)
        if result.outcome in (Outcome.PASSED, Outcome.GOAL_MISSED, Outcome.UNREPORTED):
            doubt, share_of_host = self._judge(file, rooms.transcripts, result)
            if doubt:
                return TAMPERED, doubt, result
            result = dataclasses.replace(result, share_of_host=share_of_host)
            most = max(_MOST_OF_HOST, 2 * self.reference.share_of_host) if self.reference else math.inf
            if share_of_host > most:
                return ELSEWHERE, _by_host_text(share_of_host, most), result
        return result.outcome.value, text, result

    def _judge(self, file: Path, transcripts: list[Path], own: CheckResult) -> tuple[str, float]:
        """Why the judge rejects an answer whose result is correct, in order and in reverse; empty if it accepts. And the
        largest share_of_host. own: the result in the answer's process.
        """
        share_of_host = 0.0
        if len(transcripts) != 2 or not all(transcript.stat().st_size for transcript in transcripts):
            return "The tests passed, but left no transcript of the answer's calls.", share_of_host
        for transcript in transcripts:
            environment = {**self._hidden.environment(), "WORKBOOK_TRANSCRIPT": str(transcript)}
            with temporary_folder("workbook-judge-") as folder:
                judge = Programs(judge_program(self.exercise, self._tree))
                run = functools.partial(self._run_sealed, reads=[judge.tests, transcript], writes=[])
                result = check_programs(file, judge, (), folder, Rooms(run), environment)
            failed = {test.name for test in result.failed_tests}
            agrees = own.outcome is Outcome.UNREPORTED and failed <= {test.name for test in own.failed_tests}
            if not result.passed and not (failed and agrees):
                why = explain(result, "the judge", self.exercise.target)
                return f"The tests passed in the answer's own process, but fail in the judge's:\n{why}", share_of_host
            share_of_host = max(share_of_host, result.share_of_host)
        return "", share_of_host

    def _room_to_build(self, answer: Path) -> Sandbox:
        """answer: the folder with the answer's files. The room contains only those files of the build folder that the
        command lines name, and so no program, and no other answer.
        """
        chapter, target = self.exercise.chapter, self.exercise.target
        compilation, _, _ = compile_command(self._tree, f"{target}_kernels_traced")
        named = [self._workbook.root / "common", self._workbook.files_of(chapter).folder, answer]
        named += [*grading_objects(self._tree), self._tree.headers_of_rules]
        named += self._linked_files()
        words = compilation.words
        named += [Path(words[i + 1]).parent for i in range(len(words)) if words[i] == "-include"]  # precompiled
        compiler = Path(words[0])
        named += [compiler.resolve().parent.parent] if compiler.is_absolute() else []
        named += self._nvcc.folders if self._nvcc else []
        readable = {*named, *(path.resolve() for path in named)}
        return self._room(tuple(sorted(readable)), self._limits, self._worker)

    def _linked_files(self) -> list[Path]:
        """The files that an answer's programs are linked with. The learner's own object, which can be an answer, is left
        out.
        """
        target = self.exercise.target
        compilation, _, own_object = compile_command(self._tree, f"{target}_kernels_traced")
        files = [file for kind in ("judge", "inspect") for file in link_command(self._tree, f"{target}_{kind}").files()]
        return [file for file in files if file != compilation.folder / own_object]

    def _run_sealed(
        self, command: list[str], folder: Path, environment: dict[str, str], reads: list[Path], writes: list[Path]
    ) -> Ended:
        """Runs a program of an answer, or the judge, in a room that contains nothing else. It can write its results, and
        captured output (tests/ch0_machine/printed.h).
        """
        readable = (*self._libraries, *reads)
        files = [folder / "printed", *writes]
        for name in ("GTEST_OUTPUT", "CUDA_SIMULATOR_REPORT"):
            files += [Path(environment[name].removeprefix("json:"))] if name in environment else []
        room = self._room(readable, self._limits, self._worker, is_sealed=True)
        return room.run(command, folder, {**environment, "WORKBOOK_PRINTED": str(files[0])}, files)

    def _secret_paths(self) -> Iterator[Path]:
        """The files and folders from which an answer could copy the reference answer."""
        named = [self._workbook.root / name for name in ("solutions", ".git")]
        found = (path for name in _OTHER_ANSWERS for path in self._tree.folder.rglob(name))
        yield from (path for path in itertools.chain(named, found) if path.exists() and not path.is_symlink())

    def _require_tests_of_shapes(self) -> None:
        """Raises WorkbookError for hidden shapes that the tests refuse or would ignore."""
        command = [str(judge_program(self.exercise, self._tree)), "--gtest_list_tests"]
        plain = {name: value for name, value in os.environ.items() if not name.startswith("WORKBOOK_")}
        listed = [
            run_child(command, env={**plain, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for environment in (dataclasses.replace(self._hidden, shapes=()).environment(), self._hidden.environment())
        ]
        refused = refused_shape(listed[1].stderr.decode(errors="replace"))
        if refused:
            raise WorkbookError(f"{self.exercise.target} cannot be graded with these hidden shapes. {refused}")
        if self._hidden.shapes and listed[0].stdout == listed[1].stdout:
            raise WorkbookError(
                f"The hidden shapes of {self.exercise.target} add no test: its tests take no shapes, or already test them."
            )

    def try_reference(self, worker: int = 0) -> ReferenceCosts:
        """The costs of the reference answer. It is not tried again while it, the grader and the hidden cases are
        unchanged. Raises WorkbookError if it fails.
        """
        self._worker = worker
        remembered = ReferenceRecord(self._tree, self.exercise.target, self._of_reference())
        known = remembered.costs()
        if known is not None:
            return known
        solution = self._workbook.files_of(self.exercise.chapter).solutions / self.exercise.source.name
        asked = Submission("the reference answer", self.exercise, solution)
        self.reference = None
        grade = self._grade(asked)
        self.reference = ReferenceCosts()
        if not grade.passed and self._hidden.shapes:  # as where its program cannot run at the hidden shape
            grade = self._grade(asked)
        if not grade.passed or not grade.result:
            hidden = " with the hidden seed and shapes" if self._hidden.environment() else ""
            raise WorkbookError(
                f"The reference answer of {self.exercise.target} fails{hidden}, so no answer is graded:\n"
                f"{grade.teachers_text or grade.text}"
            )
        limits = limits_of(grade.result.goals, grade.result.hidden_goals)
        costs = ReferenceCosts(grade.result.share_of_host, limits)
        remembered.write(costs)
        return costs

    def _grading(self) -> Grading:
        sheet = sheet_of(self.exercise, self._workbook)
        claims = claims_at_hidden_shape(sheet.goals, self._hidden.shapes)
        hidden_goals = with_limits(claims, self.reference.hidden_limits) if self.reference else claims
        return Grading(hidden_goals, True, "" if sheet.varying_counts else str(self._hidden.seed or 1), is_veiled=True)

    def _of_reference(self) -> tuple[list[Path], str]:
        """The files and settings on which the result of the reference answer depends."""
        chapter, target = self._workbook.files_of(self.exercise.chapter), self.exercise.target
        compilation, _, _ = compile_command(self._tree, f"{target}_kernels_traced")
        compiler = Path(compilation.words[0])
        files = [judge_program(self.exercise, self._tree), *grading_objects(self._tree), *self._linked_files()]
        files += [chapter.solutions / self.exercise.source.name, chapter.sheet(self.exercise.source.stem), compiler]
        for part in ("cli/building", "grading"):
            files += sorted((self._workbook.root / "common" / part).rglob("*.py"))
        nvcc = self._nvcc and identity(str(self._nvcc.program))
        words = (self._hidden.environment(), self._limits, self._room.__name__, shlex.join(compilation.words), nvcc)
        return files, repr(words)


def nvcc_in_room(workbook: Workbook, tree: BuildTree, room: type[Sandbox], limits: Limits) -> Nvcc | None:
    """The nvcc of this machine, if it also works in a room to build. If it works only elsewhere, a message says so."""
    nvcc = find_nvcc(workbook, tree)
    if not nvcc:
        return None
    with temporary_folder("workbook-grade-") as folder:
        folder.chmod(0o755)
        problem = nvcc.problem(room(tuple(nvcc.folders), limits).run, folder)
    if problem:
        complain(f"Answers are graded without {nvcc.program}, because it does not work in the sandbox: {problem}")
    return None if problem else nvcc


def grade_side_by_side(
    asked: Sequence[tuple[Examiner, Student]], at_a_time: int, first_worker: int
) -> Iterator[tuple[int, Grade]]:
    """Grades students' answers, each for the exercise of an Examiner. Yields the index in `asked` and the grade when it
    is done. If one cannot be graded, the text of its grade is the reason.
    """

    def graded(examiner: Examiner, student: Student, place: int) -> Grade:
        return examiner.grade_as(first_worker + place, find_submission(student, examiner.exercise))

    functions = [functools.partial(graded, examiner, student) for examiner, student in asked]
    for number, grade in call_side_by_side(functions, SHARE, at_a_time):
        if isinstance(grade, WorkbookError):
            examiner, student = asked[number]
            words = str(grade) or "no reason was given"
            grade = Grade(Submission(student.name, examiner.exercise, problem=words), NOT_GRADED, words)
        yield number, grade


def try_references(examiners: Sequence[Examiner], at_a_time: int, first_worker: int) -> None:
    """Tries the reference answers of Examiners. Raises WorkbookError if one fails."""

    def tried(examiner: Examiner, place: int) -> ReferenceCosts:
        return examiner.try_reference(first_worker + place)

    functions = [functools.partial(tried, examiner) for examiner in examiners]
    for number, costs in call_side_by_side(functions, SHARE, at_a_time):
        if isinstance(costs, WorkbookError):
            raise costs
        examiners[number].reference = costs


def _require_room() -> None:
    """Raises WorkbookError if the disk has too little free space to build an answer."""
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    if free < _LEAST_ROOM_BYTES:
        raise WorkbookError(
            f"{folder} has {free >> 20} MiB free, and an answer can need {_LEAST_ROOM_BYTES >> 20}. Free some space, "
            "or name another folder: TMPDIR=FOLDER ./workbook grade ..."
        )


def differences_text(differences: Sequence[str]) -> str:
    """A paragraph for the teacher about a passing answer whose counts differ between two runs; empty without any."""
    if not differences:
        return ""
    return (
        "\nThe counts of this answer differ when the blocks run in reverse order or when the data change, but those of "
        "the reference answer do not. Read the file: it can be written for one order, or for the public data.\n  "
        + "\n  ".join(differences)
    )


def _by_host_text(share: float, most: float) -> str:
    return (
        "The result is correct, and no kernel computed it. Copies between host and device, copies of single elements, and "
        f"the host's own accesses are {share:.0%} of the bytes of the arrays; at most {most:.0%} are needed. Compute the "
        "result in kernels, from data that stays on the device."
    )
