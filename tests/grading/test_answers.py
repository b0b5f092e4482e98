"""The answers of answers.txt, as `./workbook check` and `./workbook grade` judge them; and what the judge does itself.

WORKBOOK_ALL_ANSWERS=1 tries each style separately in each of its exercises, and grades also what is refused.
WORKBOOK_GRADED_BATCH=200 hands in the answers to ch3_ex2 until there are 200 students. The tests need
WORKBOOK_SIMULATOR_TREE in the environment: a build folder with the simulator and tests.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import functools
import html
import itertools
import json
import os
import re
import shutil
import struct
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from answers import ANSWERS, Answer
from class_of_twenty import ABSENT, CLASS, HOSTILE, VERDICTS, write_class
from support import ROOT, WORKBOOK, FolderTest, built_tree, needs_tree, require_room

from cli.building.build_tree import BuildTree, processor_count
from cli.building.nvcc import Nvcc, find_nvcc
from cli.catalogue import Program
from cli.checking.answer_build import build_parts
from cli.checking.check import check_exercise
from cli.checking.check_result import CheckResult
from cli.checking.check_text import explain
from cli.checking.facts import facts_of
from cli.checking.hidden_cases import HiddenCases
from cli.checking.plain_files import text_cell
from cli.checking.screening import screening
from cli.commands import grade as grade_command
from cli.errors import EXIT_OK, WorkbookError
from cli.exercises.attempt import stage_claims
from cli.running.isolated import Share
from cli.running.limited_run import Limits
from cli.running.removal import remove_folder
from grading import judging
from grading.feedback import VERDICT_WORDS
from grading.judging import Examiner, nvcc_in_room, try_references
from grading.sandbox import Sandbox
from grading.students import listed_students
from grading.submissions import Submission

TRIES_ALL = bool(os.environ.get("WORKBOOK_ALL_ANSWERS"))
BATCH = int(os.environ.get("WORKBOOK_GRADED_BATCH", "0"))
LIMITS = {"ch3_ex2": Limits(cpu_s=4, wall_s=120, memory_bytes=1 << 30)}  # where answers do not end
OTHER_LIMITS = Limits(cpu_s=60, wall_s=300, memory_bytes=2 << 30)  # of test_reference_answers.py, so each is tried once
# The larger shape is one at which goals are counted.
HIDDEN = {"ch3_ex2": HiddenCases(7, ("97x131", "97x409")), "ch3_ex1": HiddenCases(7, ("500x300",))}
SECRETS = re.compile(r"97x131|\b409\b|counts of this answer differ")
WEIGHTS = "exercise,compiles,right,no_errors,error_handling,goals\nall,10,50,10,10,20\n"  # docs/for_teachers.md
BEFORE_IT_RUNS = ("refused", "does not compile")
UNSCREENED = {"check_source": lambda *_: None, "check_object": lambda *_: None}


def styles() -> list[Answer]:
    """By default one answer with all styles in each of two exercises, and an answer for each style of a launch."""
    found = [answer for answer in ANSWERS if answer.exercise == "styles"]
    exercises = found[0].how  # the second one leaves a function of its header to the harness
    own = [style for style in found if any(kind == "launch" for kind, *_ in style.parts)]
    together = [style for style in found if style not in own]
    one = dataclasses.replace(found[0], name="styles", parts=tuple(part for style in together for part in style.parts))
    tried = [(one, exercises[0]), (one, exercises[1]), *((style, exercises[0]) for style in own)]
    tried = itertools.product(found, exercises) if TRIES_ALL else tried
    return [dataclasses.replace(style, exercise=name, how=("check", "grade"), points=10) for style, name in tried]


ROWS = [*(answer for answer in ANSWERS if answer.exercise != "styles"), *styles()]
# A verdict that comes before an answer runs is the same code in both commands: `check` has tried it.
GRADED = [
    row
    for row in ROWS
    if "grade" in row.how and (TRIES_ALL or "check" not in row.how or row.verdict not in BEFORE_IT_RUNS)
]


def examiner_of(exercise: Program, tree: BuildTree, hidden: HiddenCases, nvcc: Nvcc | None = None) -> Examiner:
    limits = LIMITS.get(exercise.target, OTHER_LIMITS)
    return Examiner(exercise, WORKBOOK, tree, hidden, limits, nvcc=nvcc)


def squeezed(*texts: str) -> str:
    return " ".join(" ".join(texts).split())


class ClassOfTwentyTest(FolderTest):
    """The class that docs/for_teachers.md grades."""

    def test_all_students_are_in_the_list_and_one_has_no_folder(self) -> None:
        write_class(self.folder)
        students = listed_students(self.folder / "handed_in", self.folder / "class.txt", self.scratch)
        self.assertEqual([student.name for student in students], [*CLASS, ABSENT])
        self.assertEqual([student.name for student in students if not student.files and not student.others], [ABSENT])
        self.assertEqual((len(students), len(HOSTILE)), (20, 6))

    def test_the_page_shows_the_correct_verdicts(self) -> None:
        page = (ROOT / "docs/for_teachers.md").read_text(encoding="utf-8")
        shown = re.search(r"^(student,exercise,passed,verdict\n.*?)^\$ ", page, re.MULTILINE | re.DOTALL)[1]
        verdicts = {row["student"].lstrip("'"): row["verdict"] for row in csv.DictReader(shown.splitlines())}
        self.assertEqual(verdicts, VERDICTS)


@needs_tree
class CheckTest(FolderTest):
    def test_each_answer_has_its_verdict_and_words(self) -> None:
        rows = [row for row in ROWS if "check" in row.how]
        self.tree = built_tree()
        for target in dict.fromkeys(row.exercise for row in rows):
            build_parts(WORKBOOK.catalogue.find_program(target), self.tree)
        with ThreadPoolExecutor(processor_count()) as executor:
            for row, (verdict, text) in zip(rows, executor.map(self.check, rows)):
                with self.subTest(exercise=row.exercise, answer=row.name):
                    self.assertEqual(verdict, row.verdict, text)
                    self.assertRegex(text, row.words)

    def check(self, row: Answer) -> tuple[str, str]:
        """The verdict, and the text and facts without line ends."""
        exercise = WORKBOOK.catalogue.find_program(row.exercise)
        folder = self.folder / row.exercise / row.name
        folder.mkdir(parents=True)
        result = check_exercise(exercise, WORKBOOK, self.tree, row.put(folder))
        text = explain(result, f"{row.exercise}.cu", row.exercise, stage_claims(exercise, WORKBOOK))
        return result.outcome.value, squeezed(text, *facts_of(result))

    def test_nvcc_names_the_host_function_whose_accesses_miss_a_goal(self) -> None:
        tree = built_tree()
        nvcc = find_nvcc(WORKBOOK, tree)
        if not nvcc:
            self.skipTest("needs an nvcc")
        (row,) = [row for row in ROWS if row.name == "host_function_of_std"]
        exercise = WORKBOOK.catalogue.find_program(row.exercise)
        result = check_exercise(exercise, WORKBOOK, tree, row.put(self.folder), nvcc=nvcc)
        self.assertEqual(result.outcome.value, "does not compile", result)
        self.assertIn("'std::max' is a host function", result.advice)


@needs_tree
class GradeTest(unittest.TestCase):
    """One `./workbook grade` for the answers to an exercise, each from one student."""

    @classmethod
    def setUpClass(cls) -> None:
        require_room()
        cls.tree = built_tree()
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.folder.chmod(0o755)
        cls.put("weights.csv", WEIGHTS)
        lines = [f"{target},{cases.seed},{' '.join(cases.shapes)}\n" for target, cases in HIDDEN.items()]
        cls.put("hidden.csv", "exercise,seed,shapes\n" + "".join(lines))

    @classmethod
    def put(cls, name: str, text: str) -> str:
        (cls.folder / name).write_text(text, encoding="utf-8")
        return str(cls.folder / name)

    @classmethod
    def grade(cls, handed_in: Path, reports: Path, *options: str, weights: str = "weights.csv") -> list[str]:
        """The lines that the command says."""
        said: list[str] = []

        def examiner(exercise: Program, _: object, __: object, hidden: HiddenCases, *___: object) -> Examiner:
            return examiner_of(exercise, cls.tree, hidden)

        room = cls.folder / "tmp"
        room.mkdir(mode=0o755, exist_ok=True)
        arguments = [str(handed_in), *options, "--reports", str(reports)]
        arguments += ["--hidden", str(cls.folder / "hidden.csv"), "--weights", str(cls.folder / weights)]
        command = {"Examiner": examiner, "nvcc_in_room": lambda *_: None, "exercise_tree": lambda _: cls.tree}
        with unittest.mock.patch.multiple(grade_command, say=said.append, complain=said.append, **command):
            with unittest.mock.patch.object(judging, "SHARE", Share(cpu_s=20)):
                with unittest.mock.patch.object(tempfile, "tempdir", str(room)):
                    assert grade_command.run(arguments, WORKBOOK) == EXIT_OK, said
        assert not os.listdir(room), os.listdir(room)
        return said

    @classmethod
    @functools.lru_cache(maxsize=None)
    def graded(cls, target: str, is_unscreened: bool) -> tuple[Path, Path, dict[str, Answer]]:
        """The folders of the students and of the reports, and the answer of each student."""
        rows = [row for row in GRADED if (row.exercise, "unscreened" in row.how) == (target, is_unscreened)]
        handed_in, reports = (cls.folder / f"{target} {is_unscreened} {name}" for name in ("answers", "reports"))
        cls.addClassCleanup(remove_folder, handed_in)
        students = {row.name: row for row in rows}
        for number, row in enumerate(itertools.islice(itertools.cycle(rows), BATCH if target == "ch3_ex2" else 0)):
            students[f"{number:03} {row.name}"] = row
        for student, row in students.items():
            (handed_in / student).mkdir(parents=True)
            row.put(handed_in / student)
        with unittest.mock.patch.multiple(screening, **UNSCREENED) if is_unscreened else contextlib.nullcontext():
            cls.grade(handed_in, reports, target)
        return handed_in, reports, students

    def assert_graded(self, target: str, is_unscreened: bool = False) -> None:
        """Each student has the verdict, the words and the points of the row, and a page without hidden cases."""
        _, reports, students = self.graded(target, is_unscreened)
        for student, row in students.items():
            with self.subTest(exercise=target, student=student):
                (graded,) = json.loads((reports / f"{student}.json").read_text(encoding="utf-8"))["exercises"]
                text = squeezed(graded.get("teachers_text", ""), graded["text"])
                verdict = graded["verdict"]
                self.assertIn(verdict, row.verdict.split("|"), text)
                self.assertRegex(text, row.words)
                page = (reports / f"{student}.html").read_text(encoding="utf-8")
                self.assertIn(f"<h2>{target}: {verdict}</h2>\n<p>{VERDICT_WORDS[verdict]}</p>", page)
                self.assertIn(f'<p class="points">{row.points} of 10 points</p>', page)
                self.assertNotRegex(page, SECRETS)
                ElementTree.parse(reports / f"{student}.xml")
        rows = list(csv.DictReader((reports / "summary.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual(len(rows), len(students))

    def test_each_answer_has_its_verdict_words_and_points(self) -> None:
        for target in dict.fromkeys(row.exercise for row in GRADED if "unscreened" not in row.how):
            self.assert_graded(target)

    def test_hostile_answers_do_not_pass_even_unscreened(self) -> None:
        self.assert_graded("ch3_ex2", is_unscreened=True)

    def test_a_regrade_with_changed_weights_keeps_each_manual_mark_and_runs_no_answer(self) -> None:
        handed_in, graded, students = self.graded("ch3_ex2", False)
        reports = Path(shutil.copytree(graded, self.folder / "graded_again"))

        def marks() -> dict[str, float]:
            with (reports / "marks.csv").open(encoding="utf-8", newline="") as file:
                return {row["student"].lstrip("'"): float(row["ch3_ex2"]) for row in csv.DictReader(file)}

        listed = ("--resume", "--class", self.put("class.txt", "".join(f"{name}\n" for name in [*students, ABSENT])))
        said = self.grade(handed_in, reports, "ch3_ex2", *listed)
        self.assertEqual([line.split("  ")[0] for line in said[:-1]], [ABSENT])
        self.assertEqual(marks(), {**{student: row.points for student, row in students.items()}, ABSENT: 0})
        manual = {student: number / 2 % 10 for number, student in enumerate(list(students)[::2], start=1)}
        lines = [f"{text_cell(name)},ch3_ex2,{points},Mine for {name}.\n" for name, points in manual.items()]
        written = "student,exercise,points,comment\n" + "".join(lines)
        (reports / "manual.csv").write_text(written, encoding="utf-8")
        self.put("changed.csv", "exercise,right\nch3_ex2,100\n")
        said = self.grade(handed_in, reports, "ch3_ex2", *listed, weights="changed.csv")
        self.assertEqual(len(said), 1)  # where the reports are: no answer was run
        only_right = {student: 10 if row.points > 5 else 0 for student, row in students.items()}
        self.assertEqual(marks(), {**only_right, **manual, ABSENT: 0})
        self.assertEqual((reports / "manual.csv").read_text(encoding="utf-8"), written)
        for student in students:
            page = html.unescape((reports / f"{student}.html").read_text(encoding="utf-8"))
            self.assertEqual(re.findall("Mine for (.*)\\.<", page), [student] if student in manual else [], page)


@needs_tree
class JudgeTest(FolderTest):
    """One exercise, with a hidden seed and shapes."""

    @classmethod
    def setUpClass(cls) -> None:
        require_room()
        cls.tree = built_tree()
        cls.exercise = WORKBOOK.catalogue.find_program("ch3_ex2")
        cls.examiner = examiner_of(cls.exercise, cls.tree, HIDDEN["ch3_ex2"])
        try_references([cls.examiner], 1, 0)

    def test_nvcc_refuses_an_answer_in_its_room(self) -> None:
        nvcc = nvcc_in_room(WORKBOOK, self.tree, Sandbox, OTHER_LIMITS)
        if not nvcc:
            self.skipTest("needs an nvcc")
        examiner = examiner_of(self.exercise, self.tree, HIDDEN["ch3_ex2"], nvcc)
        examiner.reference = self.examiner.reference
        for where, verdict in (("__device__ ", "does not compile"), ("", "passed")):
            changes = (("top", f"{where}int kept;"), ("before", "if (kept == 7) return;"))
            file = Answer("ada", "ch3_ex2", (), changes).put(self.folder)
            grade = examiner.grade(Submission("ada", self.exercise, file))
            self.assertEqual(grade.verdict, verdict, grade.text)
            self.assertEqual("Fix ex2_swizzled.cu, line " in grade.text, not grade.passed, grade.text)

    def test_the_room_to_build_contains_no_program_and_no_other_answer(self) -> None:
        room = self.examiner._room_to_build(self.folder)
        folders = (str(self.tree.folder), str(self.tree.workbook.root))
        found = room.run(["find", *folders], self.folder, {}).output.splitlines()
        self.assertIn(str(self.tree.folder / "common/simulator/libcuda_simulator_traced.a"), found)
        others = re.compile(rf"solution|_second|_mistakes|{re.escape(str(self.tree.folder))}/(?:bin|.*_kernels)")
        self.assertEqual([path for path in found if others.search(path)], [])

    def test_the_judge_finds_a_wrong_number(self) -> None:
        judge = self.examiner._judge

        def judge_after_a_change(file: Path, transcripts: list[Path], own: CheckResult) -> str:
            content = bytearray(transcripts[0].read_bytes())
            content[first_array(content)] ^= 1
            transcripts[0].write_bytes(content)
            return judge(file, transcripts, own)

        with unittest.mock.patch.object(self.examiner, "_judge", judge_after_a_change):
            file = Answer("ada", "ch3_ex2", (), ()).put(self.folder)
            grade = self.examiner.grade(Submission("ada", self.exercise, file))
        self.assertEqual(grade.verdict, judging.TAMPERED, grade.text)
        self.assertIn("fail in the judge's", grade.text)

    def try_shape(self, target: str, shape: str) -> None:
        exercise = WORKBOOK.catalogue.find_program(target)
        try_references([examiner_of(exercise, self.tree, HiddenCases(None, (shape,)))], 1, 0)

    def test_the_reference_answer_must_pass_first(self) -> None:
        failed = judging.Grade(Submission("the reference", self.exercise, self.folder), judging.REFUSED, "a reason")
        with unittest.mock.patch.object(Examiner, "_grade", return_value=failed):
            with self.assertRaisesRegex(WorkbookError, "(?s)fails with the hidden seed and shapes.*a reason"):
                self.try_shape("ch3_ex2", "777x3")

    def test_shapes_that_the_tests_refuse_are_an_error_before_any_answer_is_tried(self) -> None:
        for target, shape, why in (
            ("ch3_ex2", "777", "'777' is not a shape of these tests. A shape is 2 integer"),
            ("project_k_means", "100x0", "'100x0' is not .* k is 0, and must be from 1 to 256."),
            ("project_blur", "9x9x17", "'9x9x17' is not .* radius is 17, and must be from 0 to 16."),
            ("project_monte_carlo", "1", "'1' is not .* n is 1, and must be from 2 to 1000000000."),
        ):
            with unittest.mock.patch.object(Examiner, "_grade") as grade:
                with self.assertRaisesRegex(WorkbookError, f"{target} cannot be graded with these hidden.*{why}"):
                    self.try_shape(target, shape)
                grade.assert_not_called()

    def test_shapes_that_no_test_uses_are_an_error(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "The hidden shapes of ch3_ex2 add no test"):
            self.try_shape("ch3_ex2", "1x1")


def first_array(transcript: bytes) -> int:
    """The offset of the first allocated array, the input (transcript_file.h)."""
    head = struct.Struct("<IIIIQQ")
    _, _, _, text_bytes, _, _ = head.unpack_from(transcript)
    return head.size + text_bytes + 8
