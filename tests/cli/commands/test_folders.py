"""The command's folders: README.md lists them, and each imports only from those above it there."""

from __future__ import annotations

import re
import unittest

from support import ROOT

CLI = ROOT / "common/cli"
_IMPORT = re.compile(r"^ *(?:from|import) cli\.(\w+)", re.MULTILINE)


class FoldersTest(unittest.TestCase):
    order = re.findall(r"^\| `(\w+)/` \|", (CLI / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

    def test_each_folder_is_listed(self) -> None:
        self.assertEqual(sorted(self.order), sorted(init.parent.name for init in CLI.glob("*/__init__.py")))

    def test_imports_come_from_above(self) -> None:
        for number, folder in enumerate(self.order):
            for file in (CLI / folder).glob("*.py"):
                imported = set(_IMPORT.findall(file.read_text(encoding="utf-8"))) & set(self.order)
                with self.subTest(file.name):
                    self.assertLessEqual(imported, set(self.order[: number + 1]))

    def test_files_that_the_readme_names(self) -> None:
        named = re.findall(r"`(\w+/\w+\.py)`", (CLI / "README.md").read_text(encoding="utf-8"))
        self.assertGreater(len(named), 15)
        for name in named:
            self.assertTrue((CLI / name).is_file(), name)
