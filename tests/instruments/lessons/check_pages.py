"""Checks that each chapter has a core page, README.md, and an advanced page, ADVANCED.md, in the order of the course.

check_pages.py

Prints a row per chapter: the number of words before the first stage, in the core stages and in the exercises of the
core page (without code, tables and pictures), and the lines of both pages. Exits with 1 if

- a page is longer than MAX_LINES, or the core page has more than MAX_WORDS_BEFORE words before its first stage;
- the sections of stages and exercises on a page differ from that path in docs/course.md; on the core page they must
  also be in the same order, so that each exercise follows its stage;
- a core page has a table of counts or results, which shows stages that the page does not teach.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "common"))

from cli.catalogue import PROJECTS
from cli.exercises.course import PAGE, Row, read_paths
from cli.exercises.predictions import SECTION
from cli.workbook import Workbook

MAX_LINES = 640  # without the answers at the end
MAX_WORDS_BEFORE = 400

_NOT_WORDS = re.compile(r"<!--.*?-->|^```.*?^```$|^\|.*?$|^!\[.*?$|<[^>]*>", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^(?=##+ )", re.MULTILINE)
_STAGES = re.compile(r"## Stages? (?P<numbers>\d+[a-z]?(?:(?:, | and | to )\d+[a-z]?)*)\b")
_EXERCISE = re.compile(r"### Exercise (?P<number>\d+)\b")
_NAME = re.compile(r"(?P<exercise>ex)?(?P<number>\d+[a-z]?)_")
_GENERATED = re.compile(r"<!-- (claims|results|times|profile|accuracy|crossover):begin -->")


@dataclass(frozen=True)
class Section:
    """labels: the stages and exercises in its heading, such as 02b and ex3."""

    labels: tuple[str, ...]
    is_exercise: bool
    words: int


def sections(page: str) -> list[Section]:
    """The text before the first heading, and each section. A subsection belongs to the previous stage or exercise."""
    code_gone = _CODE.sub("", page.replace("\r\n", "\n"))
    found: list[Section] = []
    for text in _SECTION.split(code_gone):
        stages, exercise = _STAGES.match(text), _EXERCISE.match(text)
        labels = _labels(stages["numbers"]) if stages else (f"ex{exercise['number']}",) if exercise else ()
        goes_on = bool(found) and not labels and not text.startswith("## ") and text.startswith("#")
        is_exercise = bool(exercise) or goes_on and found[-1].is_exercise
        inherited = found[-1].labels if goes_on else ()
        found.append(Section(labels or inherited, is_exercise, len(_NOT_WORDS.sub("", text).split())))
    return found


def _labels(numbers: str) -> tuple[str, ...]:
    first, to, last = numbers.partition(" to ")
    if to and first.isdigit() and last.isdigit():
        return tuple(f"{number:02}" for number in range(int(first), int(last) + 1))
    return tuple(re.findall(r"\d+[a-z]?", numbers))


def order_of(found: list[Section]) -> list[str]:
    """The stages and exercises of a page, in the order of their sections."""
    return list(dict.fromkeys(label for section in found for label in section.labels))


def wanted_order(names: tuple[str, ...]) -> list[str]:
    """names: files of a path, without .cu."""
    matches = (_NAME.match(name) for name in names)
    return [f"{match['exercise'] or ''}{match['number']}" for match in matches if match]


def _lines_of(page: str) -> int:
    return len(page.partition(SECTION)[0].splitlines())


def words_before(found: list[Section]) -> int:
    first = next((index for index, section in enumerate(found) if section.labels), len(found))
    return sum(section.words for section in found[:first])


def words_of(found: list[Section], is_exercise: bool) -> int:
    return sum(section.words for section in found if section.labels and section.is_exercise == is_exercise)


def problems(row: Row, core_page: str, advanced_page: str) -> list[str]:
    """The errors in a chapter's two pages, one line each."""
    found = []
    for name, page in (("README.md", core_page), ("ADVANCED.md", advanced_page)):
        lines = _lines_of(page)
        if lines > MAX_LINES:
            found.append(f"{name} has {lines} lines, but at most {MAX_LINES} are allowed.")
    core, advanced = sections(core_page), sections(advanced_page)
    before = words_before(core)
    if before > MAX_WORDS_BEFORE:
        found.append(f"README.md has {before} words before the first stage, but at most {MAX_WORDS_BEFORE} are allowed.")
    if row.advanced.has_everything:
        return found
    if table := _GENERATED.search(core_page):
        found.append(f"README.md has the table '{table[1]}' of all stages: it belongs on ADVANCED.md.")
    on_core, wanted_core = order_of(core), wanted_order(row.core.names)
    if on_core != wanted_core:
        found.append(f"README.md has the order {', '.join(on_core)}, but {PAGE} has {', '.join(wanted_core)}.")
    wanted = set(wanted_order(row.advanced.names))
    missing = sorted(wanted - set(order_of(advanced)))
    misplaced = sorted(set(wanted_core) & set(order_of(advanced)))
    found += [f"ADVANCED.md has no section of {label}, which {PAGE} has on the advanced path." for label in missing]
    found += [f"ADVANCED.md has a section of {label}, which {PAGE} has on the core path." for label in misplaced]
    return found


def main() -> int:
    found = []
    rows = {row.core.chapter: row for row in read_paths((ROOT / PAGE).read_text(encoding="utf-8"))}
    print(f"{'chapter':18} {'before':>6} {'core':>6} {'exercises':>9} {'README':>6} {'ADVANCED':>8}")
    chapters = [chapter for chapter in Workbook(ROOT).catalogue.chapters if chapter.name != PROJECTS]  # they have no stages
    for chapter in chapters:
        missing = [page.name for page in (chapter.files.readme, chapter.files.advanced) if not page.is_file()]
        where = f"chapters/{chapter.name}/"
        found += [f"{where}{name} is missing. docs/writing_lessons.md explains its parts." for name in missing]
        if missing or chapter.name not in rows:
            continue
        core_page, advanced_page = (page.read_text(encoding="utf-8") for page in chapter.files.pages)
        core = sections(core_page)
        words = (words_before(core), words_of(core, False), words_of(core, True))
        lines = (_lines_of(core_page), _lines_of(advanced_page))
        print(f"{chapter.name:18} {words[0]:6} {words[1]:6} {words[2]:9} {lines[0]:6} {lines[1]:8}")
        found += [f"{where}{problem}" for problem in problems(rows[chapter.name], core_page, advanced_page)]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
