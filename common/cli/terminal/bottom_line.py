"""The line at the bottom of a terminal that is written over and over. What else is printed goes above it."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from typing import Protocol, TextIO


class Shown(Protocol):
    """What stands in the line."""

    stream: TextIO
    is_kept: bool  # at its end, the line stays; else it is wiped away

    def text(self) -> str:
        """Printable, and shorter than the terminal is wide; empty while there is nothing to show."""


class BottomLine:
    """Shows the one that began last. All may be called from any thread."""

    def __init__(self) -> None:
        self.shows_programs = False  # phases.program_phase; where somebody else draws or prints meanwhile, it must not
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
        """The cursor is at the beginning of a line, and nothing is drawn until the block is left."""
        with self._lock:
            self._leave()
            yield

    def after_fork(self) -> None:
        """In a process that was forked, which has none of the threads, and whose parent draws the line."""
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
