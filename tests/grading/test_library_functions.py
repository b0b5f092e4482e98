"""The functions that an answer can call, and the record of their names."""

from __future__ import annotations

import subprocess
from pathlib import Path

from support import FolderTest

from grading.screening.library_functions import defined_functions


class LibraryFunctionsTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.record = self.folder / "records/names.json"
        self.archive = self._object("first")

    def _object(self, function: str) -> Path:
        file = self.folder / "library.o"
        source = f'extern "C" {{ void elsewhere(); void {function}() {{ elsewhere(); }} }}'
        subprocess.run(["g++", "-x", "c++", "-c", "-", "-o", str(file)], input=source, text=True, check=True)
        return file

    def names(self) -> frozenset[str]:
        return defined_functions((self.archive,), self.record)

    def test_has_the_names_that_the_files_and_libm_define(self) -> None:
        self.assertLessEqual({"first", "sqrtf"}, self.names())
        self.assertNotIn("elsewhere", self.names())

    def test_names_are_taken_from_the_record(self) -> None:
        self.names()
        text = self.record.read_text(encoding="utf-8")
        self.record.write_text(text.replace('"first"', '"noted"'), encoding="utf-8")
        self.assertLessEqual({"noted", "sqrtf"}, self.names())

    def test_a_file_that_has_changed_is_read_again(self) -> None:
        self.names()
        self._object("second")
        self.assertIn("second", self.names())
        self.assertNotIn("first", self.names())

    def test_other_files_have_other_names(self) -> None:
        self.names()
        self.assertNotIn("first", defined_functions((), self.record))

    def test_a_file_that_cannot_be_read_is_not_recorded(self) -> None:
        self.archive.write_text("no object", encoding="utf-8")
        self.assertIn("sqrtf", self.names())
        self.assertFalse(self.record.exists())

    def test_a_record_that_cannot_be_read_is_ignored(self) -> None:
        for text in ("", "[]", "{", '{"format": 1}', '{"format": 1, "asked": 3, "files": 4, "names": 5}'):
            with self.subTest(text):
                self.names()
                self.record.write_text(text, encoding="utf-8")
                self.assertIn("first", self.names())
