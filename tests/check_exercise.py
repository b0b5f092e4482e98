"""Checks of the exercises. Prints what is wrong and exits with 1.

Usage: check_exercise.py answer ANSWER.cu TEST_PROGRAM [COMPUTE_SANITIZER | GOALS.csv EXERCISE TRACED_PROGRAM]
       check_exercise.py goals GOALS.csv EXERCISE TRACED_PROGRAM
       check_exercise.py in-step STARTER.cu SOLUTION.cu

answer: what `make ch3_ex2_check` runs for a learner: the tests of the chapter, of which it shows the first that
fails; in the simulator the tests with the blocks in reverse, and the goals; on a GPU, where a race may well give right
numbers, compute-sanitizer's racecheck. A test that would be skipped fails, so that no answer passes untested.

goals: a traced program's memory accesses cost what GOALS.csv, in the format of claims.csv, says of the exercise.
Without a row for it there is nothing to reach.

in-step: the starter, which learners get, is its solution with lines taken out and TODO comments put in. A TODO
comment is a line that starts with `// TODO` and the comment lines below it. The comment that begins a file is the
text of the exercise, and the other one that of the solution: it is not compared. A starter whose text has the line
`// Bug hunt` may differ from its solution in any lines, but in MAX_BUG_LINES at most.
"""

from __future__ import annotations

import difflib
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "common"))

from cli.claims import counts_in_simulator, read_claims
from cli.errors import WorkbookError
from cli.processes import run_program

MAX_BUG_LINES = 3
_BUG_HUNT = "// Bug hunt"
_TODO = "// TODO"
_FAILED_TEST = re.compile(r"^\[  FAILED  \] .*\n", re.MULTILINE)
_NOISE = re.compile(r"^(Running main\(\) from .*|Failed)\n", re.MULTILINE)


