"""The command that is suggested as the next one works: checked by rule for all programs, and run for one of each kind.

Tests that run real programs need WORKBOOK_SIMULATOR_TREE in the environment: a build folder with the simulator and tests.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shlex
import sys
import tempfile
import unittest
import unittest.mock
from collections.abc import Iterator

from exercises.support import ExerciseTest
from support import ROOT, FakeWorkbook, FolderTest, folder_of, needs_simulator

from cli.building import build_tree
from cli.building.build_tree import BuildTree
from cli.building.kernel_use import launches_kernels
from cli.catalogue import Program
from cli.exercises import progress
from cli.exercises.course import steps
from cli.exercises.next_command import ON_THE_COURSE, after_chapter, after_program
from cli.workbook import Workbook

NAMED = re.compile(r"(?<!Another )\./workbook [a-z].*")  # not "Another ./workbook is building"
HEADER = "exercise,state,date,checks,hints,failure,answer\n"


class RuleTest(unittest.TestCase):
    """A build tree for a machine without a GPU, which leaves out the targets in `left_out`."""

    def setUp(self) -> None:
        self.workbook = Workbook(ROOT)
        self.tree = BuildTree(self.workbook, str(folder_of(self)), "simulator")
        self.programs = [one for chapter in self.workbook.catalogue.chapters for one in chapter.programs]

    def leave_out(self, *targets: str) -> None:
        lines = "".join(f"WORKBOOK_LEFT_OUT_{target}:INTERNAL=it is not installed\n" for target in targets)
        (self.tree.folder / "CMakeCache.txt").write_text(lines, encoding="utf-8")

    def after(self, target: str) -> str:
        return after_program(self.workbook.catalogue.find_program(target), self.tree)

    def assert_works(self, command: str) -> None:
        """Checks that the program in the command exists, has a kernel, and runs here."""
        if command.endswith(ON_THE_COURSE):
            return
        launcher, verb, target = command.split()
        program = self.workbook.catalogue.find(target)
        assert isinstance(program, Program)
        self.assertEqual((launcher, program.target), ("./workbook", target))
        if verb == "check":
            self.assertEqual(program.kind, "exercise")
            return
        self.assertIn(verb, ("inspect", "run"))
        self.assertFalse(program.needs_gpu)
        self.assertEqual(self.tree.left_out(target), "")
        self.assertTrue(launches_kernels(program, self.workbook))

    def test_after_every_program(self) -> None:
        for program in self.programs:
            with self.subTest(program.target):
                self.assert_works(after_program(program, self.tree))

    def test_after_every_program_that_is_left_out(self) -> None:
        self.leave_out(*(program.target for program in self.programs if program.kind == "stage"))
        for program in self.programs:
            with self.subTest(program.target):
                self.assert_works(after_program(program, self.tree))

    def test_after_every_chapter(self) -> None:
        for chapter in self.workbook.catalogue.chapters:
            with self.subTest(chapter.name):
                command = after_chapter(chapter, self.tree)
                self.assert_works(command)
                runs_here = any(not program.needs_gpu for program in chapter.of_kind("stage", "operation"))
                self.assertEqual(command.split()[1], "inspect" if runs_here else "next")

    def test_a_program_with_kernels_is_inspected(self) -> None:
        for target in (
            "ch0_machine_sectors",
            "ch3_transpose_naive",
            "ch3_transpose_copy_simple",
            "ch3_ex2_solution",
            "ch8_tsne_products_one_pass",  # they are in headers
            "ch10_many_gpus_nccl",
            "ch7_vector_map_host_pinned",  # they are in the stage that it calls
        ):
            self.assertEqual(self.after(target), f"./workbook inspect {target}")

    def test_before_the_stage_that_explains_the_counts_the_lesson_is_next(self) -> None:
        for target, stage in (("ch0_machine_one_program", "stage 01"), ("ch0_machine_memories", "stage 06")):
            read = f"read {stage} in chapters/ch0_machine/README.md, which explains this program, then ./workbook next"
            self.assertEqual(self.after(target), read)
        chapter = self.workbook.catalogue.find_chapter("ch0")
        self.assertEqual(after_chapter(chapter, self.tree), "./workbook inspect ch0_machine_sectors")

    def test_without_kernels_the_next_stage_is_suggested(self) -> None:
        for target, following in (
            ("ch0_machine_device_query", "ch0_machine_block_limit"),
            ("ch2_subset_sum_cpu_table", "ch2_subset_sum_naive"),
            ("ch6_matmul_cpu_threads", "ch6_matmul_naive"),
            ("ch1_saxpy_cpu_one_core", "ch1_saxpy_one_block"),
            ("ch10_many_gpus_all_reduce_nccl", "ch10_many_gpus_one_gpu"),
            ("ch10_many_gpus_peer_store", "ch10_many_gpus_nccl"),  # needs a GPU
        ):
            self.assertEqual(self.after(target), f"./workbook run {following}")

    def test_programs_that_are_left_out_are_skipped(self) -> None:
        self.leave_out("ch10_many_gpus_one_gpu", "ch10_many_gpus_nccl")
        self.assertEqual(self.after("ch10_many_gpus_peer_store"), "./workbook run ch10_many_gpus_overlapped")
        self.assertEqual(self.after("ch10_many_gpus_nccl"), "./workbook run ch10_many_gpus_overlapped")
        chapter = self.workbook.catalogue.find_chapter("ch10")
        self.assertEqual(after_chapter(chapter, self.tree), "./workbook inspect ch10_many_gpus_split")

    def test_after_the_last_stage_the_course_continues(self) -> None:
        self.assertEqual(self.after("ch1_saxpy_cublas"), ON_THE_COURSE)

    def test_an_exercise_is_checked(self) -> None:
        for target in ("ch3_ex2", "ch7_ex2"):
            self.assertEqual(self.after(target), f"./workbook check {target}")


class FakeCommandsTest(FakeWorkbook):
    def test_a_program_without_kernels(self) -> None:
        self.write("chapters/ch3_transpose/copy_simple.cu", '#include "copy.h"\nint main() {}\n')
        self.assertIn("\nNext: ./workbook run ch3_transpose_naive\n", self.workbook("run", "copy_simple").stdout)
        self.write("chapters/ch3_transpose/copy.h", "__global__ void copy_kernel();\n")
        words = self.workbook("run", "copy_simple").stdout
        self.assertIn("\nNext: ./workbook inspect ch3_transpose_copy_simple\n", words)

    def test_headers_that_include_each_other(self) -> None:
        self.write("chapters/ch3_transpose/copy_simple.cu", '#include "a/one.h"\n')
        self.write("chapters/ch3_transpose/a/one.h", '#include "../a/one.h"\n#include "absent.h"\n')
        self.assertIn("\nNext: ./workbook run ch3_transpose_naive\n", self.workbook("run", "copy_simple").stdout)

    def test_a_stage_that_needs_a_gpu(self) -> None:
        folder = self.root / "chapters/ch3_transpose"
        (folder / "08_cublas.cu").rename(folder / "00b_cublas.cu")  # before all others
        result = self.ends(3, "run", "cublas")
        self.assertIn("does not model.\nInstead: ./workbook run ch3_transpose_naive\n", result.stderr)

    def test_a_program_of_several_files_is_inspected_as_it_ran(self) -> None:
        (self.root / "my headers").mkdir()
        first = self.write("first.cu", "#!/bin/sh\nexit 1\n")
        second = self.write("second.cu", "")
        first.chmod(0o755)
        words = ["first.cu", "second.cu", "--include", "my headers", "--", "--rows", "8"]
        result = self.ends(1, "run", *words, cwd=self.root)
        line = next(line for line in NAMED.findall(result.stdout) if "inspect" in line)
        folder = self.root / "my headers"
        expected = [first, second, "--include", folder, "--", "--rows", "8"]
        self.assertEqual(shlex.split(line), ["./workbook", "inspect", *map(str, expected)])
        self.assertIn("Running first.cu --rows 8", self.workbook(*shlex.split(line)[1:], cwd=self.root).stdout)

    def test_measurements_in_another_folder_are_named(self) -> None:
        self.write("has_gpu", "")
        self.write_tool("nvidia-smi", "echo 'GPU 0: fake'")
        self.write("chapters/ch3_transpose/lesson/bench_sizes.csv", "rows\n64\n")
        table = "echo program,rows,median_ms,device; echo ch3_transpose_naive,64,1,Fake"
        self.write_program("ch3_transpose_naive", table)
        bench = ("bench", "ch3", "--programs", "naive", "--rounds", "1")
        self.assertIn("\nNext: ./workbook plot ch3_transpose\n", self.workbook(*bench).stdout)
        file = self.root / "my times.csv"
        words = self.workbook(*bench, "--output", str(file)).stdout
        self.assertIn(f"\nNext: ./workbook plot ch3_transpose --results '{file}'\n", words)
        self.write("chapters/ch3_transpose/lesson/bench_sizes.csv", "rows,gpus\n64,2\n")
        self.assertNotIn("Next:", self.workbook(*bench).stdout)  # nothing was measured


class FakeExerciseTest(ExerciseTest):
    def test_suggestion_of_a_check_that_passes(self) -> None:
        commands = NAMED.findall(self.check().stdout)
        self.assertEqual(commands, ["./workbook compare ch3_ex2", "./workbook next"])
        for command in commands:
            self.assertEqual(self.workbook(*command.split()[1:]).returncode, 0)

    def test_suggestions_of_a_check_that_fails_and_of_a_hint(self) -> None:
        self.write_answer("exit 1")
        self.assertEqual(self.check().returncode, 1)
        for _ in range(6):  # there is a last hint
            result = self.ends(0, "hint", "ch3_ex2")
            for command in NAMED.findall(result.stdout):
                self.assertEqual(command, "./workbook hint ch3_ex2")

    def test_a_check_of_the_starter_says_what_to_edit(self) -> None:
        self.write_answer("exit 1")
        words = f"Your file is still the starter. Edit {self.answer.relative_to(self.root)}, then check again: ./workbook check ch3_ex2"
        self.assertEqual(self.check().stdout.splitlines()[-1], words)
        self.answer.write_text("mine\n", encoding="utf-8")
        self.assertNotIn("starter", self.check().stdout)

    def test_a_class_has_no_answer_to_compare_with(self) -> None:
        self.write("class.csv", "file,sha256\n")
        (self.root / "solutions/ch3_transpose/ex2_swizzled.cu").unlink()
        self.assertEqual(NAMED.findall(self.check().stdout), ["./workbook next"])
        result = self.workbook("hint", "ch3_ex2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.write_answer("exit 1")
        self.check()
        result = self.workbook("hint", "ch3_ex2")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertNotIn("reference", result.stdout)

    def test_an_exercise_that_is_left_out_on_the_gpu_is_checked_in_the_simulator(self) -> None:
        self.write("has_gpu", "")
        self.write("left_out.cmake", 'set(WORKBOOK_LEFT_OUT_ch3_ex2 "NCCL is not installed" CACHE INTERNAL "")\n')
        result = self.check()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("It was not tested on the GPU, because NCCL is not installed.", result.stdout)

    def test_a_missing_file_is_restored_first(self) -> None:
        self.answer.unlink()
        words = self.workbook("next").stdout
        self.assertIn("\n  reset  ./workbook reset ch3_ex2\n", words)
        self.assertNotIn("./workbook check", words)
        self.assertIn("\nNext: ./workbook reset ch3_ex2\n", self.workbook("progress").stdout)


@needs_simulator
class RealCommandsTest(FolderTest):
    """The workbook's own programs in the tests' build folder; the learner's progress is in a folder of its own."""

    def setUp(self) -> None:
        super().setUp()
        self.progress = self.folder / "progress.csv"
        self.workbook = Workbook(ROOT)
        folder = os.path.abspath(os.environ["WORKBOOK_SIMULATOR_TREE"])
        self.tree = BuildTree(self.workbook, folder, "simulator")
        for patch in (
            unittest.mock.patch.object(build_tree, "BuildTree", lambda *_: self.tree),
            unittest.mock.patch.object(progress, "PROGRESS", str(self.progress)),
        ):
            patch.start()
            self.addCleanup(patch.stop)

    def do(self, command: str) -> tuple[int, str]:
        """The exit code and the output. An exception of the command is an error of the test."""
        _, name, *arguments = shlex.split(command)
        with tempfile.TemporaryFile("w+") as printed:
            with _printing_to(printed.fileno()):
                code = importlib.import_module(f"cli.commands.{name}").run(arguments, self.workbook)
            printed.seek(0)
            return code, printed.read()

    def next_of(self, command: str) -> str:
        code, words = self.do(command)
        self.assertEqual(code, 0, words)
        return re.search(r"^Next: (.*)$", words, re.MULTILINE)[1]

    def solve_the_core_path(self) -> None:
        solved = [step.exercise.target for step in steps(self.workbook) if step.is_core]
        lines = "".join(f"{name},solved,2026-01-02,1,0,,0\n" for name in solved)
        self.progress.write_text(f"{HEADER}{lines}", encoding="utf-8")

    def test_after_programs_and_a_chapter(self) -> None:
        for done, following in (
            ("run ch1_saxpy_one_block", "inspect ch1_saxpy_one_block"),
            ("run ch1_saxpy_copy_vectorized", "inspect ch1_saxpy_copy_vectorized"),
            ("run ch2_subset_sum_cpu_table", "run ch2_subset_sum_naive"),
            ("run ch0_machine_device_query", "run ch0_machine_block_limit"),
            ("run ch1_ex1_solution", "inspect ch1_ex1_solution"),
            ("run ch0_machine", "inspect ch0_machine_sectors"),
        ):
            with self.subTest(done):
                self.assertEqual(self.next_of(f"./workbook {done}"), f"./workbook {following}")
                code, words = self.do(f"./workbook {following}")
                self.assertEqual(code, 0, words)

    def test_what_next_suggests_in_a_new_clone(self) -> None:
        self.assert_next_works("ch0_ex1", "wrong result")

    def test_what_next_suggests_after_the_core_path(self) -> None:
        self.solve_the_core_path()
        self.assert_next_works("project_monte_carlo", "does not compile")

    def assert_next_works(self, target: str, verdict: str) -> None:
        self.assertIn(f"./workbook check {target}", self.do("./workbook progress")[1])
        _, words = self.do("./workbook next")
        self.assertIn(f"  check  ./workbook check {target}\n", words)
        code, words = self.do(f"./workbook check {target}")
        self.assertEqual(code, 4 if verdict == "does not compile" else 1)
        self.assertIn(f": {verdict}.", words)
        *commands, again = NAMED.findall(words)
        self.assertEqual(again, f"./workbook check {target}")
        for command in commands:
            self.assertEqual(self.do(command)[0], 0, command)

    def test_an_exercise_can_call_nccl(self) -> None:
        code, words = self.do("./workbook check ch10_ex1")
        self.assertEqual(code, 1)
        self.assertIn("ex1_deadlock.cu: error found.\nnccl: ncclAllReduce of rank 0 waits for rank", words)
        solution = self.workbook.catalogue.find_program("ch10_ex1_solution")
        code, words = self.do(f"./workbook check ch10_ex1 --file {shlex.quote(str(solution.source))}")
        self.assertEqual(code, 0, words)

    def test_an_exercise_that_is_not_about_nccl_cannot_call_it(self) -> None:
        solution = self.workbook.catalogue.find_program("ch1_ex1_solution").source.read_text(encoding="utf-8")
        file = self.progress.with_name("ex1_vector_add.cu")
        file.write_text(f"#include <nccl.h>\n{solution}\nvoid unused() {{ ncclGroupStart(); }}\n", encoding="utf-8")
        code, words = self.do(f"./workbook check ch1_ex1 --file {file}")
        self.assertEqual(code, 1)
        self.assertIn("It calls ncclGroupStart(), which no exercise needs.", words)


@contextlib.contextmanager
def _printing_to(file: int) -> Iterator[None]:
    """The output of this process and of its children."""
    sys.stdout.flush()
    before = os.dup(1)
    os.dup2(file, 1)
    try:
        with open(1, "w", encoding="utf-8", closefd=False) as stdout, contextlib.redirect_stdout(stdout):
            yield
    finally:
        os.dup2(before, 1)
        os.close(before)
