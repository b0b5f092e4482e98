"""Copies of a learner's file, made before a command changes it."""

from __future__ import annotations

import itertools
from pathlib import Path


def back_up(file: Path, suffix: str) -> Path:
    """Copies a file as keep_beside does. Raises OSError."""
    return keep_beside(file, suffix, file.read_bytes())


def keep_beside(file: Path, suffix: str, content: bytes) -> Path:
    """Writes content to FILE.SUFFIX-1 next to the file, or to -2, -3, ..., if that differs. Raises OSError."""
    for number in itertools.count(1):
        backup = file.with_name(f"{file.name}.{suffix}-{number}")
        try:
            with backup.open("xb") as copy:
                copy.write(content)
        except FileExistsError:
            if not backup.is_file() or backup.read_bytes() != content:
                continue
        return backup
    raise AssertionError("unreachable")
