"""All chapters and programs. Stages are the numbered files in a chapter's folder and in the folders of its operations.
chapters/*/CMakeLists.txt list the baselines and the exercises; there are no other lists.
"""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from pathlib import Path

from cli.chapter_files import ChapterFiles
from cli.errors import UsageError, WorkbookError
from cli.old_names import read_old_names, renamed
from cli.requirements import read_requirements
from cli.terminal.console import complain

_CHAPTER_NUMBER = re.compile(r"ch(\d+)_")
_CALL = re.compile(r"\b(add_chapter|add_operation)\s*\(([^)]*)\)")
_KEYWORD = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_NUMBER_PREFIX = re.compile(r"\A\d+[a-z]?_")
_STAGE_FILES = "[0-9][0-9]*_*.cu"
_ON_CPU = "00_"
_EXERCISE_FILE = re.compile(r"(ex\d+)_")
_DURATION = re.compile(r"\((\d+ (?:minutes|hours))\)\Z")
CLASS_RECORD = "class.csv"  # in the copies that './workbook class' makes
PROJECTS = "projects"  # the folder of chapters/ whose exercises are projects: project_blur is blur.cu
_ANSWER = re.compile(r"_(solution|second)\Z")
_EXERCISE_TARGET = re.compile(r"ch(\d+)_?ex[^_]*")
_SOURCE_FILE = re.compile(r"\.(cu|cuh|c|cc|cpp|cxx|h|hpp)\Z")
_HOW_TO_LIST = "'./workbook list' shows the chapters."


@dataclass(frozen=True)
class Program:
    target: str
    chapter: str
    source: Path
    kind: str  # "stage", "operation", "exercise" or "solution"
    needs_gpu: bool = False
    is_whole: bool = False  # as in Requirements
    calls: Path | None = None  # the file of the stage whose function it calls

    @property
    def file(self) -> str:
        """The source's name on the chapter's page: 01_naive.cu, all_reduce/01_ring.cu; a baseline has no folder in it."""
        folder = self.source.parent.name
        is_in_ladder = self.kind in ("stage", "operation") and _NUMBER_PREFIX.match(self.source.name)
        return f"{folder}/{self.source.name}" if is_in_ladder and folder != self.chapter else self.source.name

    @property
    def is_project(self) -> bool:
        """Whether it is an exercise of chapters/projects, or an answer to one."""
        return self.chapter == PROJECTS

    @property
    def topic(self) -> str:
        """The topic of an exercise, in words: `matrix sum` for ex1_matrix_sum.cu."""
        stem = self.source.stem if self.is_project else self.source.stem.split("_", 1)[-1]
        return stem.replace("_", " ")

    @property
    def is_on_cpu(self) -> bool:
        """Whether it is the CPU program from which the stages of its chapter start; it has no kernel."""
        return self.kind == "stage" and self.source.name.startswith(_ON_CPU)

    @property
    def duration(self) -> str:
        """The time that a learner needs for an exercise: `8 minutes`; empty if its description has none."""
        found = _DURATION.search(self.description())
        return found[1] if found else ""

    def description(self) -> str:
        """The first comment line of the source file; empty if there is no comment or the file cannot be read."""
        try:
            with self.source.open(encoding="utf-8", errors="replace") as lines:
                first_line = next(lines, "")
        except OSError:
            return ""
        return first_line.lstrip("/ ").strip() if first_line.startswith("//") else ""


@dataclass(frozen=True)
class Chapter:
    files: ChapterFiles
    programs: tuple[Program, ...]

    @property
    def name(self) -> str:
        return self.files.chapter

    @property
    def folder(self) -> Path:
        return self.files.folder

    def title(self) -> str:
        """The first heading of the chapter's README; empty without one."""
        try:
            text = self.files.readme.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""
        heading = re.search(r"^#\s+(.+)$", text, re.MULTILINE)
        return heading.group(1).strip() if heading else ""

    def of_kind(self, *kinds: str) -> tuple[Program, ...]:
        return tuple(program for program in self.programs if program.kind in kinds)


def is_path(name: str) -> bool:
    """Whether a typed name is a file or a folder, not a target."""
    return "/" in name or _SOURCE_FILE.search(name) is not None


def _real(path: Path) -> Path:
    """The path with all links resolved; a circle of links is followed as far as possible."""
    return Path(os.path.realpath(path))


