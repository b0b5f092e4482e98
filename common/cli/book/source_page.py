"""A source file as a page of the book."""

from __future__ import annotations

import difflib
import posixpath

from cli.book.advanced_pages import divided
from cli.book.pages import name_in_book, relative_to_page
from cli.book.sources import name_in_book as source_name
from cli.catalogue import Program
from cli.chapter_files import ChapterFiles
from cli.workbook import Workbook


class SourcePages:
    """Writes the pages of source files, with links to adjacent stages and to the lesson."""

    def __init__(self, workbook: Workbook) -> None:
        self._root = workbook.root
        self._programs: dict[str, Program] = {}
        self._before: dict[str, str] = {}
        self._after: dict[str, str] = {}
        for chapter in workbook.catalogue.chapters:
            for program in chapter.programs:
                self._programs.setdefault(self._path(program), program)
            stages = [self._path(stage) for stage in chapter.of_kind("stage") if stage.source.name[0].isdigit()]
            for before, after in zip(stages, stages[1:]):
                self._after[before], self._before[after] = after, before

    def _path(self, program: Program) -> str:
        return program.source.relative_to(self._root).as_posix()

    def adjacent(self, path: str) -> list[str]:
        """The stages before and after a stage."""
        return [other for other in (self._before.get(path), self._after.get(path)) if other]

    def text(self, path: str) -> str:
        """Markdown with the file's name, links, differences from the previous stage, and its lines."""
        source = self._read(path)
        name = posixpath.basename(path)
        blocks = ["---\norphan: true\nnosearch: true\n---", f"# `{name}`", self._about(path)]
        before = self._before.get(path)
        if before:
            blocks.append(_difference(before, self._read(before), path, source))
        blocks.append(f"```{{source-file}} {path}\n```")
        return "\n\n".join(blocks) + "\n"

    def _read(self, path: str) -> str:
        return (self._root / path).read_text(encoding="utf-8", errors="replace")

    def _about(self, path: str) -> str:
        words = [f"`{path}`"]
        lesson = self._lesson_of(path)
        if lesson:
            words.append(f"&middot; [the lesson]({relative_to_page(name_in_book(lesson), path)})")
        program = self._programs.get(path)
        if program:
            words.append(f"&middot; `./workbook run {program.target}`")
        for label, other in (("the previous stage", self._before.get(path)), ("the next stage", self._after.get(path))):
            if other:
                words.append(
                    f"&middot; {label}: [{posixpath.basename(other)}]({relative_to_page(source_name(other), path)})"
                )
        return " ".join(words)

    def _lesson_of(self, path: str) -> str:
        """The page of the chapter that shows lines of a source, or the core page; empty for a source outside a chapter."""
        folder, _, rest = path.partition("/")
        chapter, _, name = rest.partition("/")
        files = ChapterFiles(self._root, chapter)
        pages = [page.relative_to(self._root).as_posix() for page in files.pages] if folder == "chapters" else []
        pieces = (piece for page in pages for piece in divided(page, self._read(page)))
        showing = (piece.path for piece in pieces if f"```cuda {name}\n" in piece.text)
        return next(showing, pages[0] if pages else "")


def _difference(before: str, old: str, path: str, new: str) -> str:
    """A fold with the lines in which a stage differs from the previous stage."""
    names = (posixpath.basename(before), posixpath.basename(path))
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), *names, n=2, lineterm="")
    block = "\n".join(lines)
    return (
        f"<details><summary>Differences from <code>{names[0]}</code></summary>\n\n````diff\n{block}\n````\n</details>"
    )
