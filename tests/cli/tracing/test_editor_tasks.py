"""The tasks for VS Code: the problems that their patterns find."""

from __future__ import annotations

import json
import re
import unittest

from support import ROOT

from cli.application import COMMANDS
from cli.terminal.console import Palette
from cli.tracing.report import Finding, Place, Report
from cli.tracing.report_text import render


def tasks() -> dict[str, object]:
    loaded: dict[str, object] = json.loads((ROOT / ".vscode/tasks.json").read_text(encoding="utf-8"))
    return loaded


def listed(owner: str, output: str) -> list[tuple[str, ...]]:
    """File, line, column and message of each output line that a matcher recognises as a problem."""
    matcher = next(matcher for matcher in tasks()["problemMatcher"] if matcher["owner"] == owner)
    pattern = matcher["pattern"]
    groups = [pattern[name] for name in ("file", "line", "column", "message")]
    matches = [re.match(pattern["regexp"], line) for line in output.splitlines()]
    return [match.group(*groups) for match in matches if match]


class EditorTasks(unittest.TestCase):
    def test_a_place_that_the_simulator_names(self) -> None:
        place = Place("/home/you/workbook/mine.cu", 5, 13, "load", (100, 0, 0), (0, 0, 0))
        output = render(Report((), (Finding("out_of_bounds", "add", "past the end", places=(place,)),)), 100, Palette(False))
        self.assertEqual(
            listed("workbook-simulator", output),
            [("mine.cu", "5", "13", "load by thread (100, 0, 0) of block (0, 0, 0)")],
        )

    def test_an_error_of_the_compiler(self) -> None:
        output = "mine.cu: In function 'void add()':\n/home/you/mine.cu:5:17: error: 'c' was not declared in this scope\n"
        self.assertEqual(
            listed("workbook-compiler", output), [("/home/you/mine.cu", "5", "17", "'c' was not declared in this scope")]
        )

    def test_lines_of_a_build_are_not_problems(self) -> None:
        output = "Building CXX object own/CMakeFiles/mine.cpp.o\nFix mine.cu, line 5: 'c' was not declared\n    5 |  b = c;\n"
        self.assertEqual(listed("workbook-simulator", output) + listed("workbook-compiler", output), [])

    def test_what_a_check_really_prints(self) -> None:
        """The outputs in the first hour are real: tests/instruments/lessons/check_first_hour.py compares them."""
        page = (ROOT / "docs/first_hour.md").read_text(encoding="utf-8")
        found = [problem[:3] for problem in listed("workbook-simulator", page)]
        self.assertEqual(
            found,
            [
                ("ex1_vector_add.cu", "22", "13"),
                ("ex3_find_the_race.cu", "44", "44"),
                ("ex3_find_the_race.cu", "54", "80"),
            ],
        )
        self.assertEqual(
            listed("workbook-compiler", page),
            [("chapters/ch1_saxpy/ex2_too_many_threads.cu", "27", "27", "expected ';' before '}' token")],
        )

    def test_each_task_is_a_command(self) -> None:
        for task in tasks()["tasks"]:
            self.assertIn(task["command"].split()[1], COMMANDS)
