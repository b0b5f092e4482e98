"""The sandbox that graded programs run in: what they can reach, and what stops them."""

from __future__ import annotations

import os
import tempfile
import time
import unittest
from pathlib import Path

from support import ROOT

from cli.errors import MissingToolError, WorkbookError
from cli.grading.sandbox import (
    MAX_FOLDER_DEPTH,
    MAX_FOLDER_ENTRIES,
    Contained,
    Sandbox,
    remove_what_is_not_plain,
    require_sandbox,
)
from cli.running.limited_run import Ended, Limits

_MEBIBYTE = 1 << 20


def _why_not() -> str:
    try:
        require_sandbox()
    except MissingToolError as error:
        return str(error)
    return ""


_NO_SANDBOX = _why_not()


@unittest.skipIf(_NO_SANDBOX, _NO_SANDBOX)
class SandboxTest(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        self.outside = Path(temporary.name)
        self.folder = self.outside / "folder"
        self.folder.mkdir()
        self.limits = Limits(cpu_s=20, wall_s=30, memory_bytes=200 * _MEBIBYTE, output_bytes=_MEBIBYTE)

    def run_shell(self, script: str, limits: Limits | None = None, environment: dict[str, str] | None = None) -> Ended:
        sandbox = Sandbox((ROOT / "common",), limits or self.limits)
        return sandbox.run(["sh", "-c", script], self.folder, environment or {})

    def test_runs_a_command_in_its_folder_and_tells_how_it_ended(self) -> None:
        ended = self.run_shell("pwd; echo kept > file; exit 3")
        self.assertEqual((ended.output.strip(), ended.returncode, ended.stopped), (str(self.folder), 3, ""))
        self.assertEqual((self.folder / "file").read_text(), "kept\n")

    def test_works_under_a_strict_umask(self) -> None:
        before = os.umask(0o077)
        try:
            ended = self.run_shell(f"cat {ROOT}/common/device_buffer.h > copy; echo done")
        finally:
            os.umask(before)
        self.assertEqual((ended.output.strip(), ended.returncode), ("done", 0))

    @unittest.skipIf(os.geteuid() != 0, "only root's programs run as another user")
    def test_says_what_nobody_else_may_read(self) -> None:
        closed = self.outside / "closed"
        closed.mkdir(mode=0o700)
        with self.assertRaisesRegex(WorkbookError, f"{closed} can be read by its owner alone.*chmod -R o.rX"):
            Sandbox((closed,), self.limits).run(["true"], self.folder, {})

    def test_tells_the_signal_that_ended_it(self) -> None:
        self.assertEqual(self.run_shell("kill -SEGV $$").returncode, -11)

    def test_what_is_handed_in_cannot_claim_that_there_was_no_sandbox(self) -> None:
        self.assertEqual(self.run_shell("echo no sandbox: x >&2; exit 125").returncode, 125)

    def test_nothing_outside_the_folder_can_be_written(self) -> None:
        name = f"workbook-test-{os.getpid()}"
        targets = [folder / name for folder in (self.outside, ROOT / "common", Path("/usr"), Path("/tmp"), Path("/"))]
        ended = self.run_shell("; ".join(f"echo x > {target}" for target in targets))
        self.assertEqual([target for target in targets if target.exists()], [])
        self.assertEqual(ended.output.count("cannot create"), 4)  # and a /tmp of its own, which is gone

    def test_what_is_not_named_cannot_be_read(self) -> None:
        secret = self.outside / "hidden.csv"
        secret.write_text("seed")
        ended = self.run_shell(f"cat {secret} {ROOT}/README.md /etc/passwd; ls {ROOT}")
        self.assertNotIn("seed", ended.output)
        self.assertEqual(ended.output.strip().splitlines()[-1], "common")
        self.assertEqual(ended.output.count("No such file"), 3)

    def test_files_that_are_there_already_cannot_be_changed(self) -> None:
        program = self.folder / "program"
        program.write_text("ours")
        self.run_shell("echo theirs > program; rm -f program; mv program other; echo theirs > new; mv new program")
        self.assertEqual(program.read_text(), "ours")

    def test_it_has_no_environment_of_ours(self) -> None:
        os.environ["WORKBOOK_TEST_SECRET"] = "secret"
        self.addCleanup(os.environ.pop, "WORKBOOK_TEST_SECRET")
        ended = self.run_shell("env", environment={"GTEST_BRIEF": "1", "PASSWORD": "secret"})
        self.assertIn("GTEST_BRIEF=1", ended.output)
        self.assertNotIn("secret", ended.output)

    def test_there_is_no_network(self) -> None:
        ended = self.run_shell("cat /proc/net/dev | tail -n +3 | cut -d: -f1")
        self.assertEqual(ended.output.split(), ["lo"])

    def test_it_has_no_privileges_and_cannot_get_any(self) -> None:
        ended = self.run_shell("grep -E 'Cap(Eff|Bnd)|NoNewPrivs' /proc/self/status; mount -t tmpfs x /usr 2>&1")
        self.assertEqual(ended.output.count("0000000000000000"), 2)
        self.assertIn("NoNewPrivs:\t1", ended.output)
        self.assertNotEqual(ended.returncode, 0)

    def test_it_sees_no_process_of_ours(self) -> None:
        self.assertNotIn(str(os.getpid()), self.run_shell("ls /proc | grep -E '^[0-9]{3,}$'").output.split())

    def test_what_it_leaves_running_ends_with_it(self) -> None:
        marker = f"9{os.getpid()}"
        self.run_shell(f"setsid sleep {marker} > /dev/null 2>&1 & sleep 0.1")
        running = [Path(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
        self.assertFalse([file for file in running if marker in _text(file)])

    def test_an_endless_loop_is_stopped(self) -> None:
        ended = self.run_shell("while :; do :; done", Limits(cpu_s=0.5, wall_s=60))
        self.assertEqual(ended.stopped, "timed out after 0.5 s")

    def test_a_long_sleep_is_stopped(self) -> None:
        self.assertEqual(self.run_shell("sleep 100", Limits(wall_s=1)).stopped, "timed out after 1 s")

    def test_one_that_allocates_everything_is_stopped(self) -> None:
        ended = self.run_shell("exec python3 -c 'x = bytearray(1 << 33)'")
        self.assertEqual(ended.stopped, "took over 0.195312 GiB of memory")

    def test_processes_together_may_take_no_more_than_one(self) -> None:
        script = "import os,time\nfor i in range(3): os.fork()\nx = bytearray(60 << 20)\ntime.sleep(20)"
        self.assertIn("of memory", self.run_shell(f'exec python3 -c "{script}"').stopped)

    def test_a_fork_bomb_runs_out_of_processes(self) -> None:
        script = "import os,time\nfor i in range(9): os.fork()\ntime.sleep(1)"
        started = time.monotonic()
        ended = self.run_shell(f'exec python3 -c "{script}"')
        self.assertIn("Resource temporarily unavailable", ended.output)
        self.assertLess(time.monotonic() - started, 25)

    def test_one_that_prints_without_end_is_stopped(self) -> None:
        ended = self.run_shell("yes")
        self.assertEqual(ended.stopped, "printed over 1 MiB")
        self.assertEqual(len(ended.output), _MEBIBYTE)

    def test_one_that_makes_files_without_end_is_stopped(self) -> None:
        script = "import os\ni = 0\nwhile True: os.mkdir(str(i)); i += 1"
        self.assertEqual(self.run_shell(f'exec python3 -c "{script}"').stopped, f"made over {MAX_FOLDER_ENTRIES} files")

    def test_links_and_pipes_are_taken_away(self) -> None:
        self.run_shell("ln -s /etc/passwd tests.json; mkfifo report.json; mkdir d; ln -s / d/root; echo x > file")
        self.assertEqual([path.name for path in self.folder.rglob("*")], ["file"])

    def test_folders_too_deep_for_a_path_are_taken_away(self) -> None:
        script = "import os\nfor i in range(1500): os.mkdir('d'); os.chdir('d')"
        self.run_shell(f'exec python3 -c "{script}"', Limits(wall_s=30))
        self.assertEqual(os.listdir(self.folder), [])

    def test_one_that_makes_folders_in_folders_without_end_is_stopped(self) -> None:
        script = "import os\nwhile True: os.mkdir('d'); os.chdir('d')"
        stopped = self.run_shell(f'exec python3 -c "{script}"').stopped
        self.assertEqual(stopped, f"made folders over {MAX_FOLDER_DEPTH} deep")


@unittest.skipIf(os.geteuid() != 0, "only root can run a program as another user")
class ContainedTest(unittest.TestCase):
    """What holds without namespaces: another user's rights, the limits, and the end of all that was started."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        self.outside = Path(temporary.name)
        self.folder = self.outside / "folder"
        self.folder.mkdir()

    def run_shell(self, script: str, limits: Limits | None = None) -> Ended:
        return Contained((), limits or Limits(cpu_s=20, wall_s=30)).run(["sh", "-c", script], self.folder, {})

    def test_runs_a_command_in_its_folder_as_another_user(self) -> None:
        ended = self.run_shell("pwd; id -u; echo kept > file; exit 3")
        self.assertEqual((ended.output.split(), ended.returncode), ([str(self.folder), "65534"], 3))
        self.assertEqual((self.folder / "file").read_text(), "kept\n")

    def test_files_that_are_there_already_cannot_be_changed(self) -> None:
        program = self.folder / "program"
        program.write_text("ours")
        self.run_shell("echo theirs > program; rm -f program; mv program other; echo theirs > new; mv new program")
        self.assertEqual(program.read_text(), "ours")

    def test_what_is_root_s_alone_cannot_be_read(self) -> None:
        secret = self.outside / "hidden.csv"
        secret.write_text("seed")
        secret.chmod(0o600)
        self.assertNotIn("seed", self.run_shell(f"cat {secret}").output)

    def test_it_has_no_privileges_and_cannot_get_any(self) -> None:
        ended = self.run_shell("grep -E 'CapEff|NoNewPrivs' /proc/self/status")
        self.assertEqual(ended.output.split(), ["CapEff:", "0000000000000000", "NoNewPrivs:", "1"])

    def test_it_cannot_end_what_watches_it(self) -> None:
        ended = self.run_shell("kill -9 $PPID; echo still here")
        self.assertIn("still here", ended.output)
        self.assertEqual(ended.returncode, 0)

    def test_what_it_leaves_running_ends_with_it(self) -> None:
        marker = f"8{os.getpid()}"
        self.run_shell(f"(setsid sh -c 'sleep {marker} & sleep {marker}' > /dev/null 2>&1 &) ; sleep 0.2")
        running = [Path(f"/proc/{pid}/cmdline") for pid in os.listdir("/proc") if pid.isdigit()]
        self.assertFalse([file for file in running if marker in _text(file)])

    def test_limits_stop_it(self) -> None:
        self.assertEqual(self.run_shell("while :; do :; done", Limits(cpu_s=0.5)).stopped, "timed out after 0.5 s")
        taken = self.run_shell("exec python3 -c 'x = bytearray(1 << 33)'", Limits(memory_bytes=100 * _MEBIBYTE)).stopped
        self.assertIn("of memory", taken)

    def test_says_which_folder_bars_the_way(self) -> None:
        closed = self.outside / "closed"
        (closed / "inner").mkdir(parents=True)
        closed.chmod(0o700)
        with self.assertRaisesRegex(WorkbookError, f"through {closed}, .*chmod o.x {closed}"):
            Contained((closed / "inner",), Limits()).run(["true"], self.folder, {})


class CleaningTest(unittest.TestCase):
    def test_a_link_to_a_folder_is_not_followed(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            inside, outside = Path(name) / "inside", Path(name) / "outside"
            inside.mkdir()
            outside.mkdir()
            (outside / "pipe").symlink_to("nowhere")
            (inside / "link").symlink_to(outside)
            remove_what_is_not_plain(inside)
            self.assertEqual(list(inside.iterdir()), [])
            self.assertTrue((outside / "pipe").is_symlink())


def _text(file: Path) -> str:
    try:
        return file.read_text(errors="replace")
    except OSError:
        return ""
