"""`./workbook grade`: hidden cases, submissions, reports. test_answers.py grades answers of all kinds."""

from __future__ import annotations

import csv
import hashlib
import json
import os
import threading
import time
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

from support import EXERCISE, OTHER, ROOT, FolderTest

from cli.catalogue import Program
from cli.checking.check_result import CheckResult, FailedTest, Goal, Outcome
from cli.checking.hidden_cases import HiddenCases, read_hidden_cases
from cli.commands import grade as grade_command
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError, WorkbookError
from cli.measuring.claims import Claim
from cli.running.removal import remove_folder
from cli.running.turns import turn
from cli.terminal.console import bare_mark
from cli.workbook import Workbook
from grading import judging
from grading.archives import MAX_SOURCE_BYTES
from grading.judging import Examiner, Grade, differences_text
from grading.marking import Marking
from grading.reports import as_json, write_marks, write_reports, write_summary
from grading.students import find_students, listed_students
from grading.submissions import Submission, copy_to, digest_of, files_of, find_submission


class HiddenCasesTest(FolderTest):
    def read(self, text: str) -> dict[str, HiddenCases]:
        return read_hidden_cases(self.put("hidden.csv", text), [EXERCISE, OTHER])

    def test_reads_seeds_and_shapes(self) -> None:
        rows = "ch3_ex2,18446744073709551615,97x2051  5x5\r\n\r\nch3_ex3,,1x1\r\n"
        cases = self.read(f"\ufeffexercise,seed,shapes\r\n{rows}")
        self.assertEqual(cases["ch3_ex2"], HiddenCases(2**64 - 1, ("97x2051", "5x5")))
        self.assertEqual(cases["ch3_ex3"].shapes, ("1x1",))
        other_file = self.read(rows.join(["exercise,seed,shapes\n", "\n"]))
        self.assertNotIn(cases["ch3_ex3"].seed, (None, other_file["ch3_ex3"].seed))  # it depends on the whole file
        self.assertEqual(
            cases["ch3_ex2"].environment(),
            {"WORKBOOK_SEED": "18446744073709551615", "WORKBOOK_SHAPES": "97x2051 5x5"},
        )
        self.assertEqual(HiddenCases().environment(), {})

    def test_names_the_wrong_line(self) -> None:
        for row, message in (
            ("ch9_ex1,1,", "line 2: there is no exercise 'ch9_ex1'"),
            ("ch3_ex2,-1,", r"line 2: a seed must be an integer from 0 to 2\^64 - 1, not '-1'"),
            ("ch3_ex2,18446744073709551616,", "line 2: a seed"),
            ("ch3_ex2,1,5 x 5", "line 2: a shape must look like 1000 or 97x2051, not 'x'"),
            ("ch3_ex2,1,5x2147483648", "line 2: a shape"),
            (f"ch3_ex2,{'9' * 5000},", "line 2: a seed"),
            (f"ch3_ex2,1,5x{'9' * 5000}", "line 2: a shape"),
            (f"ch3_ex2,1,{'5 ' * 100_000}", "Cannot read .*field larger than field limit.*Save it as a CSV file"),
            ("ch3_ex2,1", "line 2: 2 columns instead of 3"),
            ("ch3_ex2,1,\nch3_ex2,2,", "line 3: ch3_ex2 already has a line"),
            ("ch3_ex2, ,", "line 2: ch3_ex2 has neither a seed nor shapes. Add them, or remove the line"),
        ):
            with self.subTest(row=row), self.assertRaisesRegex(WorkbookError, message):
                self.read(f"exercise,seed,shapes\n{row}\n")
        with self.assertRaisesRegex(WorkbookError, "the first line must be exercise,seed,shapes"):
            self.read("ch3_ex2,1,\n")
        with self.assertRaisesRegex(UsageError, "Cannot read"):
            read_hidden_cases(self.folder / "absent.csv", [])


