"""Running a program that may never end or use all memory, such as a mutant or an unfinished exercise."""

from __future__ import annotations

import contextlib
import os
import re
import select
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from cli.running.children import child, end_tree
from cli.terminal.phases import program_phase

MAX_MEMORY_BYTES = 2 << 30  # resident; the traced simulator reserves far more addresses than it uses
MAX_OUTPUT_BYTES = 16 << 20
MAX_WALL_S = 300.0  # stops programs that sleep; large, because a program can be slow on a busy machine
OF_PROCESSOR = " of CPU time"
_LONGEST_SLEEP_S = 0.05
_LOOK_S = 0.5  # interval at which a program's output is read
_TAIL_BYTES = 1 << 13
_TEST_BEGINS = re.compile(r"^\[ RUN      \] (\S+)\n", re.MULTILINE)
_TEST_ENDS = re.compile(r"^\[(?:       OK |  FAILED  |  SKIPPED )\] ", re.MULTILINE)
_MEMORY = re.compile(r"^Vm(?:RSS|PTE|Swap):\s+(\d+) kB", re.MULTILINE)  # in /proc/PID/status
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_HAS_LISTS_OF_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # CONFIG_PROC_CHILDREN


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
    """The usage of a process and its descendants, except those that have ended and have not been waited for. Page tables
    and swapped memory count too.
    """
    cpu_s, memory_bytes = 0.0, 0
    for member in _tree_of(pid):
        try:
            fields = _stat_fields(member)
            kilobytes = _MEMORY.findall(_read(f"/proc/{member}/status"))
        except OSError:
            continue  # it has ended
        # 14 to 17: its own time, and the time of the children that it has waited for
        cpu_s += _usage(fields, fields[14 - 3 : 18 - 3]).cpu_s
        memory_bytes += 1024 * sum(map(int, kilobytes))
    return Usage(cpu_s, memory_bytes)


def _tree_of(pid: int) -> set[int]:
    members, found = {pid}, [pid]
    while found:
        children = set(_children_of(found.pop())) - members
        members |= children
        found += children
    return members


def _children_of(pid: int) -> list[int]:
    """The children of a process, from the kernel's list of each thread, or, without these lists, from all processes."""
    folder = f"/proc/{pid}/task"
    try:
        return [int(child) for task in os.listdir(folder) for child in _read(f"{folder}/{task}/children").split()]
    except OSError:
        return [] if _HAS_LISTS_OF_CHILDREN else _children_by_asking_all(pid)


def _children_by_asking_all(pid: int) -> list[int]:
    children = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if int(_stat_fields(int(entry))[4 - 3]) == pid:
                    children.append(int(entry))
            except OSError:
                continue  # it has ended
    return children


def _stat_fields(pid: int) -> list[str]:
    """The fields after the program's name, which is in brackets and can be any text; proc(5) numbers them from 3."""
    return _read(f"/proc/{pid}/stat").rpartition(")")[2].split()


def _read(file: str) -> str:
    """The content of a file in /proc. It is read many times per second, and pathlib would be too slow."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        parts = []
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
        return b"".join(parts).decode(errors="replace")
    finally:
        os.close(descriptor)


def _usage(fields: list[str], ticks: list[str]) -> Usage:
    return Usage(sum(map(int, ticks)) / _TICKS_PER_S, int(fields[24 - 3]) * _PAGE_BYTES)


def run_within(
    limits: Limits,
    command: list[str],
    cwd: Path,
    environment: dict[str, str] | None = None,
    usage_of: Callable[[int], Usage] = usage_of_process,
    other_limit: Callable[[], str] | None = None,
    stdout: IO[bytes] | None = None,
) -> Ended:
    """run_limited with the given limits. `other_limit` returns the name of any other limit that was reached, or an
    empty text. stdout: a file for the standard output, which is then not part of `output`; its size is limited too.
    """
    with tempfile.TemporaryFile() as output:
        streams = {"stdin": subprocess.DEVNULL, "stdout": stdout or output, "stderr": output}
        with program_phase(command) as phase, child(
            command, cwd=cwd, env=environment, **streams
        ) as process, _waiting(process.pid) as wait:
            stopped = ""
            started = time.monotonic()
            look_at_s = _LOOK_S
            sleep_s = 0.001
            while True:
                pid, status, resources = os.wait4(process.pid, 0 if stopped else os.WNOHANG)
                if pid:
                    break
                wall_s = time.monotonic() - started
                printed_bytes = sum(os.fstat(file.fileno()).st_size for file in (output, stdout) if file)
                stopped = _limit_reached(limits, usage_of(process.pid), wall_s, printed_bytes)
                stopped = stopped or (other_limit() if other_limit else "")
                if phase and wall_s > look_at_s:
                    phase.at(running_test(_tail(output.fileno())))
                    look_at_s = wall_s + _LOOK_S
                if stopped:
                    end_tree(process.pid)
                else:
                    wait(sleep_s)
                    sleep_s = min(2 * sleep_s, _LONGEST_SLEEP_S)
            process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read(limits.output_bytes).decode(errors="replace")
    return Ended(process.returncode, text, resources.ru_utime + resources.ru_stime, stopped)


def running_test(printed: str) -> str:
    """The test that a GoogleTest program is running, from its output so far; empty if there is none."""
    begun = [match for match in _TEST_BEGINS.finditer(printed)]
    return begun[-1][1] if begun and not _TEST_ENDS.search(printed, begun[-1].end()) else ""


def _tail(file: int) -> str:
    size = os.fstat(file).st_size
    return os.pread(file, _TAIL_BYTES, max(0, size - _TAIL_BYTES)).decode(errors="replace")


@contextlib.contextmanager
def _waiting(pid: int) -> Iterator[Callable[[float], object]]:
    """A function that sleeps for some seconds, or until the process has ended, if the kernel can report that."""
    try:
        process = os.pidfd_open(pid)
    except (AttributeError, OSError):
        yield time.sleep
        return
    try:
        ending = select.poll()
        ending.register(process, select.POLLIN)
        yield lambda seconds: ending.poll(1000 * seconds)
    finally:
        os.close(process)


def _limit_reached(limits: Limits, usage: Usage, wall_s: float, output_bytes: int) -> str:
    """The limit that a process has reached, in words, or an empty text."""
    if usage.cpu_s > limits.cpu_s:
        return f"timed out after {limits.cpu_s:.1f} s{OF_PROCESSOR}"
    if wall_s > limits.wall_s:
        return f"timed out after {limits.wall_s:.0f} s"
    if usage.memory_bytes > limits.memory_bytes:
        return took_memory(limits)
    if output_bytes > limits.output_bytes:
        return f"printed more than {limits.output_bytes >> 20} MiB"
    return ""


def took_memory(limits: Limits) -> str:
    """The reason for stopping a program that used more memory than its limit; also used by the sandbox."""
    return f"used more than {limits.memory_bytes / 2**30:g} GiB of memory"
