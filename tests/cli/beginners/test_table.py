"""The answers of `./workbook check` to beginners' bugs: all tables tests/<chapter>/beginners.txt.

CI tries the bugs of a third of the exercises for each commit. The bugs in an exercise that compile are built as one
program, so that the headers are read only once; all other parts of a check are real. The tests need
WORKBOOK_SIMULATOR_TREE in the environment: a build folder with the simulator and tests. WORKBOOK_BEGINNERS=NAME tries
only the bugs with NAME in "chapter/bug", and prints the answers.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import tempfile
import unittest
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from beginners.shared_build import CHOICE, build_together
from support import ROOT, needs_simulator, simulator_tree

from in_turn import in_turn

from cli.building.build_tree import processor_count
from cli.catalogue import Program
from cli.checking.answer_build import Programs, build_elsewhere, build_parts
from cli.checking.check import check_exercise
from cli.checking.check_result import Outcome
from cli.checking.facts import facts_of
from cli.checking.sheet import sheet_of
from cli.exercises.attempt import answer_to
from cli.exercises.hints import choose_hints, hints_in, hints_under
from cli.exercises.lookup import all_exercises
from cli.mistakes.catalogue import Mistake, read_catalogue
from cli.mistakes.reasons import holds
from cli.mistakes.spoiling import spoiled_source
from cli.workbook import Workbook

TABLES = sorted((ROOT / "tests").glob("*/beginners.txt"))
ROWS = [row for table in TABLES for row in read_catalogue(table)]
CHOSEN = os.environ.get("WORKBOOK_BEGINNERS", "")
# These are built as a learner's file is: alone, with all that is looked at before a test runs.
ALONE = (Outcome.NOT_BUILT.value, Outcome.REFUSED.value, Outcome.PASSED.value)
# Names that no learner has written, and words of a test's machinery.
INTERNALS = re.compile(r"cuda_simulator::|cmake_pch|<lambda|GetParam\(\)|EXPECT_|Actual:")
MOST_CPU_S = 2.9 * len(ROWS)  # they take some 1.3 a row: a mistake that is found late shows here


class TableTest(unittest.TestCase):
    def test_there_are_sixty_rows_and_more(self) -> None:
        self.assertGreaterEqual(len(ROWS), 60)

    def test_each_row_says_how_the_check_ends(self) -> None:
        endings = {outcome.value for outcome in Outcome}
        for row in ROWS:
            with self.subTest(row.name):
                self.assertIn(row.verdict, endings)
                self.assertEqual(bool(row.answer), row.verdict in ALONE, "a text if no test has run, otherwise a fact")

    def test_each_exercise_has_rows(self) -> None:
        spoiled = {(row.chapter, Path(row.spoiled).stem) for row in ROWS}
        for exercise in all_exercises(Workbook(ROOT)):
            self.assertIn((exercise.chapter, exercise.source.stem), spoiled)


@needs_simulator
class VerdictsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.workbook = Workbook(ROOT)
        cls.tree = simulator_tree()
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)

    def test_verdicts_and_hints(self) -> None:
        exercises = {row: self.exercise_of(row) for row in ROWS if CHOSEN in f"{row.chapter}/{row.name}"}
        tried_now = set(in_turn(dict.fromkeys(exercises.values())))
        exercises = {row: exercise for row, exercise in exercises.items() if exercise in tried_now}
        rows = list(exercises)
        for exercise in dict.fromkeys(exercises.values()):
            build_parts(exercise, self.tree)
        before_s = cpu_s_of_children()
        with ThreadPoolExecutor(processor_count()) as executor:
            together = {
                exercise: executor.submit(self.build, exercise, [row for row in rows if exercises[row] == exercise])
                for exercise in dict.fromkeys(exercises.values())
            }
            tried = [
                (row, executor.submit(self.try_row, row, exercise, together[exercise]))
                for row, exercise in exercises.items()
            ]
            for row, answer in tried:
                with self.subTest(row.name):
                    if row.verdict == Outcome.NOT_BUILT.value and not shutil.which("clang++"):
                        self.skipTest("clang++ finds what breaks CUDA's rules and g++ compiles")
                    self.assertEqual(answer.result(), "", f"{row.catalogue}:{row.line}: {row.words}")
        used_s = cpu_s_of_children() - before_s
        print(f"{len(rows)} beginners' mistakes took {used_s:.0f} s of CPU time.")
        self.assertLess(used_s, MOST_CPU_S)

    def exercise_of(self, row: Mistake) -> Program:
        stem = Path(row.spoiled).stem
        return next(e for e in all_exercises(self.workbook) if (e.chapter, e.source.stem) == (row.chapter, stem))

    def build(self, exercise: Program, rows: list[Mistake]) -> Programs | None:
        shared = [row for row in rows if row.verdict not in ALONE]
        folder = self.folder / exercise.target
        folder.mkdir()
        return build_together(exercise, shared, self.workbook, self.tree, folder) if shared else None

    def try_row(self, row: Mistake, exercise: Program, together: Future[Programs | None]) -> str:
        """The difference between the answer and the row; empty if they agree."""
        folder = self.folder / row.chapter / row.name
        folder.mkdir(parents=True)
        file = folder / exercise.source.name
        file.write_text(spoiled_source(row, ROOT), encoding="utf-8")
        shared = None if row.verdict in ALONE else together.result()
        result = check_exercise(
            exercise,
            self.workbook,
            self.tree,
            file,
            environment={CHOICE: row.name},
            build=(lambda *_: shared) if shared else build_elsewhere,
        )
        text = answer_to(result, exercise, self.workbook)
        hints, facts = hints_in(sheet_of(exercise, self.workbook)), facts_of(result)
        chosen = choose_hints(hints, facts)
        if CHOSEN:
            print(f"\n== {row.name}, {result.duration_s:.1f} s: {row.words}\n{text}\nFacts: {facts}")
            print("\n".join(f"{name}: {hint}" for name in chosen for hint in hints_under(hints, [name])))
        return "\n".join(self.differences(row, result.outcome.value, text, facts, (chosen or [""])[0]))

    def differences(self, row: Mistake, verdict: str, text: str, facts: list[str], hint: str) -> list[str]:
        squeezed = " ".join(text.split())
        wrong = [] if verdict == row.verdict else [f"The check ends as '{verdict}', not '{row.verdict}'."]
        wrong += [f"It does not say '{reason.pattern}'." for reason in row.answer if not reason.search(squeezed)]
        wrong += [f"No fact fits '{', '.join(one)}': {facts}" for one in row.reasons if not holds(one, facts)]
        if hint != row.hint:
            wrong.append(f"The first hint is '{hint}', not '{row.hint}'.")
        if INTERNALS.search(text):
            wrong.append("It shows the simulator's internals.")
        return [*wrong, text] if wrong else []


def cpu_s_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
