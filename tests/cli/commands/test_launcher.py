"""The sh launcher on made-up machines: PATH holds only the tools that a test puts there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import ROOT

UTILITIES = ("sh", "cat", "cp", "dirname", "env", "grep", "ln", "mktemp", "readlink", "rm", "sed", "tail", "tr")
APT_THAT_WORKS = f"""
echo "$*" >> "$APT_LOG"
case "$*" in *install*) ln -sf {sys.executable} "$FAKE_BIN/python3" ;; esac
"""
APT_WITHOUT_NETWORK = """
echo "$*" >> "$APT_LOG"
case "$*" in *update*) echo "Err:1 Temporary failure resolving 'deb.debian.org'" ;;
*) echo "E: Unable to locate package cmake"; exit 100 ;; esac
"""


class LauncherTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="bare machine ")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in UTILITIES:
            (self.bin / name).symlink_to(shutil.which(name))
        self.apt_log = self.folder / "apt.log"

    def tool(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def as_user(self, user_id: int) -> None:
        self.tool("id", f"echo {user_id}")

    def launch(
        self, *arguments: str, script: Path = ROOT / "workbook", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(script), *arguments],
            cwd=self.folder,
            env={"PATH": str(self.bin), "APT_LOG": str(self.apt_log), "FAKE_BIN": str(self.bin), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_bare_debian_as_root_installs_everything_at_once(self) -> None:
        self.as_user(0)
        self.tool("apt-get", APT_THAT_WORKS)
        result = self.launch("run")
        self.assertIn("Missing here: python3 g++ make cmake. Installing with:", result.stdout)
        self.assertIn("apt-get install --yes --no-install-recommends python3 g++ make cmake\n", result.stdout)
        self.assertIn("install --yes --no-install-recommends python3 g++ make cmake", self.apt_log.read_text())
        # Python then took over and missed the name of a program.
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_every_command_that_builds_installs(self) -> None:
        self.as_user(0)
        self.tool("apt-get", APT_THAT_WORKS)
        for command in ("compare", "watch", "claims", "grade"):
            for name in ("python3", "g++", "make", "cmake"):
                (self.bin / name).unlink(missing_ok=True)
            with self.subTest(command):
                self.assertIn("Missing here: python3 g++ make cmake", self.launch(command, "--help").stdout)

    def test_sudo_without_a_password(self) -> None:
        self.as_user(1000)
        self.tool("apt-get", APT_THAT_WORKS)
        self.tool("sudo", 'shift; case "$1" in true) exit 0 ;; esac; exec "$@"')
        result = self.launch("--install", "make")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("sudo apt-get install --yes --no-install-recommends make\n", result.stdout)
        self.assertIn("make", self.apt_log.read_text())

    def test_package_of_the_picture_converter(self) -> None:
        self.as_user(1000)
        for manager, package in (
            ("apt-get", "librsvg2-bin"),
            ("dnf", "librsvg2-tools"),
            ("zypper", "rsvg-convert"),
            ("pacman", "librsvg"),
        ):
            with self.subTest(manager):
                self.tool(manager, "exit 1")
                result = self.launch("--install", "rsvg-convert", WORKBOOK_NO_INSTALL="1")
                self.assertEqual(result.returncode, 3)
                self.assertRegex(result.stderr, rf"{manager}.* {package}\n")
                (self.bin / manager).unlink()

    def test_package_of_the_sandbox(self) -> None:
        self.as_user(1000)
        for manager in ("apt-get", "dnf", "zypper", "pacman"):
            with self.subTest(manager):
                self.tool(manager, "exit 1")
                result = self.launch("--install", "bwrap", WORKBOOK_NO_INSTALL="1")
                self.assertRegex(result.stderr, rf"{manager}.* bubblewrap\n")
                (self.bin / manager).unlink()

    def test_ordinary_user_gets_the_command(self) -> None:
        self.as_user(1000)
        self.tool("apt-get", APT_THAT_WORKS)
        self.tool("sudo", "echo a password is required >&2; exit 1")
        result = self.launch("run", "x")
        self.assertEqual(result.returncode, 3)
        self.assertIn(
            "sudo apt-get update && sudo apt-get install --yes --no-install-recommends python3 g++ make cmake\n",
            result.stderr,
        )
        self.assertFalse(self.apt_log.exists())

    def test_installing_can_be_forbidden(self) -> None:
        self.as_user(0)
        self.tool("apt-get", APT_THAT_WORKS)
        result = self.launch("--install", "gtest", WORKBOOK_NO_INSTALL="1")
        self.assertEqual(result.returncode, 3)
        self.assertIn("switched off (WORKBOOK_NO_INSTALL=1)", result.stderr)
        self.assertIn("libgtest-dev", result.stderr)
        self.assertFalse(self.apt_log.exists())

    def test_other_package_managers_are_named_not_run(self) -> None:
        self.as_user(0)
        for manager, command in (
            ("dnf", "dnf install gcc-c++ gtest-devel"),
            ("zypper", "zypper install gcc-c++ gtest"),
            ("pacman", "pacman -S --needed gcc gtest"),
        ):
            with self.subTest(manager):
                self.tool(manager, 'echo ran >> "$APT_LOG"')
                result = self.launch("--install", "g++", "gtest")
                (self.bin / manager).unlink()
                self.assertEqual(result.returncode, 3)
                self.assertIn(command, result.stderr)
                self.assertFalse(self.apt_log.exists())

    def test_says_how_this_system_installs(self) -> None:
        for manager, command in (
            ("apt-get", "apt-get install libgtest-dev"),
            ("dnf", "dnf install gtest-devel"),
            ("zypper", "zypper install gtest"),
            ("pacman", "pacman -S --needed gtest"),
        ):
            with self.subTest(manager):
                self.tool(manager, 'echo ran >> "$APT_LOG"')
                result = self.launch("--how-to-install", "gtest")
                (self.bin / manager).unlink()
                self.assertEqual((result.returncode, result.stdout), (0, f"{command}\n"))
        self.assertEqual(self.launch("--how-to-install", "gtest").stdout, "")
        self.assertFalse(self.apt_log.exists())

    def test_no_package_manager(self) -> None:
        result = self.launch("--install", "make")
        self.assertEqual(result.returncode, 3)
        self.assertIn("Missing here: make. Install them with this machine's package manager", result.stderr)

    def test_no_network(self) -> None:
        self.as_user(0)
        self.tool("apt-get", APT_WITHOUT_NETWORK)
        result = self.launch("--install", "cmake")
        self.assertEqual(result.returncode, 3)
        self.assertIn("  E: Unable to locate package cmake", result.stderr)
        self.assertIn("this machine has no network", result.stderr)
        self.assertIn("-o DPkg::Lock::Timeout=120 update", self.apt_log.read_text())

    def test_other_apt_failures_show_its_last_lines(self) -> None:
        self.as_user(0)
        self.tool("apt-get", "echo E: dpkg was interrupted; exit 100")
        result = self.launch("--install", "cmake")
        self.assertEqual(result.returncode, 3)
        self.assertIn("  E: dpkg was interrupted", result.stderr)
        self.assertNotIn("no network", result.stderr)

    def test_without_python_doctor_installs_nothing(self) -> None:
        self.as_user(0)
        self.tool("apt-get", APT_THAT_WORKS)
        for command in ("doctor", "list", "help"):
            result = self.launch(command)
            self.assertEqual(result.returncode, 3)
            self.assertIn("Missing here: python3 g++ make cmake", result.stderr)
        self.assertFalse(self.apt_log.exists())

    def test_started_through_a_symbolic_link(self) -> None:
        (self.bin / "python3").symlink_to(sys.executable)
        (self.folder / "linked").symlink_to(ROOT / "workbook")
        result = self.launch("help", script=self.folder / "linked")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_old_python_is_named(self) -> None:
        main = (ROOT / "common/cli/__main__.py").read_text(encoding="utf-8")
        self.assertIn("MINIMUM_PYTHON = (3, 9)", main)
        too_new = main.replace("(3, 9)", "(99, 0)")
        result = subprocess.run([sys.executable, "-c", too_new], capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 3)
        self.assertIn("The workbook needs Python 99.0 or newer; python3 here is 3.", result.stderr)
