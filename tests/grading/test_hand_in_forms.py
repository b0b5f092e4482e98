"""The forms in which platforms and students hand in files: Moodle, Canvas, Gradescope, zip files, free names."""

from __future__ import annotations

import os
import stat
import zipfile
from pathlib import Path

from support import ROOT, FolderTest

from cli.catalogue import Program
from cli.errors import UsageError
from cli.workbook import Workbook
from grading.archives import MAX_SOURCE_BYTES
from grading.students import find_students, listed_students, one_student
from grading.submissions import Submission, files_of, find_submission

EXERCISE = Program("ch3_ex1", "ch3_transpose", ROOT / "chapters/ch3_transpose/ex1_matrix_sum.cu", "exercise")
ANSWER = '#include "matrix_sum.h"\n'
METADATA = """---
submission_101:
  :submitters:
  - :name: Ada Lovelace
    :sid: '1815'
    :email: ada@example.org
  :created_at: 2026-11-20 10:00:00.000000000 Z
  :results:
    output: |-
      submission_102:
        :submitters:
        - :name: Mallory
submission_102:
  :submitters:
  - :name: "J\\xF6rg \\u4E2D"
    :sid:
    :email: j@example.org
  - :name: 'Kim O''Hara / x'
    :sid: '7'
    :email: k@example.org
"""


class FormsTest(FolderTest):
    def zip(self, name: str, files: dict[str, str]) -> Path:
        file = self.put(name)
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry, text in files.items():
                archive.writestr(entry, text)
        return file

    def found(self, folder: Path | None = None) -> dict[str, str]:
        """Each student's file of the exercise, as its content, or the problem."""
        students = find_students(folder or self.folder, self.scratch)
        submissions = [find_submission(student, EXERCISE) for student in students]
        return {one.student: one.file.read_text() if one.file else one.problem for one in submissions}

    def only(self) -> Submission:
        (student,) = find_students(self.folder, self.scratch)
        return find_submission(student, EXERCISE)


class PlatformsTest(FormsTest):
    def test_moodle_s_folders_have_the_students_names(self) -> None:
        self.put("Ada Lovelace_12345_assignsubmission_file_/ex1_matrix_sum.cu", "ada's")
        self.put("Ada Lovelace_12345_assignsubmission_onlinetext_/onlinetext.html", "<p>")
        self.put("Jörg Müller_12_assignsubmission_file/hw/ch3_ex1 (1).cu", "jörg's")
        self.assertEqual(self.found(), {"Ada Lovelace": "ada's", "Jörg Müller": "jörg's"})

    def test_moodle_s_flat_files(self) -> None:
        self.put("Ada Lovelace_12345_assignsubmission_file_ex1_matrix_sum.cu", "ada's")
        self.put("Ada Lovelace_12345_assignsubmission_file_ex2_1_2_x.cu", "other")
        self.assertEqual(self.found(), {"Ada Lovelace": "ada's"})

    def test_canvas_s_flat_files(self) -> None:
        self.put("lovelaceada_1234_5678_ex1_matrix_sum-2.cu", "ada's")
        self.put("abelben_LATE_1235_5679_ch3_ex1.cu", "ben's")
        self.assertEqual(self.found(), {"abelben": "ben's", "lovelaceada": "ada's"})
        late = [find_submission(student, EXERCISE).note for student in find_students(self.folder, self.scratch)]
        self.assertEqual(late[0], "The platform marks this submission as late.")
        self.assertEqual(late[1], "The graded file is ex1_matrix_sum-2.cu.")

    def test_a_flat_file_finds_its_headers(self) -> None:
        self.put("lovelaceada_1_2_ex1_matrix_sum-1.cu", '#include "helper.cuh"\n')
        self.put("lovelaceada_1_3_helper-1.cuh")
        self.put("abelben_4_5_helper.cuh")
        students = find_students(self.folder, self.scratch)
        files = files_of(find_submission(students[1], EXERCISE).file or Path(), EXERCISE, Workbook(ROOT))
        self.assertEqual([file.name for file in files], ["ex1_matrix_sum-1.cu", "helper.cuh"])

    def test_a_text_typed_in_canvas_is_a_submission_without_a_file(self) -> None:
        self.put("lovelaceada_LATE_1_text.html")
        self.assertRegex(self.found()["lovelaceada"], "found text.html$")

    def test_a_flat_file_beside_folders_is_a_student_s(self) -> None:
        self.put("ben/ch3_ex1.cu", "ben's")
        self.put("lovelaceada_1234_5678_ex1_matrix_sum.cu", "ada's")
        self.assertEqual(self.found(), {"ben": "ben's", "lovelaceada": "ada's"})

    def test_a_file_of_no_student_is_an_error(self) -> None:
        self.put("ben/ch3_ex1.cu")
        self.put("notes.txt")
        self.put("ch3_ex1.cu")
        with self.assertRaisesRegex(UsageError, "belong to no student: ch3_ex1.cu. Each student should have a folder"):
            self.found()

    def test_gradescope_s_names_and_groups(self) -> None:
        self.put("export/submission_metadata.yml", METADATA)
        self.put("export/submission_101/ch3_ex1.cu", "ada's")
        self.put("export/submission_102/ch3_ex1.cu", "a group's")
        expected = {"Ada Lovelace": "ada's", "Jörg 中": "a group's", "Kim O'Hara - x": "a group's"}
        self.assertEqual(self.found(), expected)
        identities = {one.name: one.identity for one in find_students(self.folder, self.scratch)}
        self.assertEqual(identities, {"Ada Lovelace": "1815", "Jörg 中": "j@example.org", "Kim O'Hara - x": "7"})

    def test_the_downloaded_zip_file_itself(self) -> None:
        inner = self.zip("hw.zip", {"hw/ch3_ex1.cu": "ben's"})
        download = self.zip("submissions.zip", {"a_1_2_ch3_ex1.cu": "ada's", "c_5_6_report.pdf": "%PDF"})
        with zipfile.ZipFile(download, "a") as archive:
            archive.write(inner, "b_3_4_hw.zip")
        found = self.found(download)
        self.assertEqual((found["a"], found["b"]), ("ada's", "ben's"))
        self.assertEqual(found["c"], "not handed in: looked for ex1_matrix_sum.cu or ch3_ex1.cu, found report.pdf")


