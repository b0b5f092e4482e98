"""`./workbook class`: a copy for students, and the files that its update keeps."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT, FolderTest

from cli.errors import EXIT_OK, UsageError, WorkbookError
from cli.mistakes.catalogue import read_catalogue
from cli.workbook import CLASS_RECORD, Workbook
from grading.class_copy import new_copy, update_copy

sys.path.append(str(ROOT / "tests/instruments/lessons"))
from check_links import problems  # noqa: E402


@unittest.skipUnless((ROOT / ".git").exists(), "only git can list the workbook's files")
class ClassCopyTest(unittest.TestCase):
    """One copy for all tests, which do not change it."""

    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name) / "copy"
        new_copy(cls.folder, Workbook(ROOT))

    def files(self, pattern: str) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.glob(pattern))

    def test_has_no_answer_and_no_file_that_quotes_one(self) -> None:
        self.assertEqual(self.files("solutions/*/*.cu") + self.files("tests/*/*_judge.cpp"), [])
        self.assertEqual(self.files("tests/*/beginners.txt") + self.files("tests/cli"), [])
        for catalogue in self.folder.glob("tests/*/mistakes.txt"):
            spoiled = [line for line in catalogue.read_text().splitlines() if line.startswith("== ")]
            self.assertFalse([line for line in spoiled if "solutions/" in line])

    def test_has_the_files_for_students(self) -> None:
        self.assertEqual(self.files("solutions/ch3_transpose/ex2*"), ["solutions/ch3_transpose/ex2_swizzled.md"])
        for name in ("chapters/ch3_transpose/ex2_swizzled.cu", "tests/ch3_transpose/transpose_test.cpp", "workbook"):
            self.assertEqual((self.folder / name).read_bytes(), (ROOT / name).read_bytes())
        self.assertTrue(os.access(self.folder / "workbook", os.X_OK))

    def test_has_no_page_for_teachers_and_names_no_answer(self) -> None:
        left_out = ("docs/for_teachers.md", "docs/adding.md", "docs/decisions/README.md", "common/grading/README.md")
        self.assertEqual([name for name in left_out if (self.folder / name).exists()], [])
        names_answers = re.compile(r"ex\d+_solution|solutions/\S*\.cu\b|\./workbook (compare|grade|class)\b|<!-- /?answers")
        pages = [path for end in ("md", "ipynb", "cu", "h") for path in self.folder.rglob(f"*.{end}")]
        self.assertEqual([str(page) for page in pages if names_answers.search(page.read_text())], [])

    def test_each_link_leads_to_a_file(self) -> None:
        wrong = [problem for page in self.folder.rglob("*.md") for problem in problems(page)]
        self.assertEqual(wrong, [])

    def test_an_answer_is_refused_by_name_and_a_command_with_a_sentence(self) -> None:
        for words, said in (
            (["run", "ch3_ex1_solution"], "for a class: it does not contain ch3_ex1_solution"),
            (["grade"], "'./workbook grade' needs the reference answers"),
            (["class", "new", "x"], "'./workbook class' needs the reference answers"),
        ):
            ended = subprocess.run([self.folder / "workbook", *words], capture_output=True, text=True, check=False)
            self.assertIn(said, ended.stderr)

    def test_a_copy_cannot_make_copies(self) -> None:
        with self.assertRaisesRegex(UsageError, "itself a copy for a class"):
            new_copy(self.folder.parent / "second", Workbook(self.folder))

    def test_the_remaining_bugs_can_be_hunted(self) -> None:
        left = read_catalogue(self.folder / "tests/ch3_transpose/mistakes.txt")
        whole = read_catalogue(ROOT / "tests/ch3_transpose/mistakes.txt")
        self.assertGreater(len(left), 10)
        of_stages = [one.name for one in whole if not one.spoiled.startswith("solutions/")]
        self.assertEqual([one.name for one in left], of_stages)


@unittest.skipUnless((ROOT / ".git").exists(), "only git can list the workbook's files")
class UpdateTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.workbook = Workbook(ROOT)
        new_copy(self.folder, self.workbook)

    def test_the_progress_of_the_teacher_stays_out(self) -> None:
        (self.folder / ".git/info").mkdir(parents=True)
        self.assertEqual(update_copy(self.folder, self.workbook).warnings, [])
        self.assertEqual((self.folder / ".git/info/exclude").read_text(), "/progress.csv\n")
        (self.folder / "progress.csv").write_text("exercise\n")
        warnings = update_copy(self.folder, self.workbook).warnings
        self.assertEqual(len(warnings), 1)
        self.assertIn("rm --cached progress.csv", warnings[0])
        self.assertEqual((self.folder / ".git/info/exclude").read_text(), "/progress.csv\n")

    def test_an_update_keeps_changed_and_removed_files(self) -> None:
        mine, gone = self.folder / "chapters/ch1_saxpy/README.md", self.folder / "chapters/ch8_tsne/README.md"
        mine.write_text("my own lesson")
        gone.unlink()
        half_done = self.folder / "chapters/projects/blur.cu"
        half_done.write_text("// half of a kernel")
        done = update_copy(self.folder, self.workbook)
        kept = ["chapters/ch1_saxpy/README.md", "chapters/ch8_tsne/README.md", "chapters/projects/blur.cu"]
        self.assertEqual(done.kept, kept)
        self.assertEqual(half_done.read_text(), "// half of a kernel")
        self.assertEqual((done.written, done.removed), ([], []))
        self.assertEqual(mine.read_text(), "my own lesson")
        self.assertEqual(update_copy(self.folder, self.workbook).kept, done.kept)  # the next update keeps them too

    def test_an_update_writes_new_files_and_removes_old_ones(self) -> None:
        record = self.folder / CLASS_RECORD
        rows = record.read_text().splitlines()
        old = self.folder / "docs/old.md"
        old.write_text("")
        outdated = self.folder / "README.md"
        present = outdated.read_bytes()
        outdated.write_text("")
        nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # of an empty file
        rows = [row for row in rows if not row.startswith("README.md,")] + [f"docs/old.md,{nothing}", f"README.md,{nothing}"]
        record.write_text("\n".join(rows) + "\n")
        done = update_copy(self.folder, self.workbook)
        self.assertEqual((done.written, done.removed, done.kept), (["README.md"], ["docs/old.md"], []))
        self.assertEqual(outdated.read_bytes(), present)
        self.assertFalse(old.exists())

    def test_refuses_a_folder_that_is_not_a_copy_or_not_empty(self) -> None:
        spaced = self.folder.parent / "my course"
        self.folder.rename(spaced)
        with self.assertRaisesRegex(UsageError, f"is not an empty folder.*class update '{spaced}'"):
            new_copy(spaced, self.workbook)
        spaced.rename(self.folder)
        with self.assertRaisesRegex(UsageError, f"has no {CLASS_RECORD}"):
            update_copy(self.folder / "docs", self.workbook)
        (self.folder / CLASS_RECORD).write_text("what\n1\n")
        with self.assertRaisesRegex(WorkbookError, "cannot be read"):
            update_copy(self.folder, self.workbook)

    def test_the_command_prints_the_number_of_files_and_the_next_step(self) -> None:
        command = importlib.import_module("cli.commands.class")
        self.assertEqual(command.run(["update", str(self.folder)], self.workbook), EXIT_OK)
        course = self.folder.parent / "my course"
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(command.run(["new", str(course)], self.workbook), EXIT_OK)
        self.assertRegex(said.getvalue(), f"^\\d+ files written, 0 removed.\nNext: cd '{course}' && git init && echo /progress.csv >> .git/info/exclude")
