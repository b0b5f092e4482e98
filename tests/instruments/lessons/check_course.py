"""Rules about docs/course.md.

course: its stages and exercises exist, and all of them are on one of the two paths. All projects are in the table of
projects, and no others. The exercises in its ten weeks, and the table of shapes in docs/for_teachers.md, are made from
the exercises' sheets (common/cli/checking/sheet.py), and so is the time in an exercise's first line.

pages: each chapter has a core page, README.md, and an advanced page, ADVANCED.md. Prints a row per chapter: the number
of words before the first stage, in the core stages and in the exercises of the core page (without code, tables and
pictures), and the lines of both pages. The limits are MAX_LINES of a page and MAX_WORDS_BEFORE the first stage. The
sections of stages and exercises on a page are those of the path in docs/course.md; on the core page they are also in
the same order, so that each exercise follows its stage. A core page has no table of counts or results, which shows
stages that the page does not teach.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cli.catalogue import PROJECTS
from cli.checking.sheet import sheet_of
from cli.exercises.course import PAGE, Row, read_paths, read_projects
from cli.exercises.predictions import SECTION
from cli.workbook import Workbook
from pages import FENCE, Found, Rewritten, read

MAX_LINES = 640  # without the answers at the end
MAX_WORDS_BEFORE = 400
SHAPES = Path("docs/for_teachers.md")
FIRST_HOUR = Path("docs/first_hour.md")
_SHAPES = re.compile(r"^\| exercises \| a shape \|\n(?:\|.*\n)+", re.MULTILINE)
_WEEK = re.compile(r"^\| (?P<week>\d+|later) \|(?P<chapter>[^|\n]*)\|(?P<marked>[^|\n]*)\|[^|\n]*\|$", re.MULTILINE)
_AFTER_NAMES = re.compile(r"^(?:(?:, )?ch\d+_ex\d+(?: to \d+)?)*")
_CHECKED = re.compile(r"^\$ \./workbook check (\w+)$", re.MULTILINE)
_NUMBERED = re.compile(r"(?:\d+[a-z]?|ex\d+)_\w+\Z")
_NOT_WORDS = re.compile(r"<!--.*?-->|^\|.*?$|^!\[.*?$|<[^>]*>", re.DOTALL | re.MULTILINE)
_SECTION = re.compile(r"^(?=##+ )", re.MULTILINE)
_STAGES = re.compile(r"## Stages? (?P<numbers>\d+[a-z]?(?:(?:, | and | to )\d+[a-z]?)*)\b")
_EXERCISE = re.compile(r"### Exercise (?P<number>\d+)\b")
_NAME = re.compile(r"(?P<exercise>ex)?(?P<number>\d+[a-z]?)_")
_GENERATED = re.compile(r"<!-- (claims|results|times|profile|accuracy|crossover):begin -->")


def path_problems(page: str, stems: dict[str, list[str]]) -> Iterator[str]:
    """stems: the numbered files of each chapter, without .cu. Only a variant, such as 01b_name, can be on no path."""
    rows = {row.core.chapter: row for row in read_paths(page)}
    for chapter in sorted(stems.keys() | rows.keys()):
        if chapter not in stems or chapter not in rows:
            row = f"| {chapter} | {', '.join(f'`{stem}`' for stem in stems.get(chapter, ()))} | | |"
            add = f"Add a row at its place in the order of the course, such as: {row}"
            yield f"{chapter} is {'not a chapter.' if chapter in rows else f'in no row of The paths. {add}'}"
            continue
        row = rows[chapter]
        if row.core.has_everything or row.advanced.has_everything:
            continue
        named = [*row.core.names, *row.advanced.names]
        yield from (f"{chapter} has no {name}." for name in named if name not in stems[chapter])
        yield from (f"{chapter}: {name} appears twice." for name in sorted(set(named)) if named.count(name) > 1)
        wanted = [stem for stem in stems[chapter] if not re.match(r"\d+[a-z]_", stem)]
        yield from (f"{chapter}: {stem} is on no path." for stem in wanted if stem not in named)


def project_problems(page: str, projects: set[str]) -> Iterator[str]:
    chapters = {row.core.chapter for row in read_paths(page)}
    needed = read_projects(page)
    yield from (f"{project} is in no row of Projects." for project in sorted(projects - needed.keys()))
    yield from (f"{project} is not a project." for project in sorted(needed.keys() - projects))
    lost = {project: chapter for project, chapter in needed.items() if chapter not in chapters}
    yield from (f"{project} is after {chapter}, which is not a chapter." for project, chapter in lost.items())


def shape_table(shapes: dict[str, str]) -> str:
    """What a hidden shape of each exercise is; empty: it has none."""
    rows = ["| exercises | a shape |", "|---|---|"]
    for shape in [*filter(None, dict.fromkeys(shapes.values())), ""]:
        names = names_of([one for one in shapes if shapes[one] == shape])
        rows += [f"| {names} | {shape or 'none: leave it empty'} |"] if names else []
    return "\n".join(rows) + "\n"


def with_weeks(page: str, weeks: dict[str, str], answers: dict[str, str]) -> str:
    """docs/course.md with the exercises of the sheets in the rows of the ten weeks: those to hand in, and those for
    practice, which have answers. Words that follow the names of a cell stay.
    """

    def row(found: re.Match[str]) -> str:
        chapter = found["chapter"].strip()
        here = [one for one in weeks if weeks[one] == found["week"]]
        if found["week"] == "later":  # several rows: each has the exercises of its chapter
            here = [one for one in here if one.split("_")[0] == chapter.split("_")[0]]
        marked, practice = names_of(one for one in here if one not in answers), names_of(one for one in here if one in answers)
        words = _AFTER_NAMES.sub("", found["marked"].strip())
        return f"| {found['week']} | {chapter} | {marked}{words} | {practice}{' ' if practice else ''}|"

    return _WEEK.sub(row, page)


def first_hour_problems(page: str, answers: dict[str, str]) -> list[str]:
    """The exercises that the page solves are for practice."""
    solved = set(_CHECKED.findall(page))
    recorded = {exercise for exercise, file in answers.items() if file == str(FIRST_HOUR)}
    return [f"{one} must have {FIRST_HOUR} under Practice in its sheet." for one in sorted(solved - recorded)] + [
        f"{one} is not solved there, but its sheet says so." for one in sorted(recorded - solved)
    ]


def names_of(exercises: Iterable[str]) -> str:
    """ "ch0_ex1 to 4, ch0_ex7" for five exercises, in their order."""
    runs: list[list[str]] = []
    for one in exercises:
        stem, number = _number_of(one)
        if runs and number and _number_of(runs[-1][-1]) == (stem, number - 1):
            runs[-1].append(one)
        else:
            runs.append([one])
    parts = []
    for run in runs:
        parts += [f"{run[0]} to {_number_of(run[-1])[1]}"] if len(run) > 2 else run
    return ", ".join(parts)


def _number_of(exercise: str) -> tuple[str, int]:
    found = re.fullmatch(r"(ch\d+_ex)(\d+)", exercise)
    return (found[1], int(found[2])) if found else (exercise, 0)


def course(workbook: Workbook) -> Found:
    root, every = workbook.root, workbook.catalogue.chapters
    programs = [exercise for chapter in every for exercise in chapter.of_kind("exercise")]
    stems = {
        chapter.name: [p.source.stem for p in chapter.of_kind("stage", "exercise") if _NUMBERED.match(p.source.stem)]
        for chapter in every
        if chapter.name != PROJECTS
    }
    page = read(root / PAGE)
    yield from (f"{PAGE}: {problem}" for problem in path_problems(page, stems))
    projects = {exercise.target for exercise in programs if exercise.is_project}
    yield from (f"{PAGE}: {problem}" for problem in project_problems(page, projects))
    sheets = {exercise.target: sheet_of(exercise, workbook) for exercise in programs}
    answers = {name: sheet.answer for name, sheet in sheets.items() if sheet.answer}
    yield from (f"{FIRST_HOUR}: {problem}" for problem in first_hour_problems(read(root / FIRST_HOUR), answers))
    for exercise in programs:
        wanted = sheets[exercise.target].course.get("time", "")
        if exercise.duration != wanted:
            yield f"{exercise.source}: its first line says {exercise.duration or 'no time'}, and its sheet {wanted or 'none'}."
    weeks = {name: sheet.course.get("week", "") for name, sheet in sheets.items()}
    shapes = {name: sheet.course.get("hidden shape", "") for name, sheet in sheets.items()}
    yield Rewritten(root / PAGE, with_weeks(page, weeks, answers))
    yield Rewritten(root / SHAPES, _SHAPES.sub(lambda _: shape_table(shapes), read(root / SHAPES)))


@dataclass(frozen=True)
class Section:
    """labels: the stages and exercises in its heading, such as 02b and ex3."""

    labels: tuple[str, ...]
    is_exercise: bool
    words: int


def sections(page: str) -> list[Section]:
    """The text before the first heading, and each section. A subsection belongs to the previous stage or exercise."""
    code_gone = FENCE.sub("", page)
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


def page_problems(row: Row, core_page: str, advanced_page: str) -> Iterator[str]:
    """The errors in a chapter's two pages, one line each."""
    for name, page in (("README.md", core_page), ("ADVANCED.md", advanced_page)):
        lines = _lines_of(page)
        if lines > MAX_LINES:
            yield f"{name} has {lines} lines, but at most {MAX_LINES} are allowed."
    core, advanced = sections(core_page), sections(advanced_page)
    before = words_before(core)
    if before > MAX_WORDS_BEFORE:
        yield f"README.md has {before} words before the first stage, but at most {MAX_WORDS_BEFORE} are allowed."
    if row.advanced.has_everything:
        return
    if table := _GENERATED.search(core_page):
        yield f"README.md has the table '{table[1]}' of all stages: it belongs on ADVANCED.md."
    on_core, wanted_core = order_of(core), wanted_order(row.core.names)
    if on_core != wanted_core:
        yield f"README.md has the order {', '.join(on_core)}, but {PAGE} has {', '.join(wanted_core)}."
    wanted = set(wanted_order(row.advanced.names))
    missing = sorted(wanted - set(order_of(advanced)))
    misplaced = sorted(set(wanted_core) & set(order_of(advanced)))
    yield from (f"ADVANCED.md has no section of {label}, which {PAGE} has on the advanced path." for label in missing)
    yield from (f"ADVANCED.md has a section of {label}, which {PAGE} has on the core path." for label in misplaced)


def pages_of_chapters(workbook: Workbook) -> Found:
    rows = {row.core.chapter: row for row in read_paths(read(workbook.root / PAGE))}
    print(f"{'chapter':18} {'before':>6} {'core':>6} {'exercises':>9} {'README':>6} {'ADVANCED':>8}")
    chapters = [chapter for chapter in workbook.catalogue.chapters if chapter.name != PROJECTS]  # they have no stages
    for chapter in chapters:
        missing = [page.name for page in (chapter.files.readme, chapter.files.advanced) if not page.is_file()]
        where = f"chapters/{chapter.name}/"
        yield from (f"{where}{name} is missing. docs/writing_lessons.md explains its parts." for name in missing)
        if missing or chapter.name not in rows:
            continue
        core_page, advanced_page = map(read, chapter.files.pages)
        core = sections(core_page)
        words = (words_before(core), words_of(core, False), words_of(core, True))
        lines = (_lines_of(core_page), _lines_of(advanced_page))
        print(f"{chapter.name:18} {words[0]:6} {words[1]:6} {words[2]:9} {lines[0]:6} {lines[1]:8}")
        yield from (where + problem for problem in page_problems(rows[chapter.name], core_page, advanced_page))
