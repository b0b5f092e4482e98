"""A class of sixty: ten kinds of answers, each with its verdict, its points and its page of feedback.

One answer of each kind is graded, all at a time. Six students hand in each kind: the reports of five are copies, so the
grading with --resume computes their points and pages without running an answer.
"""

from __future__ import annotations

import csv
import json
import shutil
import tempfile
import unittest
from pathlib import Path

from class_of_twenty import ABSENT, HONEST, HOSTILE
from support import built_tree, grades_in, needs_tree, require_room

from cli.commands import grade as grade_command
from cli.errors import EXIT_OK
from grading.feedback import VERDICT_WORDS
from grading.plain_files import text_cell

# One student of the class of twenty for each kind; the points of 10 with the weights below; the words of the report.
KINDS = {
    "Ada": (10, "26 tests, and 10 goals are reached"),
    "Ben": (1, "No kernel wrote the result"),
    "Chen Li": (9, "Write\nCUDA_CHECK(cudaGetLastError()); after each launch"),
    "Dilek": (0, "Its code is that of the file that the exercise begins with"),
    "Emre": (1, "this is Operation.MatchesReference/97x131"),
    "Fatou": (8, "global-memory stores: sectors per request: 32. The goal is 4."),
    "Grete": (1, "race: transpose_swizzled_kernel"),
    "Hugo": (0, "Full compiler output"),
    "=1+1": (0, "It calls fork()"),
    "Nils": (1, "timed out"),
}
WEIGHTS = "exercise,compiles,right,no_errors,error_handling,goals\nall,10,50,10,10,20\n"
ONLY_RIGHT = {"Ada": 10, "Chen Li": 10, "Fatou": 10}  # the points with weights for the result alone


@needs_tree
class ClassOfSixtyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        require_room()
        cls.tree = built_tree()
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.folder.chmod(0o755)
        cls.reports = cls.folder / "reports"
        cls.put("weights.csv", WEIGHTS)
        for kind in KINDS:
            cls.hand_in(kind, kind)
        cls.grade("--weights", str(cls.folder / "weights.csv"))
        for kind in KINDS:
            for number in range(2, 7):
                cls.copy(kind, f"{kind} {number}")
        shutil.copytree(cls.reports, cls.folder / "graded")

    def setUp(self) -> None:
        shutil.rmtree(self.reports)
        shutil.copytree(self.folder / "graded", self.reports)

    @classmethod
    def put(cls, name: str, text: str) -> Path:
        (cls.folder / name).write_text(text, encoding="utf-8")
        return cls.folder / name

    @classmethod
    def hand_in(cls, kind: str, student: str) -> None:
        (cls.folder / "in" / student).mkdir(parents=True)
        {**HONEST, **HOSTILE}[kind][0](cls.folder / "in" / student)

    @classmethod
    def copy(cls, kind: str, student: str) -> None:
        cls.hand_in(kind, student)
        report = json.loads((cls.reports / f"{kind}.json").read_text(encoding="utf-8"))
        (cls.reports / f"{student}.json").write_text(json.dumps({**report, "student": student}), encoding="utf-8")

    @classmethod
    def grade(cls, *options: str) -> list[str]:
        """The lines that the command says."""
        said: list[str] = []
        arguments = [f"{cls.folder}/in", "ch3_ex2", "--reports", str(cls.reports)]
        with grades_in(cls.tree, said.append):
            assert grade_command.run([*arguments, *options], cls.tree.workbook) == EXIT_OK, said
        return said

    def marks(self) -> dict[str, float]:
        with (self.reports / "marks.csv").open(encoding="utf-8", newline="") as file:
            return {row["student"].lstrip("'"): float(row["ch3_ex2"]) for row in csv.DictReader(file)}

    def exercise(self, student: str) -> dict[str, object]:
        return json.loads((self.reports / f"{student}.json").read_text(encoding="utf-8"))["exercises"][0]

    def test_each_kind_has_its_verdict_words_and_feedback(self) -> None:
        for kind, (points, words) in KINDS.items():
            with self.subTest(kind):
                graded, verdict = self.exercise(kind), {**HONEST, **HOSTILE}[kind][1]
                self.assertEqual(graded["verdict"], verdict, graded["text"])
                self.assertIn(words, graded.get("teachers_text") or graded["text"])
                page = (self.reports / f"{kind}.html").read_text(encoding="utf-8")
                self.assertIn(f"<h2>ch3_ex2: {verdict}</h2>\n<p>{VERDICT_WORDS[verdict]}</p>", page)
                self.assertIn(f'<p class="points">{points} of 10 points</p>', page)
                self.assertNotIn("97x131", page)  # the hidden shape

    def test_only_the_hidden_shape_fails_for_an_answer_that_is_wrong_only_there(self) -> None:
        self.assertEqual({test["name"].split("/")[-1] for test in self.exercise("Emre")["failed_tests"]}, {"97x131"})
        words = "wrong result in a hidden case: your teacher's own data or sizes.\nThe public tests pass."
        self.assertTrue(self.exercise("Emre")["text"].endswith(words), self.exercise("Emre")["text"])

    def test_a_regrade_with_changed_weights_keeps_each_manual_mark_and_runs_no_answer(self) -> None:
        self.put("class.txt", "".join(f"{student.name}\n" for student in (self.folder / "in").iterdir()) + ABSENT)
        listed = ("--resume", "--class", str(self.folder / "class.txt"))
        said = self.grade(*listed, "--weights", str(self.folder / "weights.csv"))
        self.assertEqual([line.split("  ")[0] for line in said[:-1]], [ABSENT])
        before = self.marks()
        self.assertEqual(len(before), 61)
        for student, points in before.items():
            self.assertEqual(points, 0 if student == ABSENT else KINDS[student.rstrip(" 23456")][0], student)
        manual = {f"{kind} {number}": number / 2 for kind in KINDS for number in (2, 5)}
        lines = "".join(f"{text_cell(student)},ch3_ex2,{points},Written for {student}.\n" for student, points in manual.items())
        written = "student,exercise,points,comment\n" + lines
        (self.reports / "manual.csv").write_text(written, encoding="utf-8")
        changed = self.put("changed.csv", "exercise,right\nch3_ex2,100\n")
        said = self.grade(*listed, "--weights", str(changed))
        self.assertEqual(len(said), 1)  # where the reports are: no answer was run
        expected = {student: manual.get(student, ONLY_RIGHT.get(student.rstrip(" 23456"), 0)) for student in before}
        self.assertEqual(self.marks(), expected)
        self.assertEqual((self.reports / "manual.csv").read_text(encoding="utf-8"), written)
        for student in before:
            page = (self.reports / f"{student}.html").read_text(encoding="utf-8")
            comments = [name for name in manual if f"Written for {name}." in page]
            self.assertEqual(comments, [student] if student in manual else [], student)
