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
        self.manager = "apt-get install"
        self.can_install = True

    def _install(self, names: list[str]) -> bool:
        self.asked += names
        for name in names if self.can_install else ():
            self.compiler(name, "12.3.0")
        return self.can_install

    def compiler(self, name: str, version: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def test_the_systems_own_is_recent(self) -> None:
        self.compiler("g++", "12.2.0")
        self.compiler("g++-14", "14.1.0")
        self.assertIsNone(tools.recent_gxx())

    def test_the_newest_of_those_next_to_an_old_one(self) -> None:
        for name, version in (("g++", "11.4.0"), ("g++-11", "11.4.0"), ("g++-12", "12.3.0"), ("g++-13", "13.1.0")):
            self.compiler(name, version)
        self.assertEqual((tools.recent_gxx(), self.asked), ("g++-13", []))

    def test_a_newer_one_is_installed(self) -> None:
        self.compiler("g++", "11.4.0")
        self.assertEqual((tools.recent_gxx(), self.asked), ("g++-12", ["g++-12"]))

    def test_where_it_cannot_be_installed_cmake_explains(self) -> None:
        self.compiler("g++", "11.4.0")
        self.can_install = False
        self.assertIsNone(tools.recent_gxx())

    def test_other_systems_name_the_package_differently(self) -> None:
        self.compiler("g++", "11.4.0")
        self.manager = "dnf install"
        self.assertEqual((tools.recent_gxx(), self.asked), (None, []))

    def test_the_learners_choice(self) -> None:
        self.compiler("g++", "11.4.0")
        self.compiler("g++-13", "13.1.0")
        with unittest.mock.patch.dict("os.environ", {"CXX": "g++-11"}):
            self.assertIsNone(tools.recent_gxx())
