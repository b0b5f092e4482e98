"""Calling functions with a limited share of the machine: each in a process of its own, with limits."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import pickle
import resource
import select
import signal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from cli.errors import WorkbookError
from cli.running.children import GRACE_S, end_guard, end_tree

MAX_RESULT_BYTES = 64 << 20
_PR_SET_PDEATHSIG = 1
_MAX_WORDS = 2000

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Share:
    """The limits of a process, and of each program that it starts outside a sandbox."""

    cpu_s: int = 60
    memory_bytes: int = 4 << 30  # address space


@dataclass(frozen=True)
class _Failure:
    words: str


class _Call(Generic[_Result]):
    """A function that has been started in a process of its own."""

    def __init__(self, function: Callable[[], _Result], share: Share) -> None:
        self._share = share
        self._parts: list[bytes] = []
        self._reading, writing = os.pipe()
        parent = os.getpid()
        self._pid = os.fork()
        if self._pid == 0:
            os.close(self._reading)
            _run(function, share, writing, parent)
        os.close(writing)

    def fileno(self) -> int:
        return self._reading

    def take(self) -> bool:
        """Waits for a part of the result; false after the last one. Raises WorkbookError if the result is too large."""
        part = os.read(self._reading, 1 << 20)
        self._parts.append(part)
        if sum(map(len, self._parts)) > MAX_RESULT_BYTES:
            raise WorkbookError(f"the result of the grading is larger than {MAX_RESULT_BYTES >> 20} MiB")
        return bool(part)

    def result(self) -> _Result:
        """The function's result, after take() has returned false. Raises WorkbookError."""
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        code = os.waitstatus_to_exitcode(status)
        if code != 0:
            raise WorkbookError(_how_it_ended(code, self._share))
        result = pickle.loads(b"".join(self._parts))  # safe, because no answer runs in that process
        if isinstance(result, _Failure):
            raise WorkbookError(result.words)
        return result

    def end(self) -> None:
        os.close(self._reading)
        if self._pid:
            end_tree(self._pid, GRACE_S)
            os.waitpid(self._pid, 0)


def call_isolated(function: Callable[[], _Result], share: Share) -> _Result:
    """The function's result, which must be plain data. Raises WorkbookError for every failure: an exception, a limit, a
    crash.
    """
    ((_, result),) = call_side_by_side([lambda _: function()], share, 1)
    if isinstance(result, WorkbookError):
        raise result
    return result


def call_side_by_side(
    functions: Sequence[Callable[[int], _Result]], share: Share, at_a_time: int
) -> Iterator[tuple[int, _Result | WorkbookError]]:
    """Calls each function in a process of its own, with limits, `at_a_time` of them at once, in their order. When a
    function has ended, yields its number and its result, or the error that call_isolated raises. The argument of a
    function is its worker's number, from 0 to at_a_time - 1.
    """
    waiting = list(enumerate(functions))[::-1]
    running: dict[_Call[_Result], tuple[int, int]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_a_time:
                number, function = waiting.pop()
                worker = min(set(range(at_a_time)) - {taken for _, taken in running.values()})
                running[_Call(functools.partial(function, worker), share)] = (number, worker)
            for call in select.select(list(running), [], [])[0]:
                result: _Result | WorkbookError
                try:
                    if call.take():
                        continue
                    result = call.result()
                except WorkbookError as error:
                    result = error
                number, _ = running.pop(call)
                call.end()
                yield number, result
    finally:
        for call in running:
            call.end()


def _how_it_ended(code: int, share: Share) -> str:
    if code == -signal.SIGXCPU:
        return f"it took over {share.cpu_s} s of CPU time outside the sandbox"
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"the process that grades it was ended ({name})"


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
    except BaseException:  # noqa: BLE001  # the caller reads the exit code
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
    except Exception as error:  # noqa: BLE001  # untrusted files can cause any exception
        words = f"{type(error).__name__}: {error}"
    return pickle.dumps(_Failure(words[:_MAX_WORDS]))


def _limit_softly(kind: int, limit: int) -> None:
    """Sets only the soft limit, so that programs in a sandbox, which have limits of their own, can raise it again."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))
