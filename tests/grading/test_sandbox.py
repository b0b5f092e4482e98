"""The rooms that graded programs run in: the paths and calls they can use, and their limits."""

from __future__ import annotations

import os
import platform
import re
import shutil
import tempfile
import time
import unittest
from pathlib import Path

from support import ROOT

from cli.errors import MissingToolError, WorkbookError
from cli.running.limited_run import Ended, Limits
from grading.sandbox import rooms as sandbox
from grading.sandbox.needed_files import python_files, python_program
from grading.sandbox.rooms import (
    MAX_FOLDER_DEPTH,
    MAX_FOLDER_ENTRIES,
    Contained,
    Sandbox,
    keep_plain_files,
    require_sandbox,
)
from grading.sandbox.seccomp import CLONE, CLONE3, EXECVE, NAMESPACE_FLAGS, REFUSED, SEALED, SOCKETS

_MEBIBYTE = 1 << 20
_COLUMN = {"x86_64": 0, "aarch64": 1}.get(platform.machine(), 0)
_SIGCHLD, _AF_INET, _AF_NETLINK, _SOCK_RAW = 17, 2, 16, 3


def _why_not() -> str:
    try:
        require_sandbox()
    except MissingToolError as error:
        return str(error) or "there is no bubblewrap"
    return ""


_NO_SANDBOX = _why_not()


