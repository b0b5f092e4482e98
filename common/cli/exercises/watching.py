"""Waiting for a file to be saved."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

POLL_S = 0.3

# What tells one state of a file from another: the time of its last change, its size, and which file it is.
Stamp = tuple[int, int, int]


def stamp(file: Path) -> Stamp | None:
    """None for a file that is not there, as for a moment while an editor replaces it."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def saved(files: Iterable[Path], sleep: Callable[[float], None] = time.sleep) -> Iterator[Path]:
    """Each file that changes from now on, once it has stood still for a moment: editors may write in several steps.

    Only these files are looked at, so an editor's own (.x.swp, x~, 4913) are of no account. Never ends.
    """
    return _changes({file: stamp(file) for file in files}, sleep)


def _changes(seen: dict[Path, Stamp | None], sleep: Callable[[float], None]) -> Iterator[Path]:
    pending: dict[Path, Stamp | None] = {}
    while True:
        sleep(POLL_S)
        for file, before in seen.items():
            now = stamp(file)
            if now is None or now == before:
                pending.pop(file, None)
            elif pending.get(file) == now:
                del pending[file]
                seen[file] = now
                yield file
            else:
                pending[file] = now
