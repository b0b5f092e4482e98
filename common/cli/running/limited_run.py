"""Running a program that may never end, or take all memory: a mutant or an unfinished exercise may do either."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from cli.running.children import child, end_tree
from cli.terminal.phases import program_phase

MAX_MEMORY_BYTES = 2 << 30  # resident; the traced simulator reserves far more addresses than it uses
MAX_OUTPUT_BYTES = 16 << 20
MAX_WALL_S = 300.0  # for what sleeps: a busy machine must not stop what only waits for its turn
_LONGEST_SLEEP_S = 0.05
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Ended:
    returncode: int  # as subprocess gives it
    output: str = ""  # stdout and stderr
    cpu_s: float = 0.0  # where it was measured
    stopped: str = ""  # why it was stopped; empty if it ended by itself


@dataclass(frozen=True)
class Usage:
    cpu_s: float
    memory_bytes: int  # resident


@dataclass(frozen=True)
class Limits:
    cpu_s: float = MAX_WALL_S
    wall_s: float = MAX_WALL_S
    memory_bytes: int = MAX_MEMORY_BYTES
    output_bytes: int = MAX_OUTPUT_BYTES


def run_limited(
    command: list[str], cwd: Path, environment: dict[str, str] | None = None, cpu_limit_s: float = MAX_WALL_S
) -> Ended:
    """Runs a command; stops it and what it started at a limit. Raises OSError if it cannot be started."""
    return run_within(Limits(cpu_s=cpu_limit_s), command, cwd, environment)


def usage_of_process(pid: int) -> Usage:
    fields = _stat_fields(pid)
    return _usage(fields, fields[14 - 3 : 16 - 3])


def usage_of_tree(pid: int) -> Usage:
    """Of a process and all that it started, but for those that have ended and nobody has waited for."""
    parents: dict[int, int] = {}
    usages: dict[int, Usage] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = _stat_fields(int(entry))
            except OSError:
                continue  # ended meanwhile
            parents[int(entry)] = int(fields[4 - 3])
            # 14 to 17: its own time, and that of the children that it has waited for
            usages[int(entry)] = _usage(fields, fields[14 - 3 : 18 - 3])
    members, found = {pid}, {pid}
    while found:
        found = {child for child, parent in parents.items() if parent in found} - members
        members |= found
    kept = [usages[member] for member in members if member in usages]
    return Usage(sum(usage.cpu_s for usage in kept), sum(usage.memory_bytes for usage in kept))


def _stat_fields(pid: int) -> list[str]:
    """The fields behind the program's name, which is in brackets and may hold anything; proc(5) numbers them from 3."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()


def _usage(fields: list[str], ticks: list[str]) -> Usage:
    return Usage(sum(map(int, ticks)) / _TICKS_PER_S, int(fields[24 - 3]) * _PAGE_BYTES)


def run_within(
    limits: Limits,
    command: list[str],
    cwd: Path,
    environment: dict[str, str] | None = None,
    usage_of: Callable[[int], Usage] = usage_of_process,
    other_limit: Callable[[], str] | None = None,
) -> Ended:
    """run_limited with limits of one's own. `other_limit` says, in words, what else has gone too far, if anything."""
    with tempfile.TemporaryFile() as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
        with program_phase(command), child(command, cwd=cwd, env=environment, **streams) as process:
            stopped = ""
            started = time.monotonic()
            sleep_s = 0.001
            while True:
                pid, status, resources = os.wait4(process.pid, 0 if stopped else os.WNOHANG)
                if pid:
                    break
                wall_s = time.monotonic() - started
                stopped = _limit_reached(limits, usage_of(process.pid), wall_s, os.fstat(output.fileno()).st_size)
                stopped = stopped or (other_limit() if other_limit else "")
                if stopped:
                    end_tree(process.pid)
                else:
                    time.sleep(sleep_s)
                    sleep_s = min(2 * sleep_s, _LONGEST_SLEEP_S)
            process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(limits.output_bytes).decode(errors="replace")
    return Ended(process.returncode, text, resources.ru_utime + resources.ru_stime, stopped)


def _limit_reached(limits: Limits, usage: Usage, wall_s: float, output_bytes: int) -> str:
    """Which limit a process has reached, or an empty text."""
    if usage.cpu_s > limits.cpu_s:
        return f"timed out after {limits.cpu_s:.1f} s"
    if wall_s > limits.wall_s:
        return f"timed out after {limits.wall_s:.0f} s"
    if usage.memory_bytes > limits.memory_bytes:
        return took_memory(limits)
    if output_bytes > limits.output_bytes:
        return f"printed over {limits.output_bytes >> 20} MiB"
    return ""


def took_memory(limits: Limits) -> str:
    """Why a program was stopped that took more than its limit, also where others have seen it."""
    return f"took over {limits.memory_bytes / 2**30:g} GiB of memory"
