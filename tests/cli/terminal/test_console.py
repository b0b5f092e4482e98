"""Printed lines fit the terminal, and verdicts have a mark. In a file, lines stay unchanged."""

from __future__ import annotations

import unittest
from unittest import mock

import support  # noqa: F401  # finds cli
from terminal.screen import Screen, shown

from cli.terminal import console
from cli.terminal.console import complain, mark, say, table, verdict, width_columns, wrapped
from cli.terminal.fitting import fitted, unbroken, visible_columns

PROSE = "An element that still holds NaN was not written by any thread. The grid is flat, so blockIdx.y is always 0."
RED = "\033[31m"
PLAIN = "\033[0m"


class FitTest(unittest.TestCase):
    def test_prose_is_broken_between_words(self) -> None:
        lines = fitted(PROSE, 40).split("\n")
        self.assertEqual(" ".join(lines), PROSE)
        self.assertEqual(lines[0], "An element that still holds NaN was not")

    def test_where_a_line_continues(self) -> None:
        long, name = "x" * 50, "--all     those of the simulator too: for CI"
        for line, columns, lines in (
            ("  a    b  ", 40, ["  a    b  "]),  # it fits
            ("  one two three four", 12, ["  one two", "    three", "    four"]),
            ("  2. one two three", 12, ["  2. one two", "     three"]),
            ("- one two three", 10, ["- one two", "  three"]),
            ("✗ one two three", 10, ["✗ one two", "  three"]),
            (f"see {long} there", 40, ["see", long, "there"]),
            (f"✗ {long}: wrong result.", 40, [f"✗ {long}:", "  wrong result."]),  # no mark is alone
            (name, 36, ["--all     those of the simulator", "          too: for CI"]),
            (name, 30, ["--all     those of the", "  simulator too: for CI"]),
            ("grid 512 x 1 x 1, half", 14, ["grid", "512 x 1 x 1,", "half"]),
            ("hunt [--seed N] [--answer N]", 20, ["hunt [--seed N]", "[--answer N]"]),
            ("efficiency 100 %", 14, ["efficiency", "100 %"]),
            ("swizzled (15 minutes)", 14, ["swizzled", "(15 minutes)"]),
            # A command stays whole if it fits, otherwise a shell accepts the parts.
            ("Next hint: ./workbook hint ch1_ex1", 25, ["Next hint:", "./workbook hint ch1_ex1"]),
            ("Wait: ./workbook check ch0_ex1. (Or not.)", 28, ["Wait:", "./workbook check ch0_ex1.", "(Or not.)"]),
            ("Say './workbook hint ch1_ex1', or wait.", 28, ["Say", "'./workbook hint ch1_ex1',", "or wait."]),
            ("CXX=g++ ./workbook run ch1_saxpy_one_block", 40, ["CXX=g++ \\", "    ./workbook run ch1_saxpy_one_block"]),
            (
                "  ./workbook inspect ch3_transpose_localmem -- --rows 1000 --cols 777",
                40,
                ["  ./workbook inspect \\", "      ch3_transpose_localmem -- --rows \\", "      1000 --cols 777"],
            ),
        ):
            with self.subTest(line, columns=columns):
                self.assertEqual(fitted(line, columns).split("\n"), lines)

    def test_colours_take_no_room(self) -> None:
        line = f"{RED}one two{PLAIN} three"
        self.assertEqual(visible_columns(line), 13)
        self.assertEqual(fitted(line, 13), line)
        self.assertEqual(fitted(line, 12), f"{RED}one two{PLAIN}\nthree")

    def test_compiler_output_is_not_broken(self) -> None:
        for line in (
            "chapters/ch1_saxpy/ex1_add.cu:12:5: error: expected ';' before '}' token",
            "   12 |   const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x)",
            "      |                                                                       ^",
        ):
            self.assertEqual(fitted(line, 40), line)

    def test_text_with_line_ends(self) -> None:
        text = """\
Runs your file, and
counts.

--file FILE checks this file
instead of yours.
--json prints an object
  --all     those of the tests
            too
new     writes a copy

  ./workbook check ch3_ex2
  ./workbook check ch3_ex3"""
        self.assertEqual(
            unbroken(text).split("\n"),
            [
                "Runs your file, and counts.",
                "",
                "--file FILE checks this file instead of yours.",
                "--json prints an object",
                "  --all     those of the tests too",
                "new     writes a copy",
                "",
                "  ./workbook check ch3_ex2",
                "  ./workbook check ch3_ex3",
            ],
        )


class SayTest(unittest.TestCase):
    def test_fits_the_terminal(self) -> None:
        for columns in (40, 60, 80, 200):
            with shown(Screen(), COLUMNS=str(columns)) as screen:
                say(PROSE)
                complain(PROSE)
            self.assertLessEqual(max(map(len, screen.text().splitlines())), columns)
            self.assertEqual(" ".join(screen.text().split()), f"{PROSE} {PROSE}")

    def test_quoted_lines_are_not_broken(self) -> None:
        with shown(Screen(), COLUMNS="40") as screen:
            say(PROSE, whole_lines=True)
        self.assertEqual(screen.text(), f"{PROSE}\n")

    def test_a_file_has_the_lines_unchanged(self) -> None:
        with shown(Screen(is_terminal=False), COLUMNS="40") as screen:
            say(PROSE)
        self.assertEqual(screen.text(), f"{PROSE}\n")

    def test_characters_that_the_encoding_lacks(self) -> None:
        for errors in ("strict", "backslashreplace"):
            with shown(Screen("ascii", errors=errors)) as screen:
                say("✓ ‘z’ is “new”…")
                complain("é")
            self.assertEqual(screen.text(), "[ok] 'z' is \"new\"...\n\\xe9\n")

    def test_a_file_name_that_is_not_text(self) -> None:
        with shown(Screen()) as screen:
            say("bad\udcff.cu")
        self.assertEqual(screen.text(), "bad\\udcff.cu\n")


