"""Starters that are handed in as answers, to an exercise whose starter is correct, but slow."""

from __future__ import annotations

import unittest
from pathlib import Path

from support import LIMITS, ROOT, FolderTest, built_tree, needs_tree, require_room

from grading.hidden_cases import HiddenCases
from grading.judging import Examiner, try_references
from grading.marking import Marking, read_weights
from grading.reports import as_json
from grading.submissions import Submission

FILE = Path("ch3_transpose/ex6_quarter_turn.cu")
STARTER = (ROOT / "chapters" / FILE).read_text(encoding="utf-8")
SOLUTION = (ROOT / "solutions" / FILE).read_text(encoding="utf-8")
WEIGHTS = "exercise,compiles,right,no_errors,error_handling,goals\nall,10,50,10,10,20\n"  # docs/for_teachers.md


def edited(text: str, old: str, new: str) -> str:
    assert old in text, old
    return text.replace(old, new)


# An answer, its verdict and its points of 10.
CLASS = {
    "comment": (edited(f"{STARTER}// Zoe\n", ") {\n", ")\n{\n"), "unchanged starter", 0),
    "name": (edited(STARTER, "unsigned row =", "unsigned same = blockIdx.x, row ="), "goal missed", 1),
    "constant": (edited(STARTER, "kBlockRows = 32", "kBlockRows = 16"), "goal missed", 1),
    "conflicts": (edited(SOLUTION, "kTileDim + 1", "kTileDim"), "goal missed", 8),
    "solved": (SOLUTION, "passed", 10),
}


@needs_tree
class StartersTest(FolderTest):
    def test_points_of_a_class(self) -> None:
        require_room()
        tree = built_tree()
        exercise = tree.workbook.catalogue.find_program("ch3_ex6")
        examiner = Examiner(exercise, tree.workbook, tree, HiddenCases(), LIMITS)
        try_references([examiner], 1, 0)
        marking = Marking(10, read_weights(self.put("weights.csv", WEIGHTS), [exercise.target]))
        for student, (text, verdict, points) in CLASS.items():
            with self.subTest(student):
                grade = examiner.grade(Submission(student, exercise, self.put(f"{student}/{FILE.name}", text)))
                (graded,) = as_json(student, [grade])["exercises"]
                given = (graded["verdict"], marking.mark(student, graded).points)
                self.assertEqual(given, (verdict, points), grade.text)
                self.assertEqual("The starter's result is correct too." in grade.text, given == ("goal missed", 1))


if __name__ == "__main__":
    unittest.main()
