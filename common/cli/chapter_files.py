"""Where the files of a chapter are. No other module of the command, the plots or the tests' Python knows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ChapterFiles:
    """The files of one chapter, in the workbook at `root`. Whether a file is there is for the caller to see."""

    root: Path
    chapter: str  # chN_topic

    @property
    def folder(self) -> Path:
        return self.root / "chapters" / self.chapter

    @property
    def include_folders(self) -> tuple[Path, ...]:
        """Where a stage's or an answer's headers are."""
        return (self.folder,)

    @property
    def readme(self) -> Path:
        return self.folder / "README.md"

    @property
    def claims(self) -> Path:
        return self.folder / "claims.csv"

    @property
    def hints(self) -> Path:
        return self.folder / "hints.md"

    @property
    def bench_sizes(self) -> Path:
        return self.folder / "bench_sizes.csv"

    @property
    def inspect_size(self) -> Path:
        return self.folder / "inspect_size.csv"

    @property
    def published_times(self) -> Path:
        return self.folder / "published.csv"

    @property
    def pictures(self) -> Path:
        return self.folder / "pictures"

    @property
    def solutions(self) -> Path:
        return self.root / "solutions" / self.chapter

    @property
    def goals(self) -> Path:
        return self.solutions / "goals.csv"

    @property
    def starters(self) -> Path:
        return self.solutions / "starters.csv"

    @property
    def survivors(self) -> Path:
        """The mutants that its tests accept, explained."""
        return self.root / "tests" / f"{self.chapter}_survivors.csv"

    def judge(self, operation: str = "") -> Path:
        """What records and plays back the calls of an answer: to the chapter's own functions, or an operation's."""
        name = f"{self.chapter}_{operation}" if operation else self.chapter
        return self.root / "tests/grading" / f"{name}.cpp"
