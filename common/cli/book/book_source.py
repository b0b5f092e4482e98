"""Writes the Markdown from which Sphinx builds the book, from the workbook's pages."""

from __future__ import annotations

import hashlib
import json
import posixpath
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from cli.book import advanced_pages, glossary, landing, step_pages
from cli.book.cost_strip import CostStrips, asks_for_counts
from cli.book.figures import figures
from cli.book.hint_folds import exercise_number, fold
from cli.book.listings import with_caption
from cli.book.markdown import Section, code_blocks, inserted, linked_files, sections_of, with_links, without_comments
from cli.book.pages import ROOT_PAGE, name_in_book, parts_of, read_page, relative_to_page
from cli.book.questions import forms
from cli.book.source_page import SourcePages
from cli.book.sources import Sources
from cli.book.sources import name_in_book as source_name
from cli.catalogue import Chapter, Program
from cli.checking.sheet import sheet_of
from cli.exercises.hints import own_hints
from cli.exercises.predictions import Prompt
from cli.exercises.question_sheet import QuestionSheet
from cli.workbook import Workbook

_END_OF_RESULTS = "<!-- results:end -->"
_THEME = Path(__file__).resolve().parent / "theme"


@dataclass
class _Written:
    """The files of the book's source; files that are not written again are removed."""

    folder: Path
    files: set[Path] = field(default_factory=set)

    def write(self, path: str, content: bytes) -> None:
        """Does not touch a file with this content, because Sphinx processes files with a new time."""
        file = self.folder / path
        self.files.add(file)
        if file.is_file() and file.read_bytes() == content:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def remove_others(self) -> None:
        for file in self.folder.rglob("*"):
            if file.is_file() and file not in self.files:
                file.unlink()


