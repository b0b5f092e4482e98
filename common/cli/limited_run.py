"""Running a program that may never end, or take all memory: a mutant or an unfinished exercise may do either."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

MAX_MEMORY_BYTES = 2 << 30  # resident; the traced simulator reserves far more addresses than it uses
MAX_OUTPUT_BYTES = 16 << 20
MAX_WALL_S = 300.0  # for what sleeps: a busy machine must not stop what only waits for its turn
_LONGEST_SLEEP_S = 0.05
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Ended:
    returncode: int  # as subprocess gives it
    output: str  # stdout and stderr
    cpu_s: float
    stopped: str  # why it was stopped; empty if it ended by itself


def run_limited(
    command: list[str], cwd: Path, environment: dict[str, str] | None = None, cpu_limit_s: float = MAX_WALL_S
) -> Ended:
    """Runs a command; stops it and what it started at a limit. Raises OSError if it cannot be started."""
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        stopped = ""
        started = time.monotonic()
        sleep_s = 0.001
        while True:
            pid, status, usage = os.wait4(process.pid, 0 if stopped else os.WNOHANG)
            if pid:
                break
            stopped = _limit_reached(process.pid, output.fileno(), cpu_limit_s, time.monotonic() - started)
            if stopped:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                time.sleep(sleep_s)
                sleep_s = min(2 * sleep_s, _LONGEST_SLEEP_S)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(MAX_OUTPUT_BYTES).decode(errors="replace")
    return Ended(process.returncode, text, usage.ru_utime + usage.ru_stime, stopped)


def _limit_reached(pid: int, output: int, cpu_limit_s: float, wall_s: float) -> str:
    """Which limit a process has reached, or an empty text."""
    # The fields behind the program's name, which is in brackets and may hold anything; proc(5) numbers them from 3.
    fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    cpu_s = (int(fields[14 - 3]) + int(fields[15 - 3])) / _TICKS_PER_S
    memory_bytes = int(fields[24 - 3]) * _PAGE_BYTES
    if cpu_s > cpu_limit_s:
        return f"timed out after {cpu_limit_s:.1f} s"
    if wall_s > MAX_WALL_S:
        return f"timed out after {MAX_WALL_S:.0f} s"
    if memory_bytes > MAX_MEMORY_BYTES:
        return f"took over {MAX_MEMORY_BYTES >> 30} GiB of memory"
    if os.fstat(output).st_size > MAX_OUTPUT_BYTES:
        return f"printed over {MAX_OUTPUT_BYTES >> 20} MiB"
    return ""
