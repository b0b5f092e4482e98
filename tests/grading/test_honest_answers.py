"""Honest answers in many styles pass both `check` and `grade`.

Each style of honest_answers.txt is inserted into reference answers of seven exercises: 196 answers. By default one file
with all styles is tried, and one file for each style of a launch. WORKBOOK_ALL_ANSWERS=1 tries each style separately in
each exercise. The tests need WORKBOOK_SIMULATOR_TREE in the environment: a build folder with the simulator and tests.
"""

from __future__ import annotations

import os
import re
import string
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

IN_SHORT = ("ch1_ex1", "ch8_ex4")  # the second exercise leaves a function of its header to the harness
EXERCISES = (*IN_SHORT, "ch3_ex1", "ch1_ex3", "ch3_ex2", "ch4_ex2", "ch5_ex1")
TRIES_ALL = bool(os.environ.get("WORKBOOK_ALL_ANSWERS"))


@dataclass(frozen=True)
class Style:
    name: str
    includes: str
    top: str
    before_launch: str
    launch: str = ""  # replaces the exercise's launch
    header: str = ""  # a header that is handed in with it


def read_styles(text: str) -> list[Style]:
    styles = []
    for entry in re.split(r"^== ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = entry.partition("\n")
        rest, _, header = rest.partition("header:\n")
        rest, _, launch = rest.partition("as:\n")
        top, _, before_launch = rest.partition("launch:\n")
        lines = top.splitlines(keepends=True)
        includes = "".join(line for line in lines if line.startswith("#include"))
        others = "".join(line for line in lines if not line.startswith("#include"))
        styles.append(Style(name, includes, others, before_launch, launch.strip("\n"), header))
    return styles


def with_styles(solution: str, styles: list[Style]) -> str:
    end_of_includes = max(match.end() for match in re.finditer(r"^#include.*\n", solution, re.MULTILINE))
    launch = re.search(r"^  (?P<kernel>\w+)<<<(?P<configuration>.*?)>>>\((?P<arguments>.*?)\);", solution, re.MULTILINE | re.DOTALL)
    assert launch
    blocks = "".join(f"  {{\n{style.before_launch}  }}\n" for style in styles)
    own_launch = "".join(string.Template(style.launch).substitute(launch.groupdict()) for style in styles)
    return (
        solution[:end_of_includes]
        + "".join(style.includes for style in styles)
        + "".join(style.top for style in styles)
        + solution[end_of_includes : launch.start()]
        + blocks
        + (own_launch or launch.group())
        + solution[launch.end() :]
    )


STYLES = read_styles((Path(__file__).parent / "honest_answers.txt").read_text(encoding="utf-8"))


class StylesTest(unittest.TestCase):
    def test_there_are_at_least_sixty_answers(self) -> None:
        self.assertEqual(len({style.name for style in STYLES}), len(STYLES))
        self.assertGreaterEqual(len(STYLES) * len(EXERCISES), 60)
        self.assertTrue(all(bool(style.before_launch) != bool(style.launch) for style in STYLES))


@needs_tree
class HonestAnswersTest(FolderTest):
    def test_all_styles_pass_check_and_grade(self) -> None:
        require_room()
        tree = built_tree()
        for target in EXERCISES if TRIES_ALL else IN_SHORT:
            exercise = tree.workbook.catalogue.find_program(target)
            limits = Limits(cpu_s=60, wall_s=300, memory_bytes=1 << 30)
            examiner = Examiner(exercise, tree.workbook, tree, HiddenCases(), limits)
            try_references([examiner], 1, 0)
            solution = tree.workbook.files_of(exercise.chapter).solutions / exercise.source.name
            own_launches = [[style] for style in STYLES if style.launch and target == IN_SHORT[0]]
            together = [style for style in STYLES if not style.launch]
            for styles in ([style] for style in STYLES) if TRIES_ALL else [together, *own_launches]:
                self.put("brought_along.cuh", styles[-1].header)
                file = self.put(exercise.source.name, with_styles(solution.read_text(encoding="utf-8"), styles))
                with self.subTest(exercise=target, style=[style.name for style in styles]):
                    checked = check_exercise(exercise, tree.workbook, tree, file)
                    self.assertTrue(checked.passed, explain(checked, file.name, target))
                    grade = examiner.grade(Submission("ada", exercise, file))
                    self.assertEqual(grade.verdict, "passed", grade.text)
