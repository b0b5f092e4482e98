"""The sh launcher on simulated machines: PATH contains only the tools that a test puts there."""

from __future__ import annotations

import shutil
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from support import ROOT, folder_of
from terminal.screen import on_terminal

# A real interpreter that reports an older version.
OLD_PYTHON = f"""
[ "$1" = --version ] && {{ echo Python 3.8.18; exit; }}
exec {sys.executable} -S -c 'import runpy, sys
sys.version_info = (3, 8, 18)
if sys.argv[2] == "-c":
    exec(sys.argv[3])
sys.argv = sys.argv[2:]
runpy.run_path(sys.argv[0], run_name="__main__")' "$@"
"""
UTILITIES = ("sh", "cat", "cp", "dirname", "env", "grep", "ln", "mktemp", "readlink", "rm", "sed", "tail", "tr", "uname")
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
        self.folder = folder_of(self, "bare machine ")
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
            env=self.environment(**environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def ends(self, code: int, *arguments: str, **how: Any) -> subprocess.CompletedProcess[str]:
        """Launches the command, which must end with this exit code."""
        result = self.launch(*arguments, **how)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def environment(self, **more: str) -> dict[str, str]:
        return {"PATH": str(self.bin), "APT_LOG": str(self.apt_log), "FAKE_BIN": str(self.bin), **more}

    def launch_on_terminal(self, typed: str, *arguments: str, **environment: str) -> tuple[int, str]:
        """The exit code and the text on the screen, after an answer was typed at the question."""
        command = [str(ROOT / "workbook"), *arguments]
        return on_terminal(command, self.environment(**environment), answer=typed, folder=self.folder)


class AptTest(LauncherTest):
    """For root, and with an apt-get that works."""

    def setUp(self) -> None:
        super().setUp()
        self.as_user(0)
        self.tool("apt-get", APT_THAT_WORKS)

    def test_bare_debian_as_root_installs_everything_at_once(self) -> None:
        result = self.launch("run")
        self.assertIn("Missing tools: python3 g++ make cmake ninja. Installing with:", result.stdout)
        self.assertIn("apt-get install --yes --no-install-recommends python3 g++ make cmake ninja-build\n", result.stdout)
        self.assertIn("install --yes --no-install-recommends python3 g++ make cmake ninja-build", self.apt_log.read_text())
        # Then Python ran, and reported the missing name of a program.
        self.assertEqual(result.returncode, 2, result.stderr)

    def test_other_commands_install_nothing_without_a_terminal(self) -> None:
        for command, tools in (("watch", "python3 g++ make cmake ninja"), ("grade", "python3 g++ make cmake ninja"), ("plot", "python3")):
            with self.subTest(command):
                result = self.launch(command, "--help")
                self.assertEqual((result.returncode, result.stdout), (3, ""))
                self.assertIn(f"Missing tools: {tools}", result.stderr)
                self.assertIn(f"install --yes --no-install-recommends {tools}", result.stderr)
                self.assertFalse(self.apt_log.exists())

    def test_run_check_and_test_ask_about_all_but_build_tools(self) -> None:
        for command in ("run", "check", "test"):
            self.assertEqual(self.launch("--install", "gtest", "bwrap", WORKBOOK_COMMAND=command).returncode, 3)
            self.assertFalse(self.apt_log.exists())
            self.assertEqual(self.launch("--install", "gtest", "g++", WORKBOOK_COMMAND=command).returncode, 0)
            self.apt_log.unlink()

    def test_yes_installs(self) -> None:
        for answer in ("y\n", "Yes\n"):
            with self.subTest(answer):
                code, shown = self.launch_on_terminal(answer, "--install", "bwrap", WORKBOOK_COMMAND="grade")
                self.assertEqual(code, 0, shown)
                self.assertIn("\n  apt-get update && apt-get install --yes --no-install-recommends bubblewrap\n", shown)
                self.assertIn("Install them now? [y/N] ", shown)
                self.assertIn("bubblewrap", self.apt_log.read_text())
                self.apt_log.unlink()

    def test_every_other_answer_installs_nothing(self) -> None:
        for answer in ("\n", "n\n", "yet\n", "\x04"):  # the last ends the input
            with self.subTest(answer):
                code, shown = self.launch_on_terminal(answer, "--install", "bwrap", WORKBOOK_COMMAND="grade")
                self.assertEqual(code, 3)
                self.assertIn("\nNothing was installed.\nRun this command, or ask the administrator", shown)
                self.assertTrue(shown.endswith("--no-install-recommends bubblewrap\n"), shown)
                self.assertFalse(self.apt_log.exists())

    def test_run_asks_nothing_on_a_terminal(self) -> None:
        code, shown = self.launch_on_terminal("", "--install", "gtest", WORKBOOK_COMMAND="test")
        self.assertEqual(code, 0, shown)
        self.assertIn("Installing with:", shown)

    def test_if_installing_is_forbidden_it_does_not_ask(self) -> None:
        code, shown = self.launch_on_terminal("y\n", "--install", "bwrap", WORKBOOK_NO_INSTALL="1")
        self.assertEqual(code, 3)
        self.assertNotIn("[y/N]", shown)

    def test_the_command_that_was_typed_decides(self) -> None:
        """The launcher, Python and the launcher again."""
        (self.bin / "python3").symlink_to(sys.executable)
        for command, code in (("inspect", 3), ("check", 0)):
            with self.subTest(command):
                self.launch(command, "ch0_ex1", CXX="", WORKBOOK_COMMAND="run")
                self.assertEqual(self.apt_log.exists(), code == 0)

    def test_other_systems_are_refused_before_anything_is_installed(self) -> None:
        (self.bin / "uname").unlink()
        for system, instead in (
            ("Darwin arm64", "type the command in the Linux container"),
            ("MINGW64_NT-10.0-22631 x86_64", "open Ubuntu in WSL"),
            ("MSYS_NT-10.0-22631 x86_64", "open Ubuntu in WSL"),
            ("Linux armv7l", "use a different computer"),
        ):
            with self.subTest(system):
                self.tool("uname", f"echo {system}")
                result = self.launch("run", "ch0_machine_one_program")
                self.assertEqual((result.returncode, result.stdout), (3, ""))
                self.assertIn(f"The workbook runs on Linux on x86-64 or 64-bit Arm, and this is {system}: {instead}", result.stderr)
                self.assertFalse(self.apt_log.exists())

    def test_a_mac_has_the_commands_that_build_nothing(self) -> None:
        (self.bin / "uname").unlink()
        self.tool("uname", "echo Darwin arm64")
        (self.bin / "python3").symlink_to(sys.executable)
        self.assertEqual(self.launch("list").returncode, 0)

    def test_sudo_without_a_password(self) -> None:
        self.as_user(1000)
        self.tool("sudo", 'shift; case "$1" in true) exit 0 ;; esac; exec "$@"')
        result = self.ends(0, "--install", "make", WORKBOOK_COMMAND="run")
        self.assertIn("sudo apt-get install --yes --no-install-recommends make\n", result.stdout)
        self.assertIn("make", self.apt_log.read_text())

    def test_an_ordinary_user_sees_the_command(self) -> None:
        self.as_user(1000)
        self.tool("sudo", "echo a password is required >&2; exit 1")
        result = self.ends(3, "run", "x")
        self.assertIn(
            "sudo apt-get update && sudo apt-get install --yes --no-install-recommends python3 g++ make cmake ninja-build\n",
            result.stderr,
        )
        self.assertFalse(self.apt_log.exists())

    def test_installing_can_be_forbidden(self) -> None:
        result = self.ends(3, "--install", "gtest", WORKBOOK_NO_INSTALL="1")
        self.assertIn("disabled (WORKBOOK_NO_INSTALL=1)", result.stderr)
        self.assertIn("libgtest-dev", result.stderr)
        self.assertFalse(self.apt_log.exists())

    def test_no_network(self) -> None:
        self.tool("apt-get", APT_WITHOUT_NETWORK)
        result = self.ends(3, "--install", "cmake", WORKBOOK_COMMAND="run")
        self.assertIn("  E: Unable to locate package cmake", result.stderr)
        self.assertIn("this machine has no network", result.stderr)
        self.assertIn("-o DPkg::Lock::Timeout=120 update", self.apt_log.read_text())

    def test_other_apt_failures_show_the_end_of_its_output(self) -> None:
        self.tool("apt-get", "echo E: dpkg was interrupted; exit 100")
        result = self.ends(3, "--install", "cmake", WORKBOOK_COMMAND="run")
        self.assertIn("  E: dpkg was interrupted", result.stderr)
        self.assertNotIn("no network", result.stderr)

    def test_without_python_doctor_installs_nothing(self) -> None:
        for command in ("doctor", "list", "help"):
            self.assertIn("Missing tools: python3 g++ make cmake ninja", self.ends(3, command).stderr)
        self.assertFalse(self.apt_log.exists())


class MachineTest(LauncherTest):
    def test_packages_of_each_system_and_only_apt_is_run(self) -> None:
        self.as_user(0)
        for manager, install, packages in (
            ("apt-get", "apt-get install", ("libgtest-dev", "ninja-build", "librsvg2-bin", "bubblewrap", "g++")),
            ("dnf", "dnf install", ("gtest-devel", "ninja-build", "librsvg2-tools", "bubblewrap", "gcc-c++")),
            ("zypper", "zypper install", ("gtest", "ninja", "rsvg-convert", "bubblewrap", "gcc-c++")),
            ("pacman", "pacman -S --needed", ("gtest", "ninja", "librsvg", "bubblewrap", "gcc")),
        ):
            self.tool(manager, 'echo ran >> "$APT_LOG"')
            for tool, package in zip(("gtest", "ninja", "rsvg-convert", "bwrap", "g++"), packages):
                with self.subTest(manager, tool=tool):
                    self.assertEqual(self.ends(0, "--how-to-install", tool).stdout, f"{install} {package}\n")
            if manager != "apt-get":
                result = self.ends(3, "--install", "g++", "gtest", WORKBOOK_COMMAND="run")
                self.assertIn(f"{install} {packages[4]} {packages[0]}", result.stderr)
                self.assertEqual(result.stdout, "")
            (self.bin / manager).unlink()
        self.assertEqual(self.launch("--how-to-install", "gtest").stdout, "")
        self.assertFalse(self.apt_log.exists())

    def test_no_package_manager(self) -> None:
        result = self.ends(3, "--install", "make", WORKBOOK_COMMAND="run")
        self.assertIn("Missing tools: make. Install them with this machine's package manager", result.stderr)

    def test_started_through_a_symbolic_link(self) -> None:
        (self.bin / "python3").symlink_to(sys.executable)
        (self.folder / "linked").symlink_to(ROOT / "workbook")
        self.ends(0, "help", script=self.folder / "linked")

    def test_an_old_python_starts_a_newer_one(self) -> None:
        self.tool("python3", OLD_PYTHON)
        self.tool("python3.19", "exit 127")  # a name that does not start, as with pyenv
        (self.bin / "python3.12").symlink_to(sys.executable)
        self.assertIn("Usage: ./workbook run", self.ends(0, "help", "run").stdout)

    def test_a_newer_python_further_along_the_path(self) -> None:
        self.tool("python3", OLD_PYTHON)
        further = self.folder / "further"
        further.mkdir()
        (further / "python3").symlink_to(sys.executable)
        self.assertIn("Usage: ./workbook run", self.ends(0, "help", "run", PATH=f"{self.bin}:{further}").stdout)

    def test_a_python_with_a_version_in_its_name_is_enough(self) -> None:
        (self.bin / "python3.11").symlink_to(sys.executable)
        self.assertEqual(self.launch("help").returncode, 0)

    def test_only_an_old_python(self) -> None:
        self.tool("python3", OLD_PYTHON)
        result = self.launch("help")
        self.assertEqual((result.returncode, result.stdout), (3, ""))
        self.assertIn("The workbook needs Python 3.9 or newer, but python3 here is Python 3.8.18.", result.stderr)
        self.assertIn("Install a newer Python with this machine's package manager", result.stderr)
