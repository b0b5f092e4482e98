"""An exercise's sheet: goals, reasons, hints, and the errors in one."""

from __future__ import annotations

import math
import unittest
from pathlib import Path

from support import ROOT, FolderTest

from cli.catalogue import Program
from cli.checking.sheet import Sheet, read_sheet, sheet_of
from cli.errors import WorkbookError
from cli.measuring.claims import AT_LEAST, Claim
from cli.workbook import Workbook

GOALS = "## Goals\n\n```csv\nrows,memory,operation,measure,value,tolerance\n64,shared,load,conflict_ways,1,0\n```\n"


class SheetTest(FolderTest):
    def read(self, text: str) -> Sheet:
        return read_sheet(self.put("ex2_a.md", text))

    def test_goals_are_claims_about_the_exercise(self) -> None:
        (goal,) = self.read(f"# ex2: a\n{GOALS}").goals
        self.assertEqual(
            (goal.stage, goal.options, goal.memory, goal.operation, goal.measure, goal.value),
            ("ex2", ("--rows", "64"), "shared", "load", "conflict_ways", 1.0),
        )

    def test_reasons(self) -> None:
        sheet = self.read("# ex2: a\n## Rejected by\n\n- `case=1x1 got=nan`\n- `finding=race, pattern=border`\n")
        self.assertEqual(sheet.reasons, ("case=1x1 got=nan", "finding=race, pattern=border"))

    def test_a_file_with_an_answer(self) -> None:
        sheet = self.read("# ex2: a\n## Practice\n\n- `chapters/ch1_a/01_one.cu`\n")
        self.assertEqual(sheet.answer, "chapters/ch1_a/01_one.cu")

    def test_counts_of_the_starter(self) -> None:
        head, goal = GOALS.split("64,")
        goals = head.replace("tolerance", "tolerance,starter") + "64," + goal.replace(",1,0\n", ",1,0,{}\n")
        for cell, count in (("32", 32.0), ("none", math.inf)):
            self.assertEqual(self.read(f"# ex2: a\n{goals.format(cell)}").goals[0].starter, count)
        self.assertIsNone(self.read(f"# ex2: a\n{GOALS}").goals[0].starter)
        with self.assertRaisesRegex(WorkbookError, "cannot read this claim"):
            self.read(f"# ex2: a\n{goals.format('many')}")

    def test_why_counts_vary(self) -> None:
        sheet = self.read("# ex2: a\n## Varying counts\n\nThe rows depend\non the data.\n")
        self.assertEqual(sheet.varying_counts, "The rows depend on the data.")

    def test_sections_may_be_missing(self) -> None:
        sheet = self.read("# ex2: a\n")
        self.assertEqual((sheet.goals, sheet.reasons, sheet.hints, sheet.varying_counts), ((), (), (), ""))

    def test_the_wrong_line_is_named(self) -> None:
        for text, words in (
            ("", ":1: the first line must be '# exN"),
            ("# Hints\n", ":1: the first line must be '# exN"),
            ("# ex2: a\ntext\n", ":2: this line must be in a section"),
            ("# ex2: a\n## Hint\n", ":2: a section must be one of Course, Goals, Varying counts, Practice, Rejected by, Hints"),
            ("# ex2: a\n## Hints\n## Hints\n", ":3: a section must be one of"),
            ("# ex2: a\n## Goals\nrows\n", ":3: goals must be in one block"),
            ("# ex2: a\n## Goals\n```csv\nrows\n", ":3: goals must be in one block"),
            (f"# ex2: a\n{GOALS}".replace("shared", "sherad"), ":6: a claim is about one of"),
            (f"# ex2: a\n{GOALS}".replace(",1,0", ",one,0"), ":6: cannot read this claim"),
            ("# ex2: a\n## Rejected by\n- no pattern\n", ":3: a reason must be a list item"),
        ):
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, words):
                self.read(text)

    def test_a_file_that_is_not_text_is_a_readable_error(self) -> None:
        file = self.put("ex2_a.md")
        file.write_bytes(b"# ex2: a\xff\n")
        with self.assertRaisesRegex(WorkbookError, "is not UTF-8 text"):
            read_sheet(file)
        with self.assertRaisesRegex(WorkbookError, "cannot be read as CSV"):
            self.read(f"# ex2: a\n{GOALS.replace('64,', 'a' * 200_000 + ',')}")

    def test_a_missing_sheet(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "nowhere.md: an exercise's goals and hints are missing"):
            read_sheet(Path("/nowhere.md"))


def has_a_bound(goal: Claim, goals: tuple[Claim, ...]) -> bool:
    """Whether the sheet limits the number over which a goal such as sectors_per_request is an average. Without a limit,
    many cheap requests pay for expensive ones.
    """
    number = {"sectors_per_request": "requests", "conflict_ways": "wavefronts"}.get(goal.measure)
    access = (goal.options, goal.memory, goal.operation, number)
    return number is None or any(
        (of.options, of.memory, of.operation, of.measure) == access and of.limit != AT_LEAST for of in goals
    )


class SheetsTest(unittest.TestCase):
    def test_each_average_has_a_bound(self) -> None:
        for exercise, sheet in self.sheets():
            without = [goal for goal in sheet.goals if not has_a_bound(goal, sheet.goals)]
            self.assertEqual(without, [], exercise.target)

    def test_the_exercises_with_counts_of_the_starter_say_rewrite(self) -> None:
        for exercise, sheet in self.sheets():  # docs/for_teachers.md says so
            says_so = exercise.source.read_text(encoding="utf-8").split("\n")[1] == "// Rewrite"
            self.assertEqual(says_so, any(goal.starter is not None for goal in sheet.goals), exercise.target)

    def sheets(self) -> list[tuple[Program, Sheet]]:
        workbook = Workbook(ROOT)
        exercises = [one for chapter in workbook.catalogue.chapters for one in chapter.of_kind("exercise")]
        return [(exercise, sheet_of(exercise, workbook)) for exercise in exercises]
