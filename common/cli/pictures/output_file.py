"""A file that a command is told to write."""

from __future__ import annotations

import os
from pathlib import Path

from cli.errors import UsageError


def refuse_unwritable(file: Path, option: str, example: str) -> None:
    """To be called before the work: raises UsageError for a file that cannot be written. example: a good name."""
    if file.is_dir():
        raise UsageError(f"{option}: {file} is a folder. Name a file in it, such as {file / example}.")
    if not file.parent.is_dir():
        raise UsageError(f"{option}: there is no folder {file.parent}.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise UsageError(f"{option}: {file} cannot be written here.")
