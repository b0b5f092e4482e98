"""Tables: which files are read, and cells without formulas."""

from __future__ import annotations

import os
import unittest
from pathlib import Path

from support import FolderTest

from cli.checking.plain_files import MAX_TABLE_BYTES, printable_name, read_plain_text, text_cell
from cli.errors import UsageError


class ReadTest(FolderTest):
    def assert_refused(self, file: Path, reason: str) -> None:
        with self.assertRaisesRegex(UsageError, f"^Cannot read .*: {reason}.* One name on each line.$"):
            read_plain_text(file, "One name on each line.")

    def test_reads_a_file_and_through_a_link(self) -> None:
        (self.folder / "link").symlink_to(self.put("a.txt", "\ufeffJörg\n"))
        self.assertEqual(read_plain_text(self.folder / "link", ""), "Jörg\n")

    def test_a_pipe_without_a_writer_is_refused_at_once(self) -> None:
        os.mkfifo(self.folder / "pipe")
        self.assert_refused(self.folder / "pipe", "it is not a file of at most 4 MiB")

    def test_devices_folders_and_large_files_are_refused(self) -> None:
        self.assert_refused(Path("/dev/zero"), "it is not a file")
        self.assert_refused(self.folder, "Is a directory|it is not a file")
        large = self.put("large")
        os.truncate(large, MAX_TABLE_BYTES + 1)
        self.assert_refused(large, "it is not a file of at most 4 MiB")
        os.truncate(large, 2 << 30)
        self.assert_refused(large, "it is not a file of at most 4 MiB")

    def test_other_text_and_impossible_names_are_refused(self) -> None:
        self.put("latin").write_bytes(b"J\xf6rg")
        self.assert_refused(self.folder / "latin", "it is not UTF-8 text")
        self.assert_refused(self.folder / "a\0b", "embedded null byte")
        self.assert_refused(self.folder / "absent", "No such file")


class CellTest(unittest.TestCase):
    def test_each_start_of_a_formula_is_quoted(self) -> None:
        for start in "=+-@\uff1d\uff0b\uff0d\uff20":
            self.assertEqual(text_cell(f"{start}SUM(A1)"), f"'{start}SUM(A1)")
            self.assertEqual(text_cell(f"  {start}SUM(A1)"), f"  '{start}SUM(A1)")
        for control in "\t\r\n":
            self.assertTrue(text_cell(f"{control}cmd").startswith("'"))

    def test_a_formula_after_another_separator_is_quoted(self) -> None:
        self.assertEqual(text_cell("Ada;=1+1"), "Ada;'=1+1")
        self.assertEqual(text_cell('a","@x\t-y\n+z'), "a\",\"'@x\t'-y\n'+z")

    def test_other_text_and_numbers_stay(self) -> None:
        for text in ("Jörg Müller", "Jean-Luc", "a@b.org", "1+1", "-", "-2.5", "+5%", ""):
            self.assertEqual(text_cell(text), text)

    def test_names_that_are_not_utf_8_are_different_printable_texts(self) -> None:
        names = {printable_name(os.fsdecode(name)) for name in (b"\xff", b"\xfe", "J\u00f6rg".encode())}
        self.assertEqual(names, {"\\xff", "\\xfe", "J\u00f6rg"})
