"""The commands of `make ch3_ex2_check` and of the reference answers' tests; the programs are shell scripts."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.application import run_command
from cli.terminal.console import bare_mark


def write_program(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def traced(units: int, memory: str = "shared", atomics: tuple[str, ...] = ()) -> str:
    """A program that reports one kind of load, with 10 requests, and as many atomic requests in these memories."""
    access = {"file": "x.cu", "line": 1, "column": 1, "memory": memory, "operation": "load", "bytes_per_lane": 4}
    access.update({"requests": 10, "lanes": 320, "sectors": units, "wavefronts": units, "ideal_wavefronts": 10})
    kernel = {"name": "k", "launches": 1, "grid": [1, 1, 1], "block": [32, 1, 1]}
    kernel["accesses"] = [access, *({**access, "memory": other, "operation": "atomic"} for other in atomics)]
    kernel.update(dict.fromkeys(("static_shared_bytes", "dynamic_shared_bytes", "blocks", "threads", "barriers"), 0))
    report = {"schema": 1, "kernels": [kernel], "findings": []}
    return f"cat > \"$CUDA_SIMULATOR_REPORT\" <<'END'\n{json.dumps(report)}\nEND"


def gtest_program(failed: dict[str, str], passed: tuple[str, ...] = ()) -> str:
    """A GoogleTest program with these failures; the keys are tests."""
    tests = [{"name": name, "result": "COMPLETED"} for name in passed]
    tests += [
        {"name": name, "result": "COMPLETED", "failures": [{"failure": f"a_test.cpp:1\nFailed\n{words}"}]}
        for name, words in failed.items()
    ]
    results = json.dumps({"testsuites": [{"name": "Suite", "testsuite": tests}]})
    return f"cat > \"${{GTEST_OUTPUT#json:}}\" <<'END'\n{results}\nEND\nexit {int(bool(failed))}"


def run_main(*arguments: object) -> tuple[int, str]:
    words = io.StringIO()
    with contextlib.redirect_stdout(words), contextlib.redirect_stderr(words):
        exit_code = run_command([str(argument) for argument in arguments])
    return exit_code, words.getvalue()


class Goals(unittest.TestCase):
    ROWS = "rows,memory,operation,measure,value,tolerance\n64,shared,load,conflict_ways,1,0\n"
    SHEET = f"# ex1: a\n\n## Goals\n\n```csv\n{ROWS}```\n"

    def check(self, units: int, memory: str = "shared", sheet: str = SHEET, **others: object) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            program, sheet_file = Path(folder, "ch1_ex1_inspect"), Path(folder, "ex1_a.md")
            write_program(program, traced(units, memory, **others))
            sheet_file.write_text(sheet)
            return run_main("check_goals", sheet_file, program)

    def test_goal_reached(self) -> None:
        self.assertEqual(self.check(units=10), (0, ""))

    def test_goal_not_reached(self) -> None:
        exit_code, words = self.check(units=320)
        self.assertEqual(exit_code, 1)
        self.assertIn("shared-memory loads: bank conflict, n-way: 32. The goal is 1.", words)
        self.assertIn("./workbook inspect ch1_ex1\n", words)

    def test_access_that_is_not_made(self) -> None:
        exit_code, words = self.check(units=10, memory="global")
        self.assertEqual(exit_code, 1)
        self.assertIn("the kernel has none, but the goal requires them", words)

    def test_atomic_functions_instead_of_loads(self) -> None:
        exit_code, words = self.check(units=10, atomics=("shared",))
        self.assertEqual(exit_code, 1)
        self.assertIn("shared-memory atomics: requests: 10. The goal is 0.", words)

    def test_atomic_functions_in_another_memory(self) -> None:
        self.assertEqual(self.check(units=10, atomics=("global",)), (0, ""))

    def test_a_goal_for_the_number_of_atomic_functions(self) -> None:
        sheet = self.SHEET.replace("shared,load,conflict_ways,1", "global,load,requests,10")
        sheet = sheet.replace("10,0\n```", "10,0\n64,global,atomic,requests,10,0\n```")
        self.assertEqual(self.check(units=10, memory="global", sheet=sheet, atomics=("global",)), (0, ""))

    def test_a_limit_for_atomic_functions_is_kept_without_any(self) -> None:
        sheet = self.SHEET.replace("1,0\n```", "1,0\n64,global,atomic,requests,<=8,0\n```")
        self.assertEqual(self.check(units=10, sheet=sheet), (0, ""))
        self.assertEqual(self.check(units=10, sheet=sheet, atomics=("global",))[0], 1)

    def test_exercise_without_goals(self) -> None:
        self.assertEqual(self.check(units=320, sheet="# ex1: a\n"), (0, ""))

    def test_goals_that_cannot_be_read(self) -> None:
        exit_code, words = self.check(units=10, sheet=self.SHEET.replace(",1,0", ""))
        self.assertEqual(exit_code, 1)
        self.assertIn("cannot read this claim", words)


class Answer(unittest.TestCase):
    PASSES = gtest_program({}, ("a", "b"))
    FAILS = gtest_program({"a": "1 of 9 is wrong", "b": "2 of 9 are wrong"})

    def check(self, tests: str, units: int | None = None) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            program, sheet, inspected = (Path(folder, name) for name in ("a_test", "ex1_a.md", "ch1_ex1_inspect"))
            write_program(program, tests)
            sheet.write_text(Goals.SHEET)
            if units is None:
                return run_main("check_built", "chapters/ex1_a.cu", program)
            write_program(inspected, traced(units))
            return run_main("check_built", "chapters/ex1_a.cu", program, "--goals", sheet, inspected)

    def test_correct_answer(self) -> None:
        exit_code, words = self.check(self.PASSES, units=10)
        self.assertEqual(exit_code, 0)
        self.assertEqual(
            words,
            "Testing your answer, chapters/ex1_a.cu\n"
            f"{bare_mark(True)} chapters/ex1_a.cu passes: 2 tests, and the goal is reached.\n",
        )

    def test_only_one_failed_test_is_shown(self) -> None:
        exit_code, words = self.check(self.FAILS, units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("wrong result.\n1 of 9 is wrong\n2 of 2 tests fail; this is Suite.a.", words)
        self.assertNotIn("2 of 9", words)
        self.assertNotIn("passes", words)

    def test_correct_result_that_misses_the_goal(self) -> None:
        exit_code, words = self.check(self.PASSES, units=320)
        self.assertEqual(exit_code, 1)
        self.assertIn("bank conflict, n-way: 32. The goal is 1.", words)
        self.assertNotIn("passes", words)

    def test_correct_result_in_the_usual_block_order_only(self) -> None:
        tests = f'if [ $CUDA_SIMULATOR_BLOCK_ORDER = forward ]; then\n{self.PASSES}\nfi\n{self.FAILS}'
        exit_code, words = self.check(tests, units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("The result is correct only when block 0 runs first.", words)
        self.assertIn("(CUDA_SIMULATOR_BLOCK_ORDER=reverse):\n1 of 9 is wrong", words)
        self.assertNotIn("passes", words)

    def test_crash(self) -> None:
        exit_code, words = self.check("echo before; kill -SEGV $$", units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("crashed.\na_test crashed: it accessed memory that does not belong to it", words)
        self.assertIn("\nbefore\n", words)

    def test_end_before_the_tests(self) -> None:
        exit_code, words = self.check("echo passed; exit 0", units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("a_test ended before its tests did.", words)
        self.assertNotIn("passes", words)

    def test_no_test_at_all(self) -> None:
        self.assertEqual(self.check(gtest_program({}), units=10)[0], 1)

    def test_a_skipped_test_is_a_failure(self) -> None:
        self.assertEqual(self.check(f"[ $WORKBOOK_REQUIRE_GPU = 1 ] || exit 1\n{self.PASSES}")[0], 0)

    def test_neither_simulator_nor_racecheck(self) -> None:
        exit_code, words = self.check(self.PASSES)
        self.assertEqual(exit_code, 0)
        self.assertIn("the result is correct. './workbook inspect' checks for races and other errors.", words)

    def test_racecheck(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tests, sanitizer = Path(folder, "a_test"), Path(folder, "compute-sanitizer")
            write_program(tests, self.PASSES)
            write_program(sanitizer, '[ "$*" = "--tool racecheck --error-exitcode 1 ' + str(tests) + '" ]')
            self.assertEqual(run_main("check_built", "ex1_a.cu", tests, "--sanitizer", sanitizer)[0], 0)
            write_program(sanitizer, "printf '========= COMPUTE-SANITIZER\\nx\\n========= Error: Race\\n'; exit 1")
            exit_code, words = run_main("check_built", "ex1_a.cu", tests, "--sanitizer", sanitizer)
        self.assertEqual(exit_code, 1)
        self.assertIn("error found.\nrace: ========= Error: Race", words)
