"""The command's first words, from end to end: help, names, lists and the targets of make."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import unittest

from support import ROOT, FakeWorkbook

from cli.application import GROUPS, _explained
from cli.workbook import Workbook


class DispatchTest(FakeWorkbook):
    def test_help_lists_the_commands_in_three_groups(self) -> None:
        words = self.ends(0, "help").stdout
        self.assertEqual(re.findall(r"^[A-Z][a-z]+$", words, re.MULTILINE), ["Learn", "Measure", "Teach"])
        commands = [name for _, *names in GROUPS for name in names]
        self.assertEqual(re.findall(r"^  (\S+) ", words, re.MULTILINE), commands)
        self.assertEqual(self.workbook().stdout, words)
        lines = words.splitlines()
        self.assertLess(max(map(len, lines)), 80)
        self.assertLess(len(lines), 36)

    def test_help_on_one_command(self) -> None:
        for arguments in (("help", "bench"), ("bench", "--help")):
            self.assertIn("Usage: ./workbook bench CHAPTER", self.workbook(*arguments).stdout)
        self.assertRegex(self.workbook("help", "help").stdout, r"\n  3  a tool is missing\n  4  the build failed\n")

    def test_version_comes_from_the_citation(self) -> None:
        self.assertIn("CITATION.cff", self.ends(1, "--version").stderr)  # there is none
        self.write("CITATION.cff", "cff-version: 1.2.0\ntitle: \"The workbook\"\nversion: 7.0.1\n")
        self.assertEqual(self.ends(0, "--version").stdout, "workbook 7.0.1\n")

    def test_the_newest_change_is_in_the_cited_version(self) -> None:
        cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
        newest = re.search(r"^## (\S+) \((\S+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertIsNotNone(newest)
        self.assertIn(f"\nversion: {newest[1]}\ndate-released: {newest[2]}\n", cited)

    def test_a_folder_of_the_workbook_that_cannot_be_written(self) -> None:
        denied = PermissionError(13, "Permission denied", str(self.root / "build/book"))
        self.assertIn(
            "build/book cannot be written. Do you own the workbook's folder? ls -ld . build/book\nIf not, change its owner",
            _explained(denied, Workbook(self.root)),
        )
        elsewhere = PermissionError(13, "Permission denied", "/etc/shadow")
        self.assertEqual(_explained(elsewhere, Workbook(self.root)), "Permission denied: /etc/shadow")

    def test_control_characters_are_not_echoed(self) -> None:
        for arguments in (("run", "\x1b[31mred"), ("\x1b]0;title\x07",), ("check", "\x9b2J", "--file", "a\x1b.cu")):
            with self.subTest(arguments):
                result = self.ends(2, *arguments)
                self.assertNotRegex(result.stdout + result.stderr, "[\x00-\x08\x0b-\x1f\x7f-\x9f]")

    def test_a_link_to_itself_is_not_a_program(self) -> None:
        (self.root / "loop").symlink_to("loop")
        for arguments in (("run", "./loop"), ("check", "ch3_ex2", "--file", "loop"), ("list", "./loop")):
            with self.subTest(arguments):
                self.assertNotIn("bug in ./workbook", self.ends(2, *arguments, cwd=self.root).stderr)

    def test_a_terminal_with_ascii_only(self) -> None:
        result = self.workbook("run", "m\u00fcsli.cu", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0", PYTHONIOENCODING="ascii")
        self.assertEqual(result.returncode, 2)
        self.assertRegex(result.stderr, r"m\\\S+sli\.cu")

    def test_unknown_names_exit_with_2_and_a_guess(self) -> None:
        for arguments, words in (
            (("rnu",), "Did you mean 'run'?"),
            (("run", "ch3_transpose_nave"), "Did you mean ch3_transpose_naive?"),
            (("test", "ch4_transpose"), "Did you mean ch3_transpose?"),
            (("run",), "required: target"),
            (("run", "naive", "--rows", "3"), "--rows"),
            (("inspect", "ch3_transpose"), "name one of its programs"),
            (("bench", "ch3", "--rounds", "0"), "--rounds must be 1 or more"),
        ):
            with self.subTest(arguments):
                result = self.ends(2, *arguments)
                self.assertIn(words, result.stderr)
                self.assertNotIn("Traceback", result.stderr)

    def test_a_stage_that_was_just_added_needs_no_other_command(self) -> None:
        self.assertEqual(self.workbook("run", "naive").returncode, 0)
        self.write("chapters/ch3_transpose/13_mine.cu", "// Stage 13: mine\n")
        self.write_program("ch3_transpose_mine", "echo mine ran")
        with (self.root / "CMakeLists.txt").open("a", encoding="utf-8") as project:
            project.write("# changed\n")
        result = self.workbook("run", "ch3_transpose_mine")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)
        self.assertIn("mine ran", result.stdout)

    def test_options_of_the_program_follow_dashes(self) -> None:
        for command in ("run", "inspect"):
            result = self.ends(2, command, "naive", "--rows", "3", "--cols=4")
            first, *_, last = result.stderr.splitlines()
            self.assertEqual(first, "Unrecognized arguments: --rows 3 --cols=4.")
            self.assertEqual(
                last, f"Options of the program follow --: ./workbook {command} naive -- --rows 3 --cols=4"
            )

    def test_make_help_lists_the_targets(self) -> None:
        result = self.workbook("targets")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertLess(max(map(len, result.stdout.splitlines())), 120)
        about = result.stdout.split("\n\nch3_transpose", 1)[1]
        self.assertRegex(about, r"\n  ch3_transpose_naive .*\n  with a GPU: ch3_transpose_cublas")
        self.assertIn("\n  your answers: ch3_ex2", about)
        self.assertNotIn("_solution", about)

    def test_list_has_a_line_for_each_chapter(self) -> None:
        self.write("chapters/ch3_transpose/README.md", "# Chapter 3: matrix transpose\n")
        self.write("progress.csv", "exercise,state,date,checks,hints,failure,answer\nch3_ex2,solved,2026-11-01,1,0,,\n")
        self.assertEqual(
            self.workbook("list").stdout.splitlines(),
            [
                "  chapter        exercises      topic",
                "  ch3_transpose  1 of 1 solved  matrix transpose",
                "",
                "The programs of one chapter: ./workbook list ch3",
            ],
        )

    def test_list_of_a_chapter_has_its_core_stages_first(self) -> None:
        self.write("docs/course.md", "| ch3_transpose | `02_localmem`, `ex2_swizzled` | ch1 | `01_naive` |\n")
        words = self.workbook("list", "ch3").stdout
        titles = re.findall(r"^[A-Z][^\n(]*(?= \(|$)", words, re.MULTILINE)
        self.assertEqual(titles, ["Core stages", "Advanced stages", "Other programs", "Exercises, in the order of the course"])
        self.assertRegex(words, r"Core stages\n  ch3_transpose_localmem\n\nAdvanced stages\n  ch3_transpose_naive +Stage 01")
        self.assertRegex(words, r"ch3_transpose_cublas +Stage 08: the library \(needs a GPU\)\n")

    def test_a_chapter_without_a_program_that_runs_here(self) -> None:
        self.write("tests.cmake", "add_custom_target(ch11_other)\n")
        self.write("chapters/ch11_other/CMakeLists.txt", "add_chapter(ch11_other INTERFACE_OF ch3_transpose)\n")
        self.write("chapters/ch11_other/01_tensor.cu", "// Stage 01: tensor\n//\n// Requires: compute capability 9.0\n")
        self.assertRegex(self.workbook("list").stdout, r"\n  ch11_other +none\n")
        ran = self.workbook("run", "ch11")
        words = "Not run, because they need a GPU: tensor\nNo program of this chapter runs on this machine.\n"
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(ran.stdout.endswith(words), ran.stdout)
        self.assertIn("No program of ch11_other can be built here.", self.workbook("make", "ch11_other").stdout)
        self.write("chapters/projects/CMakeLists.txt", "add_chapter(projects)\n")
        self.write("tests.cmake", "add_custom_target(projects)\n")
        self.assertIn("To build your program: make project_NAME", self.workbook("make", "projects").stdout)
        self.assertIn("ch11_other has no claims.csv", self.workbook("test", "ch11", "--claims").stderr)


class MakeTest(FakeWorkbook):
    """`make TARGET` through the root's Makefile."""

    def test_a_program_ends_with_the_next_command(self) -> None:
        result = self.workbook("make", "ch3_transpose_naive")
        self.assertEqual(
            result.stdout.splitlines()[2:],
            [
                "The program is build/bin/ch3_transpose_naive. Next:",
                "  ./workbook run ch3_transpose_naive",
                "  ./workbook inspect ch3_transpose_naive",
            ],
        )

    def test_a_chapter_ends_with_the_next_command(self) -> None:
        words = self.workbook("make", "ch3_transpose").stdout
        self.assertIn("The 5 programs of ch3_transpose are in build/bin. Next:\n  ./workbook run ch3_transpose\n", words)
        self.assertTrue(words.endswith("\n  ./workbook inspect ch3_transpose_naive\n"), words)
        self.assertLess(len(words.splitlines()), 8)

    def test_other_targets_are_left_to_cmake(self) -> None:
        self.assertEqual(self.workbook("make", "ch3_transpose_tests").returncode, 0)
        self.assertTrue((self.root / "build/tests_of_chapter_3").is_file())

    def test_unknown_targets(self) -> None:
        for target, words in (
            ("ch3_transpose_nave", "Did you mean ch3_transpose_naive?"),
            ("localmem", "There is no target 'localmem'. Did you mean ch3_transpose_localmem?"),
            ("no/such/file", "There is no file 'no/such/file'"),
        ):
            with self.subTest(target):
                self.assertIn(words, self.ends(2, "make", target).stderr)

    def test_a_program_that_needs_a_gpu(self) -> None:
        self.assertIn("ch3_transpose_cublas needs a GPU and nvcc", self.ends(3, "make", "ch3_transpose_cublas").stderr)

    def test_a_failed_build_shows_the_full_compiler_output(self) -> None:
        self.write("chapters/ch3_transpose/03_naive_1x1.cu", "// Stage 03\n")
        self.write("fail_to_compile", "echo 'x.cu:7:3: error: no' >&2; echo 'x.cu:8:1: note: why' >&2; exit 1\n")
        result = self.ends(4, "make", "ch3_transpose_naive_1x1")
        self.assertIn("x.cu:7:3: error: no\nx.cu:8:1: note: why\n", result.stderr)


class PipeTest(unittest.TestCase):
    def test_a_reader_that_ends_early_is_no_error_to_report(self) -> None:
        words = ("common/cli help", "common/cli list", "common/cli list --help", "tests/instruments/mutate --help")
        for arguments in map(str.split, words):
            reader, writer = os.pipe()
            os.close(reader)
            with self.subTest(arguments):
                command = [sys.executable, str(ROOT / arguments[0]), *arguments[1:]]
                ended = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((ended.returncode, ended.stderr), (1, ""))
            os.close(writer)
