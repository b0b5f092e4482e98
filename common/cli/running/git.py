"""Reading the workbook's git history, and writing to it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from cli.errors import WorkbookError


def git_output(
    root: Path,
    arguments: list[str],
    need: str,
    failure: str,
    stdin: bytes | None = None,
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """The output of git in the folder `root`. Raises WorkbookError: with `need` if git is not installed, and with
    `failure`, in which {said} stands for git's message, if git fails. `environment` is added to the present one.
    """
    command = ["git", "-C", str(root), *arguments]
    try:
        variables = {**os.environ, **(environment or {})}
        ended = subprocess.run(command, input=stdin, capture_output=True, check=False, env=variables)
    except OSError as error:
        raise WorkbookError(f"{need}, and git cannot be started ({error.strerror}).") from error
    if ended.returncode != 0:
        raise WorkbookError(failure.format(said=ended.stderr.decode(errors="replace").strip()))
    return ended.stdout
