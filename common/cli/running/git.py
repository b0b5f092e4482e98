"""What git knows of the workbook."""

from __future__ import annotations

import subprocess
from pathlib import Path

from cli.errors import WorkbookError


def git_output(root: Path, arguments: list[str], need: str, failure: str) -> bytes:
    """What git prints in the folder `root`. Raises WorkbookError: with `need`, where there is no git; with `failure`,
    in which {said} stands for git's words, where it refuses.
    """
    try:
        ended = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    except OSError as error:
        raise WorkbookError(f"{need}, and git cannot be started ({error.strerror}).") from error
    if ended.returncode != 0:
        raise WorkbookError(failure.format(said=ended.stderr.decode(errors="replace").strip()))
    return ended.stdout
