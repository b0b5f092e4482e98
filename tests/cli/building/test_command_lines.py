"""The build tree's command lines, with different files."""

from __future__ import annotations

import tempfile
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

    def test_plain_header(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "pch.hxx").write_text("/* by CMake */\n\n#pragma GCC system_header\n#include <cuda_runtime.h>\n")
            command = Command(("g++", "-include", "pch.hxx", "-c", "a.cpp"), folder)
            plain = command.with_plain_header(folder / "copy.h")
            self.assertEqual(plain.words, ("g++", "-include", str(folder / "copy.h"), "-c", "a.cpp"))
            self.assertEqual((folder / "copy.h").read_text(), "/* by CMake */\n\n#include <cuda_runtime.h>\n")

    def test_no_precompiled_header(self) -> None:
        command = Command(("g++", "-c", "a.cpp"), Path("/tree"))
        self.assertEqual(command.with_plain_header(Path("/nowhere/copy.h")), command)
