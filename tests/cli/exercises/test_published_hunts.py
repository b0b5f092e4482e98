"""The hunts in whole programs: the command, and docs/found_in_published_code.md, which quotes their checks."""

from __future__ import annotations

import os
import re
import unittest
import unittest.mock

from exercises.support import HuntTest
from support import ROOT, FolderTest, ended, needs_simulator, simulator_tree

from cli.building.own_program import OwnProgram
from cli.commands import hunt as command
from cli.errors import UsageError
from cli.exercises.hunts import CHOICES
from cli.exercises.published_hunts import PAGE, published_hunts
from cli.mistakes.spoiling import spoiled_file, spoiled_source
from cli.workbook import Workbook

_OUTPUT = re.compile(r"^```console\n\$ ./workbook hunt\n(.*?)^\.\.\.\n```$", re.MULTILINE | re.DOTALL)
_PAGE = (ROOT / PAGE).read_text(encoding="utf-8")


class PublishedHuntTest(HuntTest):
    def setUp(self) -> None:
        super().setUp()
        self.hunts = published_hunts(self.workbook)

    def test_each_has_four_choices_and_its_bug_applies(self) -> None:
        for name, hunt in self.hunts.items():
            with self.subTest(name):
                self.assertEqual(len(set(hunt.choices)), CHOICES)
                self.assertEqual(hunt.choices[hunt.answer - 1], hunt.mistake.words)
                self.assertIn(spoiled_source(hunt.mistake, ROOT), hunt.text(self.workbook))
        self.assertGreater(len({hunt.answer for hunt in self.hunts.values()}), 1, "the right choice is not always the same one")

    def test_the_page_has_them_in_the_order_of_the_chapters(self) -> None:
        self.assertEqual(re.findall(r"^    ./workbook hunt (\w+)$", _PAGE, re.MULTILINE), list(self.hunts))
        self.assertEqual(re.findall(r"^\| \[`(\w+)`\]", _PAGE, re.MULTILINE), list(self.hunts))

    def test_from_start_to_end(self) -> None:
        code, words = self.run_hunt("last_row")
        hunt = self.hunts["last_row"]
        self.assertEqual((code, words.split("\n")[0]), (0, "hunt_last_row.cu: a program, last_row.cu, with a bug."))
        self.assertEqual(self.run_hunt(is_fixed=False)[0], 1)
        self.assertIn(f"\n{hunt.answer}. Loads the row after the last one", self.run_hunt()[1])
        self.assertEqual(self.run_hunt("--answer", str(hunt.answer % CHOICES + 1))[0], 1)
        code, words = self.run_hunt("--answer", str(hunt.answer))
        self.assertIn("\n+    if (row + 2 < rows) below", words)
        self.assertEqual((code, hunt.file.exists()), (0, False))

    def test_one_hunt_at_a_time(self) -> None:
        self.run_hunt("ch3", "--seed", "7")
        with self.assertRaisesRegex(UsageError, "hunt_ch3_transpose.cu is still open"):
            self.run_hunt("last_row")
        self.run_hunt("--give-up")
        self.run_hunt("last_row")
        with self.assertRaisesRegex(UsageError, "hunt_last_row.cu is still open"):
            self.run_hunt("ch3")


@needs_simulator
class RealPublishedHuntTest(FolderTest):
    maxDiff = None

    def setUp(self) -> None:
        super().setUp()
        for folder in ("chapters", "common"):
            (self.folder / folder).symlink_to(ROOT / folder)
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        self.tree = simulator_tree()

    def test_each_fails_as_on_the_page_and_passes_after_the_fix(self) -> None:
        workbook = Workbook(self.folder)
        quoted = _OUTPUT.findall(_PAGE)
        for quotation, (name, hunt) in zip(quoted, published_hunts(workbook).items()):
            with self.subTest(name):
                printed = self.failed_check(hunt, workbook, hunt.text(workbook))
                self.assertEqual(f"Checking {hunt.file.name}\n{printed}"[: len(quotation)], quotation)
                for words in hunt.mistake.answer:
                    self.assertRegex(" ".join(printed.split()), words)
                self.assertEqual(self.failed_check(hunt, workbook, spoiled_file(hunt.mistake, ROOT).read_text()), "")
        self.assertEqual(len(quoted), len(published_hunts(workbook)))

    def failed_check(self, hunt: command.PublishedHunt, workbook: Workbook, source: str) -> str:
        """The printed errors of this source; empty if it passes."""
        hunt.file.write_text(source, encoding="utf-8")
        entry = self.tree.folder / f"own/entries/{OwnProgram((hunt.file,)).target}.cmake"
        self.addCleanup(lambda: entry.unlink(missing_ok=True))
        with unittest.mock.patch.dict(os.environ, LC_ALL="C.UTF-8", TERM="xterm"):
            passed, printed = ended(command.passes_own_check, hunt, self.tree, workbook)
        lines = printed.splitlines(keepends=True)
        text = "".join(line for line in lines if not line.startswith(("Adding ", "Building ", "Another ")))
        self.assertEqual(passed, not text)
        return text
