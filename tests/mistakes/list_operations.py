"""Lists the operations whose tests must find mistakes, and checks the catalogues of mistakes.

Usage: list_operations.py OPERATIONS

OPERATIONS is a file with a line for each operation: its chapter, its tests, and the files that they judge, separated by
tabs. Prints a line for each operation that has mistakes: its tests, and the number of mistakes. Prints messages and
exits with 1 if a chapter has no catalogue, a catalogue has no chapter, a mistake spoils a file that belongs to no
operation, or no mistake uses a file of a `mistakes` folder.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "common"))

from cli.chapter_files import ChapterFiles
from cli.errors import WorkbookError
from cli.mistakes.catalogue import Mistake, read_catalogue
from cli.mistakes.spoiling import spoiled_file


@dataclass(frozen=True)
class Operation:
    chapter: str
    tests: str  # their target
    files: tuple[Path, ...]


def read_operations(text: str) -> list[Operation]:
    rows = [line.split("\t") for line in text.splitlines()]
    return [Operation(chapter, tests, tuple(map(Path, files))) for chapter, tests, *files in rows]


def objections(root: Path, operations: list[Operation], mistakes: list[Mistake]) -> list[str]:
    """Messages about missing and unused files of the workbook at `root`."""
    found = []
    chapters = {operation.chapter for operation in operations}
    for catalogue in sorted((root / "tests").glob("*/mistakes.txt")):
        if catalogue.parent.name not in chapters:
            found.append(f"{catalogue} belongs to no chapter: no add_chapter({catalogue.parent.name} ...) was called.")
    for chapter in sorted(chapters):
        files = ChapterFiles(root, chapter)
        if not files.mistakes.is_file():
            found.append(
                f"{files.mistakes} is missing: the mistakes that the chapter's tests must find "
                "(docs/maintaining.md). A catalogue without mistakes has only a comment."
            )
    judged = {file for operation in operations for file in operation.files}
    for mistake in mistakes:
        if spoiled_file(mistake, root) not in judged:
            found.append(
                str(mistake.error(f"no tests in the simulator judge {mistake.spoiled}: it is not a stage, baseline or exercise of an operation."))
            )
    named = {mistake.catalogue.parent / mistake.whole_file for mistake in mistakes if mistake.whole_file}
    for file in sorted((root / "tests").glob("*/mistakes/*.cu")):
        if file not in named:
            found.append(f"{file} is not used: no mistake has it as its 'whole file'.")
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    operations = read_operations(Path(arguments[0]).read_text(encoding="utf-8"))
    try:
        catalogues = [ChapterFiles(ROOT, chapter).mistakes for chapter in {each.chapter for each in operations}]
        mistakes = [mistake for file in catalogues if file.is_file() for mistake in read_catalogue(file)]
    except WorkbookError as error:
        print(error, file=sys.stderr)
        return 1
    found = objections(ROOT, operations, mistakes)
    if found:
        print("\n".join(found), file=sys.stderr)
        return 1
    for operation in operations:
        count = sum(spoiled_file(mistake, ROOT) in operation.files for mistake in mistakes)
        if count:
            print(f"{operation.tests} {count}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