class Catalogue:
    """Every chapter and program, with the names by which a learner can refer to them."""

    def __init__(self, chapters: list[Chapter], root: Path, old_names: dict[str, str] | None = None) -> None:
        self.chapters = chapters
        self._root = root
        self._programs = [program for chapter in chapters for program in chapter.programs]
        by_target = {program.target: program for program in self._programs}
        self._renamed = {old: by_target[new] for old, new in (old_names or {}).items() if new in by_target}
        self._told: set[str] = set()

    def find(self, name: str) -> Chapter | Program:
        """A chapter or program by target, file or unambiguous short name. Raises UsageError when there is none."""
        chapters = self._chapters_called(name)
        if chapters:
            return chapters[0]
        if is_path(name):
            if Path(name).is_dir():
                raise UsageError(f"'{name}' is a folder; name the .cu file in it.")
            matches = self._programs_in_file(name)
        else:
            matches = [program for program in self._programs if program.target == name] or [
                program for program in self._programs if name in _short_names(program)
            ]
        matches = matches or self._renamed_from(name) or self._moved_from(name)
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise UsageError(f"'{name}' could be: {', '.join(program.target for program in matches)}.")
        targets = [program.target for program in self._programs]
        if is_path(name):
            guess = self._guess(name, targets)
            raise UsageError(f"There is no file '{name}'. The current folder is {Path.cwd()}.{guess}")
        if _is_class_copy(self._root) and _ANSWER.search(name):
            raise UsageError(f"This copy of the workbook is for a class: it does not contain {name}, a reference answer.")
        raise UsageError(self._unknown("target", name, targets))

    def now_called(self, target: str) -> str:
        """The present target for an old one that is typed in full, with a message. Other names stay unchanged."""
        program = self._renamed.get(target)
        if not program:
            return target
        if target not in self._told:
            self._told.add(target)
            complain(renamed(target, program.target))
        return program.target

    def has_file(self, path: Path) -> bool:
        """Whether one of the workbook's programs is in this file."""
        return any(_real(program.source) == _real(path) for program in self._programs)

    def find_chapter(self, name: str) -> Chapter:
        """A chapter by its name, number or folder. Raises UsageError when there is none."""
        chapters = self._chapters_called(name)
        if chapters:
            return chapters[0]
        raise UsageError(self._unknown("chapter", name, []))

    def find_program(self, name: str) -> Program:
        """Like find, but raises UsageError for a chapter."""
        found = self.find(name)
        if isinstance(found, Chapter):
            choices = "\n".join(f"  {program.target}" for program in found.programs)
            raise UsageError(f"'{found.name}' is a whole chapter; name one of its programs:\n{choices}")
        return found

    def _renamed_from(self, name: str) -> list[Program]:
        """The programs that once had this target, file or short name. If there is only one, prints its new name."""
        found = {old: now for old, now in self._renamed.items() if self._was_called(name, old, now)}
        for old in found if len(found) == 1 else ():
            self.now_called(old)
        return list(found.values())

    def _moved_from(self, name: str) -> list[Program]:
        """The program whose file has moved from the chapter's folder to its operation's folder; prints the new path."""
        path = Path(name)
        stem = _NUMBER_PREFIX.sub("", path.stem)
        folders = [path.parent for path in self._as_paths(name)]
        found = [
            program
            for program in self._programs
            if program.target == f"{program.chapter}_{stem}"
            and program.source.parent != self._folder_of(program.chapter)
            and path.suffix == program.source.suffix
            and (len(path.parts) == 1 or _real(self._folder_of(program.chapter)) in folders)
        ]
        for program in found if len(found) == 1 else ():
            complain(renamed(name, str(program.source.relative_to(self._root))))
        return found

    def _folder_of(self, chapter: str) -> Path:
        return self._root / "chapters" / chapter

    def _was_called(self, name: str, old: str, now: Program) -> bool:
        if not is_path(name):
            return name == old or _NUMBER_PREFIX.sub("", name) in self._old_short_names(old, now)
        path = Path(name)
        if path.suffix != now.source.suffix or _NUMBER_PREFIX.sub("", path.stem) not in self._old_short_names(old, now):
            return False
        folder = self._folder_of(self._chapter_of(old, now))
        return len(path.parts) == 1 or _real(folder) in (other.parent for other in self._as_paths(name))

    def _old_short_names(self, old: str, now: Program) -> set[str]:
        chapter = self._chapter_of(old, now)
        stem = old.replace(f"{chapter}_", "", 1)
        return {stem, f"{chapter.split('_', 1)[0]}_{stem}"}

    def _chapter_of(self, old: str, now: Program) -> str:
        """The chapter in a program's old name; the program can be in a different chapter now."""
        names = (chapter.name for chapter in self.chapters if old.startswith(f"{chapter.name}_"))
        return next(names, now.chapter)

    def _chapters_called(self, name: str) -> list[Chapter]:
        exact = [chapter for chapter in self.chapters if chapter.name == name]
        if exact or not name:
            return exact
        return [
            chapter
            for chapter in self.chapters
            if name in chapter.name.split("_", 1)
            or ("/" in name and any(path == _real(chapter.folder) for path in self._as_paths(name)))
        ]

    def _programs_in_file(self, name: str) -> list[Program]:
        paths = self._as_paths(name)
        exact = [program for program in self._programs if _real(program.source) in paths]
        if exact or "/" in name:
            return exact
        # A file name without a folder means the learner's file, not the solution of the same name.
        return [program for program in self._programs if program.source.name == name and program.kind != "solution"]

    def _as_paths(self, name: str) -> list[Path]:
        return [_real(Path(name)), _real(self._root / name)]

    def _unknown(self, what: str, name: str, targets: list[str]) -> str:
        for suffix, command in (("_check", "test"), ("_bench", "bench")):
            stem = name[: -len(suffix)] if name.endswith(suffix) else ""
            if any(chapter.name == stem for chapter in self.chapters):
                return f"'{name}' is a CMake target. The command for it: ./workbook {command} {stem}"
        return f"There is no {what} '{name}'.{self._guess(name, targets)} {_HOW_TO_LIST}"

    def _guess(self, name: str, targets: list[str]) -> str:
        lower = name.lower()
        if lower != name and (self._chapters_called(lower) or targets and self._is_called(lower)):
            return f" Did you mean {lower}?"
        stem = re.sub(r"\.cu\Z", "", lower.rsplit("/", 1)[-1])
        short_names = {short: target for target in targets for short in (target, target.split("_", 2)[-1])}
        for program in self._programs if targets else ():
            if program.kind == "exercise":
                topic = program.source.stem
                short_names.update({topic: program.target, f"{program.target.split('_')[0]}_{topic}": program.target})
        for old, now in self._renamed.items() if targets else ():  # a name close to an old name means its program
            short_names.update({short: now.target for short in (old, *self._old_short_names(old, now))})
        short_names.update({chapter.name: chapter.name for chapter in self.chapters})
        exercise = _EXERCISE_TARGET.fullmatch(stem)
        if exercise and targets and stem not in short_names:
            exercises = self._exercises_of(exercise[1])
            if exercises:
                return f" Chapter {exercise[1]} has {_listed(exercises)}."
        import difflib  # imported here, because that takes time and few calls need it

        nearest = difflib.get_close_matches(_NUMBER_PREFIX.sub("", stem), short_names, n=1)
        return f" Did you mean {short_names[nearest[0]]}?" if nearest else ""

    def _is_called(self, name: str) -> bool:
        return any(name == program.target or name in _short_names(program) for program in self._programs)

    def _exercises_of(self, number: str) -> list[str]:
        """The targets of a chapter's exercises; empty without such a chapter."""
        chapters = (chapter for chapter in self.chapters if chapter.name.split("_", 1)[0] == f"ch{number}")
        return [program.target for chapter in chapters for program in chapter.of_kind("exercise")]


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def read_catalogue(root: Path) -> Catalogue:
    """Reads every chapter under root. Raises WorkbookError if a list names an unknown chapter or is not text, or without
    any chapter.
    """
    chapters = []
    for lists_file in sorted((root / "chapters").glob("*/CMakeLists.txt"), key=_chapter_number):
        try:
            text = re.sub(r"#[^\n]*", "", lists_file.read_text(encoding="utf-8"))
        except UnicodeDecodeError as error:
            raise WorkbookError(f"{lists_file} is not UTF-8 text.") from error
        chapter = _read_chapter(lists_file, text, root)
        if chapter:
            chapters.append(chapter)
    if not chapters:
        raise WorkbookError(f"There are no chapters in {root / 'chapters'}: is this a complete copy of the workbook?")
    return Catalogue(chapters, root, read_old_names(root))


