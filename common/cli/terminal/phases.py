"""The progress of long steps. On a terminal, a line shows the progress and, after two seconds, the elapsed time.
Otherwise a plain line shows them after half a minute, and again whenever the elapsed time has doubled.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
from pathlib import Path
from typing import TextIO

from cli.terminal.bottom_line import bottom_line
from cli.terminal.console import printable

SHOWN_AFTER_S = 2.0
TOLD_AFTER_S = 30.0  # if the output is not a terminal
_TICK_S = 1.0
_DEFAULT_COLUMNS = 80


class Phase:
    """One long step, in a `with`: a line with its name and, on a terminal, its progress.

    A phase that is not kept appears only on a terminal, after two seconds, and is erased at its end. If the output is
    not a terminal, both kinds report to standard error if they take long and the caller calls `at` or `still`.
    """

    def __init__(self, name: str, is_kept: bool = True) -> None:
        self.is_kept = is_kept
        self.stream = sys.stdout
        self._name = printable(name).replace("\n", "?")
        self._how_far = ""
        self._began_s = time.monotonic()
        self._on_terminal = self.stream.isatty()
        self._ended = threading.Event()
        self._told_next_s = TOLD_AFTER_S

    def __enter__(self) -> Phase:
        if self._on_terminal:
            bottom_line.begin(self)
            threading.Thread(target=self._draw_until_ended, daemon=True).start()
        elif self.is_kept:
            print(f"{self._name} ...", flush=True)
        return self

    def at(self, how_far: str) -> None:
        """Sets the progress, such as "3 of 12: ch3_transpose_naive"."""
        self._how_far = printable(how_far).replace("\n", "?")
        if self._on_terminal:
            bottom_line.draw()
        else:
            self.still()

    def still(self) -> None:
        """Reports that the step continues without new progress."""
        elapsed_s = time.monotonic() - self._began_s
        if self._on_terminal or elapsed_s < self._told_next_s:
            return
        self._told_next_s = 2 * elapsed_s
        how_far = f"{self._how_far}, " if self._how_far else ""
        with contextlib.suppress(OSError, ValueError):  # stderr may be closed
            print(f"{self._name} ... {how_far}{duration(elapsed_s)}", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        if self._on_terminal:
            self.at("")  # only the elapsed time stays
            bottom_line.end(self)

    def text(self) -> str:
        elapsed_s = time.monotonic() - self._began_s
        if elapsed_s < SHOWN_AFTER_S and not self.is_kept:
            return ""
        elapsed = duration(elapsed_s) if elapsed_s >= SHOWN_AFTER_S else ""
        end = f", {elapsed}" if elapsed and self._how_far else elapsed
        return f"{self._name} ... {self._how_far}"[: _columns(self.stream) - 1 - len(end)] + end

    def _draw_until_ended(self) -> None:
        wait_s = SHOWN_AFTER_S
        while not self._ended.wait(wait_s):
            bottom_line.draw()
            wait_s = _TICK_S


def duration(seconds: float) -> str:
    """A duration in seconds, or in minutes and seconds."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def program_phase(command: list[str]) -> contextlib.AbstractContextManager[Phase | None]:
    """A phase for a program whose output is not on the terminal, unless another phase is shown."""
    if not bottom_line.shows_programs or bottom_line.is_taken():
        return contextlib.nullcontext()
    script = next((word for word in command[1:] if word.endswith(".py")), "")
    name = script if script and Path(command[0]).name.startswith("python") else command[0]
    return Phase(f"Running {Path(name).name}", is_kept=False)


def _columns(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _DEFAULT_COLUMNS
    except OSError:
        return _DEFAULT_COLUMNS
