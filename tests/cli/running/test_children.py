"""Nothing outlives a command: no process and no folder, after Ctrl-C, TERM, HUP and KILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import ROOT, FakeWorkbook, FolderTest, folder_of

from cli.running.children import end_tree, tree_of
from cli.running.removal import remove_folder

_SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
_LIMIT_S = 60.0


def wait_until(is_so: object) -> bool:
    ends = time.monotonic() + _LIMIT_S
    while not is_so():
        if time.monotonic() > ends:
            return False
        time.sleep(0.01)
    return True


def _fields(pid: str) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return ["X"]


def running_with(marker: str) -> list[str]:
    """The processes with this text in their environment."""
    found = []
    for pid in os.listdir("/proc"):
        if pid.isdigit() and _fields(pid)[0] not in "ZX":
            try:
                if marker.encode() in Path(f"/proc/{pid}/environ").read_bytes():
                    found.append(pid)
            except OSError:
                continue
    return found


class SignalsTest(FakeWorkbook):
    """Programs that never end, started in each way in which the command starts programs."""

    def setUp(self) -> None:
        super().setUp()
        self.room = self.root / "tmp"
        self.room.mkdir()
        self.marker = f"WORKBOOK_TEST_MARKER={os.getpid()}-{id(self)}"
        # The program leaves one more process, and ignores TERM.
        self.endless = f"trap '' TERM INT HUP\nsleep 1000 & : > '{self.root}/started'\nwhile :; do sleep 1000; done"

    def start(self, *arguments: str) -> subprocess.Popen:
        name, _, value = self.marker.partition("=")
        process = subprocess.Popen(
            [str(self.root / "workbook"), *arguments],
            env={**os.environ, "WORKBOOK_NO_INSTALL": "1", "TMPDIR": str(self.room), name: value},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.assertTrue(wait_until((self.root / "started").exists), "it has not begun")
        return process

    def assert_nothing_is_left(self, process: subprocess.Popen, number: int) -> None:
        process.send_signal(number)
        self.assertEqual(process.wait(_LIMIT_S), _SIGNALS[number])
        self.assertTrue(wait_until(lambda: not running_with(self.marker)), "a process runs on")
        self.assertTrue(wait_until(lambda: not os.listdir(self.room)), os.listdir(self.room))
        (self.root / "started").unlink()

    def test_run(self) -> None:
        self.write_program("ch3_transpose_naive", self.endless)
        for number in _SIGNALS:
            with self.subTest(number):
                self.assert_nothing_is_left(self.start("run", "naive"), number)

    def test_inspect(self) -> None:
        self.write_program("ch3_transpose_naive_inspect", self.endless)
        for number in (signal.SIGTERM, signal.SIGKILL):
            with self.subTest(number):
                self.assert_nothing_is_left(self.start("inspect", "naive"), number)

    def test_a_build(self) -> None:
        self.write("fail_to_compile", f": > '{self.root}/started'\nexec sleep 1000\n")
        self.write("chapters/ch3_transpose/03_naive_1x1.cu", "// Stage 03\n")
        for number in (signal.SIGINT, signal.SIGKILL):
            with self.subTest(number):
                self.assert_nothing_is_left(self.start("run", "naive_1x1"), number)


class ChildrenTest(FolderTest):
    """A process that runs a program within limits, in a temporary folder or in the sandbox."""

    def setUp(self) -> None:
        super().setUp()
        self.started = self.folder / "started"

    def start(self, body: str) -> subprocess.Popen:
        script = (
            f"import sys; sys.path.insert(0, {str(ROOT / 'common')!r})\n"
            "from pathlib import Path\n"
            "from cli.running.children import stop_as_with_ctrl_c, temporary_folder\n"
            "from cli.running.limited_run import Limits, run_within\n"
            "stop_as_with_ctrl_c()\n"
            "with temporary_folder() as folder:\n"
            f"    (folder / 'a/b').mkdir(parents=True)\n    {body}\n"
        )
        tmp = self.folder / "tmp"
        tmp.mkdir(exist_ok=True)
        process = subprocess.Popen(
            [sys.executable, "-c", script], env={**os.environ, "TMPDIR": str(tmp)}, stderr=subprocess.DEVNULL
        )
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_nothing_is_left(self, process: subprocess.Popen, number: int, is_running: object) -> None:
        self.assertTrue(wait_until(is_running), "it has not begun")
        members = {str(pid) for pid in tree_of(process.pid)} - {str(process.pid)}
        self.assertGreaterEqual(len(members), 2)  # the guard, and the processes that must end
        process.send_signal(number)
        process.wait(_LIMIT_S)
        self.assertTrue(wait_until(lambda: all(_fields(pid)[0] in "ZX" for pid in members)), "a process runs on")
        self.assertTrue(wait_until(lambda: not os.listdir(self.folder / "tmp")), "a folder is left")

    def test_within_limits(self) -> None:
        command = ["sh", "-c", f"trap '' TERM INT; : > {self.started}; while :; do sleep 1000; done"]
        for number in _SIGNALS:
            with self.subTest(number):
                process = self.start(f"run_within(Limits(), {command!r}, folder)")
                self.assert_nothing_is_left(process, number, self.started.exists)
                self.started.unlink()

    def test_in_the_sandbox(self) -> None:
        from cli.errors import MissingToolError
        from grading.sandbox.rooms import require_sandbox

        try:
            require_sandbox()
        except MissingToolError as error:
            self.skipTest(str(error))
        body = (
            "from grading.sandbox.rooms import Sandbox\n"
            "    inner = folder / 'room'; inner.mkdir(); folder.chmod(0o755)\n"
            "    Sandbox((), Limits()).run(['sh', '-c', ': > started; while :; do sleep 1000; done'], inner, {})"
        )
        for number in _SIGNALS:
            with self.subTest(number):
                process = self.start(body)
                self.assert_nothing_is_left(process, number, lambda: list(self.folder.glob("tmp/*/room/started")))

    def test_a_program_that_starts_others_all_the_time(self) -> None:
        # In the session of the terminal, where only the parents show which processes belong together.
        marker = f"WORKBOOK_TEST_MARKER={os.getpid()}-{id(self)}"
        name, _, value = marker.partition("=")
        script = "for i in $(seq 300); do sleep 30 & done; wait"
        for _ in range(5):
            shell = subprocess.Popen(["sh", "-c", script], env={**os.environ, name: value})
            self.addCleanup(shell.wait)
            self.assertTrue(wait_until(lambda: len(running_with(marker)) > 10))
            end_tree(shell.pid)
            shell.wait()
            self.assertTrue(wait_until(lambda: not running_with(marker)), "a process runs on")

    def test_processes_that_a_program_leaves_end_with_it(self) -> None:
        pid_file = self.folder / "pid"
        command = ["sh", "-c", f"sleep 1000 & echo $! > {pid_file}"]
        process = self.start(f"run_within(Limits(), {command!r}, folder)")
        self.assertEqual(process.wait(_LIMIT_S), 0)
        self.assertTrue(wait_until(lambda: _fields(pid_file.read_text().strip())[0] in "ZX"))

    def test_threads_that_start_the_first_programs_share_a_guard(self) -> None:
        script = (
            "import os, sys, threading, time; sys.path.insert(0, sys.argv[1])\n"
            "from cli.running import children\n"
            "fork, guards = os.fork, []\n"
            "def slow_fork():\n"
            "    time.sleep(0.1)\n"
            "    guards.append(fork())\n"
            "    return guards[-1]\n"
            "os.fork = slow_fork\n"
            "threads = [threading.Thread(target=children._guard.start) for _ in range(3)]\n"
            "[thread.start() for thread in threads], [thread.join() for thread in threads]\n"
            "sys.exit(len(guards))"
        )
        ended = subprocess.run([sys.executable, "-c", script, str(ROOT / "common")], timeout=_LIMIT_S, check=False)
        self.assertEqual(ended.returncode, 1)


class NoexecTest(unittest.TestCase):
    """Programs on a system whose temporary folder does not allow programs."""

    SCRIPT = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from cli.running.children import temporary_folder
other = Path(sys.argv[2])
with temporary_folder(programs_beside=other) as folder:
    program = folder / "program"
    program.write_text("#!/bin/sh\\necho it runs\\n")
    program.chmod(0o755)
    subprocess.run([program], check=True)
    assert folder.parent == other, folder
assert not os.listdir(other)
with temporary_folder() as folder:
    assert folder.parent == Path(os.environ["TMPDIR"]), folder
"""

    def test_programs_are_built_next_to_others(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            other, room = Path(folder, "bin"), Path(folder, "tmp")
            other.mkdir()
            room.mkdir()
            in_namespace = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]
            mount = f"mount -t tmpfs -o noexec none {room} && exec \"$@\""
            if subprocess.run([*in_namespace, mount, "sh", "true"], capture_output=True, check=False).returncode != 0:
                self.skipTest("this machine does not allow mounting a folder")
            script = [sys.executable, "-c", self.SCRIPT, str(ROOT / "common"), str(other)]
            ended = subprocess.run(
                [*in_namespace, mount, "sh", *script],
                env={**os.environ, "TMPDIR": str(room)},
                capture_output=True,
                text=True,
                check=False,
            )
        self.assertEqual((ended.returncode, ended.stdout), (0, "it runs\n"), ended.stderr)


