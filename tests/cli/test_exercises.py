"""The commands about exercises, from end to end, on "answers" that are shell scripts: check, hint, compare, watch,
progress, reset."""

from __future__ import annotations

import functools
import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import unittest
import unittest.mock
from pathlib import Path

from support import ROOT, FakeWorkbook
from test_commands import KERNEL

from cli import progress
from cli.errors import WorkbookError
from cli.exercise_check import MISTAKE_KINDS, goals_of
from cli.exercises import all_exercises
from cli.hints import PATTERNS, choose_hints, read_hints
from cli.starters import blob_hash, read_starters, starters_file
from cli.watching import saved
from cli.workbook import Workbook

EXERCISE = "chapters/ch3_transpose/ex2_swizzled.cu"
STARTER = "// Exercise 2\n#include \"transpose.h\"\n// TODO: write it.\n"
HINTS = """\
# Hints

## ex2: swizzled

### unwritten
- Nobody wrote it.

### ways
- Which bank?
- It is c ^ r.

### any
- Write it down,
  on paper.
"""
GOALS = "stage,rows,memory,operation,measure,value,tolerance\nex2,64,shared,load,conflict_ways,1,0\n"
UNWRITTEN = "9 of 9 elements are wrong. The first is out[0]: expected 1, got nan. Pattern: none of them was written."


def tests_that(failed: dict[str, str]) -> str:
    """A GoogleTest program that passes Suite.right and fails as given."""
    tests: list[dict] = [{"name": "right", "result": "COMPLETED"}]
    tests += [
        {"name": name, "result": "COMPLETED", "failures": [{"failure": f"a.cpp:1\nFailed\n{words}"}]}
        for name, words in failed.items()
    ]
    results = json.dumps({"testsuites": [{"name": "Suite", "testsuite": tests}]})
    return f"cat > \"${{GTEST_OUTPUT#json:}}\" <<'END'\n{results}\nEND\nexit {int(bool(failed))}"


def traced_with(ways: int) -> str:
    access = {"file": "x.cu", "line": 1, "column": 1, "memory": "shared", "operation": "load", "bytes_per_lane": 4}
    access.update({"requests": 10, "lanes": 320, "wavefronts": 10 * ways, "ideal_wavefronts": 10})
    report = {"schema": 1, "device": "", "kernels": [{**KERNEL, "accesses": [access]}], "findings": []}
    return f"cat > \"$CUDA_SIMULATOR_REPORT\" <<'END'\n{json.dumps(report)}\nEND"


class ExerciseTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.answer = self.write(EXERCISE, STARTER)
        self.write("chapters/ch3_transpose/hints.md", HINTS)
        self.write("solutions/ch3_transpose/goals.csv", GOALS)
        blob = blob_hash(STARTER.encode())
        self.write("solutions/ch3_transpose/starters.csv", f"file,blob\nex2_swizzled.cu,{blob}\n")
        self.write("solutions/ch3_transpose/ex2_swizzled.cu", "// Solved\n#include \"transpose.h\"\nint answer;\n")
        self.write_answer(tests_that({}), ways=1)
        for name, script in (("test", tests_that({})), ("inspect", traced_with(1))):
            self.write_program(f"ch3_ex2_solution_{name}", script)

    def write_answer(self, tests: str, ways: int = 1) -> None:
        self.write_program("ch3_ex2_test", tests)
        self.write_program("ch3_ex2_inspect", traced_with(ways))

    def check(self) -> subprocess.CompletedProcess[str]:
        return self.workbook("check", "ch3_ex2")

    def entry(self) -> list[str]:
        return (self.root / "progress.csv").read_text(encoding="utf-8").splitlines()[1].split(",")


