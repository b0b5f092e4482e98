"""The class that docs/for_teachers.md grades: its students, and their verdicts on that page."""

from __future__ import annotations

import csv
import re
import tempfile
import unittest
from pathlib import Path

from class_of_twenty import ABSENT, HONEST, HOSTILE, VERDICTS, write_class
from support import ROOT

from grading.students import listed_students


class ClassOfTwentyTest(unittest.TestCase):
    def test_six_of_twenty_are_hostile(self) -> None:
        self.assertEqual((len(VERDICTS), len(HOSTILE)), (20, 6))
        self.assertEqual(list(VERDICTS), [*HONEST, *HOSTILE, ABSENT])

    def test_all_students_are_in_the_list_and_one_has_no_folder(self) -> None:
        with tempfile.TemporaryDirectory(prefix="workbook-test-") as folder:
            write_class(Path(folder))
            scratch = Path(folder) / "scratch"
            scratch.mkdir()
            students = listed_students(Path(folder) / "handed_in", Path(folder) / "class.txt", scratch)
            self.assertEqual([student.name for student in students], list(VERDICTS))
            self.assertEqual([student.name for student in students if not student.files and not student.others], [ABSENT])

    def test_the_page_shows_the_correct_verdicts(self) -> None:
        page = (ROOT / "docs/for_teachers.md").read_text(encoding="utf-8")
        shown = re.search(r"^(student,exercise,passed,verdict\n.*?)^\$ ", page, re.MULTILINE | re.DOTALL)[1]
        verdicts = {row["student"].lstrip("'"): row["verdict"] for row in csv.DictReader(shown.splitlines())}
        self.assertEqual(verdicts, VERDICTS)