class SubmissionsTest(FolderTest):
    def find(self) -> Submission:
        (student,) = find_students(self.folder, self.scratch)
        return find_submission(student, EXERCISE)

    def test_finds_a_file_by_both_names_in_any_folder(self) -> None:
        for name in ("ada/ex2_swizzled.cu", "ada/ch3_ex2.cu", "ada/homework 3/Ex2_Swizzled.cu"):
            file = self.put(name)
            self.assertEqual(self.find().file, file)
            file.unlink()

    def test_prefers_the_chapters_file_in_a_copy_of_the_workbook(self) -> None:
        self.put("ada/solutions/ch3_transpose/ex2_swizzled.cu")
        self.put("ada/build-x/ch3_transpose/ex2_swizzled.cu")
        self.put("ada/ex2_swizzled.cu")
        file = self.put("ada/chapters/ch3_transpose/ex2_swizzled.cu")
        self.assertEqual(self.find().file, file)

    def test_reports_why_there_is_no_answer(self) -> None:
        (self.folder / "ada").mkdir()
        looked_for = "not handed in: looked for ex2_swizzled.cu or ch3_ex2.cu, "
        self.assertEqual(self.find().problem, f"{looked_for}and there are no files")
        for name in ("main.cu", "notes.txt", "sub/b.cu", "sub/report.pdf"):
            self.put(f"ada/{name}")
        self.assertEqual(self.find().problem, f"{looked_for}found main.cu, sub/b.cu, notes.txt, ...")
        self.put("ada/a/ch3_ex2.cu", "first")
        self.put("ada/b/ch3_ex2.cu", "second")
        self.assertEqual(self.find().problem, "2 files fit this exercise: a/ch3_ex2.cu, b/ch3_ex2.cu")

    def test_takes_the_last_download_and_reports_it(self) -> None:
        ends = (" - Copy", " - Copy (2)", " copy 2", " (copy)", " (3rd copy)", " (1)-2", " - Kopie")
        for name in ("Ex2_Swizzled(1).cu", "ch3_ex2-2.cu", *(f"ex2_swizzled{end}.cu" for end in ends)):
            file = self.put(f"ada/{name}")
            self.assertEqual((self.find().file, self.find().note), (file, f"The graded file is {name}."))
            file.unlink()
        for name in ("ex2_swizzled.cu", "ex2_swizzled (9).cu", "ex2_swizzled (10).cu"):
            file = self.put(f"ada/{name}")
        self.assertEqual(self.find().file, file)
        words = "The last download is graded: ex2_swizzled (10).cu. Found: "
        self.assertEqual(self.find().note, f"{words}ex2_swizzled (10).cu, ex2_swizzled (9).cu, ex2_swizzled.cu.")
        self.put("ada/second/ex2_swizzled (1).cu", "different")  # another folder can contain a different answer
        self.assertRegex(self.find().problem, r"^2 files fit this exercise: ex2_swizzled \(10\).cu, second/")
        self.put("ada/chapters/ch3_transpose/ex2_swizzled.cu")
        self.assertEqual(self.find().note, "")

    def test_names_a_file_with_a_similar_name(self) -> None:
        self.put("ada/ex2_swizzled.cu.txt")
        self.assertEqual(self.find().problem, "not handed in: ex2_swizzled.cu.txt should be named ex2_swizzled.cu")

    def test_own_headers_of_an_answer(self) -> None:
        text = '#include "helper.cuh"\n# include "sub/deep.h" // deep\n#include "transpose.h"\n#include "common/ceil_div.h"\n'
        text += '#include "../outside.h"\n#include "link.h"\n#include "helper.cu"\n#include "absent.h"\n#include "/etc/a.h"\n'
        file = self.put("ada/mine/ex2_swizzled.cu", text)
        self.put("ada/mine/helper.cuh", '#include "sub/deep.h"\n')
        self.put("ada/mine/sub/deep.h", '#include "deeper.h"\n#include "../helper.cuh"\n')
        for name in ("sub/deeper.h", "transpose.h", "common/ceil_div.h", "../outside.h", "helper.cu", "unused.h"):
            self.put(f"ada/mine/{name}")
        (file.parent / "link.h").symlink_to(self.put("secret.h"))
        files = files_of(file, EXERCISE, Workbook(ROOT))
        brought = ["ex2_swizzled.cu", "helper.cuh", "sub/deep.h", "sub/deeper.h"]
        self.assertEqual([str(one.relative_to(file.parent.resolve())) for one in files[1:]], brought[1:])
        copies = copy_to(self.folder / "copied", EXERCISE, files)
        self.assertEqual([str(one.relative_to(self.folder / "copied")) for one in copies], brought)
        self.assertEqual([one.stat().st_mode & 0o777 for one in (*copies, copies[-1].parent)], [0o644] * 4 + [0o755])
        before = digest_of(files)
        self.put("ada/mine/sub/deeper.h", "int changed;\n")
        self.assertNotEqual(digest_of(files), before)  # so --resume grades it again

    def test_takes_no_links_pipes_or_huge_files(self) -> None:
        file = self.put("ada/ch3_ex2.cu", "x" * (MAX_SOURCE_BYTES + 1))
        self.assertIn(f"has {MAX_SOURCE_BYTES + 1} bytes", self.find().problem)
        file.unlink()
        file.symlink_to("/etc/passwd")
        self.assertIn("is a link", self.find().problem)
        file.unlink()
        os.mkfifo(file)
        self.assertIn("not a file", self.find().problem)

    def test_students_are_folders(self) -> None:
        with self.assertRaisesRegex(UsageError, "a folder for each student"):
            find_students(self.folder, self.scratch)
        with self.assertRaisesRegex(UsageError, "There is no folder"):
            find_students(self.folder / "absent", self.scratch)
        for name in ("ben", "ada", ".git", "__MACOSX"):
            (self.folder / name).mkdir()
        self.assertEqual([student.name for student in find_students(self.folder, self.scratch)], ["ada", "ben"])


