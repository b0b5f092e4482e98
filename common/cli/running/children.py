"""Child processes and temporary folders that never outlive the command.

A `finally` ends the processes and removes the folders, also after Ctrl-C, TERM and HUP. After KILL no code of the
command runs. For that case there is a guard: a process with a list of them, which acts when the pipe from the command
closes.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from cli.running.removal import remove_folder
from cli.terminal.phases import Phase, program_phase

GRACE_S = 2.0  # for make and the compiler, which remove what they have half written
_STEP_S = 0.01
_LOOK_S = 5.0  # interval at which a running program's phase is updated
_STOP_S = 1.0  # for a process in a system call that nothing interrupts


class Stopped(KeyboardInterrupt):
    """A signal other than Ctrl-C's has asked the command to stop."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


def stop_as_with_ctrl_c() -> None:
    """Makes TERM and HUP end the command as Ctrl-C does; an ignored signal, as with nohup, stays ignored."""

    def stop(number: int, _: FrameType | None) -> None:
        raise Stopped(number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)


class _Guard:
    """Ends processes and removes folders after the command has ended. It is started when it is first needed."""

    def __init__(self) -> None:
        self._pipe = -1
        self._pid = 0
        self._owner = 0
        self._starting = threading.Lock()

    def start(self) -> None:
        with self._starting:  # a second guard would never end, because the command forgets its pipe
            if self._owner == os.getpid():
                return
            if self._owner:
                os.close(self._pipe)  # the pipe of the parent process, whose guard waits until it closes
            reading, self._pipe = os.pipe()
            self._pid = os.fork()
            if self._pid == 0:
                _guard_until_closed(reading)
            os.close(reading)
            self._owner = os.getpid()
            atexit.register(self.end)

    def take(self, thing: bytes) -> None:
        """Adds to the guard's list: `t` (ended with TERM first) or `k` (with KILL) and the id of a process, or `f` and
        the path of a folder. The guard must have been started.
        """
        self._tell(b"+" + thing)

    def let_go(self, thing: bytes) -> None:
        """Removes an entry from the guard's list."""
        self._tell(b"-" + thing)

    def _tell(self, words: bytes) -> None:
        with contextlib.suppress(BrokenPipeError):  # the guard was killed
            os.write(self._pipe, words + b"\0")

    def end(self) -> None:
        if self._owner == os.getpid():
            self._owner = 0
            os.close(self._pipe)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._pid, 0)


_guard = _Guard()


def end_guard() -> None:
    """Ends the guard of a process that ends without atexit."""
    _guard.end()


def _guard_until_closed(reading: int) -> None:
    """The guard's process; never returns."""
    try:
        os.setsid()  # signals to the command's group do not reach the guard
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        os.closerange(0, reading)
        os.closerange(reading + 1, os.sysconf("SC_OPEN_MAX") if reading < 1024 else reading + 1024)
        guarded: dict[bytes, None] = {}
        rest = b""
        while True:
            read = os.read(reading, 1 << 16)
            if not read:
                break
            *messages, rest = (rest + read).split(b"\0")
            for message in messages:
                if message[:1] == b"+":
                    guarded[message[1:]] = None
                else:
                    guarded.pop(message[1:], None)
        for thing in sorted(guarded, reverse=True):  # processes first, because they write to the folders
            with contextlib.suppress(Exception):
                if thing[:1] == b"f":
                    remove_folder(Path(os.fsdecode(thing[1:])))
                else:
                    end_tree(int(thing[1:]), GRACE_S if thing[:1] == b"t" else 0.0)
    finally:
        os._exit(0)


@contextlib.contextmanager
def child(
    command: list[str], grace_s: float = 0.0, shares_terminal: bool = False, **options: Any
) -> Iterator[subprocess.Popen]:
    """A process that ends, together with all processes that it has started, when the block is left. Raises OSError if
    it cannot be started. It has a session of its own, unless it shares the terminal: then Ctrl-C also reaches it.
    """
    kind = b"t" if grace_s else b"k"
    _guard.start()
    process = subprocess.Popen(
        command,
        start_new_session=not shares_terminal,
        # Before exec, so that it is guarded from its first instruction on.
        preexec_fn=lambda: _guard.take(kind + str(os.getpid()).encode()),
        **options,
    )
    guarded = kind + str(process.pid).encode()
    try:
        yield process
    finally:
        if process.returncode is None:
            end_tree(process.pid, grace_s)
            process.wait()
        elif not shares_terminal:
            _kill_group(process.pid)  # processes that it has left running
        _guard.let_go(guarded)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()


