"""`./workbook class`"""

from __future__ import annotations

import shlex
from pathlib import Path

from cli.errors import EXIT_OK
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say
from cli.workbook import PROGRESS, Workbook
from grading.class_copy import new_copy, update_copy

# The teacher's progress.csv stays out of the class's repository.
_FIRST_COMMIT = f"git init && echo /{PROGRESS} >> .git/info/exclude && git add -A && git commit -m 'The exercises'"
SUMMARY = "copy the workbook for students, without reference answers"
USAGE = "class new|update FOLDER"
DETAILS = """
new     writes a copy into a new or empty folder: chapters, exercises with their tests, goals and hints, the simulator
        and the command. It leaves out the reference answers, the judge, all bugs that quote an answer, the pages for
        teachers, and tests of your own (tests/CHAPTER/private_*).
update  updates such a copy to the state of this workbook. Files that you have changed in it stay unchanged, and are
        listed.

Make the folder a git repository and give it to your students: './workbook reset' restores files from git, and
'./workbook update' brings their copies to the version that you have pushed.

  ./workbook class new ~/gpu_course
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("class", USAGE)
    parser.add_argument("what", choices=("new", "update"))
    parser.add_argument("folder", type=Path)
    parsed = parser.parse_args(arguments)
    done = (new_copy if parsed.what == "new" else update_copy)(parsed.folder, workbook)
    say(f"{len(done.written)} files written, {len(done.removed)} removed.")
    if done.kept:
        say("These files were not updated, because they have been changed or removed there:")
        say("\n".join(f"  {name}" for name in done.kept))
    for warning in done.warnings:
        complain(warning)
    if parsed.what == "new":
        say(f"Next: cd {shlex.quote(str(parsed.folder))} && {_FIRST_COMMIT}")
    return EXIT_OK
