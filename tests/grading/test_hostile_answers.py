"""The hostile answers of hostile_answers.txt do not pass; `check` and `grade` give the same verdict.

A verdict that comes before an answer runs is the same code in both commands, so such an answer is only checked.
WORKBOOK_ALL_ANSWERS=1 grades them too. The tests need WORKBOOK_SIMULATOR_TREE in the environment: a build folder with
the simulator and tests.
"""

from __future__ import annotations

import functools
import os
import re
import unittest
from dataclasses import dataclass
from pathlib import Path

from support import FolderTest, built_tree, needs_tree, require_room

from cli.running.limited_run import Limits
from grading.check import check_exercise
from grading.check_text import explain
from grading.hidden_cases import HiddenCases
from grading.judging import Examiner, try_references
from grading.submissions import Submission

TRIES_ALL = bool(os.environ.get("WORKBOOK_ALL_ANSWERS"))
HIDDEN = {"ch3_ex1": HiddenCases(7, ("500x300",))}
_HEAD = re.compile(r"(?P<name>\w+) (?P<exercise>\w+) (?P<verdict>refused|goal missed|computed elsewhere) (?P<words>.+)")


@dataclass(frozen=True)
class Hostile:
    name: str
    exercise: str
    verdict: str
    words: str  # a regular expression
    top: str
    edits: tuple[tuple[str, str], ...]

    def of(self, solution: str) -> str:
        """The reference answer with the edits."""
        for old, new in self.edits:
            assert solution.count(old) == 1, f"{self.name}: the reference answer does not have once:\n{old}"
            solution = solution.replace(old, new)
        last = max(match.end() for match in re.finditer(r"^#include.*\n", solution, re.MULTILINE))
        return solution[:last] + self.top + solution[last:]


def read_hostile(text: str) -> list[Hostile]:
    found = []
    for entry in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        head, _, rest = entry.partition("\n")
        top, *edits = re.split(r"^instead of:\n", rest.rstrip("\n") + "\n", flags=re.MULTILINE)
        pairs = tuple((old, new) for old, _, new in (edit.partition("write:\n") for edit in edits))
        match = _HEAD.fullmatch(head)
        assert match, head
        found.append(Hostile(**match.groupdict(), top=top.removeprefix("top:\n"), edits=pairs))
    return found


ANSWERS = read_hostile((Path(__file__).parent / "hostile_answers.txt").read_text(encoding="utf-8"))


@needs_tree
class HostileAnswersTest(FolderTest):
    def test_none_passes(self) -> None:
        require_room()
        for answer in ANSWERS:
            with self.subTest(answer.name):
                self.assert_verdict(answer)

    def assert_verdict(self, answer: Hostile) -> None:
        tree = built_tree()
        exercise = tree.workbook.catalogue.find_program(answer.exercise)
        solution = tree.workbook.files_of(exercise.chapter).solutions / exercise.source.name
        file = self.put(exercise.source.name, answer.of(solution.read_text(encoding="utf-8")))
        examiner = _examiner(answer.exercise)
        if answer.exercise not in HIDDEN:
            checked = check_exercise(exercise, tree.workbook, tree, file)
            text = explain(checked, file.name, answer.exercise)
            self.assertEqual(checked.outcome.value, answer.verdict, text)
            self.assertRegex(text, answer.words)
            if answer.verdict == "refused" and not TRIES_ALL:
                return
        grade = examiner.grade(Submission("mallory", exercise, file))
        self.assertEqual(grade.verdict, answer.verdict, grade.text)
        self.assertRegex(grade.teachers_text or grade.text, answer.words)


@functools.lru_cache(maxsize=None)
def _examiner(target: str) -> Examiner:
    tree = built_tree()
    exercise = tree.workbook.catalogue.find_program(target)
    examiner = Examiner(exercise, tree.workbook, tree, HIDDEN.get(target, HiddenCases()), Limits(60, 300, 1 << 30))
    try_references([examiner], 1, 0)
    return examiner


if __name__ == "__main__":
    unittest.main()
