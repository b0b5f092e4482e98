"""The learner's editor, and how it opens a file at a line."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping
from pathlib import Path

from cli.errors import UsageError

# Names of editor programs, up to the first "." or "-" (vim.basic, code-insiders), by the way they take a line.
_PLUS_LINE = ("vi", "vim", "nvim", "gvim", "nano", "pico", "emacs", "emacsclient", "micro", "joe", "kak", "mg", "ne", "gedit")
_GOTO = ("code", "codium", "vscodium", "cursor", "windsurf")
_COLON_LINE = ("hx", "helix", "subl", "zed")
_LINE_OPTION = ("kate", "kwrite")


def editor_of(environment: Mapping[str, str] = os.environ) -> list[str]:
    """The words of $VISUAL or $EDITOR. Raises UsageError if neither is set, or if there is no such program."""
    name = next((name for name in ("VISUAL", "EDITOR") if environment.get(name, "").strip()), "")
    if not name:
        raise UsageError("--open needs the name of your editor. Set EDITOR: EDITOR=nano ./workbook watch --open")
    try:
        words = shlex.split(environment[name])
    except ValueError as error:
        raise UsageError(f"{name} is {environment[name]}, which is not a command line: {error}.") from error
    if not shutil.which(words[0], path=environment.get("PATH")):
        raise UsageError(f"{name} names {words[0]}, but there is no such program.")
    return words


def opening(editor: list[str], file: Path, line: int | None) -> list[str]:
    """The command that opens a file at a line; without the line for editors that are not in the lists above."""
    kind = Path(editor[0]).name.partition(".")[0].partition("-")[0]
    if line is None:
        return [*editor, str(file)]
    if kind in _PLUS_LINE:
        return [*editor, f"+{line}", str(file)]
    if kind in _GOTO:
        return [*editor, "--goto", f"{file}:{line}"]
    if kind in _COLON_LINE:
        return [*editor, f"{file}:{line}"]
    if kind in _LINE_OPTION:
        return [*editor, "--line", str(line), str(file)]
    return [*editor, str(file)]
