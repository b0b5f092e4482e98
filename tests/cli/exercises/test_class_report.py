"""`./workbook class report`: the page about a class, from files that students can have written."""

from __future__ import annotations

import os
from html.parser import HTMLParser
from pathlib import Path

from support import FolderTest

from cli.catalogue import Program
from cli.errors import UsageError
from cli.exercises.class_report import read_students, report_page

HEAD = "exercise,state,date,checks,hints,failure,answer\n"
EXERCISES = [Program(f"ch3_ex{n}", "ch3_transpose", Path("x.cu"), "exercise") for n in (1, 2)]


class Cells(HTMLParser):
    """The texts of the page's cells, and the names of all tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data.strip()


class ClassReportTest(FolderTest):
    def hand_in(self, name: str, rows: str) -> None:
        (self.folder / name).mkdir()
        (self.folder / name / "progress.csv").write_text(HEAD + rows)

    def page(self) -> str:
        return report_page(read_students(self.folder, {"ch3_ex9": "ch3_ex2"}), EXERCISES, "2026-11-26")

    def row(self, name: str) -> list[str]:
        return next(row[1:] for row in Cells(self.page()).rows if row[0] == name)

    def test_solved_failures_hints_and_wrong_predictions(self) -> None:
        predictions = "predict_ch3_1,solved,2026-11-01,1,,,\npredict_ch3_2,tried,2026-11-01,1,,wrong,\n"
        tried = "ch3_ex9,tried,2026-11-02,3,2,global store: sectors,b\n"
        self.hand_in("ada", f"ch3_ex1,solved,2026-11-01,2,0,,a\n{tried}{predictions}")
        self.assertEqual(self.row("ada"), ["1", "1 of 2", "✓", "✗2"])
        stuck = Cells(self.page()).rows[-1]
        self.assertEqual(stuck, ["ch3_ex2", "global store: sectors", "1", "ada"])

    def test_files_of_students_are_read_too(self) -> None:
        (self.folder / "ben.csv").write_text(HEAD + "ch3_ex1,solved,2026-11-01,1,0,,a\n")
        self.assertEqual(self.row("ben"), ["1", "", "✓"])

    def test_text_of_students_is_escaped_and_cut(self) -> None:
        evil = "</td><script>alert(1)</script>"
        name = evil.replace("/", "|")
        self.hand_in(name, f"ch3_ex1,tried,2026-11-01,1,0,{evil}{'x' * 5000},a\n{evil},solved,2026-11-01,1,0,,a\n")
        page = self.page()
        self.assertEqual(Cells(page).tags & {"script", "img"}, set())
        self.assertIn("&lt;/td&gt;&lt;script&gt;", page)
        self.assertLess(len(page), 10_000)

    def test_links_devices_and_large_files_are_not_read(self) -> None:
        secret = self.folder / "secret.csv"
        secret.write_text(HEAD + "ch3_ex1,solved,2026-11-01,1,0,,a\n")
        for name in ("file", "pipe", "large", "none"):
            (self.folder / name).mkdir()
        (self.folder / "file/progress.csv").symlink_to(secret)
        os.mkfifo(self.folder / "pipe/progress.csv")
        (self.folder / "large/progress.csv").write_bytes(b"x" * ((1 << 20) + 1))
        (self.folder / "folder").symlink_to("/etc")
        said = {name: self.row(name)[0] for name in ("file", "pipe", "large", "none", "folder")}
        self.assertEqual(
            said,
            {
                **{"file": "progress.csv is not a plain file", "pipe": "progress.csv is not a plain file"},
                **{"large": "progress.csv is larger than 1 MiB", "none": "no progress.csv"},
                **{"folder": "a link, which is not followed"},
            },
        )

    def test_a_name_that_is_not_utf_8_can_be_written(self) -> None:
        os.mkdir(os.fsencode(self.folder) + b"/caf\xe9")
        self.page().encode()

    def test_a_folder_without_students(self) -> None:
        with self.assertRaisesRegex(UsageError, "contains no folder of a student"):
            self.page()