class CheckTest(ExerciseTest):
    def test_right_answer(self) -> None:
        result = self.check()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(f"Checking {EXERCISE}\n", result.stdout)
        self.assertIn(f"{EXERCISE} passes: 1 tests, and the goal is reached.\n", result.stdout)
        self.assertIn("./workbook compare ch3_ex2", result.stdout)
        self.assertEqual(self.entry()[:2], ["ch3_ex2", "solved"])

    def test_wrong_answer_gets_the_hint_that_fits(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        result = self.check()
        self.assertEqual(result.returncode, 1)
        for words in (
            f"{EXERCISE}: wrong result.\n9 of 9 elements are wrong. The first is out[0]: expected 1, got nan.",
            "1 of 2 tests fail; this is Suite.b.",
            "Hint 1 of 2: Nobody wrote it.\nThe next one: ./workbook hint ch3_ex2",
        ):
            self.assertIn(words, result.stdout)
        self.assertEqual(self.entry()[1:2] + self.entry()[4:6], ["tried", "1", "unwritten wrong"])

    def test_hints_go_on_until_there_is_none(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        self.assertIn("Hint 2 of 2: Write it down, on paper.\n", self.workbook("hint", "ch3_ex2").stdout)
        last = self.workbook("hint", "ch3_ex2").stdout
        self.assertIn("There is no other hint for ch3_ex2", last)
        self.assertIn("solutions/ch3_transpose/ex2_swizzled.cu", last)

    def test_another_failure_begins_other_hints(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        self.write_answer(tests_that({}), ways=32)
        result = self.check()
        self.assertEqual(result.returncode, 1)
        self.assertIn("shared-memory loads: conflict ways: 32. The goal is 1.", result.stdout)
        self.assertIn("Hint 1 of 3: Which bank?", result.stdout)

    def test_same_failure_does_not_repeat_the_hint(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        result = self.check()
        self.assertNotIn("Nobody wrote it", result.stdout)
        self.assertIn("Another hint: ./workbook hint ch3_ex2", result.stdout)
        self.assertEqual(self.entry()[3], "2")

    def test_counts_of_another_stage_are_recognised(self) -> None:
        self.write(
            "chapters/ch3_transpose/claims.csv",
            "stage,rows,memory,operation,measure,value,tolerance\n"
            "localmem,64,shared,load,conflict_ways,32,0\nlocalmem,64,shared,allocation,bytes_per_block,0,0\n",
        )
        self.write("solutions/ch3_transpose/goals.csv", GOALS + "ex2,64,shared,allocation,bytes_per_block,0,0\n")
        self.write_answer(tests_that({}), ways=32)
        self.assertIn("That is what stage localmem costs: the numbers come out, but not by", self.check().stdout)

    def test_wrong_on_the_gpu_only(self) -> None:
        self.write("has_gpu", "")
        on_gpu = f'case "$0" in *build-simulator*) {tests_that({})[:-7]}\n;; *)\n'
        self.write_answer(f"{on_gpu}{tests_that({'b': UNWRITTEN})}\nesac")
        result = self.check()
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("Right in the simulator, and on the GPU:\n", result.stdout)
        self.assertIn("9 of 9 elements are wrong.", result.stdout)
        self.assertEqual(self.entry()[1], "tried")

    def test_right_on_the_gpu_too(self) -> None:
        self.write("has_gpu", "")
        result = self.check()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("the goal is reached. On the GPU too.", result.stdout)

    def test_deleted_file(self) -> None:
        self.answer.unlink()
        result = self.check()
        self.assertEqual(result.returncode, 1)
        self.assertEqual(
            result.stderr, f"There is no file {EXERCISE}. './workbook reset ch3_ex2' brings back the starter.\n"
        )

    def test_not_an_exercise(self) -> None:
        for name, words in (
            ("ch3_transpose_naive", "ch3_transpose_naive is no exercise. These are: ch3_ex2."),
            ("ch3_ex2_solution", "ch3_ex2_solution is the reference answer. Yours is ch3_ex2."),
            ("ch3_ex4", "There is no target 'ch3_ex4'"),
        ):
            with self.subTest(name):
                result = self.workbook("check", name)
                self.assertEqual((result.returncode, words in result.stderr), (2, True), result.stderr)

    def test_whole_chapter(self) -> None:
        result = self.workbook("check", "ch3")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("1 of 1 exercises pass.", result.stdout)

    def test_progress_that_cannot_be_written(self) -> None:
        (self.root / "progress.csv.damaged").mkdir()
        (self.root / "progress.csv").mkdir()
        result = self.check()
        self.assertIn("progress.csv cannot be read: Is a directory", result.stderr)
        self.assertNotIn("Traceback", result.stderr)


class CompareTest(ExerciseTest):
    def test_side_by_side(self) -> None:
        self.answer.write_text("// Mine\n#include \"transpose.h\"\nlong answer;\n", encoding="utf-8")
        result = self.workbook("compare", "ch3_ex2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"check +passed +passed\n")
        self.assertRegex(result.stdout, r"tests +1 of 1 pass +1 of 1 pass\n")
        self.assertRegex(result.stdout, r"shared load: conflict ways +1 +1\n")
        self.assertIn("-long answer;\n+int answer;\n", result.stdout)
        self.assertNotIn("// Mine", result.stdout)

    def test_answer_is_not_given_away(self) -> None:
        self.write_answer(tests_that({"b": UNWRITTEN}), ways=32)
        result = self.workbook("compare", "ch3_ex2")
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stdout, r"tests +1 of 2 pass +1 of 1 pass\n")
        self.assertRegex(result.stdout, r"shared load: conflict ways +32 +1\n")
        self.assertNotIn("int answer;", result.stdout)
        self.assertIn("+int answer;", self.workbook("compare", "ch3_ex2", "--diff").stdout)

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
            result = self.workbook("reset", "ch3_ex2")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(self.answer.read_text(encoding="utf-8"), STARTER)
        self.assertIn(f"Your file is kept as {EXERCISE}.backup-2\n{EXERCISE} is as it was given.", result.stdout)
        kept = [Path(f"{self.answer}.backup-{number}").read_text(encoding="utf-8") for number in (1, 2)]
        self.assertEqual(kept, ["mine\n", "mine again\n"])

    def test_deleted_file_comes_back(self) -> None:
        self.commit()
        self.answer.unlink()
        self.assertEqual(self.workbook("reset", "ch3_ex2").returncode, 0)
        self.assertEqual(self.answer.read_text(encoding="utf-8"), STARTER)

    def test_nothing_to_do(self) -> None:
        self.answer.write_bytes(STARTER.replace("\n", "\r\n").encode())
        result = self.workbook("reset", "ch3_ex2")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("is as it was given; nothing to do.", result.stdout)

    def test_copy_without_git(self) -> None:
        self.answer.write_text("mine\n", encoding="utf-8")
        result = self.workbook("reset", "ch3_ex2", GIT_CEILING_DIRECTORIES=str(self.root.parent))
        self.assertEqual(result.returncode, 1)
        self.assertIn("git does not have the starter", result.stderr)
        self.assertEqual(self.answer.read_text(encoding="utf-8"), "mine\n")


class ProgressTest(ExerciseTest):
    SOLVED = "ch3_ex2,solved,2026-01-02,3,1,,000000000000"
    HEADER = "exercise,state,date,checks,hints,failure,answer"

    def test_states(self) -> None:
        self.assertRegex(self.workbook("progress").stdout, r"ch3_ex2 +swizzled +not begun\n")
        self.answer.write_text("mine\n", encoding="utf-8")
        self.assertRegex(self.workbook("progress").stdout, r"ch3_ex2 +swizzled +not checked yet\n")
        self.write("progress.csv", f"{self.HEADER}\n{self.SOLVED}\n")
        result = self.workbook("progress")
        self.assertRegex(result.stdout, r"ch3_ex2 +swizzled +solved 2026-01-02, 3 checks; changed since the last one")
        self.assertIn("\n1 of 1 exercises solved.", result.stdout)
        self.answer.unlink()
        self.assertIn("the file is gone: ./workbook reset ch3_ex2", self.workbook("progress").stdout)

    def test_hint_without_a_check(self) -> None:
        self.assertIn("These hints are for all answers.", self.workbook("hint", "ch3_ex2").stdout)
        self.assertRegex(self.workbook("progress").stdout, r"ch3_ex2 +swizzled +not begun\n")

    def test_solved_stays_solved(self) -> None:
        self.write("progress.csv", f"{self.HEADER}\n{self.SOLVED}\n")
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        self.assertEqual(self.entry()[:4], ["ch3_ex2", "solved", "2026-01-02", "4"])
        self.assertIn("; as it is now, it fails", self.workbook("progress").stdout)

    def test_file_cut_in_half(self) -> None:
        text = f"{self.HEADER}\n{self.SOLVED}\nch1_ex1,solv"
        self.write("progress.csv", text)
        result = self.workbook("progress")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("\n1 of 1 exercises solved.", result.stdout)
        self.assertIn("line 3 cannot be read and is left out; 1 exercises are kept.", result.stderr)
        self.assertEqual((self.root / "progress.csv.damaged").read_text(encoding="utf-8"), text)
        self.check()
        self.assertEqual((self.root / "progress.csv").read_text(encoding="utf-8").count("\n"), 2)
        self.assertEqual(self.workbook("progress").stderr, "")

    def test_windows_line_ends_and_bom(self) -> None:
        (self.root / "progress.csv").write_bytes(f"\ufeff{self.HEADER}\r\n{self.SOLVED}\r\n".encode())
        result = self.workbook("progress")
        self.assertEqual(result.stderr, "")
        self.assertIn("\n1 of 1 exercises solved.", result.stdout)


class ProgressFileTest(ExerciseTest):
    def test_without_write_permission_the_result_still_stands(self) -> None:
        kept = progress.Progress(self.root)
        with unittest.mock.patch("cli.progress.os.replace", side_effect=PermissionError(13, "Permission denied")):
            with unittest.mock.patch("cli.progress.complain") as complain:
                entry = kept.record_check("ch3_ex2", self.answer, True, [], "2026-01-02")
        self.assertEqual(entry.state, "solved")
        self.assertIn("progress.csv cannot be written (Permission denied)", complain.call_args[0][0])
        self.assertEqual([name for name in os.listdir(self.root) if "progress" in name], [])


class WatchTest(ExerciseTest):
    def test_checks_when_the_file_is_saved(self) -> None:
        environment = {**os.environ, "WORKBOOK_NO_INSTALL": "1"}
        command = [str(self.root / "workbook"), "watch", "ch3"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        limit = threading.Timer(60, process.kill)
        limit.start()
        self.addCleanup(limit.cancel)
        self.addCleanup(process.kill)
        assert process.stdout
        for line in process.stdout:
            if line.startswith("Watching"):
                break
        self.write(f"{EXERCISE}~", "an editor's own")
        self.write("chapters/ch3_transpose/.ex2_swizzled.cu.swp", "an editor's own")
        self.answer.write_text("mine\n", encoding="utf-8")
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Watching"):
                break
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        self.assertIn(f"{EXERCISE} was saved.\n", said)
        self.assertIn(f"{EXERCISE} passes: 1 tests, and the goal is reached.\n", said)
        self.assertIn("No longer watching.", rest)


class SavedTest(unittest.TestCase):
    """The files are real; the naps between two looks are where they change."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name, "a.cu")
        self.file.write_text("0")

    def saves(self, *steps: object) -> list[str]:
        """What the file holds each time it is reported, when one of the steps is taken in each nap."""
        naps = iter(steps)
        seen: list[str] = []

        def nap(_: float) -> None:
            step = next(naps, StopIteration)
            if step is StopIteration:
                raise KeyboardInterrupt
            if callable(step):
                step()

        try:
            for file in saved([self.file], sleep=nap):
                seen.append(file.read_text())
        except KeyboardInterrupt:
            pass
        return seen

    def write(self, text: str) -> None:
        self.file.write_text(text)

    def replace(self) -> None:
        other = self.file.with_name("4913")
        other.write_text("replaced")
        os.replace(other, self.file)

    def test_nothing_happens(self) -> None:
        self.assertEqual(self.saves(None, None, None), [])

    def test_saved_once_is_told_once(self) -> None:
        self.assertEqual(self.saves(lambda: self.write("new"), None, None, None), ["new"])

    def test_waits_until_the_file_stands_still(self) -> None:
        writes = [functools.partial(self.write, text) for text in ("ha", "half", "halves")]
        saves = self.saves(*writes, None, None)
        self.assertEqual(saves, ["halves"])

    def test_replaced_file(self) -> None:
        self.assertEqual(self.saves(self.file.unlink, None, self.replace, None, None), ["replaced"])

    def test_other_files(self) -> None:
        self.assertEqual(self.saves(lambda: self.file.with_name("a.cu~").write_text("x"), None, None), [])


class HintsFileTest(unittest.TestCase):
    def read(self, text: str) -> dict:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "hints.md")
            file.write_text(text, encoding="utf-8")
            return read_hints(file)

    def test_order_and_no_hint_twice(self) -> None:
        hints = self.read("## ex1: a\n### race, any\n- both\n### wrong\n- w\n\n### any\n- last\n")["ex1"]
        self.assertEqual(choose_hints(hints, ["race", "mistake"]), ["both", "last"])
        self.assertEqual(choose_hints(hints, ["border", "wrong"]), ["w", "both", "last"])

    def test_mistakes_in_the_file(self) -> None:
        for text, words in (
            ("## ex1: a\n### rase\n- a\n", ":2: no check fails by 'rase'"),
            ("## ex1: a\n- a\n", ":2: this is no heading"),
            ("## ex1: a\n### race\nplain\n", ":3: this is no heading"),
        ):
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, words):
                self.read(text)

    def test_without_a_file(self) -> None:
        self.assertEqual(read_hints(Path("/nowhere/hints.md")), {})


class AllExercisesTest(unittest.TestCase):
    """What every exercise of the workbook must have."""

    workbook = Workbook(ROOT)

    def test_at_least_two_hints_for_every_failure(self) -> None:
        for exercise in all_exercises(self.workbook):
            with self.subTest(exercise.target):
                hints = read_hints(ROOT / "chapters" / exercise.chapter / "hints.md")
                of_this = hints.get(exercise.target.split("_")[-1], {})
                self.assertGreaterEqual(len(choose_hints(of_this, [])), 2, "hints under '### any'")
                self.assertGreaterEqual(len(of_this), 2, "hints for a failure of its own")

    def test_what_a_kernel_costs_is_a_goal(self) -> None:
        for exercise in all_exercises(self.workbook):
            solution = self.workbook.catalogue.find_program(f"{exercise.target}_solution")
            if "__global__" in solution.source.read_text(encoding="utf-8"):
                with self.subTest(exercise.target):
                    self.assertTrue(goals_of(exercise, self.workbook))

    def test_starters_are_known(self) -> None:
        for exercise in all_exercises(self.workbook):
            with self.subTest(exercise.target):
                known = read_starters(starters_file(exercise, self.workbook)).get(exercise.source.name)
                self.assertEqual(
                    known,
                    blob_hash(exercise.source.read_bytes()),
                    f"{exercise.source.name} has changed: python3 tests/check_exercise.py starters",
                )

    def test_kinds_of_mistakes_are_those_of_the_simulator(self) -> None:
        page = (ROOT / "docs/simulator.md").read_text(encoding="utf-8")
        table = page[page.index("| `out_of_bounds` |") :].split("\n\n")[0]
        documented = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) - {"device_rule"}
        self.assertGreater(len(documented), 10)
        self.assertLessEqual(documented, set(MISTAKE_KINDS))

    def test_patterns_are_those_of_the_tests(self) -> None:
        said = (ROOT / "tests/support/wrong_pattern.h").read_text(encoding="utf-8")
        for name, words in PATTERNS:
            if name != "launch":
                with self.subTest(name):
                    self.assertIn(words.split("|")[0].split(" .*")[0], said)


if __name__ == "__main__":
    unittest.main()
