"""`./workbook run` and `inspect`, and the build tree, through CMake, on programs that are shell scripts."""

from __future__ import annotations

import concurrent.futures
import json
import os
import re
import shutil
import sys

from support import REPORT, ROOT, FakeWorkbook, folder_of, leaves


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

    def test_failed_build(self) -> None:
        self.write("chapters/ch3_transpose/03_naive_1x1.cu", "// Stage 03\n")
        self.write("fail_to_compile", "echo 'chapters/ch3_transpose/03_naive_1x1.cu:7:3: error: no' >&2; exit 1\n")
        result = self.ends(4, "run", "naive_1x1", cwd=self.root)
        self.assertTrue(result.stderr.startswith("chapters/ch3_transpose/03_naive_1x1.cu:7:3: error: no"))
        self.assertTrue(result.stderr.endswith("Fix chapters/ch3_transpose/03_naive_1x1.cu, line 7: no\n"))


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
        return self.ends(4, "run", "naive").stderr

    def test_make_does_not_report_a_full_disk(self) -> None:
        self.write("fail_to_compile", "echo \"No rule to make target 'x'\"\nexit 1\n")
        lists = (self.root / "CMakeLists.txt").read_text(encoding="utf-8")
        self.write("CMakeLists.txt", f"{lists}add_dependencies(ch3_transpose_naive ch3_transpose_naive_1x1)\n")
        self.assertIn("Building ch3_transpose_naive: the disk is full. Make room", self.run_on_a_full_disk())

    def test_cmake_does_not_report_a_full_disk(self) -> None:
        self.write("CMakeLists.txt", 'message(FATAL_ERROR "cannot make a file")')
        self.assertIn("CMake could not configure build/: the disk is full. Make room", self.run_on_a_full_disk())


class BuildTreeTest(FakeWorkbook):
    def cache(self) -> str:
        return (self.root / "build/CMakeCache.txt").read_text(encoding="utf-8")

    def chapters(self) -> str:
        return re.search("^WORKBOOK_CHAPTERS:[A-Z]+=(.*)$", self.cache(), re.MULTILINE)[1]

    def test_a_tree_that_does_not_fit_is_made_from_scratch(self) -> None:
        lists = (self.root / "CMakeLists.txt").read_text(encoding="utf-8")
        version = 'set(tree_version 7)\nset(WORKBOOK_TREE_VERSION ${tree_version} CACHE INTERNAL "")\n'
        for old, new, words in (
            ("(WORKBOOK_TREE_VERSION:.*)=7$", r"\1=6", "by another version of the workbook"),
            ("WORKBOOK_TREE_VERSION:.*=7$", "", "by another version of the workbook"),
            (re.escape(str(self.root)), "/somewhere/else", "for another folder (/somewhere/else)"),
            ("^(CMAKE_MAKE_PROGRAM:.*)=.*$", r"\1=/gone/ninja", "for /gone/ninja, which is missing"),
        ):
            with self.subTest(words):
                self.write("CMakeLists.txt", version + lists)
                self.workbook("run", "naive")
                left_over = self.write("build/left_over", "")
                self.write("build/CMakeCache.txt", re.sub(old, new, self.cache(), flags=re.MULTILINE))
                said = self.ends(0, "run", "naive").stdout
                self.assertIn(f"build/ was made {words}: starting it again from scratch.", said)
                self.assertEqual(left_over.exists(), "version" not in words)  # otherwise what was built can stay
                self.assertNotIn("from scratch", self.workbook("run", "naive").stdout)

    def test_without_ninja_make_builds(self) -> None:
        tools = folder_of(self, "tools-")  # make cannot start cmake from a folder with a space
        found = {name: str(shutil.which(name)) for name in ("sh", "dirname", "readlink", "cmake", "make", "g++")}
        for name, path in {**found, "python3": sys.executable}.items():
            (tools / name).symlink_to(path)
        for _ in range(2):
            result = self.ends(0, "run", "naive", PATH=str(tools))
            self.assertIn("naive ran with", result.stdout)
        self.assertTrue((self.root / "build/Makefile").is_file())
        self.assertEqual(result.stderr, "")  # the message about Ninja was printed before

    def test_a_new_tree_has_the_requested_chapter(self) -> None:
        self.workbook("run", "naive")
        self.assertEqual(self.chapters(), "ch3_transpose")

    def test_a_chapter_is_added_to_the_tree(self) -> None:
        self.write("chapters/ch4_reduction/CMakeLists.txt", "add_chapter(ch4_reduction)")
        self.write("chapters/ch4_reduction/01_atomic.cu", "// Stage 01\n")
        self.write_program("ch4_reduction_atomic", "echo atomic ran")
        self.workbook("run", "naive")
        self.ends(0, "run", "atomic")
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
        self.assertRegex(self.cache(), rf"(?m)^Python3_EXECUTABLE:.*={sys.executable}$")

    def test_old_cmake_is_named_before_it_is_used(self) -> None:
        self.write_tool("cmake", "echo cmake version 3.18.4")
        self.assertIn("CMake here is 3.18.4; the workbook needs 3.22 or newer", self.ends(3, "run", "naive").stderr)

    def test_failed_configuration(self) -> None:
        self.write("CMakeLists.txt", 'message(FATAL_ERROR "not today")\n')
        result = self.ends(4, "run", "naive")
        self.assertIn("not today", result.stderr)
        self.assertIn("CMake could not configure build/", result.stderr)

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

    def test_wrong_result_fails_and_shows_the_output(self) -> None:
        self.write_traced(REPORT, exit_code=1)
        self.assertIn("program: wrong result", self.ends(1, "inspect", "naive").stderr)

    def test_machine_with_a_gpu_uses_a_second_build_folder(self) -> None:
        self.write("has_gpu", "")
        self.write_traced(REPORT)
        self.ends(0, "inspect", "naive")
        self.assertTrue((self.root / "build-simulator/bin/ch3_transpose_naive_inspect").is_file())

    def test_gpu_stage(self) -> None:
        result = self.ends(2, "inspect", "cublas")
        self.assertEqual(
            result.stderr,
            "ch3_transpose_cublas cannot be inspected, because it uses features that the simulator does not model. "
            "On a GPU you can count with ncu: docs/profiling.md\n",
        )
        self.assertTrue((ROOT / "docs/profiling.md").is_file())
