"""The command's folders and the judge: README.md lists them, and each imports only from folders above it in the list."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from support import ROOT

CLI = ROOT / "common/cli"
JUDGE = ROOT / "common/grading"
_IMPORT = re.compile(r"^ *(?:from|import) (?:cli\.)?((?<=cli\.)\w+|grading)\b", re.MULTILINE)
_OF_THE_JUDGE = re.compile(r"^ *(?:from|import) (grading[\w.]*)", re.MULTILINE)


def folder_of(part: str) -> Path:
    return JUDGE if part == JUDGE.name else CLI / part


class FoldersTest(unittest.TestCase):
    order = re.findall(r"^\| `(?:\.\./)?(\w+)/` \|", (CLI / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

    def test_each_folder_is_listed(self) -> None:
        self.assertEqual(sorted(self.order), sorted([JUDGE.name, *(init.parent.name for init in CLI.glob("*/__init__.py"))]))

    def test_imports_come_from_above(self) -> None:
        for number, part in enumerate(self.order):
            for file in folder_of(part).rglob("*.py"):
                imported = set(_IMPORT.findall(file.read_text(encoding="utf-8"))) & set(self.order)
                with self.subTest(file.name):
                    self.assertLessEqual(imported, set(self.order[: number + 1]))

    def test_the_command_imports_the_judges_modules_and_none_from_its_folders(self) -> None:
        entered = set()
        for file in CLI.rglob("*.py"):
            names = _OF_THE_JUDGE.findall(file.read_text(encoding="utf-8"))
            entered.update(names)
            with self.subTest(file.name):
                self.assertEqual([name for name in names if name.count(".") != 1], [])
        self.assertIn("grading.check", entered)

    def test_the_judges_folders_import_none_of_its_modules(self) -> None:
        for folder in ("sandbox", "screening"):
            for file in (JUDGE / folder).glob("*.py"):
                names = _OF_THE_JUDGE.findall(file.read_text(encoding="utf-8"))
                with self.subTest(file.name):
                    self.assertEqual([name for name in names if not name.startswith(f"grading.{folder}")], [])

    def test_the_judges_page_names_each_of_its_files(self) -> None:
        named = set(re.findall(r"`([\w/.]+)`", (JUDGE / "README.md").read_text(encoding="utf-8")))
        for file in [*JUDGE.rglob("*.py"), *JUDGE.rglob("*.cpp")]:
            if file.name != "__init__.py" and file.parent.name != "adapters":
                self.assertIn(file.name, named)

    def test_files_that_the_readme_names(self) -> None:
        named = re.findall(r"`((?:\.\./)?\w+/\w+\.py)`", (CLI / "README.md").read_text(encoding="utf-8"))
        self.assertGreater(len(named), 15)
        for name in named:
            self.assertTrue((CLI / name).is_file(), name)