class NamesTest(FormsTest):
    def test_two_students_of_one_name_have_the_platform_s_numbers(self) -> None:
        self.put("Ada Lovelace_1_assignsubmission_file_/ch3_ex1.cu", "first")
        self.put("Ada Lovelace_2_assignsubmission_file_/ch3_ex1.cu", "second")
        self.assertEqual(self.found(), {"Ada Lovelace (1)": "first", "Ada Lovelace (2)": "second"})

    def test_two_folders_that_a_disk_can_take_for_one_are_an_error(self) -> None:
        self.put("Ada/ch3_ex1.cu")
        self.put("ada/ch3_ex1.cu")
        with self.assertRaisesRegex(UsageError, "Two students in .* have the name 'Ada': 'Ada', 'ada'. Rename one"):
            self.found()

    def test_names_that_are_not_utf_8_stay_different(self) -> None:
        for byte in (b"\xff", b"\xfe"):
            self.put(f"{os.fsdecode(byte)}da/ch3_ex1.cu", byte.hex())
        self.assertEqual(self.found(), {"\\xffda": "ff", "\\xfeda": "fe"})

    def test_the_class_list_gives_canvas_s_students_their_names(self) -> None:
        self.put("in/lovelaceada_1_2_ch3_ex1.cu")
        self.put("in/vonneumannjohn_3_4_ch3_ex1.cu")
        listed = self.put("class.txt", "Ada Lovelace\nvon Neumann, John\nBen\n")
        students = listed_students(self.folder / "in", listed, self.scratch)
        names = [(one.name, one.identity, len(one.files)) for one in students]
        self.assertEqual(names, [("Ada Lovelace", "1", 1), ("von Neumann, John", "3", 1), ("Ben", "", 0)])


class FreeNamesTest(FormsTest):
    def test_a_name_with_the_exercise_s_number_and_a_header_of_the_exercise(self) -> None:
        names = ("hw/exercise1.cu", "Ex_1.cu", "ch3ex1.cu", "Chapter 3 - Exercise 01.cu", "ex1-matrix-sum.cu")
        for name in names:
            file = self.put(f"ada/{name}", ANSWER)
            with self.subTest(name):
                self.assertEqual((self.only().file, self.only().note), (file, f"The graded file is {name}."))
            file.unlink()

    def test_a_different_number_chapter_or_header_is_a_different_exercise(self) -> None:
        for name in ("exercise2.cu", "exercise11.cu", "ch4_exercise1.cu", "ch4_reduction/exercise1.cu", "example1.cu"):
            self.put(f"ada/{name}", ANSWER)
        self.put("ada/other/exercise1.cu", '#include "reduction.h"\n#include "common/ceil_div.h"\n')
        self.assertRegex(self.only().problem, "^not handed in: looked for ex1_matrix_sum.cu or ch3_ex1.cu, found ")

    def test_equal_files_are_one_answer(self) -> None:
        file = self.put("ada/a/ch3_ex1.cu", ANSWER)
        self.put("ada/b/ch3_ex1.cu", ANSWER)
        self.zip("ada/all.zip", {"ch3_ex1.cu": ANSWER})
        self.assertEqual(self.only().file, file)


