"""`./workbook update`"""

from __future__ import annotations

import shlex
from collections import Counter

from cli.errors import EXIT_OK, WorkbookError
from cli.exercises.clone import Clone
from cli.exercises.lookup import all_exercises
from cli.exercises.new_version import Updated, is_exercise, target_of, update
from cli.exercises.starters import is_starter
from cli.running.turns import turn
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import PROGRESS, Workbook

SUMMARY = "get the newest version of the workbook; your work is kept"
USAGE = "update [REPOSITORY]"
_MOST = 10
DETAILS = f"""
Downloads the newest version from the git repository that your copy comes from. Your work is kept, whether you have
committed it or not:

- An exercise that you have changed stays as it is. If its starter has changed, the new one is written next to it, as
  exN_name.cu.starter-1.
- If an exercise has a new name, your file is moved to that name.
- {PROGRESS} and your own files stay.
- If you have changed any other file, the new lines are added to yours. If both versions changed the same lines, yours
  is kept as NAME.backup-1 (or -2, -3, ...), and the file is replaced. A file that the new version does not have is kept
  in the same way.

If the command is interrupted, run it again. REPOSITORY is the address of the class's repository, if your own one is a
copy of it; the command remembers it as the git remote 'upstream'.

  ./workbook update
  ./workbook update https://example.org/gpu_course.git
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("update", USAGE)
    parser.add_argument("repository", nargs="?", default="")
    repository = parser.parse_args(arguments).repository
    clone = Clone(workbook.root)
    if not clone.is_usable:
        if (workbook.root / ".git").exists():
            clone.git("rev-parse", "--verify", "HEAD")
        raise WorkbookError(_words_without_git(workbook))
    clone.require_nothing_unfinished()
    with turn(workbook.root / "CMakeLists.txt", lambda: say("Another ./workbook is building here. Waiting ...")):
        say("Looking for a newer version ...")
        newest = clone.fetch(repository)
        if clone.original(newest) == clone.git("rev-parse", newest).strip():
            say("This is the newest version.")
            return EXIT_OK
        say(_told(update(clone, newest)))
    return EXIT_OK


def _words_without_git(workbook: Workbook) -> str:
    present = [one for one in all_exercises(workbook) if one.source.is_file()]
    mine = [workbook.shown(one.source) for one in present if not is_starter(one, workbook)]
    mine += [PROGRESS] if (workbook.root / PROGRESS).is_file() else []
    words = (
        "This copy is not a git clone, so it cannot be updated in place. Download the new version into a folder next "
        "to this one."
    )
    command = f"cp --parents {' '.join(map(shlex.quote, mine))} ../NEW_FOLDER/"
    copied = f" Then copy your work from here into it:\n  {command}" if mine else ""
    return f"{words}{copied}\nIf the course has a git repository, clone it instead: later updates are then one command."


def _told(done: Updated) -> str:
    lines = ["What has changed:", *_first([f"  {subject}" for subject in done.subjects])] if done.subjects else []
    counts = Counter(_part(path) for path in (*done.new, *done.changed, *done.removed))
    lines += [f"{sum(counts.values())} files are new, changed or removed:"] if counts else []
    lines += _first([f"  {part}: {count}" for part, count in counts.most_common()])
    new = [target_of(path) for path in done.new if is_exercise(path)]
    lines += [f"New exercises: {', '.join(new)}"] if new else []
    lines += [f"Your {old} is now {new}." for old, new in done.moved]
    lines += [f"Your {path} is unchanged. The new starter is {starter}." for path, starter in done.kept]
    lines += [f"{path} is the new version. Yours is kept as {backup}." for path, backup in done.replaced]
    lines += [f"{path} is not in the new version. Yours is kept as {backup}." for path, backup in done.obsolete]
    return "\n".join([*lines, "Your copy is the newest version. Your work is kept. Next: ./workbook next"])


def _first(lines: list[str]) -> list[str]:
    more = len(lines) - _MOST
    return lines if more <= 0 else [*lines[:_MOST], f"  and {more} more"]


def _part(path: str) -> str:
    """The chapter or the folder of a file."""
    folders = path.split("/")[:-1]
    return "/".join(folders[:2]) if folders[:1] == ["chapters"] else (folders or ["this folder"])[0]
