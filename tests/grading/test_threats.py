"""The table of threats in common/grading/README.md: the tests that it names exist, and match the row."""

from __future__ import annotations

import re
import unittest

import test_answers
import test_batch
import test_class_of_sixty
import test_control_groups
import test_goals
import test_grading
import test_hand_in_forms
import test_hidden_texts
import test_machine_code
import test_plain_files
import test_sandbox
import test_screening
import test_seccomp
import test_sheet
from support import ROOT

_PAGE = ROOT / "common/grading/README.md"
_MODULES = (
    test_answers,
    test_batch,
    test_class_of_sixty,
    test_control_groups,
    test_goals,
    test_grading,
    test_hand_in_forms,
    test_hidden_texts,
    test_machine_code,
    test_plain_files,
    test_sandbox,
    test_screening,
    test_seccomp,
    test_sheet,
)
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
                found = [module for module in _MODULES if callable(getattr(getattr(module, kind, None), test, None))]
                self.assertEqual(len(found), 1, f"{name}, named for the threat '{row[0]}'")

    def test_defences_of_both_rooms_are_tested_in_both(self) -> None:
        for row in rows():
            if row[2] == "the same":
                names = re.findall(r"`(\w+)\.", row[3])
                self.assertTrue([name for name in names if name != "SandboxTest"], f"'{row[0]}' is shown in the sandbox alone")
