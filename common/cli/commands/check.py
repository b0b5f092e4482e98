"""`./workbook check`"""

from __future__ import annotations

from pathlib import Path

from cli.building.arithmetic import arithmetic_warnings
from cli.building.build_tree import NO_CHAPTER, simulator_tree
from cli.building.gxx_warnings import MOST_SHOWN
from cli.building.nvcc import offer_missing_nvcc, require_nvcc_accepts
from cli.building.own_program import BUILD_USAGE, OwnProgram, add_build_options, build_options, find_own_program
from cli.catalogue import Chapter, Program
from cli.checking.check_result import CheckResult, Outcome, findings_as_json
from cli.errors import EXIT_BUILD_FAILED, EXIT_FAILED, EXIT_OK, UsageError, WorkbookError
from cli.exercises.attempt import Checked, check, check_and_record, exercise_tree
from cli.exercises.course import current_exercise
from cli.exercises.lookup import all_exercises, find_exercise
from cli.exercises.starters import is_starter
from cli.running.runner import CPU_LIMIT_S, LIMIT_VARIABLE
from cli.terminal.arguments import ArgumentParser, split_at_dashes
from cli.terminal.console import complain, say, verdict, wrapped
from cli.terminal.json_output import say_json, words_apart
from cli.terminal.markdown import verdicts_page
from cli.verdicts.own_check import check_own, own_check_words
from cli.workbook import Workbook

