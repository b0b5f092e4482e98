"""Waiting for a file to be saved."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

LOOK_EVERY_S = 0.3

# The state of a file: the time of its last change, its size, and its inode number.
Stamp = tuple[int, int, int]


def stamp(file: Path) -> Stamp | None:
    """The state of a file; None if it is missing, for example while an editor replaces it."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


class Saves:
    """Detects when one of these files is saved. An editor's own files (.x.swp, x~, 4913) do not count."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._seen = {file: stamp(file) for file in files}
        self._pending: dict[Path, Stamp] = {}

    def since_last_look(self) -> list[Path]:
        """The files that have changed, but not since the previous call: editors may write in several steps."""
        saved = []
        for file, before in self._seen.items():
            now = stamp(file)
            if now is None or now == before:
                self._pending.pop(file, None)
            elif self._pending.get(file) == now:
                del self._pending[file]
                self._seen[file] = now
                saved.append(file)
            else:
                self._pending[file] = now
        return saved
