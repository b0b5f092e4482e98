"""The commands check, compare and reset, from end to end."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from exercises.support import EXERCISE, GOALS, STARTER, UNWRITTEN, ExerciseTest, tests_that, traced_with
from terminal.screen import on_terminal

from cli.terminal.fitting import visible_columns


class CheckTest(ExerciseTest):
    def test_right_answer(self) -> None:
        result = self.ends(0, "check", "ch3_ex2")
        self.assertIn(f"Checking {EXERCISE}\n", result.stdout)
        self.assertIn(f"{EXERCISE} passes: 1 tests, and the goal is reached.\n", result.stdout)
        self.assertIn("./workbook compare ch3_ex2", result.stdout)
        self.assertEqual(self.entry()[:2], ["ch3_ex2", "solved"])

    def test_wrong_answer_gets_the_hint_that_fits(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        result = self.ends(1, "check", "ch3_ex2")
        for words in (
            f"{EXERCISE}: wrong result.\n9 of 9 elements are wrong. The first is out[0]: expected 1, got nan.",
            "1 of 2 tests fail; this is Suite.b.",
            "Hint 1 of 2: It was never written.\nNext hint: ./workbook hint ch3_ex2",
        ):
            self.assertIn(words, result.stdout)
        self.assertEqual(self.entry()[1:2] + self.entry()[4:6], ["tried", "1", "not_written"])

    def test_the_verdict_has_a_mark(self) -> None:
        self.assertIn(f"\n✓ {EXERCISE} passes: ", self.check().stdout)
        result = self.workbook("check", "ch3_ex2", LC_ALL="C")  # Python itself sets another language
        self.assertIn(f"\n[ok] {EXERCISE} passes: ", result.stdout)
        self.assertTrue((result.stdout + result.stderr).isascii())
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.assertIn(f"\n✗ {EXERCISE}: wrong result.\n", self.check().stdout)

    def test_fits_a_narrow_terminal(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        variables = {"WORKBOOK_NO_INSTALL": "1", "LC_ALL": "C.UTF-8", "TERM": "xterm", "PATH": os.environ["PATH"]}
        _, shown = on_terminal([str(self.root / "workbook"), "check", "ch3_ex2"], variables, columns=44)
        lines = [line.split("\r")[-1] for line in shown.splitlines()]
        self.assertLessEqual(max(visible_columns(line) for line in lines), 44)
        self.assertIn("\n9 of 9 elements are wrong. The first is\nout[0]: expected 1, got nan. Pattern: none\n", shown)
        self.assertIn("\033[31m✗ ", shown)

    def test_a_failure_without_a_hint_of_its_own_names_the_steps(self) -> None:
        self.write_answer(tests_that({"b": "1 of 9 elements are wrong."}))
        self.assertIn("\nNo hint is about this failure. Steps to the solution: ./workbook hint ch3_ex2\n", self.check().stdout)
        self.assertEqual(self.entry()[5], "other")
        self.assertIn("Hint 1 of 1: Write it down, on paper.\n", self.workbook("hint", "ch3_ex2").stdout)

    def test_hints_continue_until_the_last(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        self.assertIn("Hint 2 of 2: Write it down, on paper.\n", self.workbook("hint", "ch3_ex2").stdout)
        last = self.workbook("hint", "ch3_ex2").stdout
        self.assertIn("You have seen all hints for the last failure of ch3_ex2.\n", last)
        self.assertIn("solutions/ch3_transpose/ex2_swizzled.cu", last)

    def test_hints_after_a_reset_do_not_call_the_starter_solved(self) -> None:
        self.check()
        self.assertIn("ch3_ex2 is solved. The reference answer", self.workbook("hint", "ch3_ex2").stdout)
        self.answer.write_text(STARTER + "// begun again\n", encoding="utf-8")
        result = self.workbook("hint", "ch3_ex2")
        self.assertIn("ch3_ex2 is solved, but you have changed its file since. These are general hints.", result.stdout)
        self.assertIn("Hint 1 of 1: Write it down, on paper.\n", result.stdout)

    def test_another_failure_starts_other_hints(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        self.write_answer(tests_that({}), ways=32)
        result = self.ends(1, "check", "ch3_ex2")
        self.assertIn("shared-memory loads: bank conflict, n-way: 32. The goal is 1.", result.stdout)
        self.assertIn("Hint 1 of 3: Which bank?", result.stdout)

    def test_the_same_failure_gets_the_last_hint_again(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        self.assertIn("Hint 1 of 2: It was never written.\nNext hint: ./workbook hint ch3_ex2", self.check().stdout)
        self.workbook("hint", "ch3_ex2")
        result = self.check()
        self.assertIn("Hint 2 of 2: Write it down, on paper.", result.stdout)
        self.assertEqual(self.entry()[3:5], ["3", "2"])

    def test_a_failure_that_returns_starts_its_hints_again(self) -> None:
        for answer in (tests_that({"b": UNWRITTEN}), tests_that({}), tests_that({"b": UNWRITTEN})):
            self.write_answer(answer)
            result = self.check()
        self.assertIn("Hint 1 of 2: It was never written.", result.stdout)

    def test_counts_of_another_stage_are_recognised(self) -> None:
        self.write(
            "chapters/ch3_transpose/lesson/claims.csv",
            "stage,rows,memory,operation,measure,value,tolerance\n"
            "localmem,64,shared,load,conflict_ways,32,0\nlocalmem,64,shared,allocation,bytes_per_block,0,0\n",
        )
        self.write_sheet(GOALS + "64,shared,allocation,bytes_per_block,0,0\n")
        self.write_answer(tests_that({}), ways=32)
        self.assertIn("These are the costs of stage localmem, which lacks the technique", self.check().stdout)

    def test_wrong_on_the_gpu_only(self) -> None:
        self.write("has_gpu", "")
        on_gpu = f'case "$0" in *build-simulator*) {tests_that({})[:-7]}\n;; *)\n'
        self.write_answer(f"{on_gpu}{tests_that({'b': UNWRITTEN})}\nesac")
        result = self.ends(1, "check", "ch3_ex2")
        self.assertIn("The answer passes in the simulator, but fails on the GPU:\n", result.stdout)
        self.assertIn("9 of 9 elements are wrong.", result.stdout)
        self.assertEqual(self.entry()[1], "tried")

    def test_also_correct_on_the_gpu(self) -> None:
        self.write("has_gpu", "")
        self.assertIn("the goal is reached. It also passes on the GPU.", self.ends(0, "check", "ch3_ex2").stdout)

    def fail_in(self, tool: str, option: str, words: str) -> subprocess.CompletedProcess[str]:
        """A check in which the tool fails with these words when it has this option."""
        fails = f"case \" $* \" in *' {option} '*) printf '{words}\\n'; exit 1;; esac"
        self.write_tool(tool, f'{fails}; exec {shutil.which(tool)} "$@"')
        return self.ends(4, "check", "ch3_ex2")

    def test_an_error_of_the_machine_is_not_a_check(self) -> None:
        for words, advice in (
            ("x.o: No space left on device", "the disk is full. Make room and try again. 'df -h .' shows the space."),
            ("something odd", "Building ch3_ex2 failed; the reason is above."),
        ):
            with self.subTest(words):
                result = self.fail_in("ninja", "-j", words)
                self.assertTrue(result.stderr.startswith(f"{words}\n"), result.stderr)
                self.assertTrue(result.stderr.endswith(f"{advice}\n"), result.stderr)
                self.assertNotIn("does not compile", result.stdout)
                self.assertFalse((self.root / "progress.csv").exists())

    def test_configuring_a_folder_that_cannot_be_written(self) -> None:
        result = self.fail_in("cmake", "-S", "CMake Error: Cannot open file for write: /w/build/x.tmp")
        words = "CMake could not configure build/: build/ cannot be written. Do you own the workbook's folder?"
        self.assertIn(words, result.stderr)

    def test_invalid_seed_and_shapes(self) -> None:
        for name, value, words in (
            ("WORKBOOK_SEED", "abc", "WORKBOOK_SEED: a seed must be an integer from 0 to 2^64 - 1, not 'abc'.\n"),
            ("WORKBOOK_SEED", "", "WORKBOOK_SEED is empty: set it to an integer, or unset it.\n"),
            ("WORKBOOK_SHAPES", "5x5 5y5", "WORKBOOK_SHAPES: a shape must look like 1000 or 97x2051, not '5y5'.\n"),
        ):
            with self.subTest(name, value=value):
                result = self.workbook("check", "ch3_ex2", **{name: value})
                self.assertEqual((result.returncode, result.stderr), (2, words))
                self.assertNotIn("Building", result.stdout)

    def test_shape_with_too_few_numbers(self) -> None:
        words = "WORKBOOK_SHAPES: '7' is not a shape of these tests. A shape is 2 integer(s), with an x between."
        self.write_answer(f'[ -z "$WORKBOOK_SHAPES" ] || {{ echo "{words}" >&2; exit 2; }}\n{tests_that({})}')
        result = self.workbook("check", "ch3_ex2", WORKBOOK_SHAPES="7")
        self.assertEqual((result.returncode, result.stderr), (2, f"{words}\n"))
        self.assertNotIn("crashed", result.stdout)
        self.assertFalse((self.root / "progress.csv").exists())
        self.assertEqual(self.check().returncode, 0)

    def test_deleted_file(self) -> None:
        self.answer.unlink()
        for command in ("check", "compare", "inspect", "run"):
            with self.subTest(command):
                result = self.ends(1, command, "ch3_ex2")
                self.assertEqual(
                    result.stderr,
                    f"There is no file {EXERCISE}. './workbook reset ch3_ex2' restores the original file, the starter.\n",
                )

    def test_another_file_that_is_not_there(self) -> None:
        result = self.ends(2, "check", "ch3_ex2", "--file", "nosuch.cu")
        self.assertEqual(result.stdout, "")
        self.assertEqual(result.stderr, "There is no file 'nosuch.cu'. The current folder is /.\n")

    def test_not_an_exercise(self) -> None:
        for name, words in (
            ("ch3_transpose_naive", "ch3_transpose_naive is a stage, not an exercise. './workbook test ch3_transpose_naive' tests it"),
            ("ch3_ex2_solution", "ch3_ex2_solution is a reference answer. Your answer is ch3_ex2."),
            ("ch3_ex4", "There is no target 'ch3_ex4'"),
        ):
            with self.subTest(name):
                result = self.workbook("check", name)
                self.assertEqual((result.returncode, words in result.stderr), (2, True), result.stderr)

    def test_whole_chapter(self) -> None:
        self.assertIn("1 of 1 exercises pass.", self.ends(0, "check", "ch3").stdout)

    def test_progress_that_cannot_be_written(self) -> None:
        (self.root / "progress.csv").mkdir()
        result = self.check()
        self.assertIn("progress.csv cannot be read: Is a directory", result.stderr)
        self.assertNotIn("Traceback", result.stderr)


class CompareTest(ExerciseTest):
    def test_side_by_side(self) -> None:
        self.answer.write_text("// Mine\n#include \"transpose.h\"\nlong answer;\n", encoding="utf-8")
        result = self.ends(0, "compare", "ch3_ex2")
        self.assertRegex(result.stdout, r"check +passed +passed\n")
        self.assertRegex(result.stdout, r"tests +1 of 1 pass +1 of 1 pass\n")
        self.assertRegex(result.stdout, r"shared load: bank conflict, n-way +1 +1\n")
        self.assertIn("-long answer;\n+int answer;\n", result.stdout)
        self.assertNotIn("// Mine", result.stdout)

    def test_answer_is_not_given_away(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}), ways=32)
        result = self.ends(1, "compare", "ch3_ex2")
        self.assertRegex(result.stdout, r"tests +1 of 2 pass +1 of 1 pass\n")
        self.assertRegex(result.stdout, r"shared load: bank conflict, n-way +32 +1\n")
        self.assertNotIn("int answer;", result.stdout)
        self.assertIn("+int answer;", self.workbook("compare", "ch3_ex2", "--diff").stdout)

    def test_a_project_has_a_second_answer(self) -> None:
        self.write("chapters/projects/CMakeLists.txt", "add_chapter(projects)\nadd_operation(projects blur EXERCISES blur)\n")
        self.write("chapters/projects/blur.cu", "int mine;\n")
        self.write("solutions/projects/blur.md", "# blur: image blur\n\n## Goals\n\n```csv\n" + GOALS + "```\n")
        for end in ("", "_solution", "_second"):
            self.write_program(f"project_blur{end}_test", tests_that({}))
            self.write_program(f"project_blur{end}_inspect", traced_with(ways=1))
        self.write("solutions/projects/blur.cu", "// Solution of the project: tiles\nint answer;\n")
        self.write("solutions/projects/blur_second.cu", "// Second answer: columns\nint other;\n")
        result = self.ends(0, "compare", "project_blur")
        self.assertRegex(result.stdout, r"yours +reference +second\n +check +passed +passed +passed\n")
        self.assertRegex(result.stdout, r"shared load: bank conflict, n-way +1 +1 +1\n")
        self.assertIn("solutions/projects/blur_second.cu: Second answer: columns\n", result.stdout)
        self.assertIn("-int mine;\n+int answer;\n", result.stdout)

        self.write_program("project_blur_test", tests_that({"b": UNWRITTEN}))
        result = self.workbook("compare", "project_blur")
        self.assertRegex(result.stdout, r"yours +reference\n")
        self.assertNotIn("second", result.stdout)
        result = self.workbook("hint", "project_blur_second")
        self.assertIn("project_blur_second is a reference answer. Your answer is project_blur.", result.stderr)

    def test_times_on_a_gpu(self) -> None:
        self.write("has_gpu", "")
        for name, ms in (("ch3_ex2", 1.5), ("ch3_ex2_solution", 0.75)):
            self.write_program(name, f'[ "$*" = --csv ] && printf "program,median_ms\\n{name},{ms}\\n"')
        result = self.workbook("compare", "ch3_ex2")
        self.assertRegex(result.stdout, r"time on this GPU, ms +1\.5 +0\.75\n", result.stderr)


class ResetTest(ExerciseTest):
    def git(self, *arguments: str) -> None:
        command = ["git", "-C", str(self.root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        subprocess.run(command, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("init")
        self.git("add", EXERCISE)
        self.git("commit", "-m", "all")

    def test_starter_comes_back_and_the_work_is_kept(self) -> None:
        self.commit()
        for text in ("mine\n", "mine again\n"):
            self.answer.write_text(text, encoding="utf-8")
            self.git("commit", "-am", "my work")  # the newest version in git is not the starter
            result = self.ends(0, "reset", "ch3_ex2")
            self.assertEqual(self.answer.read_text(encoding="utf-8"), STARTER)
        self.assertIn(f"Your version is kept as {EXERCISE}.backup-2\n{EXERCISE} is the starter again.", result.stdout)
        kept = [Path(f"{self.answer}.backup-{number}").read_text(encoding="utf-8") for number in (1, 2)]
        self.assertEqual(kept, ["mine\n", "mine again\n"])

    def test_deleted_file_comes_back(self) -> None:
        self.commit()
        self.answer.unlink()
        self.assertEqual(self.workbook("reset", "ch3_ex2").returncode, 0)
        self.assertEqual(self.answer.read_text(encoding="utf-8"), STARTER)

    def test_nothing_to_do(self) -> None:
        self.answer.write_bytes(STARTER.replace("\n", "\r\n").encode())
        result = self.ends(0, "reset", "ch3_ex2")
        self.assertIn("is still the original file, the starter: there is nothing to restore.", result.stdout)

    def test_copy_without_git(self) -> None:
        self.answer.write_text("mine\n", encoding="utf-8")
        result = self.ends(1, "reset", "ch3_ex2", GIT_CEILING_DIRECTORIES=str(self.root.parent))
        self.assertIn("git does not have the starter", result.stderr)
        self.assertEqual(self.answer.read_text(encoding="utf-8"), "mine\n")
