"""The paths of a chapter's files. All other Python modules get these paths from here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_INTERFACE_OF = re.compile(r"\bINTERFACE_OF\s+(\w+)")


@dataclass(frozen=True)
class ChapterFiles:
    """The files of one chapter, in the workbook at `root`. The caller checks whether a file exists."""

    root: Path
    chapter: str  # chN_topic

    @property
    def folder(self) -> Path:
        return self.root / "chapters" / self.chapter

    @property
    def topic(self) -> str:
        return self.chapter.partition("_")[2]

    @property
    def tests(self) -> Path:
        return self.root / "tests" / self.chapter

    @property
    def include_folders(self) -> tuple[Path, ...]:
        """The folders with the headers of a stage or an answer."""
        other = _INTERFACE_OF.search(text_of(self.folder / "CMakeLists.txt"))
        return (self.folder, *([self.root / "chapters" / other[1]] if other else []))

    @property
    def readme(self) -> Path:
        """The core page, with everything that comes before the advanced path."""
        return self.folder / "README.md"

    @property
    def advanced(self) -> Path:
        """The page of the advanced path; a small chapter has none."""
        return self.folder / "ADVANCED.md"

    @property
    def pages(self) -> tuple[Path, ...]:
        """The existing pages of the chapter, the core page first."""
        return tuple(page for page in (self.readme, self.advanced) if page.is_file())

    @property
    def claims(self) -> Path:
        return self.folder / "lesson" / "claims.csv"

    @property
    def bench_sizes(self) -> Path:
        return self.folder / "lesson" / "bench_sizes.csv"

    @property
    def inspect_size(self) -> Path:
        return self.folder / "lesson" / "inspect_size.csv"

    @property
    def published_times(self) -> Path:
        return self.folder / "lesson" / "published.csv"

    @property
    def pictures(self) -> Path:
        return self.folder / "lesson" / "pictures"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions" / self.chapter

    def sheet(self, exercise: str) -> Path:
        """An exercise's goals and hints; `exercise` is its file without the ending (ex2_swizzled)."""
        return self.solutions / f"{exercise}.md"

    @property
    def starters(self) -> Path:
        return self.solutions / "starters.csv"

    @property
    def survivors(self) -> Path:
        """The mutants that the chapter's tests accept, with explanations."""
        return self.tests / "survivors.csv"

    @property
    def mistakes(self) -> Path:
        """The catalogue of the bugs that the chapter's tests must find."""
        return self.tests / "mistakes.txt"


def text_of(file: Path) -> str:
    """Empty if the file cannot be read."""
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
