"""Reading the workbook's git history."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cli.errors import WorkbookError


def git_output(root: Path, arguments: list[str], need: str, failure: str) -> bytes:
    """The output of git in the folder `root`. Raises WorkbookError: with `need` if git is not installed, and with
    `failure`, in which {said} stands for git's message, if git fails.
    """
    try:
        ended = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise WorkbookError(f"{need}, and git cannot be started ({error.strerror}).") from error
    if ended.returncode != 0:
        raise WorkbookError(failure.format(said=ended.stderr.decode(errors="replace").strip()))
    return ended.stdout