class ZipTest(FormsTest):
    def problem(self, file: Path) -> str:
        self.assertIsNone(self.only().file)
        text = self.only().problem
        file.unlink()
        return text

    def test_one_zip_file_for_each_student(self) -> None:
        self.zip("ada.zip", {"hw\\src/ch3_ex1.cu": "ada's", "hw/src/helper.cuh": "", "hw/tests/ch3_ex1.cu": "not hers"})
        self.zip("Ben_2_assignsubmission_file_/hw.zip", {"report.pdf": ""})
        found = self.found()
        self.assertEqual(found["ada"], "ada's")
        self.assertRegex(found["Ben"], "found hw.zip/report.pdf$")

    def test_an_entry_outside_the_folder_refuses_the_whole_archive(self) -> None:
        for name in ("../ch3_ex1.cu", "/tmp/ch3_ex1.cu", "..\\ch3_ex1.cu", "C:\\ch3_ex1.cu", "a/../../ch3_ex1.cu"):
            file = self.zip("ada/hw.zip", {"ch3_ex1.cu": ANSWER, name: ANSWER})
            with self.subTest(name):
                self.assertRegex(self.problem(file), "but hw.zip is not unpacked: its entry '.*' would be written out")
        written = [file for file in self.scratch.parent.rglob("*") if file.is_file()]
        self.assertEqual(written, [])

    def test_a_link_is_refused(self) -> None:
        entry = zipfile.ZipInfo("ch3_ex1.cu")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        file = self.zip("ada/hw.zip", {})
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(entry, "/etc/passwd")
        self.assertRegex(self.problem(file), "hw.zip is not unpacked: its entry 'ch3_ex1.cu' is a link")

    def test_bombs_are_refused_whatever_sizes_they_state(self) -> None:
        large = self.zip("ada/hw.zip", {"ch3_ex1.cu": " " * (MAX_SOURCE_BYTES + 1)})
        lie = large.read_bytes().replace((MAX_SOURCE_BYTES + 1).to_bytes(4, "little"), (10).to_bytes(4, "little"))
        self.assertRegex(self.problem(large), "'ch3_ex1.cu' is too large: it has over 1048576 bytes")
        self.put("ada/hw.zip").write_bytes(lie)
        self.assertRegex(self.problem(large), "hw.zip is not unpacked: ")
        self.assertLess(sum(file.stat().st_size for file in self.scratch.rglob("*")), MAX_SOURCE_BYTES)
        many = self.zip("ada/hw.zip", {f"{number}.cu": " " * MAX_SOURCE_BYTES for number in range(17)})
        self.assertRegex(self.problem(many), "'16.cu' is too large: it has over 0 bytes when it is unpacked")

    def test_unreadable_archives_have_a_reason(self) -> None:
        for content, reason in ((b"", "File is not a zip file"), (b"PK\x05\x06" + b"\0" * 10, "File is not a zip")):
            file = self.put("ada/hw.zip")
            file.write_bytes(content)
            self.assertRegex(self.problem(file), f"hw.zip is not unpacked: it cannot be read \\({reason}")
        os.truncate(self.put("ada/hw.zip"), 2 << 30)
        self.assertRegex(self.problem(file), "hw.zip is not unpacked: it has 2048 MiB; at most 256 MiB")
        file = self.put("ada/hw.7z")
        self.assertRegex(self.problem(file), "hw.7z: only zip files are unpacked")

    def test_an_archive_that_is_not_read_is_mentioned_next_to_an_answer(self) -> None:
        self.put("ada/ch3_ex1.cu")
        self.put("ada/more.rar")
        self.assertEqual(self.only().note, "Not read: more.rar: only zip files are unpacked.")

    def test_the_only_student_of_a_platform_can_hand_in_a_zip_file(self) -> None:
        self.zip("ada/hw.zip", {"ch3_ex1.cu": "ada's"})
        submission = find_submission(one_student(self.folder / "ada", self.scratch), EXERCISE)
        self.assertEqual((submission.student, submission.file and submission.file.read_text()), ("ada", "ada's"))
