"""The usage of a program and its descendants, for each way in which the kernel reports it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401  # finds the command's modules

from cli.errors import UsageError
from cli.running import limited_run
from cli.running.limited_run import Ended, Limits, run_within, running_test, usage_of_process, usage_of_tree
from cli.running.runner import CPU_LIMIT_S, LIMIT_VARIABLE, cpu_limit_s, run_with_limits

_MEBIBYTE = 1 << 20
# A process, a child that one of its threads has started, and that child's child, which holds memory.
_SCRIPT = """
import os, sys, threading, time
def family():
    if os.fork() == 0:
        if os.fork() == 0:
            kept = bytearray(50 << 20)
            os.write(1, b"x")
        time.sleep(60)
    os.wait()
threading.Thread(target=family, daemon=True).start()
time.sleep(60)
"""


class UsageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", _SCRIPT], stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(self.end)
        self.assertEqual(self.process.stdout.read(1), b"x")

    def end(self) -> None:
        os.killpg(self.process.pid, 9)
        self.process.stdout.close()
        self.process.wait()

    def assert_counts_all(self) -> None:
        self.assertGreater(usage_of_tree(self.process.pid).memory_bytes, 50 * _MEBIBYTE)
        self.assertLess(usage_of_process(self.process.pid).memory_bytes, 50 * _MEBIBYTE)

    def test_counts_descendants_of_a_threads_children(self) -> None:
        self.assert_counts_all()

    def test_counts_them_without_the_kernels_lists(self) -> None:
        with mock.patch.object(limited_run, "_children_of", limited_run._children_by_asking_all):
            self.assert_counts_all()

    def test_a_process_that_has_ended_uses_nothing(self) -> None:
        ended = subprocess.Popen(["true"])
        ended.wait()
        self.assertEqual(usage_of_tree(ended.pid), limited_run.Usage(0.0, 0))


class CostTest(unittest.TestCase):
    def test_measuring_is_cheap_even_with_many_processes(self) -> None:
        before = time.process_time()
        for _ in range(20):
            usage_of_tree(os.getpid())
        self.assertLess(time.process_time() - before, 0.2)  # of a second that has 20 such looks


class RunningTestTest(unittest.TestCase):
    def test_the_last_test_that_has_not_ended(self) -> None:
        begun = "[ RUN      ] A.B/0\n"
        for printed, test in (
            ("", ""),
            (begun, "A.B/0"),
            (f"{begun}words\n[       OK ] of its own", ""),
            (f"{begun}[       OK ] A.B/0 (0 ms)\n", ""),
            (f"{begun}[       OK ] A.B/0 (0 ms)\n[ RUN      ] A.B/1\nwords", "A.B/1"),
            (f"{begun}[  FAILED  ] A.B/0, where GetParam() = 3\n", ""),
            (f"{begun}[  SKIPPED ] A.B/0 (0 ms)\n", ""),
            ("[ RUN      ] A.B", ""),
            ("[ RUN      ] A.B\r\n", ""),
            ("words [ RUN      ] A.B\n", ""),
        ):
            with self.subTest(printed):
                self.assertEqual(running_test(printed), test)

    def test_of_a_program_that_is_stopped(self) -> None:
        script = "echo '[ RUN      ] A.B'; yes word | head -c 100000; echo '[ RUN      ] A.C'; sleep 60"
        ended = run_within(Limits(wall_s=0.5), ["sh", "-c", script], Path("/"))
        self.assertEqual(running_test(ended.output), "A.C")


class SettingTest(unittest.TestCase):
    def limit(self, setting: str) -> float:
        with mock.patch.dict(os.environ, {LIMIT_VARIABLE: setting}):
            return cpu_limit_s()

    def test_seconds(self) -> None:
        self.assertEqual([self.limit(text) for text in ("", "120", "0.5", "007")], [CPU_LIMIT_S, 120.0, 0.5, 7.0])

    def test_settings_that_are_not_a_number(self) -> None:
        for text in ("0", "-1", "nan", "inf", "1e9", "12 s", "9999999", " 5", "0.0", "\u0663"):
            with self.subTest(text), self.assertRaisesRegex(UsageError, LIMIT_VARIABLE):
                self.limit(text)

    def test_the_limit_is_enforced(self) -> None:
        with mock.patch.dict(os.environ, {LIMIT_VARIABLE: "0.1"}):
            ended = run_with_limits(["sh", "-c", "while :; do :; done"], Path("/"), dict(os.environ))
            waiting = run_with_limits(["sleep", "60"], Path("/"), dict(os.environ))
        self.assertEqual(ended.stopped, "timed out after 0.1 s of CPU time")
        self.assertEqual(waiting.stopped, "timed out after 0 s")


class EndTest(unittest.TestCase):
    """The end of a process is detected with pidfd_open, or by polling if the kernel lacks it."""

    def run_both_ways(self, limits: Limits, command: list[str]) -> list[Ended]:
        told = run_within(limits, command, Path("/"))
        with mock.patch.object(os, "pidfd_open", side_effect=OSError, create=True):
            return [told, run_within(limits, command, Path("/"))]

    def test_gives_the_output_and_the_exit_code(self) -> None:
        for ended in self.run_both_ways(Limits(), ["sh", "-c", "sleep 0.1; echo words; exit 3"]):
            self.assertEqual((ended.output, ended.returncode, ended.stopped), ("words\n", 3, ""))

    def test_stops_at_a_limit(self) -> None:
        for ended in self.run_both_ways(Limits(wall_s=0.2), ["sleep", "60"]):
            self.assertEqual((ended.stopped, ended.returncode), ("timed out after 0 s", -9))


class LimitsTest(unittest.TestCase):
    def test_memory(self) -> None:
        script = "memory = b'x' * (200 << 20)\nimport time\ntime.sleep(60)"
        ended = run_within(Limits(memory_bytes=100 * _MEBIBYTE), [sys.executable, "-c", script], Path("/"))
        self.assertIn("of memory", ended.stopped)

    def test_output(self) -> None:
        ended = run_within(Limits(output_bytes=_MEBIBYTE), ["yes"], Path("/"))
        self.assertEqual((ended.stopped, len(ended.output)), ("printed more than 1 MiB", _MEBIBYTE))

    def test_children_are_stopped_too(self) -> None:
        ended = run_within(Limits(cpu_s=0.2), ["sh", "-c", "sleep 60 & echo $!; while :; do :; done"], Path("/"))
        self.assertGreater(ended.cpu_s, 0.2)
        deadline, state = time.monotonic() + 10, Path(f"/proc/{int(ended.output)}/stat")
        while state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)  # a killed process needs a moment to end

    def test_a_signal_and_a_missing_command(self) -> None:
        self.assertEqual(run_within(Limits(), ["sh", "-c", "kill -SEGV $$"], Path("/")).returncode, -11)
        self.assertRaises(OSError, run_within, Limits(), ["/no/such/compiler"], Path("/"))
