"""The commands from end to end, through ./workbook and CMake, on programs that are shell scripts."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import FINDING, REPORT, ROOT, FakeWorkbook, leaves

from cli.application import GROUPS, _explained
from cli.workbook import Workbook


class DispatchTest(FakeWorkbook):
    def test_help_lists_the_commands_in_three_groups(self) -> None:
        result = self.ends(0, "help")
        self.assertEqual(re.findall(r"^[A-Z][a-z]+$", result.stdout, re.MULTILINE), ["Learn", "Measure", "Teach"])
        self.assertEqual(re.findall(r"^  (\S+) ", result.stdout, re.MULTILINE), [name for _, *names in GROUPS for name in names])
        self.assertEqual(self.workbook().stdout, result.stdout)

    def test_help_fits_a_terminal_of_80_columns(self) -> None:
        lines = self.workbook("help").stdout.splitlines()
        self.assertLess(max(map(len, lines)), 80)
        self.assertLess(len(lines), 36)

    def test_help_on_help_lists_the_exit_codes(self) -> None:
        words = self.workbook("help", "help").stdout
        self.assertRegex(words, r"\n  3  a tool is missing\n  4  the build failed\n")

    def test_version_comes_from_the_citation(self) -> None:
        self.write("CITATION.cff", "cff-version: 1.2.0\ntitle: \"The workbook\"\nversion: 7.0.1\n")
        result = self.workbook("--version")
        self.assertEqual((result.returncode, result.stdout), (0, "workbook 7.0.1\n"))

    def test_version_of_a_copy_without_a_citation(self) -> None:
        self.assertIn("CITATION.cff", self.ends(1, "--version").stderr)

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

    def test_help_on_one_command(self) -> None:
        for arguments in (("help", "bench"), ("bench", "--help")):
            self.assertIn("Usage: ./workbook bench CHAPTER", self.workbook(*arguments).stdout)

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


class MachineTest(FakeWorkbook):
    """Commands while another command runs, and on a full disk."""

    def test_two_first_commands_at_once(self) -> None:
        started = self.root / "started"
        self.write("fail_to_compile", f"mkdir '{started}' || exit 1\nsleep 1\nrmdir '{started}'\n")  # never twice
        lists = (self.root / "CMakeLists.txt").read_text(encoding="utf-8")
        self.write("CMakeLists.txt", f"{lists}add_dependencies(ch3_transpose_naive ch3_transpose_naive_1x1)\n")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            both = list(pool.map(lambda _: self.workbook("run", "naive"), range(2)))
        self.assertEqual([ended.returncode for ended in both], [0, 0], both[0].stderr + both[1].stderr)
        waited = [ended for ended in both if "Another ./workbook is building here. Waiting until it has finished ..." in ended.stdout]
        self.assertTrue(waited)  # both can wait: one to configure, then the other to build

    def run_on_a_full_disk(self) -> str:
        module = self.root / "common/cli/building/build_tree.py"
        text = module.read_text(encoding="utf-8")
        self.assertEqual(text.count("_FULL_BYTES = 1 << 20"), 1)
        module.write_text(text.replace("_FULL_BYTES = 1 << 20", "_FULL_BYTES = 1 << 62"), encoding="utf-8")
        result = self.ends(4, "run", "naive")
        return result.stderr

    def test_make_does_not_report_a_full_disk(self) -> None:
        self.write("fail_to_compile", "echo \"No rule to make target 'x'\"\nexit 1\n")
        lists = (self.root / "CMakeLists.txt").read_text(encoding="utf-8")
        self.write("CMakeLists.txt", f"{lists}add_dependencies(ch3_transpose_naive ch3_transpose_naive_1x1)\n")
        self.assertIn("Building ch3_transpose_naive: the disk is full. Make room", self.run_on_a_full_disk())

    def test_cmake_does_not_report_a_full_disk(self) -> None:
        self.write("CMakeLists.txt", 'message(FATAL_ERROR "cannot make a file")')
        self.assertIn("CMake could not configure build/: the disk is full. Make room", self.run_on_a_full_disk())


class RunTest(FakeWorkbook):
    def test_builds_runs_and_passes_options(self) -> None:
        result = self.ends(0, "run", "ch3_transpose_naive", "--", "--rows", "1000", "--cols", "777")
        self.assertEqual(
            result.stdout.splitlines(),
            [
                "Configuring build ...",
                "Building ch3_transpose_naive ...",
                "naive ran with --rows 1000 --cols 777",
                "",
                "Next: ./workbook inspect ch3_transpose_naive",
            ],
        )
        self.assertNotIn("Configuring", self.workbook("run", "naive").stdout)

    def test_file_relative_to_the_current_folder(self) -> None:
        result = self.workbook("run", "01_naive.cu", cwd=self.root / "chapters/ch3_transpose")
        self.assertIn("naive ran with", result.stdout)

    def test_exit_codes_of_programs(self) -> None:
        for script, code, words in (
            ("exit 2", 2, "failed (exit code 2)"),
            ("exit 77", 1, "failed (exit code 77)"),
            ("kill -SEGV $$", 1, "crashed: it accessed memory that does not belong to it (segmentation fault) [SIGSEGV]"),
            ("kill -KILL $$", 1, "the machine ran out of memory [SIGKILL]"),
        ):
            with self.subTest(script):
                self.write_program("ch3_transpose_naive", script)
                result = self.ends(code, "run", "naive")
                self.assertIn(words, result.stderr)
                self.assertNotIn("Next:", result.stdout)

    def test_chapter_counts_passes_and_names_programs_that_need_a_gpu(self) -> None:
        self.write_program("ch3_transpose_localmem", "echo it is; echo WRONG >&2; exit 1")
        result = self.ends(1, "run", "ch3_transpose")
        self.assertIn(
            "Not run, because they need a GPU: cublas\n3 of 4 programs passed. Failed: ch3_transpose_localmem", result.stdout
        )
        self.assertNotIn("cublas ran", result.stdout)
        self.assertIn("it is\nWRONG\nch3_transpose_localmem failed (exit code 1).\n", result.stderr)
        self.assertNotIn("Next:", result.stdout)

    def test_chapter_shows_the_output_of_its_programs_on_request(self) -> None:
        self.assertNotIn("naive ran with", self.workbook("run", "ch3_transpose").stdout)
        self.assertIn("naive ran with --rows 3\n", self.workbook("run", "ch3", "--details", "--", "--rows", "3").stdout)
        refused = self.ends(2, "run", "naive", "--details")
        self.assertIn("--details is for a whole chapter; 'naive' is one program", refused.stderr)

    def test_chapter_of_whole_programs_shows_their_output(self) -> None:
        self.write("chapters/ch0_machine/CMakeLists.txt", "add_chapter(ch0_machine)")
        self.write("chapters/ch0_machine/01_one_program.cu", "int main() {}\n")
        self.write_program("ch0_machine_one_program", "echo the lesson")
        self.assertIn("the lesson\n\n1 of 1 programs passed.", self.workbook("run", "ch0").stdout)

    def test_an_option_that_every_program_refuses_is_explained_once(self) -> None:
        for name in ("naive", "naive_1024x1", "localmem", "copy_simple"):
            self.write_program(f"ch3_transpose_{name}", f"echo {name}: unknown option; exit 2")
        self.assertEqual(self.ends(2, "run", "ch3", "--", "--rwos", "3").stderr.count("unknown option"), 1)

    def test_chapter_on_a_gpu_runs_and_times_everything(self) -> None:
        self.write("has_gpu", "")
        for name, median_ms, ratio in (("naive", 2, 0.125), ("localmem", 0.5, 0.5)):
            rows = f"program,rows,median_ms,ratio_to_copy\\nch3_transpose_{name},64,{median_ms},{ratio}"
            self.write_program(f"ch3_transpose_{name}", f'[ "$*" = --csv ] && printf "{rows}\\n"')
        self.write_program("ch3_transpose_copy_simple", '[ "$*" = --csv ] && exit 2; echo no time')
        words = self.workbook("run", "ch3_transpose").stdout
        self.assertIn("5 of 5 programs passed", words)
        self.assertRegex(words, r"01 naive +\S+ correct +2 ms +12\.5 %\n")
        self.assertRegex(words, r"02 localmem +\S+ correct +0\.5 ms +50\.0 % +4\.00 x\n")
        self.assertNotIn("Next: ./workbook inspect", words)

    def test_programs_that_the_machine_cannot_build(self) -> None:
        self.write("has_gpu", "")
        (self.root / "programs/ch3_transpose_cublas").unlink()
        self.write("left_out.cmake", 'set(WORKBOOK_LEFT_OUT_ch3_transpose_cublas "cuBLAS is not installed" CACHE INTERNAL "")\n')
        chapter = self.ends(0, "run", "ch3_transpose")
        self.assertIn("ch3_transpose_cublas: left out, because cuBLAS is not installed\n4 of 4 programs passed", chapter.stdout)
        program = self.ends(3, "run", "cublas")
        reason = "ch3_transpose_cublas is left out here, because cuBLAS is not installed."
        self.assertEqual(program.stderr, f"{reason}\nInstead: ./workbook next\n")

    def test_gpu_stage_under_the_simulator(self) -> None:
        self.assertIn("ch3_transpose_cublas needs a GPU", self.ends(3, "run", "cublas").stderr)

    def test_failed_build(self) -> None:
        self.write("chapters/ch3_transpose/03_naive_1x1.cu", "// Stage 03\n")
        self.write("fail_to_compile", "echo 'chapters/ch3_transpose/03_naive_1x1.cu:7:3: error: no' >&2; exit 1\n")
        result = self.ends(4, "run", "naive_1x1", cwd=self.root)
        self.assertTrue(result.stderr.startswith("chapters/ch3_transpose/03_naive_1x1.cu:7:3: error: no"))
        self.assertTrue(result.stderr.endswith("Fix chapters/ch3_transpose/03_naive_1x1.cu, line 7: no\n"))

    def test_failed_configuration(self) -> None:
        self.write("CMakeLists.txt", 'message(FATAL_ERROR "not today")\n')
        result = self.ends(4, "run", "naive")
        self.assertIn("not today", result.stderr)
        self.assertIn("CMake could not configure build/", result.stderr)

    def test_build_folder_of_another_copy_is_made_from_scratch(self) -> None:
        self.workbook("run", "naive")
        cache = self.root / "build/CMakeCache.txt"
        cache.write_text(cache.read_text().replace(str(self.root), "/somewhere/else"))
        result = self.ends(0, "run", "naive")
        self.assertIn("build/ was made for another folder (/somewhere/else): starting it again from scratch.", result.stdout)

    def test_build_folder_of_an_older_workbook_is_made_from_scratch(self) -> None:
        lists = (self.root / "CMakeLists.txt").read_text(encoding="utf-8")
        self.write("CMakeLists.txt", f'{lists}set(tree_version 1)\nset(WORKBOOK_TREE_VERSION 1 CACHE INTERNAL "")\n')
        self.workbook("run", "naive")
        self.write("CMakeLists.txt", f'{lists}set(tree_version 2)\nset(WORKBOOK_TREE_VERSION 2 CACHE INTERNAL "")\n')
        self.write("build/of_before", "")
        result = self.ends(0, "run", "naive")
        self.assertIn("build/ was made by another version of the workbook: starting it again from scratch.", result.stdout)
        self.assertFalse((self.root / "build/of_before").exists())
        self.assertNotIn("version", self.workbook("run", "naive").stdout)

    def test_without_ninja_make_builds(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="tools-")  # make cannot start cmake from a folder with a space
        self.addCleanup(temporary.cleanup)
        found = {name: str(shutil.which(name)) for name in ("sh", "dirname", "readlink", "cmake", "make", "g++")}
        for name, path in {**found, "python3": sys.executable}.items():
            Path(temporary.name, name).symlink_to(path)
        for _ in range(2):
            result = self.ends(0, "run", "naive", PATH=temporary.name)
            self.assertIn("naive ran with", result.stdout)
        self.assertTrue((self.root / "build/Makefile").is_file())
        self.assertEqual(result.stderr, "")  # the message about Ninja was printed before

    def test_a_builder_that_was_removed(self) -> None:
        self.workbook("run", "naive")
        cache = self.root / "build/CMakeCache.txt"
        cache.write_text(re.sub("(?m)^(CMAKE_MAKE_PROGRAM:.*)=.*$", r"\1=/gone/ninja", cache.read_text()))
        result = self.ends(0, "run", "naive")
        self.assertIn("build/ was made for /gone/ninja, which is missing: starting it again from scratch.", result.stdout)

    def chapters(self) -> str:
        """The chapters of the build tree, from its cache."""
        cache = (self.root / "build/CMakeCache.txt").read_text()
        return re.search("^WORKBOOK_CHAPTERS:[A-Z]+=(.*)$", cache, re.MULTILINE)[1]

    def test_a_new_tree_has_the_requested_chapter(self) -> None:
        self.workbook("run", "naive")
        self.assertEqual(self.chapters(), "ch3_transpose")

    def test_a_chapter_is_added_to_the_tree(self) -> None:
        self.write("chapters/ch4_reduction/CMakeLists.txt", "add_chapter(ch4_reduction)")
        self.write("chapters/ch4_reduction/01_atomic.cu", "// Stage 01\n")
        self.write_program("ch4_reduction_atomic", "echo atomic ran")
        self.workbook("run", "naive")
        self.assertEqual(self.workbook("run", "atomic").returncode, 0)
        self.assertEqual(self.chapters(), "ch3_transpose;ch4_reduction")
        self.workbook("run", "naive")
        self.assertEqual(self.chapters(), "ch3_transpose;ch4_reduction")

    def test_the_whole_suite_needs_all_chapters(self) -> None:
        self.workbook("run", "naive")
        self.workbook("test")
        self.assertEqual(self.chapters(), "")
        self.workbook("run", "naive")
        self.assertEqual(self.chapters(), "")

    def test_cmake_uses_the_python_that_runs_the_command(self) -> None:
        self.write_tool("python3", f'exec {sys.executable} "$@"')
        self.workbook("run", "naive")
        cache = (self.root / "build/CMakeCache.txt").read_text(encoding="utf-8")
        self.assertIn(f"={sys.executable}\n", re.search("^Python3_EXECUTABLE:.*\n", cache, re.MULTILINE)[0])

    def test_old_cmake_is_named_before_it_is_used(self) -> None:
        self.write_tool("cmake", "echo cmake version 3.18.4")
        self.assertIn("CMake here is 3.18.4; the workbook needs 3.22 or newer", self.ends(3, "run", "naive").stderr)


class InspectTest(FakeWorkbook):
    def write_traced(self, report: dict, exit_code: int = 0) -> None:
        script = f'{leaves(report)}echo "program: wrong result"; exit {exit_code}'
        self.write_program("ch3_transpose_naive_inspect", script)

    def test_clean_report(self) -> None:
        self.write_traced(REPORT)
        kept = self.root / "kept.json"
        self.assertIn("k\n  1 launch: grid 1 x 1 x 1", self.ends(0, "inspect", "naive", "--json", str(kept)).stdout)
        self.assertEqual(json.loads(kept.read_text()), REPORT)

    def test_no_kernel_is_a_failure(self) -> None:
        self.write_traced({**REPORT, "kernels": []})
        self.assertIn("No kernel ran, so there is nothing to count.", self.ends(1, "inspect", "naive").stdout)

    def test_finding_fails(self) -> None:
        self.write_traced({**REPORT, "findings": [FINDING]})
        self.assertIn("Out of bounds in k\n  Wrote past the end.", self.ends(1, "inspect", "naive").stdout)

    def test_wrong_result_fails_and_shows_the_output(self) -> None:
        self.write_traced(REPORT, exit_code=1)
        self.assertIn("program: wrong result", self.ends(1, "inspect", "naive").stderr)

    def test_crash_before_the_report(self) -> None:
        self.write_program("ch3_transpose_naive_inspect", "kill -SEGV $$")
        self.assertIn("segmentation fault", self.ends(1, "inspect", "naive").stderr)

    def test_machine_with_a_gpu_uses_a_second_build_folder(self) -> None:
        self.write("has_gpu", "")
        self.write_traced(REPORT)
        self.assertEqual(self.workbook("inspect", "naive").returncode, 0)
        self.assertTrue((self.root / "build-simulator/bin/ch3_transpose_naive_inspect").is_file())

    def test_gpu_stage(self) -> None:
        result = self.ends(2, "inspect", "cublas")
        self.assertEqual(
            result.stderr,
            "ch3_transpose_cublas cannot be inspected, because it uses features that the simulator does not model. "
            "On a GPU you can count with ncu: docs/profiling.md\n",
        )
        self.assertTrue((ROOT / "docs/profiling.md").is_file())


class BuildTreeTest(FakeWorkbook):
    def test_a_tree_of_another_version_is_made_from_scratch(self) -> None:
        self.assertEqual(self.workbook("run", "naive").returncode, 0)
        self.write("build/left_over", "")
        lists = self.root / "CMakeLists.txt"
        version = 'set(tree_version 7)\nset(WORKBOOK_TREE_VERSION ${tree_version} CACHE INTERNAL "")\n'
        lists.write_text(version + lists.read_text())
        self.assertIn("build/ was made by another version of the workbook", self.ends(0, "run", "naive").stdout)
        self.assertFalse((self.root / "build/left_over").exists())
        self.assertNotIn("another version", self.workbook("run", "naive").stdout)

    def test_a_backup_that_is_moved_back_is_built(self) -> None:
        source, built = self.root / "chapters/ch3_transpose/01_naive.cu", self.root / "build/built"
        self.write(
            "tests.cmake",
            f'add_custom_command(OUTPUT built COMMAND ${{CMAKE_COMMAND}} -E copy "{source}" built DEPENDS "{source}" VERBATIM)\n'
            "add_custom_target(build_it DEPENDS built)\nadd_dependencies(ch3_transpose_naive build_it)\n",
        )
        backup = self.write("chapters/ch3_transpose/01_naive.cu.backup-1", "// mine\n")
        os.utime(backup, (1e9, 1e9))
        self.workbook("run", "naive")
        self.assertNotEqual(built.read_text(), "// mine\n")
        backup.replace(source)
        self.workbook("run", "naive")
        self.assertEqual(built.read_text(), "// mine\n")


class TestTest(FakeWorkbook):
    def test_counts(self) -> None:
        self.write(
            "tests.cmake",
            """
            add_test(NAME good COMMAND true)
            add_test(NAME other COMMAND true)
            add_test(NAME skipped COMMAND sh -c "exit 77")
            set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
            set_tests_properties(good skipped PROPERTIES LABELS ch3_transpose)
        """,
        )
        self.assertEqual(self.ends(0, "test").stdout.splitlines()[-1], "✓ 2 passed, 0 failed, 1 skipped")
        self.assertIn("\n✓ 1 passed, 0 failed, 1 skipped\n", self.workbook("test", "ch3_transpose").stdout)

    def test_a_chapter_builds_no_other_chapter(self) -> None:
        self.write("tests.cmake", "add_test(NAME good COMMAND true)\nset_tests_properties(good PROPERTIES LABELS ch3_transpose)")
        self.assertEqual(self.workbook("test", "ch3").returncode, 0)
        self.assertTrue((self.root / "build/tests_of_chapter_3").is_file())
        self.assertFalse((self.root / "build/everything").exists())
        self.assertEqual(self.workbook("test").returncode, 0)
        self.assertTrue((self.root / "build/everything").is_file())

    def test_a_stage_alone(self) -> None:
        add = "add_test(NAME {0} COMMAND ${{CMAKE_BINARY_DIR}}/bin/ch3_transpose_{0}_test --gtest_brief=1)\n"
        self.write("tests.cmake", "".join(map(add.format, ("naive", "localmem", "copy_simple"))))
        for name, code in (("naive", 0), ("localmem", 0), ("copy_simple", 1)):
            self.write_program(f"ch3_transpose_{name}_test", f"echo {name} has run; exit {code}")
        result = self.workbook("test", "naive")
        self.assertEqual(result.stdout.splitlines()[-1], "✓ 1 passed, 0 failed, 0 skipped", result.stderr)
        self.assertFalse((self.root / "build/bin/ch3_transpose_localmem_test").exists())
        self.assertFalse((self.root / "build/tests_of_chapter_3").exists())
        result = self.workbook("test", "ch3_transpose_localmem", "copy_simple", "--fresh")
        self.assertEqual((result.returncode, result.stdout.splitlines()[-1]), (1, "✗ 1 passed, 1 failed, 0 skipped"))
        self.assertIn("copy_simple has run", result.stdout)
        self.assertNotIn("naive has run", result.stdout)

    def test_programs_without_tests(self) -> None:
        self.write("chapters/ch3_transpose/09_whole.cu", "int main() {}\n")
        for name, code, words in (("whole", 2, "./workbook test ch3_transpose\n"), ("cublas", 3, "the simulator does not model")):
            result = self.workbook("test", name)
            self.assertEqual((result.returncode, words in result.stderr), (code, True), result.stderr)

    def test_cases_of_a_program_count(self) -> None:
        cases = """<testsuites><testsuite name="S">
            <testcase name="a" status="run" result="completed"/>
            <testcase name="b" status="run" result="completed"><failure message="wrong"/></testcase>
            <testcase name="c" status="run" result="skipped"><skipped message="no GPU"/></testcase>
            <testcase name="d" status="notrun" result="suppressed"/>
            </testsuite></testsuites>"""
        self.write("cases.xml", cases)
        self.write("passes.xml", '<testsuites><testcase name="a" status="run" result="completed"/></testsuites>')
        copy = "sh -c \"mkdir -p test_results && cp '${CMAKE_SOURCE_DIR}/%s.xml' test_results/%s.xml; exit %d\""
        self.write(
            "tests.cmake",
            f"""
            add_test(NAME good COMMAND true)
            add_test(NAME counted COMMAND {copy % ("cases", "counted", 1)})
            add_test(NAME ended_early COMMAND {copy % ("passes", "ended_early", 3)})
        """,
        )
        self.write("build/test_results/good.xml", cases)  # of an earlier run
        self.assertEqual(self.ends(1, "test").stdout.splitlines()[-1], "✗ 3 passed, 2 failed, 2 skipped")

    def test_failures_and_tests_that_cannot_start(self) -> None:
        self.write(
            "tests.cmake",
            """
            add_test(NAME good COMMAND true)
            add_test(NAME bad COMMAND sh -c "echo the reason; exit 1")
            add_test(NAME absent COMMAND /nowhere/program)
        """,
        )
        result = self.ends(1, "test")
        self.assertIn("the reason", result.stdout)
        self.assertEqual(result.stdout.splitlines()[-1], "✗ 1 passed, 2 failed, 0 skipped")

    def test_looks_for_googletest_again(self) -> None:
        self.workbook("run", "naive")
        cache = self.root / "build/CMakeCache.txt"
        cache.write_text(cache.read_text().replace("WORKBOOK_TESTS:UNINITIALIZED=ON", "WORKBOOK_TESTS:BOOL=OFF"))
        self.workbook("test")
        self.assertRegex(cache.read_text(), "WORKBOOK_TESTS:[A-Z]+=ON")

    def test_no_tests_is_a_failure(self) -> None:
        result = self.ends(1, "test", "ch3")
        self.assertEqual(result.stdout.splitlines()[-1], "✗ 0 passed, 0 failed, 0 skipped")
        self.assertIn("No test ran", result.stderr)

    def test_maintenance_needs_the_option_all(self) -> None:
        self.write(
            "tests.cmake",
            """
            add_test(NAME good COMMAND true)
            add_test(NAME of_the_tests COMMAND cmake -E cat ${CMAKE_BINARY_DIR}/maintenance)
            set_tests_properties(of_the_tests PROPERTIES LABELS "mutants;maintenance")
        """,
        )
        self.assertEqual(self.workbook("test").stdout.splitlines()[-1], "✓ 1 passed, 0 failed, 0 skipped")
        self.assertEqual(self.workbook("test", "--all").stdout.splitlines()[-1], "✓ 2 passed, 0 failed, 0 skipped")

    def test_other_orders_of_the_blocks_need_a_chapter_or_all(self) -> None:
        self.write(
            "tests.cmake",
            """
            foreach(test naive naive.block_order_reverse naive.block_order_1)
              add_test(NAME ${test} COMMAND true)
            endforeach()
            set_tests_properties(naive PROPERTIES LABELS "ch3_transpose")
            set_tests_properties(naive.block_order_reverse naive.block_order_1 PROPERTIES LABELS "ch3_transpose;block_orders")
        """,
        )
        of_all_chapters = self.workbook("test")
        self.assertEqual(of_all_chapters.stdout.splitlines()[-1], "✓ 1 passed, 0 failed, 0 skipped")
        self.assertIn("in reverse and shuffled too with ./workbook test CHAPTER", of_all_chapters.stdout)
        for words in (("test", "ch3"), ("test", "--all")):
            result = self.workbook(*words)
            self.assertEqual(result.stdout.splitlines()[-1], "✓ 3 passed, 0 failed, 0 skipped", result.stderr)
            self.assertNotIn("shuffled", result.stdout)

    def test_a_chapter_and_all_contradict_each_other(self) -> None:
        self.assertIn("Give names or --all, not both.", self.ends(2, "test", "ch3", "--all").stderr)

    def test_only_skipped_is_a_failure(self) -> None:
        self.write(
            "tests.cmake",
            """
            add_test(NAME skipped COMMAND sh -c "exit 77")
            set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 77)
        """,
        )
        self.assertEqual(self.workbook("test").returncode, 1)


class TestAgainTest(FakeWorkbook):
    """A test that has passed is not run again until a file that it reads changes."""

    def setUp(self) -> None:
        super().setUp()
        # Each test writes a word per run, so that the runs can be counted.
        self.letters = self.root.parent / f"{self.root.name} letters"
        self.addCleanup(self.letters.unlink, missing_ok=True)
        self.write("common/good.sh", f"echo good >> '{self.letters}'\n")
        self.write("common/bad.sh", f"echo bad >> '{self.letters}'; exit 1\n")
        self.write("tests.cmake", "add_test(NAME good COMMAND sh ${CMAKE_SOURCE_DIR}/common/good.sh)\n")

    def with_bad(self) -> None:
        self.write(
            "tests.cmake",
            "foreach(name good bad)\nadd_test(NAME ${name} COMMAND sh ${CMAKE_SOURCE_DIR}/common/${name}.sh)\nendforeach()\n",
        )

    def ran_and_said(self, *options: str, **environment: str) -> tuple[str, str]:
        """The tests that ran, and the last line of the output."""
        self.letters.unlink(missing_ok=True)
        # In CI all tests run, even if they have passed before.
        lines = self.workbook("test", *options, **{"CI": "", **environment}).stdout.splitlines()
        return " ".join(sorted(self.letters.read_text().split())) if self.letters.exists() else "", lines[-1]

    def test_is_not_run_again_and_counts(self) -> None:
        self.assertEqual(self.ran_and_said(), ("good", "✓ 1 passed, 0 failed, 0 skipped"))
        self.assertEqual(self.ran_and_said(), ("", "✓ 1 passed, 0 failed, 0 skipped"))
        self.assertIn("1 of these were not run again", self.workbook("test", CI="").stdout)

    def test_runs_on_request(self) -> None:
        self.ran_and_said()
        for options, environment in ((("--fresh",), {}), (("--all",), {}), ((), {"CI": "1"})):
            with self.subTest(options=options, environment=environment):
                self.assertEqual(self.ran_and_said(*options, **environment), ("good", "✓ 1 passed, 0 failed, 0 skipped"))

    def test_runs_when_a_file_has_changed(self) -> None:
        self.ran_and_said()
        file = self.write("common/read.h", "// one\n")
        self.assertEqual(self.ran_and_said()[0], "good")
        os.utime(file, (1, 1))
        self.assertEqual(self.ran_and_said()[0], "")
        file.write_text("// two\n")
        os.utime(file, (1, 1))
        self.assertEqual(self.ran_and_said()[0], "good")

    def test_runs_with_other_settings(self) -> None:
        self.ran_and_said()
        self.assertEqual(self.ran_and_said(CUDA_SIMULATOR_BLOCK_ORDER="reverse")[0], "good")

    def test_a_failure_runs_each_time(self) -> None:
        self.with_bad()
        for ran in ("bad good", "bad"):
            self.assertEqual(self.ran_and_said(), (ran, "✗ 1 passed, 1 failed, 0 skipped"))

    def test_a_later_failure_is_reported(self) -> None:
        self.ran_and_said()
        self.write("common/good.sh", f"echo good >> '{self.letters}'; exit 1\n")
        for _ in range(2):
            self.assertEqual(self.ran_and_said(), ("good", "✗ 0 passed, 1 failed, 0 skipped"))

    def test_a_test_whose_files_change_meanwhile_is_not_remembered(self) -> None:
        self.write("common/good.sh", f"echo good >> '{self.letters}'; date +%N > '{self.root}/common/changes'\n")
        for _ in range(2):
            self.assertEqual(self.ran_and_said()[0], "good")

    def test_an_unreadable_record_is_ignored(self) -> None:
        self.ran_and_said()
        (self.root / "build/CMakeFiles/workbook/passed_tests.json").write_text('{"format": 1, "tests": {"good": 3}}')
        self.assertEqual(self.ran_and_said()[0], "good")
