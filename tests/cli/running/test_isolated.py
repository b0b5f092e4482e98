"""Calling a function with a limited share of the machine."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
import unittest

from support import ROOT

from cli.errors import WorkbookError
from cli.running.isolated import Share, call_isolated, call_side_by_side

SMALL = Share(cpu_s=1, memory_bytes=1 << 30)


class IsolatedTest(unittest.TestCase):
    def test_returns_what_the_function_returns(self) -> None:
        self.assertEqual(call_isolated(lambda: {"pid": (1, "a" * 1_000_000)}, SMALL), {"pid": (1, "a" * 1_000_000)})
        self.assertNotEqual(call_isolated(os.getpid, SMALL), os.getpid())

    def test_failures_become_messages(self) -> None:
        def nested(depth: int) -> int:
            return nested(depth + 1)

        def fail() -> None:
            raise WorkbookError("the disk is full")

        def work() -> None:
            while True:
                pass

        for function, words in (
            (lambda: nested(0), "RecursionError"),
            (lambda: {}["absent"], "KeyError: 'absent'"),
            (lambda: lambda: 0, "Can't (pickle|get) local object"),
            (fail, r"\Athe disk is full\Z"),
            (work, "took over 1 s of CPU time outside the sandbox"),
            (lambda: bytearray(1 << 33), "MemoryError"),
            (lambda: os.kill(os.getpid(), signal.SIGKILL), "SIGKILL"),
        ):
            with self.subTest(words), self.assertRaisesRegex(WorkbookError, words):
                call_isolated(function, SMALL)

    def test_programs_that_it_starts_have_the_same_limits(self) -> None:
        command = [sys.executable, "-c", "bytearray(1 << 31)"]
        self.assertEqual(call_isolated(lambda: subprocess.run(command, stderr=-3, check=False).returncode, SMALL), 1)

    def test_some_run_at_a_time_and_each_has_its_number(self) -> None:
        def work(place: int) -> tuple[int, float, float]:
            started = time.monotonic()
            time.sleep(0.3)
            return place, started, time.monotonic()

        done = dict(call_side_by_side([work] * 5, SMALL, 2))
        self.assertEqual(sorted(done), [0, 1, 2, 3, 4])
        self.assertEqual({place for place, _, _ in done.values()}, {0, 1})
        for _, started, _ in done.values():
            at_once = [place for place, begun, ended in done.values() if begun <= started < ended]
            self.assertEqual(len(at_once), len(set(at_once)))

    def test_an_error_of_one_affects_only_its_result(self) -> None:
        def fail(_: int) -> None:
            raise WorkbookError("the disk is full")

        found = dict(call_side_by_side([fail, lambda _: "well"], SMALL, 2))
        self.assertEqual((str(found[0]), found[1]), ("the disk is full", "well"))

    def test_stopping_the_iteration_ends_the_others(self) -> None:
        calls = call_side_by_side([lambda _: "first", lambda _: time.sleep(100)], SMALL, 2)
        self.assertEqual(next(calls), (0, "first"))
        started = time.monotonic()
        calls.close()
        self.assertLess(time.monotonic() - started, 20)

    def test_the_caller_keeps_its_limits(self) -> None:
        before = resource.getrlimit(resource.RLIMIT_CPU)
        call_isolated(int, SMALL)
        self.assertEqual(resource.getrlimit(resource.RLIMIT_CPU), before)

    def test_it_ends_with_its_caller(self) -> None:
        script = (
            f"import sys; sys.path.insert(0, {str(ROOT / 'common')!r})\n"
            "import os, time\n"
            "from cli.running.isolated import Share, call_isolated\n"
            "def endless():\n    print(os.getpid(), flush=True)\n    time.sleep(1000)\n"
            "call_isolated(endless, Share())\n"
        )
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as caller:
            pid = int(caller.stdout.readline())
            caller.kill()
        ends = time.monotonic() + 30
        while os.path.exists(f"/proc/{pid}/exe") and time.monotonic() < ends:
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{pid}/exe"))
