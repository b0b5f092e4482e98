"""Reference answers with edited tokens, built, traced and checked like a learner's: seconds per case."""

from __future__ import annotations

import random
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.checking.check import check_exercise
from cli.checking.check_text import explain
from cli.errors import WorkbookError
from cli.exercises.lookup import all_exercises, solution_of
from cli.running.limited_run import Ended, Limits, run_within
from cli.running.runner import Rooms
from cli.terminal.console import printable
from cli.workbook import Workbook
from fuzz.area import wrong_output
from fuzz.edits import edited_code

_LIMITS = Limits(cpu_s=30.0, wall_s=240.0)


class Answers:
    name = "answers"
    is_isolated = False

    def __init__(self, root: Path, tree: Path) -> None:
        self._workbook = Workbook(root)
        self._tree = BuildTree(self._workbook, str(tree.resolve()), "simulator")
        built = [
            exercise for exercise in all_exercises(self._workbook) if self._tree.program(f"{exercise.target}_solution_test").is_file()
        ]
        self._exercises = [(exercise, solution_of(exercise, self._workbook).source) for exercise in built]

    def run(self, chance: random.Random, folder: Path) -> str:
        exercise, solution = chance.choice(self._exercises)
        text = solution.read_text(encoding="utf-8")
        answer = folder / exercise.source.name
        answer.write_text(edited_code(text, chance), encoding="utf-8", errors="replace")
        try:
            result = check_exercise(exercise, self._workbook, self._tree, answer, Rooms(_run))
        except WorkbookError as error:
            return f"an error in an answer is reported as an error of the workbook: {error}"
        said = explain(result, answer.name, exercise.target)
        return wrong_output(printable(said)) if said.strip() else f"{result.outcome.value}, without a message"


def _run(command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
    return run_within(_LIMITS, command, folder, environment)
