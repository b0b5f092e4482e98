"""WORKBOOK_LAUNCHER: a command that starts programs where the GPUs are, such as `srun -p gpu --gres=gpu:1`."""

from __future__ import annotations

import os
import shlex
import shutil

from cli.errors import MissingToolError, UsageError

SETTING = "WORKBOOK_LAUNCHER"


def launcher() -> list[str]:
    """The words of the command; none if it is not set. Raises UsageError for an unclosed quote, and MissingToolError if
    there is no such command.
    """
    text = os.environ.get(SETTING, "")
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{SETTING} is '{text}', which is not a command line: {error}.") from error
    if words and not shutil.which(words[0]):
        raise MissingToolError(f"{SETTING} is '{text}', but there is no command '{words[0]}' on this machine.")
    return words
