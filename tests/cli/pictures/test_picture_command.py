"""`./workbook inspect --picture`: the file, and usage errors."""

from __future__ import annotations

import json
from unittest import mock

from pictures.support import access, words
from support import FakeWorkbook, FolderTest, report_of

from cli.errors import MissingToolError, UsageError
from cli.pictures import picture_file


class PictureFileTest(FolderTest):
    def test_unwritable_files_are_refused_before_any_work(self) -> None:
        for name, message in (
            ("picture.jpg", "draws .svg or .png, not 'picture.jpg'"),
            ("picture", "draws .svg or .png"),
            ("absent/picture.svg", "there is no folder"),
            ("", "is a folder"),
        ):
            with self.subTest(name), self.assertRaisesRegex(UsageError, message):
                picture_file.prepare(self.folder / name)
        with mock.patch("os.access", return_value=False), self.assertRaisesRegex(UsageError, "cannot be written"):
            picture_file.prepare(self.folder / "a.svg")

    def test_missing_converter_suggests_svg(self) -> None:
        with mock.patch.object(picture_file, "is_present", return_value=False):
            with mock.patch.object(picture_file, "ensure", side_effect=MissingToolError("")):
                picture_file.prepare(self.folder / "a.svg")
                with self.assertRaisesRegex(MissingToolError, "^Or name the picture a.svg: any browser shows it.$"):
                    picture_file.prepare(self.folder / "a.png")


class CommandTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write("report.json", json.dumps(report_of(access(lambda lane: 128 * lane, line=25, column=5))))
        self.write_program(
            "ch3_transpose_naive_inspect",
            f'cp "{self.root}/report.json" "$CUDA_SIMULATOR_REPORT"; '
            f'echo "$CUDA_SIMULATOR_ELEMENTS $CUDA_SIMULATOR_COLUMNS $*" >>"{self.root}/environment"',
        )

    def test_svg(self) -> None:
        file = self.root / "new.svg"
        result = self.ends(0, "inspect", "naive", "--picture", str(file), "--columns", "7", "--", "--rows", "5")
        self.assertIn(f"The picture is in {file}.", result.stdout)
        self.assertIn("ch3_transpose_naive --rows 5: 1 block of 32 threads", " ".join(words(file.read_text())))
        self.assertEqual((self.root / "environment").read_text(), "1 7 --rows 5\n")

    def test_without_a_picture_no_elements_are_traced(self) -> None:
        self.assertEqual(self.workbook("inspect", "naive").returncode, 0)
        self.assertEqual((self.root / "environment").read_text(), "  \n")

    def test_png_through_the_converter(self) -> None:
        self.write_tool("rsvg-convert", 'for word; do case $word in --output=*) cat >"${word#--output=}";; esac; done')
        file = self.root / "new.png"
        self.ends(0, "inspect", "naive", "--picture", str(file))
        self.assertIn("Memory accesses of k", words(file.read_text()))

    def test_converter_that_fails(self) -> None:
        self.write_tool("rsvg-convert", "cat >/dev/null; echo no room >&2; exit 1")
        result = self.ends(1, "inspect", "naive", "--picture", str(self.root / "new.png"))
        self.assertIn("rsvg-convert could not write", result.stderr)
        self.assertIn("no room", result.stderr)

    def test_usage_errors_come_before_the_build(self) -> None:
        for arguments, message in (
            (("--picture", "a.gif"), "--picture draws .svg or .png, not 'a.gif'"),
            (("--line", "3"), "--line needs a picture: add --picture FILE.svg"),
            (("--columns", "3"), "--columns needs a picture or a page"),
            (("--picture", "/tmp/a.svg", "--columns", "0"), "--columns takes an integer of at least 1, not '0'"),
            (("--picture", "/tmp/a.svg", "--line", "x"), "--line takes a line or LINE:COLUMN"),
        ):
            with self.subTest(arguments):
                result = self.ends(2, "inspect", "naive", *arguments)
                self.assertIn(message, result.stderr)
                self.assertEqual(result.stdout, "")

    def test_no_access_at_the_line(self) -> None:
        file = self.root / "new.svg"
        result = self.ends(2, "inspect", "naive", "--picture", str(file), "--line", "7")
        self.assertIn("There is no access at line 7. The accesses are at 25:5 (kernel.cu).", result.stderr)
        self.assertFalse(file.exists())