class ClassListTest(FolderTest):
    def listed(self, text: str) -> list[str]:
        return [student.name for student in listed_students(self.folder / "in", self.put("class.txt", text), self.scratch)]

    def test_names_all_students_in_its_order(self) -> None:
        self.put("in/Ben Abel/ch3_ex2.cu")
        self.assertEqual(self.listed("\ufeffRosa\r\n\r\n  Ben Abel \r\n"), ["Rosa", "Ben Abel"])

    def test_a_student_without_a_folder_has_handed_nothing_in(self) -> None:
        self.put("in/Ben/ch3_ex2.cu")
        rosa = listed_students(self.folder / "in", self.put("class.txt", "Ben\nRosa\n"), self.scratch)[1]
        self.assertRegex(find_submission(rosa, EXERCISE).problem, "but there is no folder, zip file or upload of this")

    def test_an_umlaut_is_the_same_however_it_is_written(self) -> None:
        self.put("in/Jo\u0308rg Mu\u0308ller/ch3_ex2.cu")  # as macOS writes names of folders
        self.assertEqual(self.listed("J\u00f6rg M\u00fcller\n"), ["Jo\u0308rg Mu\u0308ller"])

    def test_names_the_wrong_line(self) -> None:
        self.put("in/Ben/ch3_ex2.cu")
        for name, message in (
            ("Ben", "line 2: 'Ben' is already in line 1"),
            ("BEN", "line 2: 'BEN' is already in line 1"),
            ("../grades", "line 2: '../grades' cannot be the name of a student's folder"),
            ("..", "line 2: '..' cannot be the name"),
            ("/etc", "line 2: '/etc' cannot be the name"),
        ):
            with self.subTest(name), self.assertRaisesRegex(UsageError, message):
                self.listed(f"Ben\n{name}\n")
        with self.assertRaisesRegex(UsageError, "class.txt does not have 'Ben', who handed something in"):
            self.listed("Benn\n")
        (self.folder / "class.txt").write_bytes(b"\xff\xfe")
        with self.assertRaisesRegex(UsageError, "Cannot read .*class.txt.*name on each line"):
            listed_students(self.folder / "in", self.folder / "class.txt", self.scratch)


