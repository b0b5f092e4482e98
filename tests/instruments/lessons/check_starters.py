"""Checks the exercises' starters. Prints the errors and exits with 1.

Usage: check_starters.py in-step STARTER.cu SOLUTION.cu
       check_starters.py write

in-step: the starter, which learners get, is its solution without some lines and with TODO comments. A TODO comment is a
line that starts with `// TODO` and the comment lines below it. The first comment of a file is the text of the exercise
or of the solution; it is not compared. A starter whose text has the line `// Bug hunt` can differ from its solution in
any lines, but in at most MAX_BUG_LINES. One with the line `// Rewrite` is correct but too slow; it can differ in any
number of lines. A blank file, which has only includes below its text, needs no TODO. In the text of an exercise each
command after "Check:" or "Look:" has its own line: a formatter that wraps the text puts them into one paragraph. The
first line ends with the minutes or hours that a learner needs: `./workbook list` and `next` show it.

write: records in solutions/*/starters.csv the current version of each exercise, which `./workbook reset` restores.
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.errors import WorkbookError
from cli.exercises.lookup import all_exercises
from cli.exercises.starters import blob_hash, starters_file, write_starters
from cli.workbook import Workbook

MAX_BUG_LINES = 3
_BUG_HUNT = "// Bug hunt"
_REWRITE = "// Rewrite"
_TODO = "// TODO"
_COMMAND = re.compile(r"// (?:Check|Look): +\./workbook [^:]+")
_HEAD = re.compile(r"// (?:Exercise \d+|Project): .+ \(\d+ (?:minutes|hours)\)")


def split_text(source: str) -> tuple[list[str], list[str]]:
    """The lines of the first comment of a file, and the other lines."""
    lines = source.splitlines()
    end = next((number for number, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return lines[:end], lines[end:]


def without_todos(lines: list[str]) -> list[str]:
    kept = []
    in_todo = False
    for line in lines:
        is_comment = line.lstrip().startswith("//")
        in_todo = is_comment and (in_todo or line.lstrip().startswith(_TODO))
        if not in_todo:
            kept.append(line)
    return kept


def first_line_out_of_step(starter: list[str], solution: list[str]) -> str | None:
    """The first line of the starter that the solution does not have after the previous line."""
    position = 0
    for line in starter:
        try:
            position = solution.index(line, position) + 1
        except ValueError:
            return line
    return None


def changed_lines(starter: list[str], solution: list[str]) -> int:
    """The number of different lines; a replaced line counts once."""
    blocks = difflib.SequenceMatcher(None, starter, solution, autojunk=False).get_opcodes()
    return sum(max(end - begin, other_end - other) for tag, begin, end, other, other_end in blocks if tag != "equal")


def problem(starter: str, solution: str) -> str | None:
    """The error of an exercise, or None."""
    text, starter_lines = split_text(starter)
    if not text or not _HEAD.fullmatch(text[0]):
        return "The first line is not such as: // Exercise 9: a matrix times a number (10 minutes)"
    _, solution_lines = split_text(solution)
    is_blank = all(line.startswith("#include") or not line.strip() for line in starter_lines)
    if not is_blank and not any(line.lstrip().startswith(_TODO) for line in text + starter_lines):
        return "The starter has no '// TODO' line: is it already solved?"
    if glued := next((line for line in text if re.search("(Check|Look):", line) and not _COMMAND.fullmatch(line)), None):
        return f"A command after 'Check:' or 'Look:' must be alone on its line:\n{glued}"
    if any(word in solution for word in (_TODO, _BUG_HUNT, _REWRITE)):
        return "The solution has a TODO, or the line '// Bug hunt' or '// Rewrite', which only a starter can have."
    given = without_todos(starter_lines)
    # Blank lines are not compared.
    given, wanted = ([line for line in lines if line.strip()] for lines in (given, solution_lines))
    if given == wanted:
        return "The starter is already solved: it lacks no line of its solution."
    if _REWRITE in text:
        return None
    if _BUG_HUNT in text:
        count = changed_lines(given, wanted)
        return f"A bug hunt differs in {count} lines; at most {MAX_BUG_LINES} are allowed." if count > MAX_BUG_LINES else None
    stray = first_line_out_of_step(given, wanted)
    return f"This line of the starter is not in the solution, or not in this order:\n{stray}" if stray else None


def check_in_step(starter: Path, solution: Path) -> bool:
    found = problem(starter.read_text(encoding="utf-8"), solution.read_text(encoding="utf-8"))
    print(f"{starter}:\n{found}" if found else f"{starter.name} agrees with its solution.")
    return not found


def note_starters() -> bool:
    workbook = Workbook(ROOT)
    starters: dict[Path, dict[str, str]] = {}
    for exercise in all_exercises(workbook):
        file = starters_file(exercise, workbook)
        starters.setdefault(file, {})[exercise.source.name] = blob_hash(exercise.source.read_bytes())
    for file, blobs in starters.items():
        write_starters(file, blobs)
        print(f"{workbook.shown(file)}: {len(blobs)} exercises")
    return True


def main(arguments: list[str]) -> int:
    what, *rest = arguments or [""]
    try:
        if what == "in-step" and len(rest) == 2:
            passed = check_in_step(Path(rest[0]), Path(rest[1]))
        elif what == "write" and not rest:
            passed = note_starters()
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except WorkbookError as error:
        print(error)
        return 1
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
