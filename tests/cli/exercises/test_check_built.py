"""The commands of `make ch3_ex2_check` and of the reference answers' tests; the programs are shell scripts."""

from __future__ import annotations

from pathlib import Path

from exercises.support import conflicts_of, tests_that
from support import FolderTest, access, ended, leaves, report_of

from cli.application import run_command
from cli.terminal.console import bare_mark

LOADS = access(requests=10, lanes=320, sectors=10)
ROWS = "rows,memory,operation,measure,value,tolerance\n64,shared,load,conflict_ways,1,0\n"
SHEET = f"# ex1: a\n\n## Goals\n\n```csv\n{ROWS}```\n"
PASSES = tests_that({}, ("a", "b"))
FAILS = tests_that({"a": "1 of 9 is wrong", "b": "2 of 9 are wrong"}, ())


def atomics_in(memory: str) -> dict[str, object]:
    return access(1, memory, "atomic", requests=10, lanes=320, sectors=10, wavefronts=10, ideal_wavefronts=10)


class BuiltTest(FolderTest):
    def program(self, name: str, script: str) -> Path:
        program = self.folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return program

    def traced(self, *accesses: dict[str, object]) -> Path:
        return self.program("ch1_ex1_inspect", leaves(report_of(*accesses)))

    def sheet(self, text: str = SHEET) -> Path:
        sheet = self.folder / "ex1_a.md"
        sheet.write_text(text)
        return sheet

    def ends(self, code: int, *arguments: object) -> str:
        """The output of a command, which must end with this exit code."""
        found, words = ended(run_command, [str(argument) for argument in arguments])
        self.assertEqual(found, code, words)
        return words


class GoalsTest(BuiltTest):
    def reached(self, *accesses: dict[str, object], sheet: str = SHEET) -> None:
        self.assertEqual(self.ends(0, "check_goals", self.sheet(sheet), self.traced(*accesses)), "")

    def missed(self, *accesses: dict[str, object], sheet: str = SHEET) -> str:
        return self.ends(1, "check_goals", self.sheet(sheet), self.traced(*accesses))

    def test_a_goal(self) -> None:
        self.reached(conflicts_of(1))
        words = self.missed(conflicts_of(32))
        self.assertIn("shared-memory loads: bank conflict, n-way: 32. The goal is 1.", words)
        self.assertIn("./workbook inspect ch1_ex1\n", words)
        self.reached(conflicts_of(32), sheet="# ex1: a\n")

    def test_access_that_is_not_made(self) -> None:
        self.assertIn("the kernel has none, but the goal requires them", self.missed(LOADS))

    def test_atomic_functions_instead_of_loads(self) -> None:
        words = self.missed(conflicts_of(1), atomics_in("shared"))
        self.assertIn("shared-memory atomics: requests: 10. The goal is 0.", words)
        self.reached(conflicts_of(1), atomics_in("global"))

    def test_a_goal_for_the_number_of_atomic_functions(self) -> None:
        goals = "global,load,requests,10,0\n64,global,atomic,requests,10,0"
        self.reached(LOADS, atomics_in("global"), sheet=SHEET.replace("shared,load,conflict_ways,1,0", goals))

    def test_a_limit_for_atomic_functions_is_kept_without_any(self) -> None:
        sheet = SHEET.replace("1,0\n```", "1,0\n64,global,atomic,requests,<=8,0\n```")
        self.reached(conflicts_of(1), sheet=sheet)
        self.missed(conflicts_of(1), atomics_in("global"), sheet=sheet)

    def test_goals_that_cannot_be_read(self) -> None:
        self.assertIn("cannot read this claim", self.missed(conflicts_of(1), sheet=SHEET.replace(",1,0", "")))


class AnswerTest(BuiltTest):
    def check(self, code: int, tests: str, *said: str, ways: int = 1) -> str:
        """The check of an answer ends with this exit code and says all this, and that it passes only if it does."""
        built = [self.program("a_test", tests), "--goals", self.sheet(), self.traced(conflicts_of(ways))]
        words = self.ends(code, "check_built", "chapters/ex1_a.cu", *built)
        for part in said:
            self.assertIn(part, words)
        self.assertEqual("passes" in words, code == 0)
        return words

    def test_correct_answer(self) -> None:
        passes = f"{bare_mark(True)} chapters/ex1_a.cu passes: 2 tests, and the goal is reached.\n"
        self.assertEqual(self.check(0, PASSES), f"Testing your answer, chapters/ex1_a.cu\n{passes}")

    def test_only_one_failed_test_is_shown(self) -> None:
        words = self.check(1, FAILS, "wrong result.\n1 of 9 is wrong\n2 of 2 tests fail; this is Suite.a.")
        self.assertNotIn("2 of 9", words)

    def test_correct_result_that_misses_the_goal(self) -> None:
        self.check(1, PASSES, "bank conflict, n-way: 32. The goal is 1.", ways=32)

    def test_correct_result_in_the_usual_block_order_only(self) -> None:
        self.check(
            1,
            f"if [ $CUDA_SIMULATOR_BLOCK_ORDER = forward ]; then\n{PASSES}\nfi\n{FAILS}",
            "The result is correct only when block 0 and thread 0 start first.",
            "(CUDA_SIMULATOR_BLOCK_ORDER=reverse):\n1 of 9 is wrong",
        )

    def test_crash(self) -> None:
        crashed = "crashed.\na_test crashed: it accessed memory that does not belong to it"
        self.check(1, "echo before; kill -SEGV $$", crashed, "\nbefore\n")

    def test_end_before_the_tests(self) -> None:
        self.check(1, "echo passed; exit 0", "a_test ended before its tests did.")
        self.check(1, tests_that({}, ()))

    def test_without_the_simulator(self) -> None:
        """No goals, and a skipped test is a failure: the GPU is required."""
        test = self.program("a_test", f"[ $WORKBOOK_REQUIRE_GPU = 1 ] || exit 1\n{PASSES}")
        words = self.ends(0, "check_built", "chapters/ex1_a.cu", test)
        self.assertIn("the result is correct. './workbook inspect' checks for races and other errors.", words)

    def test_racecheck(self) -> None:
        test, name = self.program("a_test", PASSES), "compute-sanitizer"
        sanitizer = self.program(name, f'[ "$*" = "--tool racecheck --error-exitcode 1 {test}" ]')
        self.ends(0, "check_built", "ex1_a.cu", test, "--sanitizer", sanitizer)
        self.program(name, "printf '========= COMPUTE-SANITIZER\\nx\\n========= Error: Race\\n'; exit 1")
        words = self.ends(1, "check_built", "ex1_a.cu", test, "--sanitizer", sanitizer)
        self.assertIn("error found.\nrace: ========= Error: Race", words)