def _chapter_number(lists_file: Path) -> tuple[float, str]:
    """A sort key that puts ch10 after ch9, and folders without a number last."""
    match = _CHAPTER_NUMBER.match(lists_file.parent.name)
    return (int(match[1]) if match else math.inf, lists_file.parent.name)


def _read_chapter(lists_file: Path, text: str, root: Path) -> Chapter | None:
    folder = lists_file.parent
    name = ""
    programs: list[Program] = []
    for call, body in _CALL.findall(text):
        words = body.split()
        if not words:
            continue
        if call == "add_chapter":
            name = words[0]
        elif words[0] != name:
            raise WorkbookError(f"{lists_file}: add_operation names the chapter '{words[0]}', not '{name}'.")
        lists = _keyword_lists(words[1:])
        if call == "add_chapter":
            stems = _stages(folder, ".") + [stem for ladder in lists.get("LADDERS", ()) for stem in _stages(folder, ladder)]
        else:
            stems = _stages(folder, words[1]) if len(words) > 1 else []
        calls = _stage_file(folder, lists["CALLS"][0], root) if "CALLS" in lists else None
        for stem in (*stems, *lists.get("BASELINES", ())):
            kind = "stage" if call == "add_chapter" or stem.startswith(_ON_CPU) else "operation"
            source = _stage_file(folder, stem, root)
            needs = read_requirements(source)
            if not needs.needs_mpi:
                target = f"{name}_{_target_part(stem)}"
                programs.append(Program(target, name, source, kind, needs.needs_gpu, needs.is_whole, calls))
        for stem in lists.get("EXERCISES", ()):
            programs += _exercise(name, folder, stem, root)
    if not name:
        return None
    order = ("stage", "operation", "exercise", "solution")
    # Stages and exercises are sorted by their numbers; operations keep the order of the list.
    programs.sort(key=lambda program: (order.index(program.kind), _exercise_number(program), _stage_number(program)))
    return Chapter(ChapterFiles(root, name), tuple(programs))


