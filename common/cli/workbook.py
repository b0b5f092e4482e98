"""The folder that the command works on."""

from __future__ import annotations

import functools
import os
from pathlib import Path

from cli.catalogue import Catalogue, read_catalogue
from cli.chapter_files import ChapterFiles

CLASS_RECORD = "class.csv"


class Workbook:
    def __init__(self, root: Path) -> None:
        self.root = root

    @functools.cached_property
    def catalogue(self) -> Catalogue:
        return read_catalogue(self.root)

    @property
    def is_class_copy(self) -> bool:
        """Whether it was made by './workbook class', and has no reference answers."""
        return (self.root / CLASS_RECORD).is_file()

    def files_of(self, chapter: str) -> ChapterFiles:
        return ChapterFiles(self.root, chapter)

    def shown(self, path: Path) -> str:
        """A path as a learner would type it from the workbook's folder; in full when it lies elsewhere."""
        try:
            return str(Path(os.path.realpath(path)).relative_to(os.path.realpath(self.root)))
        except ValueError:
            return str(path)