class WidthTest(unittest.TestCase):
    def test_widths(self) -> None:
        for screen, columns, width in (
            (Screen(), "57", 57),
            (Screen(), "12", 40),
            (Screen(), "wide", 80),
            (Screen(is_terminal=False), "57", 100),
        ):
            with self.subTest(columns=columns), shown(screen, COLUMNS=columns):
                self.assertEqual(width_columns(), width)

    def test_wrapped_has_at_most_100_columns(self) -> None:
        for screen, width in ((Screen(), 50), (Screen(is_terminal=False), 100)):
            with shown(screen, COLUMNS="50"):
                longest = max(map(len, wrapped(f"{PROSE}\n  indented {'x ' * 60}").splitlines()[:-1]))
            self.assertGreater(longest, width - 12)
            self.assertLessEqual(longest, width)

    def test_wrapped_does_not_change_indented_lines(self) -> None:
        line = f"  x.cu:3:5 {'x ' * 60}"
        self.assertEqual(wrapped(line), line)


class MarkTest(unittest.TestCase):
    def test_marks_and_colours(self) -> None:
        with shown(Screen()):
            self.assertEqual(verdict(True, "a.cu passes"), "\033[32m✓ a.cu passes\033[0m")
            self.assertEqual(verdict(False, "a.cu: wrong.\nMore."), "\033[31m✗ a.cu: wrong.\033[0m\nMore.")
            self.assertEqual(mark(None), "\033[33m-\033[0m")

    def test_no_colour_where_it_is_not_wanted(self) -> None:
        for screen, environment in (
            (Screen(), {"NO_COLOR": "1"}),
            (Screen(is_terminal=False), {}),
        ):
            with shown(screen, **environment):
                self.assertEqual((mark(True), mark(False)), ("✓", "✗"))

    def test_ascii_on_a_terminal_with_ascii_only(self) -> None:
        for encoding, environment in (
            ("utf-8", {"TERM": "dumb"}),
            ("utf-8", {"LANG": "C"}),
            ("utf-8", {"LANG": ""}),
            ("utf-8", {"LC_ALL": "POSIX"}),
            ("ascii", {}),
            ("latin-1", {"LANG": "de_DE"}),
        ):
            with self.subTest(encoding, **environment), shown(Screen(encoding, is_terminal=False), **environment):
                self.assertEqual((mark(True), mark(False), mark(None)), ("[ok]", "[x]", "[-]"))

    def test_the_language_that_python_sets_instead_of_c(self) -> None:
        flags = mock.Mock(utf8_mode=1)
        with shown(Screen(), LANG="C", LC_CTYPE="C.UTF-8"), mock.patch.object(console.sys, "flags", flags):
            self.assertIn("[ok]", mark(True))


class TableTest(unittest.TestCase):
    ROWS = [["ch3_ex1", "matrix sum", "tried 2026-11-23, 4 checks"], ["ch3_ex10", "x", "not started"]]

    def test_not_broken_without_columns(self) -> None:
        self.assertEqual(
            table(self.ROWS),
            "  ch3_ex1   matrix sum  tried 2026-11-23, 4 checks\n  ch3_ex10  x           not started",
        )

    def test_the_last_cell_continues_below_itself(self) -> None:
        self.assertEqual(
            table(self.ROWS, columns=49).splitlines(),
            [
                "  ch3_ex1   matrix sum  tried 2026-11-23, 4",
                "                        checks",
                "  ch3_ex10  x           not started",
            ],
        )

    def test_a_last_cell_in_the_right_half_continues_below_itself(self) -> None:
        target = "ch3_transpose_copy_coarsened_localmem"
        lines = table([[target, "Copy: several elements per thread, padded"]], columns=80).splitlines()
        self.assertEqual(lines[1], " " * len(f"  {target}  ") + "padded")

    def test_a_row_becomes_two_lines(self) -> None:
        self.assertEqual(
            table(self.ROWS, columns=40).splitlines(),
            ["  ch3_ex1   matrix sum", "        tried 2026-11-23, 4 checks", "  ch3_ex10  x           not started"],
        )

    def test_numbers_go_below_their_row(self) -> None:
        rows = [["", "yours", "reference"], ["shared store: bank conflict, n-way", "32", "1"]]
        self.assertEqual(
            table(rows, right_aligned=(1, 2), columns=40).splitlines(),
            ["    yours  reference", "  shared store: bank conflict, n-way", "       32          1"],
        )

    def test_colours_take_no_room(self) -> None:
        rows = [[f"{RED}a{PLAIN}", "1"], ["bcd", "10"]]
        self.assertEqual(table(rows, right_aligned=(1,)), f"  {RED}a{PLAIN}     1\n  bcd  10")