def _stages(folder: Path, ladder: str) -> list[str]:
    """The numbered files in a chapter's folder or, such as `all_reduce/01_ring`, in one of its subfolders."""
    if not os.path.isdir(folder / ladder):  # false for a name that is too long; Path.glob raises an exception
        return []
    files = sorted((folder / ladder).glob(_STAGE_FILES))
    stems = [file.relative_to(folder).with_suffix("").as_posix() for file in files]
    return [stem for stem in stems if not stem.startswith(_ON_CPU)]


def _target_part(stem: str) -> str:
    """The part of a target's name after the chapter: all_reduce_ring for all_reduce/01_ring."""
    *folders, file = stem.split("/")
    return "_".join([*folders, _NUMBER_PREFIX.sub("", file)])


def _stage_file(folder: Path, stem: str, root: Path) -> Path:
    """The source file: in the chapter's folder, in its baselines/, or in common/harness/ if several chapters use it.

    A program without a kernel is a .cpp file.
    """
    shared = root / "common" / "harness"
    folders = (folder, folder / "baselines", shared, shared / "baselines")
    files = (directory / f"{stem}{suffix}" for directory in folders for suffix in (".cu", ".cpp"))
    # os.path.isfile returns false for a name that is too long; Path.is_file raises an exception.
    return next((file for file in files if os.path.isfile(file)), folder / f"{stem}.cu")


def _stage_number(program: Program) -> str:
    """A sort key that puts stages without a number after all others."""
    match = _NUMBER_PREFIX.match(program.source.name)
    return match.group() if match and program.kind == "stage" else "~"


def _exercise_number(program: Program) -> int:
    match = _EXERCISE_FILE.match(program.source.name)
    return int(match.group(1)[2:]) if match else 0


def _exercise(chapter: str, folder: Path, stem: str, root: Path) -> list[Program]:
    match = _EXERCISE_FILE.match(stem)
    answers = {"solution": stem}
    if chapter == PROJECTS:
        target = f"project_{stem}"
        answers["second"] = f"{stem}_second"
    elif match:
        target = f"{chapter.split('_', 1)[0]}_{match.group(1)}"
    else:
        raise WorkbookError(f"{folder / 'CMakeLists.txt'}: the exercise '{stem}' is not named exN_something.")
    solutions = root / "solutions" / chapter
    answers = {} if _is_class_copy(root) else answers
    return [
        Program(target, chapter, folder / f"{stem}.cu", "exercise"),
        *(Program(f"{target}_{end}", chapter, solutions / f"{file}.cu", "solution") for end, file in answers.items()),
    ]


def _is_class_copy(root: Path) -> bool:
    return os.path.isfile(root / CLASS_RECORD)


def _keyword_lists(words: list[str]) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    keyword = ""
    for word in words:
        if _KEYWORD.match(word):
            keyword = word
        else:
            lists.setdefault(keyword, []).append(word)
    return lists


def _short_names(program: Program) -> set[str]:
    names = {program.source.stem} if program.kind != "solution" else set()
    for prefix in (f"{program.chapter}_", f"{program.chapter.split('_', 1)[0]}_"):
        if program.target.startswith(prefix):
            names.add(program.target[len(prefix) :])
    # An exercise can be named with its topic: `ex2_swizzled` is ch3_ex2, but `swizzled` is the stage.
    return names
