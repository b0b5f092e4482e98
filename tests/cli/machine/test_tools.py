"""Which g++ builds the simulator, on made-up machines: PATH holds only the compilers that a test puts there."""

from __future__ import annotations

import os
import unittest
import unittest.mock

import support

from cli.machine import tools


class RecentCompilerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.bin = support.folder_of(self, "workbook-")
        self.asked: list[str] = []
        for patched in (
            unittest.mock.patch.dict("os.environ", {"PATH": str(self.bin)}),
            unittest.mock.patch.object(tools, "complain"),
            unittest.mock.patch.object(tools, "_install", self._install),
            unittest.mock.patch.object(tools, "how_to_install", lambda tool: f"{self.manager} {tool}"),
        ):
            patched.start()
            self.addCleanup(patched.stop)
        os.environ.pop("CXX", None)
        self.manager, self.can_install = "apt-get install", True

    def _install(self, names: list[str]) -> bool:
        self.asked += names
        for name in names if self.can_install else ():
            self.compiler(name, "12.3.0")
        return self.can_install

    def compiler(self, name: str, version: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def test_the_compiler_and_what_is_installed(self) -> None:
        several = {"g++": "11.4.0", "g++-11": "11.4.0", "g++-12": "12.3.0", "g++-13": "13.1.0"}
        for versions, manager, can_install, expected in (
            ({"g++": "12.2.0", "g++-14": "14.1.0"}, "apt-get install", True, (None, [])),  # the system's own
            (several, "apt-get install", True, ("g++-13", [])),
            ({"g++": "11.4.0"}, "apt-get install", True, ("g++-12", ["g++-12"])),
            ({"g++": "11.4.0"}, "apt-get install", False, (None, ["g++-12"])),  # CMake explains it
            ({"g++": "11.4.0"}, "dnf install", True, (None, [])),  # the package has another name
        ):
            with self.subTest(versions, manager=manager, can_install=can_install):
                self.manager, self.can_install, self.asked = manager, can_install, []
                for file in self.bin.iterdir():
                    file.unlink()
                for name, version in versions.items():
                    self.compiler(name, version)
                self.assertEqual((tools.recent_gxx(), self.asked), expected)

    def test_the_learners_choice(self) -> None:
        self.compiler("g++", "11.4.0")
        self.compiler("g++-13", "13.1.0")
        with unittest.mock.patch.dict("os.environ", {"CXX": "g++-11"}):
            self.assertIsNone(tools.recent_gxx())
