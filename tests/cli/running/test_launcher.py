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
    def set(self, text: str) -> None:
        setting = mock.patch.dict("os.environ", {"WORKBOOK_LAUNCHER": text})
        setting.start()
        self.addCleanup(setting.stop)

    def test_is_split_as_in_a_shell(self) -> None:
        self.set("env 'A=1 2'  B=3")
        self.assertEqual(launcher(), ["env", "A=1 2", "B=3"])

    def test_is_empty_if_it_is_not_set(self) -> None:
        self.set("")
        self.assertEqual(launcher(), [])

    def test_names_a_missing_command(self) -> None:
        self.set("no-such-launcher -p gpu")
        with self.assertRaisesRegex(MissingToolError, "there is no command 'no-such-launcher' on this machine"):
            launcher()

    def test_reports_a_text_that_is_not_a_command_line(self) -> None:
        self.set("srun 'x")
        with self.assertRaisesRegex(UsageError, "WORKBOOK_LAUNCHER is 'srun 'x', which is not a command line"):
            launcher()

    def test_a_launched_program_keeps_its_output_and_its_exit_code(self) -> None:
        says = "import os, sys; print(os.environ['PLACE']); sys.exit(2)"
        outcome = run_program(PYTHON, ["-c", says], capture=True, launched_by=["env", "PLACE=far"])
        self.assertEqual((outcome.output, outcome.returncode, outcome.program), ("far\n", 2, PYTHON.name))
