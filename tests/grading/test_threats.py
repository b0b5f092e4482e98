"""The table of threats in common/grading/README.md: the tests and rows that it names exist, and match the row."""

from __future__ import annotations

import importlib
import re
import unittest
from pathlib import Path

from answers import ANSWERS
from pieces import PIECES
from support import ROOT

_PAGE = ROOT / "common/grading/README.md"
_FILES = Path(__file__).parent.glob("test_*.py")
_MODULES = [importlib.import_module(file.stem) for file in _FILES if file != Path(__file__)]
_TABLES = {"answers": [row.name for row in ANSWERS], "pieces": [row.name for row in PIECES]}
_HEADER = "| threat: an answer ... | in the sandbox | with `--contained` | shown by | remains open |"


def rows() -> list[list[str]]:
    """The rows: threat, defence in the sandbox and with --contained, names of tests, open problems."""
    lines = _PAGE.read_text(encoding="utf-8").partition(_HEADER)[2].splitlines()[2:]
    table = lines[: next(number for number, line in enumerate(lines) if not line.startswith("|"))]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table]


class ThreatsTest(unittest.TestCase):
    def test_each_threat_has_a_defence_and_a_test(self) -> None:
        for row in rows():
            with self.subTest(row[0]):
                self.assertEqual(len(row), 5)
                self.assertTrue(all(row))
        self.assertGreaterEqual(len(rows()), 30)

    def test_the_named_tests_exist(self) -> None:
        for row in rows():
            for name in re.findall(r"`([^`]+)`", row[3]):
                kind, _, test = name.partition(".")
                if kind in _TABLES:
                    self.assertIn(test, _TABLES[kind])
                    continue
                found = [module for module in _MODULES if callable(getattr(getattr(module, kind, None), test, None))]
                self.assertEqual(len(found), 1, f"{name}, named for the threat '{row[0]}'")

    def test_defences_of_both_rooms_are_tested_in_both(self) -> None:
        for row in rows():
            if row[2] == "the same":
                names = re.findall(r"`(\w+)\.", row[3])
                self.assertTrue([name for name in names if name != "SandboxTest"], f"'{row[0]}' is shown in the sandbox alone")
