"""The build tree's command lines, with different files."""

from __future__ import annotations

import unittest
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.building.command_lines import Command
from cli.errors import WorkbookError


class CommandTest(unittest.TestCase):
    def test_another_file(self) -> None:
        command = Command(("g++", "-O1", "-c", "a.cpp"), Path("/tree"))
        self.assertEqual(
            command.replacing("a.cpp", Path("/mine/b.cpp"), Path("/mine/b.o")),
            ["g++", "-O1", "-c", "/mine/b.cpp", "-o", "/mine/b.o"],
        )
        with self.assertRaisesRegex(WorkbookError, "should name c.cpp: g"):
            command.replacing("c.cpp", Path("/mine/b.cpp"), Path("/mine/b.o"))
