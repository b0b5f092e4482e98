"""What check_exercise.py must find; the traced programs are shell scripts."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path

import check_exercise

SOLUTION = """\
// Solution: why it is right

#include "topic.h"

void kernel() {
  load();

  barrier();  // a reason
  store();
}
"""
STARTER = """\
// Exercise 1: what to do

#include "topic.h"

void kernel() {
  load();
  // TODO: wait, and then store.
  // (about 2 lines)
}
"""
BUG_HUNT = SOLUTION.replace("// Solution: why it is right", "// Exercise 2\n// Bug hunt\n// TODO: find it.")


class InStep(unittest.TestCase):
    def assert_found(self, words: str, starter: str, solution: str = SOLUTION) -> None:
        self.assertIn(words, check_exercise.problem(starter, solution) or "nothing is wrong")

    def test_lines_taken_out(self) -> None:
        self.assertIsNone(check_exercise.problem(STARTER, SOLUTION))

    def test_changed_line(self) -> None:
        self.assert_found("  load(1);", STARTER.replace("load()", "load(1)"))

    def test_line_that_the_solution_lacks(self) -> None:
        self.assert_found("  reload();", STARTER.replace("  load();\n", "  load();\n  reload();\n"))

    def test_other_order(self) -> None:
        starter = STARTER.replace("  load();\n", "  store();\n  load();\n")
        self.assert_found("  load();", starter)

    def test_comment_that_belongs_to_no_todo(self) -> None:
        self.assert_found("  // Old.", STARTER.replace("  load();\n", "  // Old.\n  load();\n"))

    def test_comment_below_code_ends_the_todo(self) -> None:
        self.assert_found("  // Old.", STARTER.replace("2 lines)\n", "2 lines)\n  store();\n  // Old.\n"))

    def test_starter_without_a_todo(self) -> None:
        self.assert_found("no '// TODO' line", STARTER.replace("// TODO: ", "// "))

    def test_solved_starter_that_kept_its_todo(self) -> None:
        solved = STARTER.replace("2 lines)\n", "2 lines)\n  barrier();  // a reason\n  store();\n")
        self.assert_found("already solved", solved)

    def test_unfinished_solution(self) -> None:
        self.assert_found("The solution has a TODO", STARTER, SOLUTION.replace("// a reason", "// TODO: a reason"))


class BugHunt(unittest.TestCase):
    def test_missing_line(self) -> None:
        self.assertIsNone(check_exercise.problem(BUG_HUNT.replace("  barrier();  // a reason\n", ""), SOLUTION))

    def test_changed_line(self) -> None:
        self.assertIsNone(check_exercise.problem(BUG_HUNT.replace("load()", "load(1)"), SOLUTION))

    def test_no_bug(self) -> None:
        self.assertIn("already solved", check_exercise.problem(BUG_HUNT, SOLUTION) or "")

    def test_too_many_differences(self) -> None:
        starter = BUG_HUNT.replace("  store();\n", "  a();\n  b();\n  c();\n  d();\n")
        self.assertIn("differs in 4 lines; 3 at most", check_exercise.problem(starter, SOLUTION) or "")

    def test_no_todo(self) -> None:
        starter = BUG_HUNT.replace("// TODO: find it.\n", "").replace("load()", "load(1)")
        self.assertIn("no '// TODO' line", check_exercise.problem(starter, SOLUTION) or "")

    def test_the_line_counts_in_the_opening_comment_only(self) -> None:
        starter = STARTER.replace("load()", "load(1)").replace("  // TODO", "  // Bug hunt\n  // TODO")
        self.assertIn("not in the solution", check_exercise.problem(starter, SOLUTION) or "")


def write_program(program: Path, script: str) -> None:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def traced(units: int, memory: str = "shared") -> str:
    """A program that reports one kind of load, of 10 requests."""
    access = {"file": "x.cu", "line": 1, "column": 1, "memory": memory, "operation": "load", "bytes_per_lane": 4}
    access.update({"requests": 10, "lanes": 320, "sectors": units, "wavefronts": units, "ideal_wavefronts": 10})
    kernel = {"name": "k", "launches": 1, "grid": [1, 1, 1], "block": [32, 1, 1], "accesses": [access]}
    kernel.update(dict.fromkeys(("static_shared_bytes", "dynamic_shared_bytes", "blocks", "threads", "barriers"), 0))
    report = {"schema": 1, "kernels": [kernel], "findings": []}
    return f"cat > \"$CUDA_SIMULATOR_REPORT\" <<'END'\n{json.dumps(report)}\nEND"


def gtest_program(failed: dict[str, str], passed: tuple[str, ...] = ()) -> str:
    """A GoogleTest program with these failures, by test."""
    tests = [{"name": name, "result": "COMPLETED"} for name in passed]
    tests += [
        {"name": name, "result": "COMPLETED", "failures": [{"failure": f"a_test.cpp:1\nFailed\n{words}"}]}
        for name, words in failed.items()
    ]
    results = json.dumps({"testsuites": [{"name": "Suite", "testsuite": tests}]})
    return f"cat > \"${{GTEST_OUTPUT#json:}}\" <<'END'\n{results}\nEND\nexit {int(bool(failed))}"


def run_main(*arguments: object) -> tuple[int, str]:
    words = io.StringIO()
    with contextlib.redirect_stdout(words):
        exit_code = check_exercise.main([str(argument) for argument in arguments])
    return exit_code, words.getvalue()


class Goals(unittest.TestCase):
    GOALS = (
        "stage,rows,memory,operation,measure,value,tolerance\n"
        "ex1,64,shared,load,conflict_ways,1,0\n"
        "ex9,64,shared,load,conflict_ways,7,0\n"
    )

    def check(self, exercise: str, units: int, memory: str = "shared", goals: str = GOALS) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            program, goals_file = Path(folder, "ch1_ex1_inspect"), Path(folder, "goals.csv")
            write_program(program, traced(units, memory))
            goals_file.write_text(goals)
            return run_main("goals", goals_file, exercise, program)

    def test_goal_reached(self) -> None:
        self.assertEqual(self.check("ex1", units=10), (0, ""))

    def test_goal_not_reached(self) -> None:
        exit_code, words = self.check("ex1", units=320)
        self.assertEqual(exit_code, 1)
        self.assertIn("shared-memory loads: conflict ways: 32. The goal is 1.", words)
        self.assertIn("./workbook inspect ch1_ex1\n", words)

    def test_access_that_is_not_made(self) -> None:
        exit_code, words = self.check("ex1", units=10, memory="global")
        self.assertEqual(exit_code, 1)
        self.assertIn("the kernel makes none", words)

    def test_exercise_without_goals(self) -> None:
        self.assertEqual(self.check("ex2", units=320), (0, ""))

    def test_goals_that_cannot_be_read(self) -> None:
        exit_code, words = self.check("ex1", units=10, goals="stage,memory\nex1,shared\n")
        self.assertEqual(exit_code, 1)
        self.assertIn("cannot read this claim", words)


class Answer(unittest.TestCase):
    PASSES = gtest_program({}, ("a", "b"))
    FAILS = gtest_program({"a": "1 of 9 is wrong", "b": "2 of 9 are wrong"})

    def check(self, tests: str, units: int | None = None) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            program, goals_file, inspected = (Path(folder, name) for name in ("a_test", "goals.csv", "ch1_ex1_inspect"))
            write_program(program, tests)
            goals_file.write_text(Goals.GOALS)
            if units is None:
                return run_main("answer", "chapters/ex1_a.cu", program)
            write_program(inspected, traced(units))
            return run_main("answer", "chapters/ex1_a.cu", program, goals_file, "ex1", inspected)

    def test_right_answer(self) -> None:
        exit_code, words = self.check(self.PASSES, units=10)
        self.assertEqual(exit_code, 0)
        self.assertEqual(
            words,
            "Testing your answer, chapters/ex1_a.cu\nchapters/ex1_a.cu passes: 2 tests, and the goal is reached.\n",
        )

    def test_only_one_failed_test_is_shown(self) -> None:
        exit_code, words = self.check(self.FAILS, units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("wrong result.\n1 of 9 is wrong\n2 of 2 tests fail; this is Suite.a.", words)
        self.assertNotIn("2 of 9", words)
        self.assertNotIn("passes", words)

    def test_right_numbers_that_miss_the_goal(self) -> None:
        exit_code, words = self.check(self.PASSES, units=320)
        self.assertEqual(exit_code, 1)
        self.assertIn("conflict ways: 32. The goal is 1.", words)
        self.assertNotIn("passes", words)

    def test_right_numbers_in_the_usual_block_order_only(self) -> None:
        tests = f'if [ $CUDA_SIMULATOR_BLOCK_ORDER = forward ]; then\n{self.PASSES}\nfi\n{self.FAILS}'
        exit_code, words = self.check(tests, units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("The numbers are right only while block 0 comes first.", words)
        self.assertIn("(CUDA_SIMULATOR_BLOCK_ORDER=reverse):\n1 of 9 is wrong", words)
        self.assertNotIn("passes", words)

    def test_crash(self) -> None:
        exit_code, words = self.check("echo before; kill -SEGV $$", units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("crashed.\na_test crashed: it touched memory that is not its own", words)
        self.assertIn("\nbefore\n", words)

    def test_end_before_the_tests(self) -> None:
        exit_code, words = self.check("echo passed; exit 0", units=10)
        self.assertEqual(exit_code, 1)
        self.assertIn("a_test ended before its tests did.", words)
        self.assertNotIn("passes", words)

    def test_no_test_at_all(self) -> None:
        self.assertEqual(self.check(gtest_program({}), units=10)[0], 1)

    def test_nothing_may_be_skipped(self) -> None:
        self.assertEqual(self.check(f"[ $WORKBOOK_REQUIRE_GPU = 1 ] || exit 1\n{self.PASSES}")[0], 0)

    def test_neither_simulator_nor_racecheck(self) -> None:
        exit_code, words = self.check(self.PASSES)
        self.assertEqual(exit_code, 0)
        self.assertIn("right numbers. './workbook inspect' tells whether by chance.", words)

    def test_racecheck(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tests, sanitizer = Path(folder, "a_test"), Path(folder, "compute-sanitizer")
            write_program(tests, self.PASSES)
            write_program(sanitizer, '[ "$*" = "--tool racecheck --error-exitcode 1 ' + str(tests) + '" ]')
            self.assertEqual(run_main("answer", "ex1_a.cu", tests, sanitizer)[0], 0)
            write_program(sanitizer, "printf '========= COMPUTE-SANITIZER\\nx\\n========= Error: Race\\n'; exit 1")
            exit_code, words = run_main("answer", "ex1_a.cu", tests, sanitizer)
        self.assertEqual(exit_code, 1)
        self.assertIn("mistake found.\nrace: ========= Error: Race", words)


class Usage(unittest.TestCase):
    def test_wrong_usage(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(check_exercise.main(["in-step", "one.cu"]), 2)


if __name__ == "__main__":
    unittest.main()