def run_child(
    command: list[str], input: bytes | None = None, timeout: float | None = None, **options: Any
) -> subprocess.CompletedProcess:
    """Like subprocess.run without check, in a `child`. Raises OSError, or TimeoutExpired after `timeout` seconds."""
    stdin = {} if input is None else {"stdin": subprocess.PIPE}
    shows_output = options.get("stdout") is None
    phase = contextlib.nullcontext() if shows_output else program_phase(command)
    with phase as shown, child(command, **stdin, **options) as process:
        output, errors = _communicate(process, input, timeout, shown)
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def _communicate(process: subprocess.Popen, input: bytes | None, timeout: float | None, phase: Phase | None) -> Any:
    """The output of a process; updates the phase while it runs. Raises TimeoutExpired."""
    ends_s = math.inf if timeout is None else time.monotonic() + timeout
    while True:
        left_s = ends_s - time.monotonic()
        try:
            return process.communicate(input, min(_LOOK_S, left_s) if phase else None if timeout is None else left_s)
        except subprocess.TimeoutExpired:
            if time.monotonic() >= ends_s:
                raise
            input = None  # already sent
            if phase:
                phase.still()


@contextlib.contextmanager
def temporary_folder(prefix: str = "workbook-", programs_beside: Path | None = None) -> Iterator[Path]:
    """A new folder that is removed, with its content, when the block is left.

    programs_beside: a folder of programs. If the system's temporary folder does not allow programs (a mount with
    noexec), the new folder is made in `programs_beside`, so that programs built in it can be started.
    """
    parent = Path(tempfile.gettempdir())
    if programs_beside and os.statvfs(parent).f_flag & os.ST_NOEXEC:
        parent = programs_beside.resolve()
    for path in _names(parent, prefix):
        if path.exists():
            continue
        guarded = b"f" + os.fsencode(path)
        _guard.start()
        _guard.take(guarded)
        try:
            path.mkdir(mode=0o700)
            yield path
        finally:
            remove_folder(path)
            _guard.let_go(guarded)
        return


def _names(parent: Path, prefix: str) -> Iterator[Path]:
    while True:
        yield parent / f"{prefix}{os.urandom(6).hex()}"


def end_tree(pid: int, grace_s: float = 0.0) -> None:
    """Kills a process, its group if it leads one, and all their descendants; with a grace, sends TERM first."""
    if grace_s:
        members = tree_of(pid)
        _signal(members, signal.SIGTERM)
        ends = time.monotonic() + grace_s
        while any(map(_is_running, members)) and time.monotonic() < ends:
            time.sleep(_STEP_S)
    else:
        members = set()
    members |= _stopped_tree(pid)
    _kill_group(pid)
    _signal(members, signal.SIGKILL)


def _stopped_tree(pid: int) -> set[int]:
    """tree_of, with all processes stopped. Otherwise a process could start a child after the search and be killed then,
    and the child's parent would no longer be known.
    """
    members: set[int] = set()
    while found := tree_of(pid) - members:
        _signal(found, signal.SIGSTOP)
        ends = time.monotonic() + _STOP_S
        while any(map(_is_awake, found)) and time.monotonic() < ends:
            time.sleep(_STEP_S / 10)
        members |= found
    return members


def tree_of(pid: int) -> set[int]:
    """A process, the processes of its session, and all their descendants, except those whose parent has ended."""
    parents: dict[int, int] = {}
    members = {pid}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            fields = _stat(int(entry))
            if fields:
                parents[int(entry)] = int(fields[1])
                if int(fields[3]) == pid:  # the session
                    members.add(int(entry))
    found = set(members)
    while found:
        found = {one for one, parent in parents.items() if parent in found} - members
        members |= found
    return members


def _stat(pid: int) -> list[str]:
    """State, parent, group, session and so on (proc(5)); empty for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _is_running(pid: int) -> bool:
    return (_stat(pid) or "X")[0] not in "ZX"


def _is_awake(pid: int) -> bool:
    return (_stat(pid) or "X")[0] not in "TtZX"


def _signal(pids: set[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _kill_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
