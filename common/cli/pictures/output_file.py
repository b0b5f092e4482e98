"""The check of an output file named on the command line."""

from __future__ import annotations

import os
from pathlib import Path

from cli.errors import UsageError


def refuse_unwritable(file: Path, option: str, example: str) -> None:
    """Call this before the work: raises UsageError for a file that cannot be written. example: a name to suggest."""
    if file.is_dir():
        raise UsageError(f"{option}: {file} is a folder. Name a file in it, such as {file / example}.")
    if not file.parent.is_dir():
        raise UsageError(f"{option}: there is no folder {file.parent}.")
    if not os.access(file if file.exists() else file.parent, os.W_OK):
        raise UsageError(f"{option}: {file} cannot be written here.")
