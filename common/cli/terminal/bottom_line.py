"""The bottom line of a terminal, which is overwritten again and again. All other output goes above it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Protocol, TextIO


class Shown(Protocol):
    """The content of the line."""

    stream: TextIO
    is_kept: bool  # whether the line stays at its end, or is erased

    def text(self) -> str:
        """A printable text that fits on the terminal; empty while there is nothing to show."""


class BottomLine:
    """Shows the content that began last. All methods can be called from any thread."""

    def __init__(self) -> None:
        self.shows_programs = False  # phases.program_phase; false if other code draws or prints at the same time
        self._lock = threading.RLock()
        self._all: list[Shown] = []
        self._drawn: Shown | None = None
        self._columns = 0

    def begin(self, shown: Shown) -> None:
        with self._lock:
            self._all.append(shown)
            self.draw()

    def is_taken(self) -> bool:
        with self._lock:
            return bool(self._all)

    def draw(self) -> None:
        with self._lock:
            text = self._all[-1].text() if self._all else ""
            if not text:
                return
            if self._drawn is not self._all[-1]:
                self._leave()
                self._drawn = self._all[-1]
            self._write(f"\r{text}{' ' * (self._columns - len(text))}")
            self._columns = len(text)

    def end(self, shown: Shown) -> None:
        with self._lock:
            self._all.remove(shown)
            if self._drawn is shown:
                self._leave()

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """Puts the cursor at the start of a line; draws nothing until the block is left."""
        with self._lock:
            self._leave()
            yield

    def after_fork(self) -> None:
        """Resets a forked process, which has none of the threads, and whose parent draws the line."""
        self.__init__()  # type: ignore[misc]

    def _leave(self) -> None:
        if self._drawn:
            self._write("\n" if self._drawn.is_kept else f"\r{' ' * self._columns}\r")
        self._drawn, self._columns = None, 0

    def _write(self, text: str) -> None:
        if self._drawn:
            with contextlib.suppress(OSError, ValueError):  # the terminal may be gone
                self._drawn.stream.write(text)
                self._drawn.stream.flush()


bottom_line = BottomLine()
os.register_at_fork(after_in_child=bottom_line.after_fork)
