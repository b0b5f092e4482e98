"""The workbook's folder, on which every command works."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from cli.catalogue import CLASS_RECORD, Catalogue, read_catalogue
from cli.chapter_files import ChapterFiles

PROGRESS = "progress.csv"  # the record of a learner's progress


class Workbook:
    def __init__(self, root: Path) -> None:
        self.root = root

    @functools.cached_property
    def catalogue(self) -> Catalogue:
        return read_catalogue(self.root)

    @property
    def is_class_copy(self) -> bool:
        """Whether './workbook class' has made this copy, so that it has no reference answers."""
        return (self.root / CLASS_RECORD).is_file()

    def files_of(self, chapter: str) -> ChapterFiles:
        return ChapterFiles(self.root, chapter)

    def shown(self, path: Path) -> str:
        """A path as a learner types it in the workbook's folder; the full path if the file is not in that folder."""
        try:
            return str(Path(os.path.realpath(path)).relative_to(os.path.realpath(self.root)))
        except ValueError:
            return str(path)
