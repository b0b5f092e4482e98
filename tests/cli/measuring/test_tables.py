"""Tables that are not text, or not CSV: every reader raises an error with a message."""

from __future__ import annotations


from support import FolderTest

from cli.catalogue import read_catalogue
from cli.errors import WorkbookError
from cli.exercises.starters import read_starters
from cli.measuring.claims import read_claims
from cli.measuring.measurements import parse_program_output, read_sizes


class BrokenTablesTest(FolderTest):
    BINARY, LONG = b"file,blob\n\xff\xfe,1\n", b"file,blob\n" + b"a" * 200_000 + b",1\n"

    def test_every_reader_names_the_file(self) -> None:
        file = self.folder / "table.csv"
        for read in (read_sizes, read_starters, read_claims):
            for content in (self.BINARY, self.LONG):
                with self.subTest(read=read.__name__, content=content[:12]):
                    file.write_bytes(content)
                    with self.assertRaisesRegex(WorkbookError, "table.csv"):
                        read(file)

    def test_output_of_a_program(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "printed no table"):
            parse_program_output(self.LONG.decode())

    def test_list_of_a_chapter(self) -> None:
        lists = self.folder / "chapters/ch3_transpose/CMakeLists.txt"
        lists.parent.mkdir(parents=True)
        lists.write_bytes(b"add_chapter(ch3_transpose EXERCISES \xff)\n")
        with self.assertRaisesRegex(WorkbookError, "CMakeLists.txt is not UTF-8 text"):
            read_catalogue(self.folder)