def split_text(source: str) -> tuple[list[str], list[str]]:
    """The lines of the comment that begins a file, and those below it."""
    lines = source.splitlines()
    end = next((number for number, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return lines[:end], lines[end:]


def without_todos(lines: list[str]) -> list[str]:
    kept = []
    in_todo = False
    for line in lines:
        is_comment = line.lstrip().startswith("//")
        in_todo = is_comment and (in_todo or line.lstrip().startswith(_TODO))
        if not in_todo:
            kept.append(line)
    return kept


def first_line_out_of_step(starter: list[str], solution: list[str]) -> str | None:
    """The first line of the starter that the solution does not have below the one before it."""
    position = 0
    for line in starter:
        try:
            position = solution.index(line, position) + 1
        except ValueError:
            return line
    return None


def changed_lines(starter: list[str], solution: list[str]) -> int:
    """How many lines differ, a line replaced by another counting as one."""
    blocks = difflib.SequenceMatcher(None, starter, solution, autojunk=False).get_opcodes()
    return sum(max(end - begin, other_end - other) for tag, begin, end, other, other_end in blocks if tag != "equal")


def problem(starter: str, solution: str) -> str | None:
    """What is wrong with an exercise, or None."""
    text, starter_lines = split_text(starter)
    _, solution_lines = split_text(solution)
    if not any(line.lstrip().startswith(_TODO) for line in text + starter_lines):
        return "The starter has no '// TODO' line: is it already solved?"
    if any(word in solution for word in (_TODO, _BUG_HUNT)):
        return "The solution has a TODO in it, or says that it is a bug hunt."
    given = without_todos(starter_lines)
    # Blank lines come and go with what they set apart.
    given, wanted = ([line for line in lines if line.strip()] for lines in (given, solution_lines))
    if given == wanted:
        return "The starter is already solved: it lacks no line of its solution."
    if _BUG_HUNT in text:
        count = changed_lines(given, wanted)
        return f"A bug hunt that differs in {count} lines; {MAX_BUG_LINES} at most." if count > MAX_BUG_LINES else None
    stray = first_line_out_of_step(given, wanted)
    return f"This line of the starter is not in the solution, or not in this order:\n{stray}" if stray else None


def unmet_goals(goals_file: Path, exercise: str, program: Path) -> list[str]:
    """A text for each goal that is not reached. Raises WorkbookError if the program fails."""
    unmet = []
    counts_of = {}
    for goal in read_claims(goals_file) if goals_file.is_file() else []:
        if goal.stage != exercise:
            continue
        if goal.options not in counts_of:
            counts_of[goal.options] = counts_in_simulator(program, list(goal.options))
        counted = goal.count(counts_of[goal.options])
        access, measure = f"{goal.memory}-memory {goal.operation}s", goal.measure.replace("_", " ")
        if counted is None:
            unmet.append(f"{access}: the kernel makes none. The goal is {measure}: {goal.value:g}.")
        elif not goal.holds(counts_of[goal.options]):
            unmet.append(f"{access}: {measure}: {counted:.6g}. The goal is {goal.value:g}.")
    return unmet


def failure(tests: Path, block_order: str = "forward") -> str | None:
    """Runs the tests of an answer: the first that fails and how many do, or None."""
    environment = {"WORKBOOK_REQUIRE_GPU": "1", "CUDA_SIMULATOR_BLOCK_ORDER": block_order}
    ended = run_program(tests, ["--gtest_brief=1", "--gtest_color=no"], environment, capture=True)
    if ended.passed:
        return None
    failed = list(_FAILED_TEST.finditer(ended.output))
    if not failed:
        return f"{ended.output.rstrip()}\n{ended.explanation()}"
    first = _NOISE.sub("", ended.output[: failed[0].end()]).rstrip()
    return f"{first}\n\n{len(failed)} tests fail; this is the first. {tests} shows all."


def failure_in_reverse(tests: Path) -> str | None:
    found = failure(tests, "reverse")
    if not found:
        return None
    return (
        "The numbers are right only while block 0 comes first. On a GPU blocks come in any order; here they came in\n"
        f"reverse (CUDA_SIMULATOR_BLOCK_ORDER=reverse):\n{found}"
    )


def check_goals(goals_file: Path, exercise: str, program: Path) -> bool:
    unmet = unmet_goals(goals_file, exercise, program)
    if unmet:
        print("The numbers are right, but the goal is not reached:")
        print("\n".join(f"  {text}" for text in unmet))
        print(f"Line by line: ./workbook inspect {program.name.replace('_inspect', '')}")
    return not unmet


def race(tests: Path, sanitizer: Path) -> str | None:
    """What racecheck says first of the tests, or None."""
    ended = run_program(sanitizer, ["--tool", "racecheck", "--error-exitcode", "1", str(tests)], capture=True)
    if ended.passed:
        return None
    said = [line for line in ended.output.splitlines() if line.startswith("=========")]
    return "\n".join(["The numbers came out right, but racecheck fails:", *said[1:5], *said[-1:]])


def check_answer(answer: Path, tests: Path, *more: str) -> bool:
    print(f"Testing your answer, {answer}", flush=True)
    found = failure(tests)
    if not found and len(more) == 1:
        found = race(tests, Path(more[0]))
    if not found and len(more) == 3:
        found = failure_in_reverse(tests)
    if found:
        print(found)
        return False
    if len(more) == 3 and not check_goals(Path(more[0]), more[1], Path(more[2])):
        return False
    print(f"{answer} passes." if more else f"{answer}: right numbers. './workbook inspect' tells whether by chance.")
    return True


def check_in_step(starter: Path, solution: Path) -> bool:
    found = problem(starter.read_text(encoding="utf-8"), solution.read_text(encoding="utf-8"))
    print(f"{starter}:\n{found}" if found else f"{starter.name} and its solution are in step.")
    return not found


def main(arguments: list[str]) -> int:
    what, *rest = arguments or [""]
    try:
        if what == "answer" and len(rest) in (2, 3, 5):
            passed = check_answer(Path(rest[0]), Path(rest[1]), *rest[2:])
        elif what == "goals" and len(rest) == 3:
            passed = check_goals(Path(rest[0]), rest[1], Path(rest[2]))
        elif what == "in-step" and len(rest) == 2:
            passed = check_in_step(Path(rest[0]), Path(rest[1]))
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except WorkbookError as error:
        print(error)
        return 1
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
