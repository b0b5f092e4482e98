"""Reading single keys, without Enter, from the learner's terminal, whose settings are restored afterwards."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import time
import tty
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

_ESCAPE = b"\x1b"  # an arrow or another key that sends several bytes
_LEAVING = (signal.SIGTSTP, signal.SIGQUIT)  # signals that stop or end the command by default


class Keys:
    """Inside the block, keys are read without Enter and are not shown. If the input or the output is not a terminal,
    there are no keys; in the background, the foreground program gets them. Ctrl-C, Ctrl-Z and so on work as usual.
    """

    def __init__(self) -> None:
        self.available = False
        self._as_it_was: list[Any] | None = None  # the terminal's settings, while they are changed
        self._typed = b""
        self._handlers: dict[int, Callable[[int, FrameType | None], Any] | int | None] = {}

    def __enter__(self) -> Keys:
        streams = (sys.stdin, sys.stdout)
        self.available = all(stream is not None and not stream.closed and stream.isatty() for stream in streams)
        if self.available:
            self._fd = sys.stdin.fileno()
            for number in _LEAVING:
                if signal.getsignal(number) is not signal.SIG_IGN:
                    self._handlers[number] = signal.signal(number, self._leave_for_a_while)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self._restore()

    def wait(self, seconds: float) -> str:
        """The next key, with letters in lower case; empty if no key is pressed within these seconds."""
        ends = time.monotonic() + seconds
        while not self._typed:
            left = ends - time.monotonic()
            if left <= 0:
                return ""
            if not self._is_changed():
                time.sleep(left)
            elif select.select([self._fd], [], [], left)[0]:
                self._read()
        key, self._typed = self._typed[:1], self._typed[1:]
        return key.decode("ascii", errors="replace").lower()

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Restores the terminal's settings for another program that reads keys."""
        self._restore()
        yield

    def _read(self) -> None:
        try:
            typed = os.read(self._fd, 64)
        except OSError:
            typed = b""
        if not typed:  # the terminal is gone
            self.available = False
        elif not typed.startswith(_ESCAPE):
            self._typed = typed

    def _is_changed(self) -> bool:
        """Whether keys can be read; changes the terminal's settings if that is necessary."""
        if not self.available or not self._is_in_front():
            return False
        if self._as_it_was is None:
            try:
                as_it_was = termios.tcgetattr(self._fd)
                tty.setcbreak(self._fd)
            except termios.error:
                self.available = False
                return False
            self._as_it_was = as_it_was
        return True

    def _is_in_front(self) -> bool:
        """Whether this is the foreground process; changing the settings from the background would stop it."""
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:
            return False

    def _restore(self) -> None:
        as_it_was, self._as_it_was = self._as_it_was, None
        if as_it_was is not None and self._is_in_front():
            with contextlib.suppress(termios.error):
                termios.tcsetattr(self._fd, termios.TCSADRAIN, as_it_was)

    def _leave_for_a_while(self, number: int, _: FrameType | None) -> None:
        """Restores the terminal, then does the signal's default action; wait() changes the settings again later."""
        self._restore()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._leave_for_a_while)