class BookSource:
    """The pages, and their Markdown in the book."""

    def __init__(self, workbook: Workbook, with_steps: bool) -> None:
        self._workbook = workbook
        self._root = workbook.root
        self._sources = Sources(workbook.root)
        self._stages = step_pages.stepped_stages(workbook) if with_steps else []
        self._chapters = {
            self._path(page): chapter for chapter in workbook.catalogue.chapters for page in chapter.files.pages
        }
        self.parts = parts_of(workbook)
        self._pages = [page for part in self.parts for page in part.pages]
        self._places = {page: advanced_pages.places(page, read_page(self._root, page)) for page in self._pages}
        self._named: set[str] = set()
        self._pages_of_book: dict[str, str] = {}

    def write(self, folder: Path) -> None:
        """Raises WorkbookError for a page, a question or a hint that cannot be read."""
        written = _Written(folder)
        for page in self._pages:
            for path, text in advanced_pages.book_pages(page, self.page(page)):
                written.write(name_in_book(path), text.encode())
                self._pages_of_book[name_in_book(path)] = page
            for path in self._files_of(page):
                written.write(path, (self._root / path).read_bytes())
        written.write("index.md", landing.page_text(self._workbook, self.parts, bool(self._stages)).encode())
        source_pages = SourcePages(self._workbook)
        for path in sorted(self._with_adjacent(source_pages)):
            written.write(source_name(path), source_pages.text(path).encode())
        written.write("book.json", json.dumps(self._values(), indent=1, sort_keys=True).encode())
        written.remove_others()

    def page(self, page: str) -> str:
        """Markdown for Sphinx, from a page of the workbook."""
        text = read_page(self._root, page)
        self._named.update(self._sources.named_in(text, page))
        code = code_blocks()
        text = code.put_aside(text)
        text = inserted(text, [*figures(text, page)])
        chapter = self._chapters.get(page)
        if chapter:
            sheet = QuestionSheet(chapter, self._workbook)
            questions = forms(text, sheet, self._root / page)
            sections = sections_of(text)
            of_chapter = [*sections, *self._sections_elsewhere(chapter, page)]
            strips = self._strips(chapter, text, sheet.of_page(self._root / page), sections, of_chapter)
            folds = self._folds(chapter, sections, of_chapter)
            text = inserted(text, [*questions, *strips, *folds, *self._own_results(chapter, text)])
        folder = posixpath.dirname(page)
        code.change(lambda block: with_caption(block, folder, self._sources, self._root))
        text = code.put_back(text)
        if page == glossary.PAGE:
            text = glossary.with_anchors(text)
        text = with_links(without_comments(text), lambda path, anchor: self._moved(path, anchor, page))
        return landing.overview(text) if page == ROOT_PAGE else text

    def _path(self, file: Path) -> str:
        return file.relative_to(self._root).as_posix()

    def _moved(self, path: str, anchor: str, page: str) -> str:
        """The target in the book of a page's link."""
        target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        mark = f"#{anchor}" if anchor else ""
        if target in self._sources.paths:
            self._named.add(target)
            return f"{source_name(path)}{mark}"
        piece = self._places.get(target, {}).get(advanced_pages.key_of(anchor))
        if piece:
            return f"{relative_to_page(piece, page)}{mark}"
        is_readme = posixpath.basename(path) == "README.md"
        return f"{relative_to_page(name_in_book(target), page) if is_readme else path}{mark}"

    def _files_of(self, page: str) -> Iterator[str]:
        """Pictures and other files that a page links to and that are not pages of the book."""
        for linked in linked_files(read_page(self._root, page)):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), linked))
            is_page = path.endswith(".md") or path in self._sources.paths
            if not is_page and not path.startswith(("../", "/")) and (self._root / path).is_file():
                yield path

    def _folds(
        self, chapter: Chapter, sections: list[Section], of_chapter: list[Section]
    ) -> Iterator[tuple[int, str]]:
        """The stepping pages of stages and the hints of exercises, each at the end of its section on this page."""
        exercises = {exercise.target: exercise for exercise in chapter.of_kind("exercise")}
        stages = [stage for stage in self._stages if stage.chapter == chapter.name]
        number = chapter.name.split("_", 1)[0]
        for section in sections:
            for stage in step_pages.stages_in(section, stages, of_chapter):
                yield section.end, step_pages.frame(stage, "../../")
            named = exercise_number(section.text)
            exercise = exercises.get(f"{number}_ex{named}") if named else None
            if exercise:
                yield section.end, self._hints(exercise)

    def _strips(
        self,
        chapter: Chapter,
        text: str,
        prompts: Iterable[Prompt],
        sections: list[Section],
        of_chapter: list[Section],
    ) -> Iterator[tuple[int, str]]:
        """The counts of stages, each below the heading of its section on this page."""
        asked = {prompt.stage for prompt in prompts if asks_for_counts(prompt)}
        strips, stages = CostStrips(chapter), list(chapter.of_kind("stage"))
        for section in sections:
            for stage in step_pages.stages_in(section, stages, of_chapter):
                strip = strips.strip(stage, is_folded=stage.source.name.partition("_")[0] in asked)
                if strip:
                    yield text.find("\n", section.begin) + 1, strip

    def _sections_elsewhere(self, chapter: Chapter, page: str) -> list[Section]:
        """The sections of the chapter's other pages."""
        others = (other for other in map(self._path, chapter.files.pages) if other != page)
        texts = (code_blocks().put_aside(read_page(self._root, other)) for other in others)
        return [section for text in texts for section in sections_of(text)]

    def _own_results(self, chapter: Chapter, text: str) -> Iterator[tuple[int, str]]:
        """The learner's own measurements, after the table of results on the chapter's page."""
        file = self._root / "build/results" / f"{chapter.name}.csv"
        end = text.find(_END_OF_RESULTS)
        if end < 0 or not file.is_file():
            return
        command = [sys.executable, str(self._root / "plots/plot_chapter.py"), chapter.name, "--print", "--results", str(file)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if printed.returncode == 0:  # otherwise its message names the file
            where = f"**Your GPU**, measured with `./workbook bench {chapter.name}`:"
            yield end + len(_END_OF_RESULTS), f"\n\n{where}\n\n{printed.stdout.strip()}\n"

    def _hints(self, exercise: Program) -> str:
        return fold(own_hints(sheet_of(exercise, self._workbook)), exercise.target)

    def _with_adjacent(self, pages: SourcePages) -> set[str]:
        """The sources that pages name, and the stages before and after them, which their pages link to."""
        found = set(self._named)
        to_read = sorted(found)
        while to_read:
            for other in pages.adjacent(to_read.pop()):
                if other not in found:
                    found.add(other)
                    to_read.append(other)
        return found

    def _values(self) -> dict[str, object]:
        """The data for the Sphinx extension (theme/workbook_book.py)."""
        terms = glossary.read_terms(read_page(self._root, glossary.PAGE)) if glossary.PAGE in self._pages else []
        return {
            "root": str(self._root),
            "code": _code_digest(),
            "pages": {name[:-3]: page for name, page in self._pages_of_book.items()},
            "named": sorted(self._named),
            "terms": [
                {
                    "anchor": term.anchor,
                    "patterns": [glossary.pattern_of(words) for words in term.words],
                    "name": term.name,
                    "meaning": glossary.meaning_html(term),
                }
                for term in terms
            ],
        }


def _code_digest() -> str:
    files = sorted(file for file in _THEME.rglob("*") if file.is_file() and file.suffix != ".pyc")
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
