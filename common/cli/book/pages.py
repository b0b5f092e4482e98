"""The pages of the book, and their order."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.book.markdown import linked_files
from cli.errors import WorkbookError
from cli.exercises.course import PAGE as COURSE
from cli.exercises.course import read_paths
from cli.exercises.predictions import with_answers_below
from cli.workbook import Workbook

ROOT_PAGE = "README.md"
# Pages of docs/ before the chapters, and pages at the end for teachers and authors. The other pages are between them.
_FIRST = ("setup", "first_hour", "course", "reading_a_stage", "book")
_LAST = ("for_teachers", "adding", "writing_lessons", "maintaining", "tested_systems", "wrong_counts", "contributing")


@dataclass(frozen=True)
class Part:
    """The pages under one heading of the book's contents, as paths in the workbook."""

    heading: str
    pages: tuple[str, ...]


def parts_of(workbook: Workbook) -> list[Part]:
    """All pages, each once, in the order of the book."""
    docs = sorted(file.stem for file in (workbook.root / "docs").glob("*.md"))
    between = [name for name in docs if name not in (*_FIRST, *_LAST)]
    parts = [
        Part("Start here", (ROOT_PAGE, *_docs(name for name in _FIRST if name in docs))),
        *_chapters_in_order(workbook),
        Part("Reference", _docs(between)),
        Part("Teaching and contributing", _docs(name for name in _LAST if name in docs)),
    ]
    known = {page for part in parts for page in part.pages}
    parts[-1] = Part(parts[-1].heading, (*parts[-1].pages, *_others(known, workbook.root)))
    return [part for part in parts if part.pages]


def _docs(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(f"docs/{name}.md" for name in names)


def _chapters_in_order(workbook: Workbook) -> list[Part]:
    """The pages of the chapters in the order of the course; chapters that are not in its table come last. Without a
    table, all pages are on the core path.
    """
    try:
        rows = read_paths((workbook.root / COURSE).read_text(encoding="utf-8"))
    except OSError:
        rows = []
    place = {row.core.chapter: number for number, row in enumerate(rows)}
    on_core = {row.core.chapter for row in rows if row.core.names or row.core.has_everything}
    core: list[str] = []
    advanced: list[str] = []
    for chapter in sorted(workbook.catalogue.chapters, key=lambda chapter: place.get(chapter.name, len(place))):
        for page in chapter.files.pages:
            is_core = not rows or (chapter.name in on_core and page.name == "README.md")
            (core if is_core else advanced).append(page.relative_to(workbook.root).as_posix())
    return [Part("Core path", tuple(core)), Part("Advanced path and projects", tuple(advanced))]


def _others(known: set[str], root: Path) -> list[str]:
    """The pages in other folders that the known pages link to."""
    found: list[str] = []
    to_read = sorted(known)
    while to_read:
        page = to_read.pop(0)
        for linked in linked_files(read_page(root, page)):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(page), linked))
            if path.endswith(".md") and path not in known and (root / path).is_file():
                known.add(path)
                found.append(path)
                to_read.append(path)
    return found


def read_page(root: Path, page: str) -> str:
    """The text of a page; in a chapter's, answers are below their questions. Raises WorkbookError if it is not a text."""
    try:
        text = (root / page).read_text(encoding="utf-8").replace("\r\n", "\n")
        return with_answers_below(text) if page.startswith("chapters/") else text
    except UnicodeDecodeError as error:
        raise WorkbookError(f"{page} is not a UTF-8 text.") from error


def name_in_book(path: str) -> str:
    """The name of a page in the book: a chapter's README becomes its folder's index, which a web server expects."""
    if path == ROOT_PAGE:
        return "overview.md"  # the book's first page is not a page of the workbook (landing.py)
    folder, name = posixpath.split(path)
    return posixpath.join(folder, "index.md" if name == "README.md" else name)


def relative_to_page(path: str, page: str) -> str:
    """A path in the workbook, relative to a page, for a link."""
    return os.path.relpath(path, posixpath.dirname(page) or ".").replace(os.sep, "/")
