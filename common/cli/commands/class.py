"""`./workbook class`"""

from __future__ import annotations

import shlex
from pathlib import Path

from cli.errors import EXIT_OK
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import say
from cli.workbook import Workbook
from grading.class_copy import new_copy, update_copy

SUMMARY = "copy the workbook for students, without reference answers"
USAGE = "class new|update FOLDER"
DETAILS = """
new     writes a copy into a new or empty folder: chapters, exercises with their tests, goals and hints, the simulator
        and the command. The reference answers are not in it, nor the judge, nor the mistakes that quote an answer.
update  brings such a copy up to this workbook. What you have changed in it since stays as it is, and is listed.

Make the folder a git repository and give it to your students: git holds what './workbook reset' brings back.

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
        say("Left as they are, for they have been changed or removed there:")
        say("\n".join(f"  {name}" for name in done.kept))
    if parsed.what == "new":
        say(f"Next: cd {shlex.quote(str(parsed.folder))} && git init && git add -A && git commit -m 'The exercises'")
    return EXIT_OK
