"""Calling a function where it can use up no more than its share: in a process of its own, with limits."""

from __future__ import annotations

import contextlib
import ctypes
import os
import pickle
import resource
import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cli.errors import WorkbookError
from cli.running.children import GRACE_S, end_guard, end_tree

MAX_RESULT_BYTES = 64 << 20
_PR_SET_PDEATHSIG = 1
_MAX_WORDS = 2000

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Share:
    """Of this process's own work, and of each program that it starts outside a sandbox."""

    cpu_s: int = 60
    memory_bytes: int = 4 << 30  # addresses


@dataclass(frozen=True)
class _Failure:
    words: str


def call_isolated(function: Callable[[], _Result], share: Share) -> _Result:
    """What the function returns, which has to be made of plain data. Raises WorkbookError, whatever else happens to it:
    an exception, a limit, a crash.
    """
    reading, writing = os.pipe()
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        os.close(reading)
        _run(function, share, writing, parent)
    os.close(writing)
    status = None
    try:
        content = _read(reading)
        _, status = os.waitpid(pid, 0)
    finally:
        os.close(reading)
        if status is None:
            end_tree(pid, GRACE_S)
            os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        raise WorkbookError(_how_it_ended(code, share))
    result = pickle.loads(content)  # by this program's own code: no answer runs in that process
    if isinstance(result, _Failure):
        raise WorkbookError(result.words)
    return result


def _how_it_ended(code: int, share: Share) -> str:
    if code == -signal.SIGXCPU:
        return f"it took over {share.cpu_s} s of processor time outside the sandbox"
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"what looks at it was ended ({name})"


def _read(pipe: int) -> bytes:
    parts, size = [], 0
    while size <= MAX_RESULT_BYTES:
        part = os.read(pipe, 1 << 20)
        if not part:
            return b"".join(parts)
        parts.append(part)
        size += len(part)
    raise WorkbookError(f"what was found of it takes over {MAX_RESULT_BYTES >> 20} MiB")


def _run(function: Callable[[], object], share: Share, writing: int, parent: int) -> None:
    """The new process; never returns."""
    code = 1
    try:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() == parent:
            _limit_softly(resource.RLIMIT_CPU, share.cpu_s)
            _limit_softly(resource.RLIMIT_AS, share.memory_bytes)
            _limit_softly(resource.RLIMIT_CORE, 0)
            content = _result_of(function)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(content)
            code = 0
    except BaseException:  # noqa: BLE001  # the caller is told by the exit code
        pass
    finally:
        with contextlib.suppress(BaseException):
            end_guard()
        os._exit(code)


def _result_of(function: Callable[[], object]) -> bytes:
    try:
        return pickle.dumps(function())
    except WorkbookError as error:
        words = str(error)
    except Exception as error:  # noqa: BLE001  # whatever a stranger's files lead to
        words = f"{type(error).__name__}: {error}"
    return pickle.dumps(_Failure(words[:_MAX_WORDS]))


def _limit_softly(kind: int, limit: int) -> None:
    """So that programs in a sandbox, which have limits of their own, can be given more again."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
