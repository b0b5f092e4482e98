"""Locks between commands that run in one workbook at the same time: the second command waits for the first."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from cli.terminal.phases import Phase


@contextlib.contextmanager
def turn(thing: Path, on_wait: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Holds the lock of an existing file or folder; calls on_wait first if another process holds the lock.

    The lock ends with the process that holds it, even if that is killed. On a file system without locks, such as some
    network file systems, no process waits.
    """
    try:
        handle = os.open(thing, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    try:
        has_lock = _lock(handle, on_wait)
        try:
            yield
        finally:
            if has_lock:
                fcntl.flock(handle, fcntl.LOCK_UN)  # explicitly, because forked processes also have it open
    finally:
        os.close(handle)


def _lock(handle: int, on_wait: Callable[[], None]) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        on_wait()
    except OSError:
        return False
    else:
        return True
    try:
        with Phase("Waiting", is_kept=False):
            fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        return False
    return True
