"""A third of a list for each commit in CI, and all of it elsewhere."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import unittest
import unittest.mock
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))

import in_turn


class InTurnTest(unittest.TestCase):
    def tried(self, commit: str, **environment: str) -> list[int]:
        kept = {name: value for name, value in os.environ.items() if name not in ("CI", "WORKBOOK_ALL_ANSWERS")}
        with unittest.mock.patch.dict(os.environ, {**kept, **environment}, clear=True), unittest.mock.patch.object(
            in_turn, "_commit", lambda: commit
        ), contextlib.redirect_stdout(io.StringIO()):
            return in_turn.in_turn(range(7))

    def test_three_commits_try_all(self) -> None:
        self.assertEqual(self.tried("9", CI="true"), [0, 3, 6])
        self.assertEqual(self.tried("a", CI="true"), [1, 4])
        self.assertEqual(self.tried("b", CI="true"), [2, 5])

    def test_all_are_tried_on_demand_outside_ci_and_without_git(self) -> None:
        self.assertEqual(self.tried("a", CI="true", WORKBOOK_ALL_ANSWERS="1"), [*range(7)])
        self.assertEqual(self.tried("a"), [*range(7)])
        self.assertEqual(self.tried("", CI="true"), [*range(7)])

    def test_the_commit_is_a_hexadecimal_number_or_empty(self) -> None:
        self.assertRegex(in_turn._commit(), "^([0-9a-f]{40,64})?$")


if __name__ == "__main__":
    unittest.main()