class RemovalTest(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = folder_of(self) / "folder"
        self.folder.mkdir()

    def test_folders_deeper_than_any_path_or_recursion(self) -> None:
        at = os.open(self.folder, os.O_RDONLY)
        for _ in range(3000):
            os.mkdir("folder", dir_fd=at)
            inner = os.open("folder", os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = inner
        os.close(at)
        remove_folder(self.folder)
        self.assertFalse(self.folder.exists())

    def test_folders_without_permissions(self) -> None:
        (self.folder / "a/b").mkdir(parents=True)
        (self.folder / "a/b/file").write_text("")
        for path in ("a/b", "a"):
            (self.folder / path).chmod(0)
        remove_folder(self.folder)
        self.assertFalse(self.folder.exists())

    def test_a_link_is_not_followed(self) -> None:
        outside = self.folder.parent / "outside"
        outside.mkdir()
        (outside / "file").write_text("")
        (self.folder / "link").symlink_to(outside)
        (self.folder / "moved-up-0").mkdir()
        (self.folder / "moved-up-0/inner").mkdir()
        (self.folder / "moved-up-0/inner/link").symlink_to(outside / "file")
        remove_folder(self.folder)
        self.assertEqual(os.listdir(outside), ["file"])

    def test_a_missing_folder(self) -> None:
        remove_folder(self.folder / "absent")
