"""The key of a test changes if and only if something that it reads changes."""

from __future__ import annotations

import os
import unittest
from unittest import mock

from support import FolderTest, folder_of

from cli.verdicts.ctest import Counts
from cli.verdicts.remembered import Reading, Remembered, Test


class ReadingTest(unittest.TestCase):
    def setUp(self) -> None:
        self.root = folder_of(self, "workbook ")
        self.tree = self.root / "build"
        for name in ("chapters/ch3_transpose/a.cu", "chapters/ch4_reduction/a.cu", "common/a.h", "docs/a.md"):
            self.write(name, "one")
        for name in ("ch3_transpose_a_test", "ch4_reduction_a_test"):
            self.write(f"build/bin/{name}", "one")
        program = str(self.tree / "bin/ch3_transpose_a_test")
        self.of_program = Test(1, "a", (program, "--gtest_brief=1"), (), ("ch3_transpose",))
        self.of_chapter = Test(2, "claims", ("python3", "claims.py"), (), ("ch3_transpose",))
        self.of_all = Test(3, "links", ("python3", "links.py"), (), ("lessons",))

    def write(self, name: str, text: str) -> None:
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def keys(self) -> list[str]:
        reading = Reading(self.root, self.tree)
        return [reading.key(test) for test in (self.of_program, self.of_chapter, self.of_all)]

    def concerned(self, name: str) -> list[bool]:
        """Whether a change of the file changes the key of a program's test, a chapter's test and a test of all chapters."""
        before = self.keys()
        self.write(name, "two")
        return [one != other for one, other in zip(before, self.keys())]

    def test_changed_files(self) -> None:
        for name, concerned in (
            ("build/bin/ch3_transpose_a_test", [True, True, True]),
            ("build/bin/ch4_reduction_a_test", [False, False, True]),
            ("chapters/ch3_transpose/a.cu", [False, True, True]),
            ("chapters/ch3_transpose/05_new.cu", [False, True, True]),
            ("chapters/ch3_transpose/lesson/new.csv", [True, True, True]),
            ("tests/ch3_transpose/digits.txt", [True, True, True]),
            ("chapters/ch4_reduction/a.cu", [False, False, True]),
            ("common/a.h", [False, True, True]),
            ("docs/a.md", [False, False, True]),
            # No test reads these:
            ("progress.csv", [False, False, False]),
            ("build/anything", [False, False, False]),
            ("build-cuda/anything", [False, False, False]),
            ("common/__pycache__/a.pyc", [False, False, False]),
        ):
            with self.subTest(name):
                self.assertEqual(self.concerned(name), concerned)

    def test_a_setting(self) -> None:
        before = self.keys()
        with mock.patch.dict(os.environ, {"WORKBOOK_SEED": "5"}):
            self.assertTrue(all(one != other for one, other in zip(before, self.keys())))

    def test_another_environment_of_the_test(self) -> None:
        reading = Reading(self.root, self.tree)
        in_reverse = Test(1, "a", self.of_program.command, ("CUDA_SIMULATOR_BLOCK_ORDER=reverse",), ("ch3_transpose",))
        self.assertNotEqual(reading.key(in_reverse), reading.key(self.of_program))


class RememberedTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        Remembered(self.folder).remember({"a": ("key", Counts(passed=3, skipped=1))})

    def test_counts_of_a_test_and_its_key(self) -> None:
        self.assertEqual(Remembered(self.folder).counts("a", "key"), Counts(passed=3, skipped=1))
        self.assertIsNone(Remembered(self.folder).counts("a", "other"))
        self.assertIsNone(Remembered(self.folder).counts("b", "key"))

    def test_none_for_a_forgotten_test(self) -> None:
        Remembered(self.folder).forget(["a"])
        self.assertIsNone(Remembered(self.folder).counts("a", "key"))
