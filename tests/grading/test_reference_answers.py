"""Every reference answer passes `grade`; CI tries a third of them for each commit. One answer for each kind of build
also passes `check --file` and, in test_in_container.py, `grade --contained`. `check` screens the starters of these
exercises.

The tests need WORKBOOK_SIMULATOR_TREE in the environment: a build folder with the simulator and tests.
WORKBOOK_ALL_ANSWERS=1 tries every reference answer with each of these commands.
"""

from __future__ import annotations

import functools
import os
import unittest
import unittest.mock
from collections.abc import Callable, Iterable
from pathlib import Path

from support import ROOT, built_tree, needs_tree, require_room

from in_turn import in_turn

from cli.building.build_tree import BuildTree
from cli.building.device_rules import read_headers
from cli.catalogue import Program
from cli.checking.answer_build import build_parts
from cli.checking.check import check_exercise
from cli.checking.check_result import CheckResult, Outcome
from cli.checking.check_text import explain
from cli.checking.hidden_cases import HiddenCases
from cli.errors import WorkbookError
from cli.exercises.lookup import all_exercises
from cli.running.isolated import call_side_by_side
from cli.running.limited_run import Limits
from grading import judging
from grading.apart import TARGETS
from grading.judging import SHARE, Examiner

TRIES_ALL = bool(os.environ.get("WORKBOOK_ALL_ANSWERS"))
KINDS = {
    "a kernel": "ch1_ex1",
    "a header with a launch, which is copied": "ch9_ex1",
    "a function that can be left out": "ch8_ex4",
    "NCCL": "ch10_ex1",
    "calls without peer access, and large workspaces": "ch10_ex3",
    "several GPUs and no kernel": "ch10_ex4",
}


@needs_tree
class ReferenceAnswersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.tree = built_tree()
        self.workbook = self.tree.workbook
        self.all = all_exercises(self.workbook)
        self.of_kinds = self.all if TRIES_ALL else [self.workbook.catalogue.find_program(name) for name in KINDS.values()]

    def build(self, exercises: Iterable[Program], kinds: Iterable[str]) -> None:
        """Builds all in one run of make: one run for each exercise takes minutes."""
        targets = [f"{exercise.target}_{kind}" for exercise in exercises for kind in kinds]
        self.tree.build("the reference answers", [*TARGETS, *targets])
        read_headers(ROOT, self.tree.headers_of_rules)

    def test_all_pass_in_the_sandbox(self) -> None:
        require_room()
        exercises = in_turn(self.all)
        self.build(exercises, ("solution_test", "solution_inspect", "judge"))
        limits = Limits(cpu_s=60, wall_s=300, memory_bytes=2 << 30)
        with unittest.mock.patch.object(judging, "build_parts_apart", lambda *_: None):
            examiners = [Examiner(one, self.workbook, self.tree, HiddenCases(), limits) for one in exercises]

        def tried(examiner: Examiner, place: int) -> int:
            return examiner.try_reference(place)

        functions = [functools.partial(tried, examiner) for examiner in examiners]
        done = dict(call_side_by_side(functions, SHARE, len(os.sched_getaffinity(0))))
        failed = [str(result) for result in done.values() if isinstance(result, WorkbookError)]
        self.assertEqual((len(done), failed), (len(exercises), []), "\n\n".join(failed))

    def assert_checked(
        self, exercises: Iterable[Program], is_right: Callable[[CheckResult], bool], files: Callable[[Program], Path | None]
    ) -> None:
        for exercise in exercises:
            with self.subTest(exercise=exercise.target):
                result = check_exercise(exercise, self.workbook, self.tree, files(exercise))
                self.assertTrue(is_right(result), explain(result, exercise.source.name, exercise.target))

    def solution(self, exercise: Program) -> Path:
        return self.workbook.files_of(exercise.chapter).solutions / exercise.source.name

    def test_each_kind_passes_check_of_a_file(self) -> None:
        """Neither the learner's own file nor the reference answer, which a class's copy lacks, is used."""
        built: list[str] = []
        with unittest.mock.patch.object(BuildTree, "build", lambda tree, name, targets: built.extend(targets)):
            for exercise in self.of_kinds:
                build_parts(exercise, self.tree)
        self.assertFalse([target for target in built if "_solution" in target])
        own = {f"{exercise.target}_{kind}" for exercise in self.of_kinds for kind in ("test", "inspect", "kernels_traced")}
        self.assertFalse(own & set(built))
        self.tree.build("the parts of answers", sorted(set(built)))
        self.assert_checked(self.of_kinds, lambda result: result.passed, self.solution)

    def test_check_screens_the_starter_of_each_kind(self) -> None:
        self.build(self.of_kinds, ("test", "inspect"))
        not_looked_at = (Outcome.REFUSED, Outcome.NOT_BUILT)
        self.assert_checked(self.of_kinds, lambda result: result.outcome not in not_looked_at, lambda exercise: None)
