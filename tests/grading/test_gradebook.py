"""The gradebook of Moodle or Canvas with the points. No answer is built."""

from __future__ import annotations

import csv

from support import FolderTest

from cli.errors import UsageError
from grading.gradebook import filled, read_gradebook
from grading.marking import Marking

CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section,ch3_ex2 (811),Essay (812),Current Score
    Points Possible,,,,,5,20,(read only)
"Lovelace, Ada",5101,a17,ada@example.org,Week 3,,12,60
"Hopper, Grace",5102,g18,grace@example.org,Week 3,1,,
"Müller, Jörg",5103,j19,jm,Week 3,,,
"Kim, Ji",5104,k20,kim1,Week 3,,,
"Kim, Ji",5105,k21,kim2,Week 3,,,
"""
MOODLE = "First name;Last name;ID number;Email address\r\nAda;Lovelace;a17;ada@example.org\r\nJi;Kim;k20;kim1@example.org\r\n"


def report(student: str, passed: bool = True) -> dict[str, object]:
    return {"student": student, "exercises": [{"exercise": name, "passed": passed} for name in ("ch3_ex2", "ch3_ex3")]}


class GradebookTest(FolderTest):
    def fill(self, text: str, *students: str) -> tuple[list[list[str]], list[str]]:
        rows = read_gradebook(self.put("exported.csv", f"\ufeff{text}"))
        written, missing = filled(rows, [report(student) for student in students], Marking(2.5))
        return list(csv.reader(written.splitlines())), missing

    def test_canvas_gets_the_columns_that_it_exported(self) -> None:
        rows, missing = self.fill(CANVAS, "Ada Lovelace", "g18", "jm")
        before = list(csv.reader(CANVAS.splitlines()))
        self.assertEqual([row[:5] + row[6:8] for row in rows], [row[:5] + row[6:8] for row in before])
        self.assertEqual([row[5] for row in rows], ["ch3_ex2 (811)", "2.5", "2.5", "2.5", "2.5", "", ""])
        self.assertEqual([row[8] for row in rows], ["ch3_ex3", "2.5", "2.5", "2.5", "2.5", "", ""])
        self.assertEqual(missing, [])

    def test_a_line_is_found_by_each_form_of_a_name(self) -> None:
        for name in ("Lovelace, Ada", "ADA LOVELACE", "ada", "ada@example.org", "5101", "a17"):
            self.assertEqual(self.fill(CANVAS, name)[0][2][5], "2.5", name)
        for name in ("Ada Lovelace", "Lovelace, Ada", "ada@example.org", "a17"):
            rows, missing = self.fill(MOODLE, name)
            self.assertEqual((rows[1], missing), (["Ada", "Lovelace", "a17", "ada@example.org", "2.5", "2.5"], []))
        self.assertEqual(self.fill(CANVAS, "Jo\u0308rg Mu\u0308ller")[1], [])

    def test_students_of_one_name_and_unknown_students_are_named(self) -> None:
        rows, missing = self.fill(CANVAS, "Ji Kim", "Zoe", "Week 3", "12", "kim2")
        self.assertEqual(missing, ["Ji Kim (2 lines)", "Zoe (no line)", "Week 3 (5 lines)", "12 (no line)"])
        self.assertEqual([row[5] for row in rows[2:]], ["", "1", "", "", "2.5"])

    def test_a_platform_s_number_comes_before_the_name(self) -> None:
        rows = [["Name", "Identifier"], ["Ji Kim", "Participant 7"], ["Ji Kim", "Participant 8"]]
        written, missing = filled(rows, [report("Ji Kim (8)")], Marking(2.5), {"Ji Kim (8)": "8"})
        self.assertEqual((written.splitlines()[1:], missing), (["Ji Kim,Participant 7,,", "Ji Kim,Participant 8,2.5,2.5"], []))

    def test_formulas_are_text_and_numbers_stay(self) -> None:
        rows = [["Name", "Grade"], ["=1+1", "-"], ["b", "-2.5"]]
        self.assertEqual(filled(rows, [], Marking(1))[0], "Name,Grade\n'=1+1,-\nb,-2.5\n")

    def test_other_files_are_refused(self) -> None:
        for text in ("", "Student,ID\n", "Student\nAda\n"):
            with self.assertRaisesRegex(UsageError, "has no students: export the gradebook"):
                self.fill(text, "Ada")
