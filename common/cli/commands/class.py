"""`./workbook class`"""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from cli.building.build_tree import simulator_tree
from cli.checking.answer_build import build_parts
from cli.checking.shared_tree import VARIABLE
from cli.errors import EXIT_OK, UsageError
from cli.exercises.class_report import read_students, report_page
from cli.exercises.lookup import all_exercises
from cli.machine.tools import BUILD_TOOLS, ensure
from cli.measuring.measurements import today
from cli.old_names import read_old_names
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say
from cli.workbook import PROGRESS, Workbook
from grading.judge import new_copy, update_copy

# The teacher's progress.csv stays out of the class's repository.
_FIRST_COMMIT = f"git init && echo /{PROGRESS} >> .git/info/exclude && git add -A && git commit -m 'The exercises'"
SUMMARY = "copy the workbook for a class; show the progress of the class"
USAGE = "class new|update|report|build FOLDER [CHAPTER...] [--page FILE.html]"
DETAILS = """
new     writes a copy into a new or empty folder: chapters, exercises with their tests, goals and hints, the simulator
        and the command. It leaves out the reference answers, the judge, all bugs that quote an answer, the pages for
        teachers, and tests of your own (tests/CHAPTER/private_*).
update  updates such a copy to the state of this workbook. Files that you have changed in it stay unchanged, and are
        listed.
report  writes one page in HTML about the progress of the students: solved exercises, last failures, hints, and wrong
        predictions. FOLDER has a folder for each student with a progress.csv in it, such as a clone, or files NAME.csv.
        --page FILE.html names the page (default: class_report.html in the current folder).
build   builds a copy once for all students of a cluster, and makes the build tree read-only (docs/clusters.md). CHAPTER
        names the chapters to build; without it, all chapters are built.

Make the folder a git repository and give it to your students: './workbook reset' restores files from git, and
'./workbook update' brings their copies to the version that you have pushed.

  ./workbook class new ~/gpu_course
  ./workbook class report ~/clones --page ~/week3.html
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("class", USAGE)
    parser.add_argument("what", choices=("new", "update", "report", "build"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("chapter", nargs="*")
    parser.add_argument("--page", metavar="FILE.html", type=Path)
    parsed = parser.parse_args(arguments)
    if parsed.what == "report":
        return _report(parsed.folder, parsed.page or Path("class_report.html"), workbook)
    if parsed.page:
        raise UsageError("--page is for 'class report'.")
    if parsed.what == "build":
        return _build(parsed.folder, parsed.chapter)
    if parsed.chapter:
        raise UsageError("Chapters are for 'class build'.")
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


def _report(folder: Path, page: Path, workbook: Workbook) -> int:
    students = read_students(folder, read_old_names(workbook.root))
    page.write_text(report_page(students, all_exercises(workbook), today()), encoding="utf-8", errors="replace")
    without = sum(bool(student.problem) for student in students)
    say(f"{len(students)} students" + (f", {without} of them without a readable progress.csv" if without else "") + ".")
    say(f"The page is {page}.")
    return EXIT_OK


def _build(folder: Path, names: list[str]) -> int:
    """Builds everything that students do not write themselves: stages, and the parts of the exercises' programs."""
    copy = Workbook(folder.resolve())
    chapters = [copy.catalogue.find_chapter(name) for name in names] or copy.catalogue.chapters
    ensure([*BUILD_TOOLS, "gtest"])
    _set_writable(copy.root / "build", True)
    for chapter in chapters:
        tree = simulator_tree(copy, with_tests=True, chapter=chapter.name)
        programs = [one for one in chapter.of_kind("stage", "operation") if not one.needs_gpu]
        present = [one.target for one in programs if not tree.left_out(one.target)]
        tree.build(chapter.name, [*present, *(f"{target}_inspect" for target in present)])
        for exercise in chapter.of_kind("exercise"):
            if not tree.left_out(exercise.target):
                build_parts(exercise, tree, ["cuda_simulator_plain"])
    _set_writable(copy.root / "build", False)
    say(f"Built. Each student runs: export {VARIABLE}={shlex.quote(str(copy.root))}")
    return EXIT_OK


def _set_writable(folder: Path, is_writable: bool) -> None:
    """Lets the owner write to a folder and everything in it, or makes it readable for all users and read-only."""
    for place, _, names in os.walk(folder):
        for path in (Path(place), *(Path(place, name) for name in names)):
            if not path.is_symlink():
                mode = path.stat().st_mode
                read = 0o555 if path.is_dir() or mode & 0o100 else 0o444
                path.chmod(mode | 0o200 if is_writable else (mode | read) & ~0o222)
