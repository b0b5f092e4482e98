"""The limits that stop a program, and the end of all its processes."""

from __future__ import annotations

import os
import sys
import time
import unittest
from pathlib import Path

import support  # noqa: F401  # puts the modules on the path

from cli.running.limited_run import Ended, Limits, run_limited, run_within


def run_script(script: str, cpu_limit_s: float = 20.0) -> Ended:
    return run_limited(["sh", "-c", script], Path("/"), cpu_limit_s=cpu_limit_s)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class LimitedRunTest(unittest.TestCase):
    def test_normal_end(self) -> None:
        ended = run_script("echo out; echo err >&2; exit 3")
        self.assertEqual((ended.returncode, ended.output, ended.stopped), (3, "out\nerr\n", ""))

    def test_signal(self) -> None:
        self.assertEqual(run_script("kill -SEGV $$").returncode, -11)

    def test_environment(self) -> None:
        ended = run_limited(["sh", "-c", "echo $NAME"], Path("/"), {**os.environ, "NAME": "value"})
        self.assertEqual(ended.output, "value\n")

    def test_processor_time(self) -> None:
        ended = run_script("while :; do :; done", cpu_limit_s=0.2)
        self.assertEqual((ended.returncode, ended.stopped), (-9, "timed out after 0.2 s of CPU time"))
        self.assertGreater(ended.cpu_s, 0.2)

    def test_sleep(self) -> None:
        ended = run_within(Limits(wall_s=0.2), ["sleep", "60"], Path("/"))
        self.assertEqual(ended.stopped, "timed out after 0 s")

    def test_memory(self) -> None:
        script = "memory = b'x' * (200 << 20)\nimport time\ntime.sleep(60)"
        ended = run_within(Limits(memory_bytes=100 << 20), [sys.executable, "-c", script], Path("/"))
        self.assertIn("of memory", ended.stopped)

    def test_output(self) -> None:
        ended = run_within(Limits(output_bytes=1 << 20), ["yes"], Path("/"))
        self.assertEqual(ended.stopped, "printed more than 1 MiB")
        self.assertEqual(len(ended.output), 1 << 20)

    def test_children_are_stopped_too(self) -> None:
        ended = run_script("sleep 60 & echo $!; while :; do :; done", cpu_limit_s=0.2)
        deadline = time.monotonic() + 10
        while is_running(int(ended.output)) and time.monotonic() < deadline:
            time.sleep(0.01)  # a killed process needs a moment to end
        self.assertFalse(is_running(int(ended.output)))

    def test_missing_command(self) -> None:
        with self.assertRaises(OSError):
            run_limited(["/no/such/compiler"], Path("/"))


if __name__ == "__main__":
    unittest.main()
