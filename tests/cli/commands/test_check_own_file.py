"""`./workbook check my.cu`: a learner's own file; here a shell script whose output depends on the order of the blocks."""

from __future__ import annotations

import os

from support import FINDING, REPORT, FakeWorkbook, folder_of

UNFREED = {"file": "k.cu", "line": 2, "column": 5, "function": "cudaMalloc", "allocations": 2, "bytes": 1024}


def by_order(**printed: str) -> str:
    """A script that prints a text for each order of the blocks: forward, reverse, seed1, seed2."""
    cases = "".join(f"  {order.replace('seed', '')}) printf '{text}' ;;\n" for order, text in printed.items())
    return f'case "$CUDA_SIMULATOR_BLOCK_ORDER" in\n{cases}esac'


def in_reverse(forward: str, reverse: str) -> str:
    return by_order(forward=forward, reverse=reverse, seed1=forward, seed2=forward)


class CheckOwnFileTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.folder = folder_of(self, "my kernels ")

    def check(self, code: int, script: str, *said: str, options: tuple[str, ...] = (), report: dict = REPORT) -> str:
        """The output for k.cu, with its lines joined by blanks. It ends with this exit code, and says all this."""
        self.write_own_program(self.folder / "k.cu", script, report)
        result = self.ends(code, "check", "k.cu", *options, cwd=self.folder)
        words = " ".join((result.stdout + result.stderr).split())
        for part in said:
            self.assertIn(part, words)
        return words

    def test_a_correct_program_passes_in_four_orders(self) -> None:
        passes = "✓ k.cu passes: no errors, all memory freed, the same results in 4 orders of the blocks."
        self.check(0, 'echo "$CUDA_SIMULATOR_BLOCK_ORDER" >> orders; echo sum 5', passes)
        orders = (self.folder / "orders").read_text().split()
        self.assertEqual(orders, ["forward", "forward", "reverse", "1", "2"])

    def test_options_go_to_the_program(self) -> None:
        self.check(0, '[ "$*" = "-n 5" ] && exit 0; exit 1', options=("--", "-n", "5"))

    def test_a_program_without_kernels_can_use_those_of_a_library(self) -> None:
        without = {**REPORT, "kernels": []}
        self.check(0, "echo 1", report={**without, "library_computed": True})
        self.check(1, "echo 1", "No kernel ran, so there is nothing to check.", report=without)

    def test_memory_that_is_not_freed_is_an_error(self) -> None:
        error = "✗ k.cu: error found. The program ends and has not freed 1,024 bytes of memory:"
        place = "k.cu:2 cudaMalloc: 1,024 bytes in 2 allocations"
        self.check(1, "echo 1", error, place, "Call cudaFree when", report={**REPORT, "unfreed": [UNFREED]})

    def test_findings_come_alone(self) -> None:
        report = {**REPORT, "findings": [FINDING], "unfreed": [UNFREED]}
        said = ("Out of bounds in k Wrote past the end.", "Fix this first.")
        words = self.check(1, in_reverse("1", "2"), *said, report=report)
        self.assertNotIn("order in which", words)

    def test_an_exit_code_other_than_0(self) -> None:
        said = "k.cu failed (exit code 1). The last lines of its output: max error 3"
        self.check(1, "echo max error 3; exit 1", said)

    def test_a_program_that_does_not_end(self) -> None:
        self.write_own_program(self.folder / "k.cu", "while :; do :; done")
        result = self.ends(1, "check", "k.cu", cwd=self.folder, WORKBOOK_CHECK_SECONDS="0.3")
        self.assertIn("timed out after 0.3 s of CPU time", result.stdout)
        self.assertIn("WORKBOOK_CHECK_SECONDS=0.6", result.stdout)

    def test_integers_that_depend_on_the_order_are_an_error(self) -> None:
        self.check(
            1,
            in_reverse("hello\\nlast: 7\\n", "hello\\nlast: 0\\n"),
            "Line 2 of the output is the first that shows it: blocks in order: last: 7",
            "blocks in reverse: last: 0",
            "To repeat it: CUDA_SIMULATOR_BLOCK_ORDER=reverse ./workbook run k.cu -- -n 5",
            options=("--", "-n", "5"),
        )

    def test_long_lines_are_cut_around_the_difference(self) -> None:
        self.write_own_program(self.folder / "k.cu", in_reverse("1 " * 200 + "7" + " 2" * 200, "1 " * 200 + "8"))
        lines = self.workbook("check", "k.cu", cwd=self.folder).stdout.splitlines()
        first, second = (line for line in lines if line.startswith("  blocks"))
        self.assertRegex(first, r"^  blocks in order:   \.\.\.[1 ]+7[2 ]+\.\.\.$")
        self.assertRegex(second, r"^  blocks in reverse: \.\.\.[1 ]+8$")
        self.assertLessEqual(len(first), 100)

    def test_an_order_that_only_a_seed_shows(self) -> None:
        script = by_order(forward="7", reverse="7", seed1="7", seed2="6")
        self.check(1, script, "blocks shuffled: 6", "CUDA_SIMULATOR_BLOCK_ORDER=2 ")

    def test_last_digits_of_floats_are_a_question(self) -> None:
        both = "blocks in order: sum 1.0000012 blocks in reverse: sum 1.0000018"
        script = in_reverse("sum 1.0000012\\n", "sum 1.0000018\\n")
        self.check(0, script, "- k.cu passes, with a question.", both, "Is that what you want here?")

    def test_an_error_in_one_order_goes_before_a_question_in_another(self) -> None:
        words = self.check(1, by_order(forward="1.00001", reverse="1.00002", seed1="1.00001", seed2="9.5"))
        self.assertNotIn("question", words)

    def test_lines_in_a_different_order_are_allowed(self) -> None:
        script = in_reverse("block 0\\nblock 1\\n", "block 1\\nblock 0\\n")
        self.check(0, script, "✓ k.cu passes", "Only the order of the lines")

    def test_a_failure_in_one_order_only(self) -> None:
        said = "fails with the blocks shuffled (seed 1). k.cu failed (exit code 3)."
        self.check(1, '[ "$CUDA_SIMULATOR_BLOCK_ORDER" = 1 ] && exit 3; exit 0', said)

    def test_output_that_differs_in_each_run_is_not_compared(self) -> None:
        self.check(0, "echo took $$ ms; echo sum 5", "Line 1 of the output differs from run to run")
        self.check(0, "echo x >> lines; cat lines", "a different number of lines in each run")
        self.check(0, 'echo "$CUDA_SIMULATOR_BLOCK_ORDER" >&2')  # only stdout is compared

    def test_the_users_order_setting_is_ignored(self) -> None:
        self.write_own_program(self.folder / "k.cu", by_order(forward="1", reverse="1", seed1="1", seed2="1"))
        result = self.workbook("check", "k.cu", cwd=self.folder, CUDA_SIMULATOR_BLOCK_ORDER="99")
        self.assertIn("4 orders of the blocks", result.stdout)

    def test_names_that_are_not_programs(self) -> None:
        self.write_own_program(self.folder / "k.cu", "")
        for arguments, words in (
            (("k.cu", "missing.cpp"), "There is no file 'missing.cpp'."),
            (("k.cu", "--json"), "--json are for exercises; 'k.cu' is a program of your own."),
            (("k.cu", "--begun"), "'k.cu' is a program of your own."),
            (("ex2", "--include", "."), "--include works only with a file of your own"),
            (("ch3_ex2", "--", "5"), "The tests of an exercise take no options."),
            (("chapters/ch3_transpose/01_naive.cu",), "ch3_transpose_naive is a stage, not an exercise."),
        ):
            with self.subTest(arguments):
                self.assertIn(words, self.ends(2, "check", *arguments, cwd=self.folder).stderr)

    def test_the_file_of_an_exercise_is_checked_as_an_exercise(self) -> None:
        source = self.write("chapters/ch3_transpose/ex2_swizzled.cu", "")
        result = self.workbook("check", os.path.relpath(source, self.folder), cwd=self.folder)
        self.assertIn("Checking chapters/ch3_transpose/ex2_swizzled.cu", result.stdout)

    def test_a_file_is_completed(self) -> None:
        script = self.workbook("completion", "bash").stdout
        case = script[script.index("    check)") :].split(";;")[0]
        self.assertIn('_workbook_files -f "$word"', case.splitlines()[-2])