SUMMARY = "test your answer to an exercise, or a program of your own"
USAGE = (
    "check [EXERCISE|CHAPTER|FILE.cu...] [--file FILE.cu] [--begun] [--summary FILE.md] [--json] "
    f"{BUILD_USAGE} [-- program options]"
)
DETAILS = f"""
Runs all tests of the chapter on your file, chapters/.../exN_name.cu, in the simulator, with the blocks in order and in
reverse. Then it counts the memory accesses and compares them with the goals of the exercise. With a GPU the tests also
run there. If your answer fails, it shows a wrong element and the expected value, what the wrong elements have in
common, g++'s warnings about your lines, a drawing of the failing case, and a hint. './workbook hint EXERCISE' gives the
next hint. Solved exercises are recorded in progress.csv. Without a name it checks the exercise that './workbook next'
shows.

A test program is stopped after {CPU_LIMIT_S:g} s of CPU time, or {5 * CPU_LIMIT_S:g} s in total. To allow more time, set
{LIMIT_VARIABLE}=120.

--file FILE.cu checks this file instead of yours, and records nothing.
--begun checks every exercise whose file you have changed, of the chapter or of all chapters.
--summary FILE.md adds the verdicts and the errors to a Markdown page.
--json prints an object for other programs (docs/json.md); messages for people go to standard error.

FILE.cu is a program of your own with kernels and a main(), as './workbook help inspect' describes it. It runs with your
own rights, in the simulator, with its blocks in several orders, without input. The check reports races, accesses out of
bounds and other findings, memory that is not freed, an exit code other than 0, and output that depends on the order of
the blocks (docs/own_programs.md). Arguments after -- are passed to the program.

If there is nvcc, CUDA's compiler, it also compiles an answer or a file that passes, and an answer that misses only goals,
because it refuses some code that the simulator runs. Without it, the first check that passes offers to download it.

The exit code is 0 if the answer or the file passes, 4 if it does not compile, and 1 otherwise.

  ./workbook check ch3_ex2
  ./workbook check my_kernel.cu -- 1000
  ./workbook check ch3_ex2 --file ~/my_swizzle.cu
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    own_arguments, options = split_at_dashes(arguments)
    parser = ArgumentParser("check", USAGE)
    parser.add_argument("exercise", nargs="*")
    add_build_options(parser)
    parser.add_argument("--file", metavar="FILE.cu", type=Path)
    parser.add_argument("--begun", action="store_true")
    parser.add_argument("--summary", metavar="FILE.md", type=Path)
    parser.add_argument("--json", action="store_true")
    parsed = parser.parse_beside_program_options(own_arguments)
    words = parsed.exercise
    own_program = find_own_program(words, build_options(parsed), workbook.catalogue) if words else None
    if own_program:
        if parsed.begun or parsed.file or parsed.summary or parsed.json:
            raise UsageError(f"--begun, --file, --summary and --json are for exercises; '{words[0]}' is a program of your own.")
        return _check_own(own_program, options, words[0], workbook)
    if options:
        raise UsageError("Options after -- are for a program of your own. The tests of an exercise take no options.")
    if parsed.begun and parsed.file:
        raise UsageError("--begun checks your own files, and --file checks a different one: give only one of these options.")
    exercises = _exercises(words[0] if words else None, parsed.begun, parsed.file, workbook)
    with words_apart(parsed.json):
        if isinstance(exercises, Program):
            checked = [(exercises, _check_one(exercises, parsed.file, workbook))]
            code = _exit_code(checked[0][1].result)
            if code == EXIT_OK and not parsed.json:
                offer_missing_nvcc(workbook, exercise_tree(workbook, exercises.chapter))
        else:
            code, checked = _check_all(exercises, workbook)
    if parsed.summary:
        with parsed.summary.open("a", encoding="utf-8", errors="replace") as page:
            page.write(verdicts_page((exercise.target, one.result.outcome.value, one.text) for exercise, one in checked))
    if parsed.json:
        say_json({"exercises": [_as_json(exercise, one, workbook) for exercise, one in checked]})
    return code


def _check_own(program: OwnProgram, options: list[str], shown: str, workbook: Workbook) -> int:
    tree = simulator_tree(workbook, chapter=NO_CHAPTER)
    say(f"Checking {shown}")
    checked = check_own(program, program.build(tree, traced=True), options, workbook)
    if checked.passed:
        require_nvcc_accepts(program, workbook, tree)
    say(own_check_words(checked, shown))
    of_compiler = [] if checked.passed else program.warnings(tree)[:MOST_SHOWN]
    for warning in (*of_compiler, *arithmetic_warnings(program.cuda_sources, workbook.root)):
        say(wrapped(warning))
    if checked.passed:
        offer_missing_nvcc(workbook, tree)
    return EXIT_OK if checked.passed else EXIT_FAILED


def _exercises(name: str | None, begun: bool, file: Path | None, workbook: Workbook) -> Program | list[Program]:
    """The exercise or the exercises to check. Raises UsageError if the name is not an exercise or a chapter."""
    found = workbook.catalogue.find(name) if name else None
    if begun:
        if found and not isinstance(found, Chapter):
            raise UsageError(f"--begun is for a chapter, or without a name for all chapters; '{name}' is not a chapter.")
        exercises = found.of_kind("exercise") if found else all_exercises(workbook)
        return [one for one in exercises if one.source.is_file() and not is_starter(one, workbook)]
    if isinstance(found, Chapter) and not file:
        return found.of_kind("exercise")
    if isinstance(found, Program) and found.kind == "stage":
        raise UsageError(
            f"{found.target} is a stage, not an exercise. './workbook test {found.target}' tests it, and "
            f"'./workbook inspect {found.target}' looks for errors in it."
        )
    return find_exercise(name or current_exercise(workbook).target, workbook)


def _check_one(exercise: Program, file: Path | None, workbook: Workbook) -> Checked:
    if not file:
        say(f"Checking {workbook.shown(exercise.source)}")
        return check_and_record(exercise, workbook)
    if not file.is_file():
        raise UsageError(f"There is no file '{file}'. The current folder is {Path.cwd()}.")
    say(f"Checking {file} as {exercise.target}")
    checked = check(exercise, workbook, file)
    checked.say()
    return checked


def _check_all(exercises: list[Program], workbook: Workbook) -> tuple[int, list[tuple[Program, Checked]]]:
    """The exit code, and the exercises that could be checked."""
    if not exercises:
        say("You have not changed any exercise file yet.")
        return EXIT_OK, []
    checked = []
    for exercise in exercises:
        say(f"\nChecking {workbook.shown(exercise.source)}")
        try:
            checked.append((exercise, check_and_record(exercise, workbook)))
        except WorkbookError as error:
            complain(str(error))
    passed = sum(one.result.passed for _, one in checked)
    all_pass = passed == len(exercises)
    say("\n" + verdict(all_pass, f"{passed} of {len(exercises)} exercises pass."))
    return (EXIT_OK if all_pass else EXIT_FAILED), checked


def _as_json(exercise: Program, checked: Checked, workbook: Workbook) -> dict[str, object]:
    result = checked.result
    return {
        "exercise": exercise.target,
        "file": workbook.shown(result.file),
        "passed": result.passed,
        "verdict": result.outcome.value,
        "text": checked.text,
        "seconds": round(result.duration_s, 1),
        **findings_as_json(result),
    }


def _exit_code(result: CheckResult) -> int:
    if result.outcome is Outcome.NOT_BUILT:
        return EXIT_BUILD_FAILED
    return EXIT_OK if result.passed else EXIT_FAILED