class Room:
    """Tests for both kinds of rooms. The subclass for a kind names it and adds tests of its own."""

    kind: type[Sandbox]
    readable: tuple[Path, ...] = (ROOT / "common",)
    python = str(python_program())

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        self.outside = Path(temporary.name)
        self.folder = self.outside / "folder"
        self.folder.mkdir()
        self.limits = Limits(cpu_s=20, wall_s=30, memory_bytes=200 * _MEBIBYTE, output_bytes=_MEBIBYTE)

    def run_shell(self, script: str, limits: Limits | None = None, environment: dict[str, str] | None = None) -> Ended:
        room = self.kind(self.readable, limits or self.limits)
        return room.run(["sh", "-c", script], self.folder, environment or {})

    def run_python(self, script: str, limits: Limits | None = None) -> Ended:
        room = self.kind(self.readable, limits or self.limits)
        return room.run(["python3", "-c", script], self.folder, {})

    def run_sealed(
        self, script: str, written: tuple[str, ...] = (), environment: dict[str, str] | None = None
    ) -> Ended:
        """Runs Python code as a finished program."""
        room = self.kind((), self.limits, is_sealed=True)
        command = [self.python, "-I", "-S", "-c", script]
        return room.run(command, self.folder, environment or {}, [self.folder / name for name in written])

    def errors_of(self, calls: list[tuple[int, ...]], is_sealed: bool = False) -> list[str]:
        """The names of errno in the room after system calls, each given as its number and arguments."""
        script = (
            "import ctypes, errno\n"
            "libc = ctypes.CDLL(None, use_errno=True)\n"
            f"for call in {calls!r}:\n"
            "    ctypes.set_errno(0)\n"
            "    libc.syscall(*map(ctypes.c_long, call))\n"
            "    print(errno.errorcode.get(ctypes.get_errno(), 0), flush=True)\n"
        )
        return (self.run_sealed if is_sealed else self.run_python)(script).output.split()

    def test_runs_a_command_in_its_folder_and_returns_how_it_ended(self) -> None:
        ended = self.run_shell("pwd; echo kept > file; exit 3")
        self.assertEqual((ended.output.strip(), ended.returncode, ended.stopped), (str(self.folder), 3, ""))
        self.assertEqual((self.folder / "file").read_text(), "kept\n")

    def test_names_a_program_that_cannot_be_started(self) -> None:
        for name in ("no-such-program", "/no/such/program"):
            ended = self.kind(self.readable, self.limits).run([name], self.folder, {})
            self.assertEqual((ended.output, ended.returncode), (f"{name}: No such file or directory\n", 127))

    def test_returns_the_signal_that_ended_it(self) -> None:
        self.assertEqual(self.run_shell("kill -SEGV $$").returncode, -11)

    def test_an_answer_cannot_pretend_that_there_was_no_sandbox(self) -> None:
        self.assertEqual(self.run_shell("echo no sandbox: x >&2; exit 125").returncode, 125)

    def test_files_that_are_there_already_cannot_be_changed(self) -> None:
        program = self.folder / "program"
        program.write_text("ours")
        self.run_shell("echo theirs > program; rm -f program; mv program other; echo theirs > new; mv new program")
        self.assertEqual(program.read_text(), "ours")

    def test_the_next_command_cannot_change_what_a_command_left(self) -> None:
        self.run_shell("echo built > program; chmod 777 program")
        self.run_shell("echo other > program; rm -f program; echo other > new; mv -f new program; chmod 777 program")
        self.assertEqual((self.folder / "program").read_text(), "built\n")
        self.assertEqual((self.folder / "program").stat().st_uid, os.geteuid())

    def test_a_finished_program_starts_no_other(self) -> None:
        names = [name for name, numbers in SEALED.items() if numbers[_COLUMN] is not None]
        calls = [(SEALED[name][_COLUMN], 0) for name in names]
        errors = self.errors_of([*calls, (CLONE[_COLUMN], _SIGCHLD), (EXECVE[_COLUMN], 0, 0, 0)], is_sealed=True)
        self.assertEqual(dict(zip(names, errors)), dict.fromkeys(names, "EPERM"))
        self.assertEqual(errors[len(names) :], ["EPERM", "EPERM"])
        script = "import os, sys\nos.execv(sys.executable, [sys.executable, '-c', 'print(1)'])"
        self.assertIn("PermissionError", self.run_sealed(script).output)

    def test_a_finished_program_opens_no_file_for_writing(self) -> None:
        there = self.folder / "there"
        there.write_text("ours")
        there.chmod(0o666)
        others = ["/tmp/workbook-test-new", "/dev/null", "/proc/self/fd/3", "/proc/self/fd/1"]
        names = [str(there), f"{self.folder}/new", *others]
        script = (
            "import os\n"
            f"for name in {names!r}:\n"
            "    for flags in (os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC, os.O_TMPFILE | os.O_RDWR):\n"
            "        try:\n"
            "            print(os.open(name, flags), name, flags)\n"
            "        except PermissionError:\n"
            "            pass\n"
            "print('tried')"
        )
        self.assertEqual(self.run_sealed(script, ("results",)).output, "tried\n")
        self.assertEqual((sorted(os.listdir(self.folder)), there.read_text()), (["results", "there"], "ours"))

    def test_a_finished_program_writes_to_the_files_that_are_open(self) -> None:
        environment = {"GTEST_OUTPUT": f"json:{self.folder}/results"}
        script = "import os\nos.write(4, os.environ['GTEST_OUTPUT'].encode())"
        ended = self.run_sealed(script, ("transcript", "results"), environment)
        self.assertEqual((ended.output, ended.returncode), ("", 0))
        self.assertEqual((self.folder / "results").read_text(), "json:/proc/self/fd/4")
        self.assertEqual((self.folder / "transcript").read_text(), "")

    def test_a_finished_program_can_use_threads_and_memory(self) -> None:
        script = (
            "import threading\n"
            "threads = [threading.Thread(target=lambda: bytearray(20 << 20)) for _ in range(4)]\n"
            "for thread in threads: thread.start()\n"
            "for thread in threads: thread.join()\n"
            "print('x' * 500000)"
        )
        ended = self.run_sealed(script)
        self.assertEqual((len(ended.output), ended.returncode, ended.stopped), (500001, 0, ""))

    def test_no_memory_that_no_process_has_mapped(self) -> None:
        script = (
            "import mmap\n"
            "for flags in (mmap.MAP_SHARED, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS):\n"
            "    try:\n"
            "        mmap.mmap(-1, 4096, flags)\n"
            "    except PermissionError:\n"
            "        print('refused')"
        )
        self.assertEqual(self.run_sealed(script).output.split(), ["refused"] * 2)
        memory = [(REFUSED[name][_COLUMN], 0, 4096, 0o1600) for name in ("memfd_create", "shmget")]
        self.assertEqual(self.errors_of(memory) + self.errors_of(memory, is_sealed=True), ["EPERM"] * 4)

    def test_files_that_only_their_owner_can_read_are_out_of_reach(self) -> None:
        secret = self.outside / "hidden.csv"
        secret.write_text("seed")
        secret.chmod(0o600)
        self.assertNotIn("seed", self.run_shell(f"cat {secret}").output)

    def test_it_does_not_have_our_environment(self) -> None:
        os.environ["WORKBOOK_TEST_SECRET"] = "secret"
        self.addCleanup(os.environ.pop, "WORKBOOK_TEST_SECRET")
        ended = self.run_shell("env", environment={"GTEST_BRIEF": "1", "PASSWORD": "secret"})
        self.assertIn("GTEST_BRIEF=1", ended.output)
        self.assertNotIn("secret", ended.output)

    def test_it_cannot_make_a_network_socket(self) -> None:
        calls = [(numbers[_COLUMN], family, _SOCK_RAW) for numbers in SOCKETS for family in (_AF_INET, _AF_NETLINK)]
        self.assertEqual(self.errors_of(calls), ["EAFNOSUPPORT"] * len(calls))

    def test_it_has_no_privileges_and_cannot_get_any(self) -> None:
        ended = self.run_shell("grep -E 'Cap(Prm|Eff|Amb)|NoNewPrivs' /proc/self/status; mount -t tmpfs x /usr 2>&1")
        self.assertEqual(ended.output.count("0000000000000000"), 3)
        self.assertIn("NoNewPrivs:\t1", ended.output)
        self.assertNotEqual(ended.returncode, 0)

    def test_it_cannot_use_system_calls_that_no_test_needs(self) -> None:
        names = [name for name, numbers in REFUSED.items() if numbers[_COLUMN] is not None]
        errors = self.errors_of([(REFUSED[name][_COLUMN], 0) for name in names])
        self.assertEqual(dict(zip(names, errors)), dict.fromkeys(names, "EPERM"))

    def test_it_cannot_make_namespaces(self) -> None:
        flags = [_SIGCHLD | 1 << bit for bit in range(32) if NAMESPACE_FLAGS >> bit & 1]
        errors = self.errors_of([*((CLONE[_COLUMN], flag) for flag in flags), (CLONE3[_COLUMN], 0, 0)])
        self.assertEqual(errors, ["EPERM"] * len(flags) + ["ENOSYS"])

    def test_it_cannot_end_the_process_that_watches_it(self) -> None:
        ended = self.run_shell("kill -9 $PPID; echo still here")
        self.assertIn("still here", ended.output)
        self.assertEqual(ended.returncode, 0)

    def test_processes_that_it_leaves_running_end_with_it(self) -> None:
        marker = f"{len(type(self).__name__)}{os.getpid()}"
        ended = self.run_shell(f"(setsid sh -c 'sleep {marker} & sleep {marker}' > /dev/null 2>&1 &) ; sleep 0.2; exit 7")
        self.assertEqual((ended.output, ended.returncode), ("", 7))
        running = [Path(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
        self.assertFalse([file for file in running if marker in _text(file)])

    def test_an_endless_loop_is_stopped(self) -> None:
        ended = self.run_shell("while :; do :; done", Limits(cpu_s=0.5, wall_s=60))
        self.assertEqual(ended.stopped, "timed out after 0.5 s of CPU time")

    def test_a_long_sleep_is_stopped(self) -> None:
        self.assertEqual(self.run_shell("sleep 100", Limits(wall_s=1)).stopped, "timed out after 1 s")

    def test_an_answer_that_allocates_everything_is_stopped(self) -> None:
        ended = self.run_python("x = [b'x' * (1 << 26) for _ in range(128)]")
        self.assertEqual(ended.stopped, "used more than 0.195312 GiB of memory")

    def test_processes_together_have_the_memory_limit_of_one(self) -> None:
        script = "import os,time\nfor i in range(3): os.fork()\nx = bytearray(60 << 20)\ntime.sleep(20)"
        self.assertIn("of memory", self.run_python(script).stopped)

    def test_page_tables_count(self) -> None:
        script = (
            "import mmap, time\n"
            "flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000  # MAP_NORESERVE\n"
            "memory = mmap.mmap(-1, 1 << 38, flags, mmap.PROT_READ)\n"
            "read = sum(memory[i] for i in range(0, 1 << 38, 1 << 21))\n"
            "time.sleep(10)"
        )
        self.assertEqual(self.run_sealed(script).stopped, "used more than 0.195312 GiB of memory")

    def test_a_fork_bomb_runs_out_of_processes(self) -> None:
        script = "import os,time\nfor i in range(9): os.fork()\ntime.sleep(1)"
        started = time.monotonic()
        ended = self.run_python(script)
        self.assertIn("Resource temporarily unavailable", ended.output)
        self.assertLess(time.monotonic() - started, 25)

    def test_a_program_that_prints_without_end_is_stopped(self) -> None:
        ended = self.run_shell("yes")
        self.assertEqual(ended.stopped, "printed more than 1 MiB")
        self.assertEqual(len(ended.output), _MEBIBYTE)

    def test_a_program_that_makes_files_without_end_is_stopped(self) -> None:
        ended = self.run_python("import os\ni = 0\nwhile True: os.mkdir(str(i)); i += 1", Limits(wall_s=200))
        self.assertEqual(ended.stopped, f"made over {MAX_FOLDER_ENTRIES} files")

    def test_the_size_of_a_file_is_limited(self) -> None:
        kept = sandbox.MAX_FILE_BYTES
        sandbox.MAX_FILE_BYTES = _MEBIBYTE
        self.addCleanup(setattr, sandbox, "MAX_FILE_BYTES", kept)
        self.run_shell("head -c 3000000 /dev/zero > file")
        self.assertEqual((self.folder / "file").stat().st_size, _MEBIBYTE)

    def test_a_program_that_fills_the_disk_with_many_files_is_stopped(self) -> None:
        kept = sandbox.MAX_FOLDER_BYTES
        sandbox.MAX_FOLDER_BYTES = _MEBIBYTE
        self.addCleanup(setattr, sandbox, "MAX_FOLDER_BYTES", kept)
        ended = self.run_shell("for i in 1 2 3 4; do head -c 500000 /dev/urandom > $i; done; sleep 20")
        self.assertRegex(ended.stopped, "^wrote over ")

    def test_links_and_pipes_are_removed(self) -> None:
        self.run_shell("ln -s /etc/passwd tests.json; mkfifo report.json; mkdir d; ln -s / d/root; echo x > file")
        self.assertEqual([path.name for path in self.folder.rglob("*")], ["file"])

    def test_folders_too_deep_for_a_path_are_removed(self) -> None:
        self.run_python("import os\nfor i in range(1500): os.mkdir('d'); os.chdir('d')", Limits(wall_s=30))
        self.assertEqual(os.listdir(self.folder), [])

    def test_a_program_that_nests_folders_without_end_is_stopped(self) -> None:
        stopped = self.run_python("import os\nwhile True: os.mkdir('d'); os.chdir('d')").stopped
        self.assertEqual(stopped, f"made folders over {MAX_FOLDER_DEPTH} deep")


@unittest.skipIf(_NO_SANDBOX, _NO_SANDBOX)
class SandboxTest(Room, unittest.TestCase):
    kind = Sandbox

    def test_works_under_a_strict_umask(self) -> None:
        before = os.umask(0o077)
        try:
            ended = self.run_shell(f"cat {ROOT}/common/device_buffer.h > copy; echo done")
        finally:
            os.umask(before)
        self.assertEqual((ended.output.strip(), ended.returncode), ("done", 0))

    @unittest.skipIf(os.geteuid() != 0, "only root's programs run as another user")
    def test_names_a_folder_that_other_users_cannot_read(self) -> None:
        closed = self.outside / "closed"
        closed.mkdir(mode=0o700)
        with self.assertRaisesRegex(WorkbookError, f"Only its owner can read {closed}.*chmod -R o.rX"):
            Sandbox((closed,), self.limits).run(["true"], self.folder, {})

    def test_nothing_outside_the_folder_can_be_written(self) -> None:
        name = f"workbook-test-{os.getpid()}"
        targets = [folder / name for folder in (self.outside, ROOT / "common", Path("/usr"), Path("/tmp"), Path("/"))]
        ended = self.run_shell("; ".join(f"echo x > {target}" for target in targets))
        self.assertEqual([target for target in targets if target.exists()], [])
        # Its own /tmp can also be written, and is removed afterwards; without root all files in it can be written.
        writable = os.geteuid() != 0 and Path("/tmp") in self.outside.parents
        self.assertEqual(ended.output.count("cannot create"), 3 if writable else 4)

    def test_only_named_paths_can_be_read(self) -> None:
        secret = self.outside / "hidden.csv"
        secret.write_text("seed")
        ended = self.run_shell(f"cat {secret} {ROOT}/README.md /etc/passwd; ls {ROOT}")
        self.assertNotIn("seed", ended.output)
        self.assertEqual(ended.output.strip().splitlines()[-1], "common")
        self.assertEqual(ended.output.count("No such file"), 3)

    def test_a_sealed_room_contains_only_the_program(self) -> None:
        (self.folder / "answer.cpp").write_text("ours")
        known = ("/proc/", "/dev/", *map(str, python_files()))
        script = (
            "import os\n"
            "for folder, _, files in os.walk('/'):\n"
            "    for file in (os.path.join(folder, file) for file in files):\n"
            f"        if not file.startswith({known!r}): print(file)\n"
        )
        self.assertEqual(self.run_sealed(script).output.splitlines(), [str(sandbox._INSIDE)])

    def test_there_is_no_network(self) -> None:
        ended = self.run_shell("cat /proc/net/dev | tail -n +3 | cut -d: -f1")
        self.assertEqual(ended.output.split(), ["lo"])

    def test_it_has_no_capability_to_inherit(self) -> None:
        self.assertEqual(self.run_shell("grep CapBnd /proc/self/status").output.split()[1], "0000000000000000")

    def test_it_does_not_see_our_processes(self) -> None:
        self.assertNotIn(str(os.getpid()), self.run_shell("ls /proc | grep -E '^[0-9]{3,}$'").output.split())

    def test_its_temporary_folder_counts_too(self) -> None:
        ended = self.run_python("import os\ni = 0\nwhile True: os.mkdir(f'/tmp/{i}'); i += 1", Limits(wall_s=200))
        self.assertEqual(ended.stopped, f"made over {MAX_FOLDER_ENTRIES} files")

    def test_reports_the_reason_of_the_system(self) -> None:
        tools = self.outside / "bin"
        tools.mkdir()
        (tools / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
        (tools / "bwrap").chmod(0o755)
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = f"{tools}:{before}"
        with self.assertRaisesRegex(MissingToolError, r"(?s)sandboxes \(bwrap: No permissions.*userns=0.*--contained"):
            self.run_shell("true")


@unittest.skipIf(os.geteuid() != 0, "only root can run a program as another user")
class ContainedTest(Room, unittest.TestCase):
    """Protection without namespaces: a different user, the filter, the limits, the end of all started processes."""

    kind = Contained
    readable = ()  # only the owner might be able to enter the folders above the workbook, and above our Python
    python = shutil.which("python3", path="/usr/bin:/bin") or Room.python

    def test_another_user_runs_it(self) -> None:
        self.assertEqual(self.run_shell("id -u").output.split(), ["65534"])

    def test_hidden_files_cannot_be_read(self) -> None:
        self.outside.chmod(0o755)
        answers = self.outside / "solutions"
        answers.mkdir()
        (answers / "ex1.cu").write_text("reference")
        self.assertIn("reference", self.run_shell(f"cat {answers}/ex1.cu").output)
        Contained.hide([answers])
        self.assertIn("Permission denied", self.run_shell(f"cat {answers}/ex1.cu").output)

    def test_names_the_folder_that_other_users_cannot_enter(self) -> None:
        closed = self.outside / "closed"
        (closed / "inner").mkdir(parents=True)
        closed.chmod(0o700)
        with self.assertRaisesRegex(WorkbookError, f"enter {closed}, .*chmod o.x {closed}"):
            Contained((closed / "inner",), Limits()).run(["true"], self.folder, {})


class CleaningTest(unittest.TestCase):
    def test_a_link_to_a_folder_is_not_followed(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            inside, outside = Path(name) / "inside", Path(name) / "outside"
            inside.mkdir()
            outside.mkdir()
            (outside / "pipe").symlink_to("nowhere")
            (inside / "link").symlink_to(outside)
            (outside / "file").touch()
            os.link(outside / "file", inside / "second name")
            keep_plain_files(inside)
            self.assertEqual(list(inside.iterdir()), [])
            self.assertTrue((outside / "pipe").is_symlink())


class TestsOfExercisesTest(unittest.TestCase):
    def test_they_need_nothing_that_a_sealed_room_refuses(self) -> None:
        """They would fail in `grade`, and pass in `check`."""
        refused = re.compile(r"\b(?:(?:EXPECT|ASSERT)_(?:EXIT|DEATH)\w*|v?fork|system|popen|memfd_create)\(|MAP_SHARED")
        folders = [folder for folder in (ROOT / "tests").iterdir() if re.match("ch[0-9]+_|projects$", folder.name)]
        files = [file for folder in folders for file in folder.glob("*.*") if file.suffix in (".cpp", ".h", ".cu")]
        self.assertGreater(len(files), 50)
        self.assertEqual([file for file in files if refused.search(file.read_text(encoding="utf-8"))], [])


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
