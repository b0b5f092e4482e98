"""WORKBOOK_LAUNCHER: a different command starts the programs; their exit codes and output stay."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401  # finds the command's modules

from cli.errors import MissingToolError, UsageError
from cli.running.launcher import launcher
from cli.running.processes import run_program

PYTHON = Path(sys.executable)


class LauncherTest(unittest.TestCase):
    def launched_by(self, text: str) -> list[str]:
        with mock.patch.dict("os.environ", {"WORKBOOK_LAUNCHER": text}):
            return launcher()

    def test_is_split_as_in_a_shell(self) -> None:
        self.assertEqual(self.launched_by("env 'A=1 2'  B=3"), ["env", "A=1 2", "B=3"])
        self.assertEqual(self.launched_by(""), [])

    def test_commands_that_cannot_be_started(self) -> None:
        with self.assertRaisesRegex(MissingToolError, "there is no command 'no-such-launcher' on this machine"):
            self.launched_by("no-such-launcher -p gpu")
        with self.assertRaisesRegex(UsageError, "WORKBOOK_LAUNCHER is 'srun 'x', which is not a command line"):
            self.launched_by("srun 'x")

    def test_a_launched_program_keeps_its_output_and_its_exit_code(self) -> None:
        says = "import os, sys; print(os.environ['PLACE']); sys.exit(2)"
        outcome = run_program(PYTHON, ["-c", says], capture=True, launched_by=["env", "PLACE=far"])
        self.assertEqual((outcome.output, outcome.returncode, outcome.program), ("far\n", 2, PYTHON.name))