class ChangingTest(FolderTest):
    def test_the_copy_is_graded_and_named(self) -> None:
        file = self.put("ada/ch3_ex2.cu", "as it was handed in")
        graded = []

        class Changing(Examiner):
            def _examine(self, copy: Path, folder: Path) -> tuple[str, str, None]:
                file.write_text("changed while it was graded", encoding="utf-8")
                graded.append(copy.read_text(encoding="utf-8"))
                return "passed", "", None

        examiner = object.__new__(Changing)  # __init__ needs a compiler
        examiner.exercise, examiner._workbook = EXERCISE, Workbook(ROOT)
        with unittest.mock.patch.object(judging, "call_isolated", lambda function, _: function()):
            grade = examiner.grade(Submission("ada", EXERCISE, file))
        self.assertEqual(graded, ["as it was handed in"])
        self.assertEqual(grade.sha256, hashlib.sha256(b"as it was handed in").hexdigest())


class ReportsTest(FolderTest):
    def grades(self) -> list[Grade]:
        goal = Goal(Claim("ex2", ("--rows", "8"), "global", "store", "sectors_per_request", 4, 0), 32.0)
        failed = FailedTest("Shapes/Test.A/1x1", ("expected 1, got \x1b[31m2\0 ]]> <b>",))
        result = CheckResult(Path("a.cu"), Outcome.WRONG, (failed,), ("Test.B",), goals=(goal,))
        handed_in = Submission("ada", EXERCISE, Path("ada/a.cu"))
        return [
            Grade(handed_in, "wrong result", "a.cu: wrong", result, "0f", 1.26),
            Grade(Submission("ada", OTHER, problem="not handed in"), "not handed in", "not handed in"),
        ]

    def test_json(self) -> None:
        write_reports(self.folder, "ada", self.grades())
        report = json.loads((self.folder / "ada.json").read_text(encoding="utf-8"))
        self.assertEqual((report["schema"], report["student"]), (1, "ada"))
        wrong, missing = report["exercises"]
        self.assertEqual((wrong["exercise"], wrong["passed"], wrong["verdict"]), ("ch3_ex2", False, "wrong result"))
        self.assertEqual((wrong["seconds"], wrong["sha256"], wrong["passed_tests"]), (1.3, "0f", ["Test.B"]))
        self.assertEqual(wrong["failed_tests"][0]["name"], "Shapes/Test.A/1x1")
        self.assertEqual((wrong["goals"][0]["goal"], wrong["goals"][0]["counted"]), (4, 32.0))
        self.assertEqual((missing["file"], missing["verdict"], missing["passed"]), (None, "not handed in", False))

    def test_junit_is_xml_whatever_an_answer_prints(self) -> None:
        write_reports(self.folder, "ada", self.grades())
        suites = ElementTree.parse(self.folder / "ada.xml").getroot()
        wrong, missing = suites
        self.assertEqual((wrong.get("name"), wrong.get("tests"), wrong.get("failures")), ("ch3_ex2", "4", "3"))
        cases = {case.get("name"): case for case in wrong}
        self.assertIsNone(cases["Test.B"].find("failure"))
        self.assertEqual(cases["Shapes/Test.A/1x1"].find("failure").text, "expected 1, got ?[31m2? ]]> <b>")
        self.assertEqual(cases["goal 1"].find("failure").get("message"), self.grades()[0].result.goals[0].words())
        self.assertEqual((missing.get("tests"), missing.get("failures")), ("1", "1"))

    def test_summary(self) -> None:
        write_summary(self.folder, [as_json("ada", self.grades())])
        rows = list(csv.DictReader((self.folder / "summary.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual([row["verdict"] for row in rows], ["wrong result", "not handed in"])
        self.assertEqual((rows[0]["passed"], rows[0]["tests_passed"], rows[0]["tests_failed"]), ("0", "1", "1"))

    def test_a_passing_answer_whose_counts_differ_is_flagged(self) -> None:
        differs = CheckResult(Path("a.cu"), Outcome.PASSED, differences=("global load requests: 8 and 9",))
        grades = [Grade(Submission("ada", EXERCISE), verdict, "", differs) for verdict in ("passed", "goal missed")]
        write_summary(self.folder, [as_json("ada", grades)])
        rows = list(csv.DictReader((self.folder / "summary.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual([row["flag"] for row in rows], ["counts differ", ""])
        self.assertIn("Read the file", differences_text(differs.differences))
        self.assertEqual(differences_text(()), "")

    def test_marks(self) -> None:
        passed = [Grade(Submission("Jörg M", one), "passed", "") for one in (EXERCISE, OTHER)]
        write_marks(self.folder, [as_json("ada", self.grades()), as_json("Jörg M", passed)], Marking(5))
        text = (self.folder / "marks.csv").read_text(encoding="utf-8")
        self.assertEqual(text, "student,ch3_ex2,ch3_ex3,sum,of\nada,0,0,0,10\nJörg M,5,5,10,10\n")

    def test_only_a_passed_answer_passes(self) -> None:
        own = (judging.REFUSED, judging.TAMPERED, judging.ELSEWHERE, judging.NOT_HANDED_IN)
        for verdict in (*(outcome.value for outcome in Outcome), *own):
            grade = Grade(Submission("ada", EXERCISE), verdict, "")
            self.assertEqual(as_json("ada", [grade])["exercises"][0]["passed"], verdict == "passed")


class CommandTest(FolderTest):
    """The command itself, with an examiner that needs no compiler."""

    class Examiner:
        def __init__(self, exercise: Program, *_: object, **__: object) -> None:
            self.exercise = exercise

        def try_reference(self, worker: int) -> int:
            return 0

        def grade_as(self, worker: int, submission: Submission) -> Grade:
            if submission.problem.startswith("folders over"):
                return Grade(submission, "not handed in", submission.problem)
            if submission.student == "broken":
                raise WorkbookError("the disk is full")
            if not submission.file:
                return Grade(submission, "not handed in", submission.problem)
            return Grade(submission, "passed", "", sha256=digest_of([submission.file]))

    def setUp(self) -> None:
        super().setUp()
        self.put("in/ada/ch3_ex2.cu")
        self.put("in/ben/notes.txt")
        self.reports = self.folder / "out/reports"
        self.said: list[str] = []

    def grade(self, *arguments: str) -> int:
        with unittest.mock.patch.multiple(
            grade_command,
            Examiner=self.Examiner,
            require_sandbox=lambda room: None,
            exercise_tree=lambda workbook: None,
            nvcc_in_room=lambda *_: None,
            say=self.said.append,
            complain=self.said.append,
        ):
            return grade_command.run(["--jobs", "1", *arguments], Workbook(ROOT))

    def test_every_student_gets_a_report(self) -> None:
        self.assertEqual(self.grade(f"{self.folder}/in", "ch3_ex2", "ch3_ex3", "--reports", str(self.reports)), EXIT_OK)
        self.assertEqual(
            sorted(os.listdir(self.reports)), ["ada.html", "ada.json", "ada.xml", "ben.html", "ben.json", "ben.xml", "manual.csv", "marks.csv", "summary.csv"]
        )
        self.assertEqual(self.said[0], f"ada  ch3_ex2  {bare_mark(True)} passed")
        sandbox, *practice, where = self.said[-1].lstrip().splitlines()
        self.assertRegex(f"{sandbox}\n{where}", "^Sandbox: bubblewrap and a seccomp filter; .*\n.* in .*/out/reports.$")
        told = [line.partition(", ")[0] for line in practice]
        self.assertEqual(told, ["ch3_ex2 is for practice", "ch3_ex3 is for practice"])
        report = json.loads((self.reports / "ben.json").read_text(encoding="utf-8"))
        self.assertTrue(report["sandbox"].startswith("bubblewrap and a seccomp filter"))
        exercises = report["exercises"]
        verdicts = [(exercise["exercise"], exercise["verdict"]) for exercise in exercises]
        self.assertEqual(verdicts, [("ch3_ex2", "not handed in"), ("ch3_ex3", "not handed in")])

    def test_a_failure_with_one_student_does_not_stop_the_others(self) -> None:
        self.put("in/broken/ch3_ex2.cu")
        self.put("in/zoe/ch3_ex2.cu")
        self.assertEqual(self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports)), EXIT_FAILED)
        self.assertIn("broken  ch3_ex2  not graded: the disk is full", self.said)
        self.assertIn(f"zoe  ch3_ex2  {bare_mark(True)} passed", self.said)

    def test_no_answer_is_graded_on_a_full_disk(self) -> None:
        examiner = object.__new__(Examiner)  # __init__ needs a compiler
        file = self.put("in/ada/ch3_ex2.cu")
        full = unittest.mock.Mock(return_value=unittest.mock.Mock(free=5 << 20))
        with unittest.mock.patch("grading.judging.shutil.disk_usage", full):
            with self.assertRaisesRegex(WorkbookError, "has 5 MiB free, and an answer can need 64. Free some"):
                examiner.grade(Submission("ada", EXERCISE, file))

    def test_a_student_who_cannot_be_graded_has_a_report_with_the_reason(self) -> None:
        self.put("in/broken/ch3_ex2.cu")
        self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports))
        (exercise,) = json.loads((self.reports / "broken.json").read_text(encoding="utf-8"))["exercises"]
        self.assertEqual((exercise["verdict"], exercise["passed"]), ("not graded", False))
        self.assertEqual(exercise["text"], "the disk is full")
        self.assertIn("broken,ch3_ex2,0,not graded", (self.reports / "summary.csv").read_text(encoding="utf-8"))

    def test_impossible_folders_affect_only_their_student(self) -> None:
        deep = os.open(self.put("in/deep/notes.txt").parent, os.O_RDONLY)
        for _ in range(1100):
            os.mkdir("d", dir_fd=deep)
            inner = os.open("d", os.O_RDONLY, dir_fd=deep)
            os.close(deep)
            deep = inner
        os.close(deep)
        self.addCleanup(remove_folder, self.folder / "in/deep")
        names = ("n" * 250, "=1+2", "tab\tand\x07bell", "\udcff\udcfe")
        for name in names:
            self.put(f"in/{name}/ch3_ex2.cu")
        self.assertEqual(self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports)), EXIT_OK)
        self.assertIn(f"deep  ch3_ex2  {bare_mark(False)} not handed in", self.said)
        reports = sorted(self.reports.glob("*.xml"))
        self.assertEqual(len(reports), 3 + len(names))
        for report in reports:
            ElementTree.parse(report)
        summary = (self.reports / "summary.csv").read_text(encoding="utf-8")
        self.assertIn("\n'=1+2,ch3_ex2,1", summary)
        self.assertEqual(len(list(csv.DictReader(summary.splitlines()))), 3 + len(names))

    def test_reports_have_names_with_spaces_and_umlauts(self) -> None:
        for name in ("Jörg Müller", " ada ", "_kim", "..x"):
            self.put(f"in/{name}/ch3_ex2.cu")
        self.assertEqual(self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports)), EXIT_OK)
        names = {path.stem for path in self.reports.glob("*.json")}
        self.assertEqual(names, {"ada", "ben", "Jörg Müller", " ada ", "_kim"})  # hidden folders do not belong to students

    def test_a_student_of_the_class_without_a_folder_gets_a_report(self) -> None:
        listed = self.put("class.txt", "ada\nben\nRosa\n")
        arguments = (f"{self.folder}/in", "ch3_ex2", "--class", str(listed), "--reports", str(self.reports))
        self.assertEqual(self.grade(*arguments), EXIT_OK)
        self.assertIn(f"Rosa  ch3_ex2  {bare_mark(False)} not handed in", self.said)
        marks = (self.reports / "marks.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual(marks, ["student,ch3_ex2,sum,of", "ada,10,10,10", "ben,0,0,10", "Rosa,0,0,10"])

    def test_new_weights_and_manual_marks_need_no_second_grading(self) -> None:
        arguments = (f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports), "--points", "2.5")
        self.grade(*arguments)
        manual = self.reports / "manual.csv"
        self.assertEqual(manual.read_text(encoding="utf-8"), "student,exercise,points,comment\n")
        written = manual.read_text(encoding="utf-8") + 'ben,ch3_ex2,1.5,"Explained it to me, at the board."\n'
        manual.write_text(written, encoding="utf-8")
        before = (self.reports / "ada.json").stat().st_mtime_ns
        weights = self.put("weights.csv", "exercise,compiles,right\nall,20,80\n")
        late = self.put("late.csv", "student,exercise,days\nada,all,3\nben,ch3_ex2,3\n")
        said = len(self.said)
        self.grade(*arguments, "--resume", "--weights", str(weights), "--late", str(late), "--per-day", "20")
        marks = (self.reports / "marks.csv").read_text(encoding="utf-8")
        self.assertEqual(marks, "student,ch3_ex2,sum,of\nada,1,1,2.5\nben,1.5,1.5,2.5\n")
        self.assertEqual(manual.read_text(encoding="utf-8"), written)
        self.assertEqual((self.reports / "ada.json").stat().st_mtime_ns, before)
        self.assertEqual(len(self.said), said + 1)  # no student was graded
        self.grade(*arguments)  # grades all again
        self.assertEqual(manual.read_text(encoding="utf-8"), written)

    def test_an_interrupted_grading_loses_nothing(self) -> None:
        arguments = (f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports))
        self.grade(*arguments)
        manual = self.reports / "manual.csv"
        manual.write_text("student,exercise,points,comment\nben,ch3_ex2,7,Good\n", encoding="utf-8")
        for number in range(3):  # before the first report, between two reports, before marks.csv
            step, written = (write_reports, number) if number < 2 else (write_marks, 0)
            interrupted = unittest.mock.Mock(wraps=step, side_effect=[unittest.mock.DEFAULT] * written + [KeyboardInterrupt])
            patched = unittest.mock.patch.object(grade_command, step.__name__, interrupted)
            with patched, self.assertRaises(KeyboardInterrupt):
                self.grade(*arguments)
            self.assertEqual(len(list(self.reports.glob("*.json"))), number)  # none of the earlier grading
            said = len(self.said)
            self.grade(*arguments, "--resume")
            self.assertEqual(len(self.said) - said, 3 - number)
            marks = (self.reports / "marks.csv").read_text(encoding="utf-8")
            self.assertEqual(marks, "student,ch3_ex2,sum,of\nada,10,10,10\nben,7,7,10\n")

    def test_a_report_that_is_missing_or_was_not_completed_is_graded_again(self) -> None:
        for name in ("hugo", "ida"):
            self.put(f"in/{name}/ch3_ex2.cu")
        arguments = (f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports))
        self.grade(*arguments)
        (self.reports / "hugo.json").unlink()
        (self.reports / "ida.json").rename(self.reports / ".ida.json.new")  # it ended while it wrote a report
        (self.reports / "ida.json").write_text('{"schema": 1, "student"', encoding="utf-8")
        self.said.clear()
        self.grade(*arguments, "--resume")
        self.assertEqual(sorted(line.split("  ")[0] for line in self.said[:-1]), ["hugo", "ida"])
        marks = (self.reports / "marks.csv").read_text(encoding="utf-8")
        self.assertEqual(marks, "student,ch3_ex2,sum,of\nada,10,10,10\nben,0,0,10\nhugo,10,10,10\nida,10,10,10\n")

    def test_a_wrong_table_is_refused_before_a_student_is_graded(self) -> None:
        self.reports.mkdir(parents=True)
        (self.reports / "manual.csv").write_text("student,exercise,points,comment\nzoe,ch3_ex2,1,\n", encoding="utf-8")
        with self.assertRaisesRegex(UsageError, "manual.csv, line 2: there is no student 'zoe'"):
            self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports))
        self.assertEqual((self.said, os.listdir(self.reports)), ([], ["manual.csv"]))

    def test_platforms_names_and_zip_files_reach_the_reports(self) -> None:
        with zipfile.ZipFile(self.put("in/Ada Lovelace_12_assignsubmission_file_/hw.zip"), "w") as archive:
            archive.writestr("hw/ch3_ex2.cu", "")
        self.put(f"in/{os.fsdecode(bytes([255]))}/ch3_ex2.cu")
        self.put("in/x;=1+1/ch3_ex2.cu")
        self.assertEqual(self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports)), EXIT_OK)
        marks = (self.reports / "marks.csv").read_text(encoding="utf-8").splitlines()
        self.assertEqual([line.split(",")[:2] for line in marks[1:4]], [["Ada Lovelace", "10"], ["\\xff", "10"], ["ada", "10"]])
        self.assertIn("x;'=1+1,10,10,10", marks)
        self.assertTrue((self.reports / "Ada Lovelace.json").is_file())

    def test_a_second_grader_waits_for_the_first(self) -> None:
        self.reports.mkdir(parents=True)
        held = threading.Event()

        def hold() -> None:
            with turn(self.reports):
                held.set()
                while not any("Waiting until" in line for line in self.said):
                    time.sleep(0.01)

        other = threading.Thread(target=hold)
        other.start()
        held.wait()
        self.assertEqual(self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports)), EXIT_OK)
        other.join()
        self.assertEqual(self.said[0], f"Another ./workbook grade is writing to {self.reports}. Waiting until it has finished ...")
        self.assertEqual(self.said[1], f"ada  ch3_ex2  {bare_mark(True)} passed")

    def test_a_name_cannot_control_the_terminal(self) -> None:
        self.put("in/\x1b[2J/ch3_ex2.cu")
        self.grade(f"{self.folder}/in", "ch3_ex2", "--reports", str(self.reports))
        self.assertIn(f"?[2J  ch3_ex2  {bare_mark(True)} passed", self.said)

    def test_wrong_command_lines_are_refused(self) -> None:
        submissions = f"{self.folder}/in"
        for arguments, message in (
            ((submissions,), "required: exercise"),
            ((submissions, "ch3_ex9"), "ch3_ex9"),
            ((submissions, "ch3_transpose"), "whole chapter"),
            ((submissions, "ch3_ex2_solution"), "is a reference answer"),
            ((f"{submissions}/absent", "ch3_ex2"), "There is no folder"),
            ((submissions, "ch3_ex2", "--reports", f"{submissions}/grades"), "cannot be written to"),
            ((submissions, "ch3_ex2", "--jobs", "0"), "--jobs takes a number from 1 to 14, not 0"),
            ((submissions, "ch3_ex2", "--jobs", "2", "--contained"), "could see each other: leave --jobs out"),
            ((submissions, "ch3_ex2", "--share", "3/2"), "--share takes I/N, such as 2/8, not '3/2'"),
            ((submissions, "ch3_ex2", "--class", "absent.txt"), "Cannot read absent.txt"),
            ((submissions, "ch3_ex2", "--seconds", "0"), "--seconds takes a number above 0, not 0"),
            ((submissions, "ch3_ex2", "--memory-gib", "nan"), "--memory-gib takes a number above 0"),
            ((submissions, "ch3_ex2", "--points", "0"), "--points takes a number above 0, not 0"),
            ((submissions, "ch3_ex2", "--points", "-1"), "--points takes a number above 0, not -1"),
            ((submissions, "ch3_ex2", "--platform", "gradescope"), "--platform and --result are used together"),
            ((submissions, "ch3_ex2", "--result", "results.json"), "--platform and --result are used together"),
            ((submissions, "ch3_ex2", "--per-day", "101"), "--per-day takes a percentage from 0 to 100, not 101"),
            ((submissions, "ch3_ex2", "--weights", "absent.csv"), "Cannot read absent.csv"),
            ((submissions, "ch3_ex2", "--hidden", "absent.csv"), "Cannot read absent.csv"),
        ):
            with self.subTest(arguments=arguments[1:]), self.assertRaisesRegex(UsageError, message):
                self.grade(*arguments)

