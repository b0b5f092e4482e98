"""A terminal or a file for tests, with the text that was printed on it."""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Iterator
from pathlib import Path
from unittest import mock


class Screen(io.TextIOWrapper):
    """A terminal, or a file."""

    def __init__(self, encoding: str = "utf-8", is_terminal: bool = True, errors: str = "strict") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, errors=errors, newline="")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)


@contextlib.contextmanager
def shown(screen: Screen, **environment: str) -> Iterator[Screen]:
    """Uses this screen as stdout and stderr, with only the given environment."""
    names = ("COLUMNS", "NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG")
    others = {name: value for name, value in os.environ.items() if name not in names}
    given = {"TERM": "xterm", "LANG": "C.UTF-8", **environment}
    with mock.patch.dict(os.environ, {**others, **given}, clear=True):
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            yield screen


def on_terminal(
    command: list[str], environment: dict[str, str], columns: int = 80, answer: str = "", folder: Path = Path("/")
) -> tuple[int, str]:
    """The exit code of a command on a terminal, and its output. The answer is typed at the question [y/N]."""
    process, terminal = pty.fork()
    if process == 0:
        try:
            os.chdir(folder)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            os.execve(command[0], command, environment)
        finally:
            os._exit(127)
    printed = b""
    with contextlib.suppress(OSError):  # at its end
        while part := os.read(terminal, 4096):
            printed += part
            if answer and printed.endswith(b"[y/N] "):
                os.write(terminal, answer.encode())
                answer = ""
    os.close(terminal)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return code, printed.decode("utf-8", errors="replace").replace("\r\n", "\n")
