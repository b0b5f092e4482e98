"""`./workbook run`"""

from __future__ import annotations

import contextlib
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from cli.building.arithmetic import arithmetic_warnings
from cli.building.build_tree import NO_CHAPTER, BuildTree, main_tree
from cli.building.nvcc import require_nvcc_accepts
from cli.building.own_program import (
    BUILD_USAGE,
    OWN_PROGRAM,
    OwnProgram,
    add_target_arguments,
    build_options,
    find_own_program,
)
from cli.catalogue import Chapter, Program
from cli.checking.shared_tree import shared_tree
from cli.data_sets import DATA_SETS, data_folder, find_data_set, write_data_set
from cli.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, MissingToolError, UsageError, WorkbookError
from cli.exercises.course import core_stages
from cli.exercises.lookup import source_or_reset
from cli.exercises.next_command import after_chapter, after_own_program, after_program
from cli.measuring.chapter_table import Ran, chapter_table
from cli.measuring.claims import claims_of
from cli.measuring.costs import claimed_sentence
from cli.measuring.measurements import parse_program_output
from cli.running.processes import Outcome, run_program
from cli.terminal.arguments import ArgumentParser, split_at_dashes
from cli.terminal.console import complain, say, wrapped
from cli.terminal.phases import Phase
from cli.workbook import Workbook

SUMMARY = "build and run a program, a chapter, or your own file"
USAGE = (
    f"run TARGET|FILE.cu... [--data NAME] [--output DIR] [--details] {BUILD_USAGE} [--unchecked] "
    "[-- program options]"
)
DETAILS = """
TARGET is a program or a chapter from './workbook list'. With a GPU and nvcc the program runs on the GPU, otherwise
in the simulator. Every program checks its result first.

For a chapter it prints one table, without the exercises: for each stage whether its result is correct, and what its
memory accesses cost compared with those of the first stage; on a GPU also its time. The simulator measures no time.
--details prints the output of each program instead.

FILE.cu is a program of your own, as './workbook help inspect' describes it. The simulator checks it while it runs: for
host pointers in a kernel, accesses out of bounds, and races. If it finds an error, the exit code is 1. --unchecked runs
the program without these checks, many times faster. If nvcc refuses a program without an error, the exit code is 4.
It runs with your own rights, like every program that you start: only run a file that you trust.

--data NAME draws a map of a real data set. TARGET is then a stage of ch9_embedding, or the chapter, for its last stage
that runs here. The data set and the map are written to the workbook's folder data/, or to DIR. With the program's
option --output, only the points are written, to that folder, and the program prints how to draw them. Ctrl-C stops
early and keeps the map. Without TARGET, only the data set is written: NAME.csv has one line of numbers per vector, and
NAME_labels.csv has their labels. --data without a name lists the data sets.

  ./workbook run ch3_transpose_naive
  ./workbook run ch9_embedding --data digits
  ./workbook run --data digits
  ./workbook run ch3_transpose_naive -- --rows 1000 --cols 777
  ./workbook run ch3_transpose
  ./workbook run ~/gpu/my_kernel.cu
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    own_arguments, options = split_at_dashes(arguments)
    parser = ArgumentParser("run", USAGE)
    add_target_arguments(parser, "*")
    parser.add_argument("--unchecked", action="store_true")
    parser.add_argument("--data", nargs="?", const="")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--details", action="store_true")
    parsed = parser.parse_beside_program_options(own_arguments)
    if parsed.data is not None:
        folder = parsed.output or data_folder(workbook.root)
        if parsed.data and parsed.target:
            return _run_on_data(parsed.target[0], parsed.data, folder, options, workbook)
        return _write_data(parsed.data, folder, workbook)
    if not parsed.target:
        parser.error("the following arguments are required: target")
    if parsed.output:
        words = shlex.join([*parsed.target, "--", "--output", str(parsed.output)])
        raise UsageError(f"--output is for --data. Options of the program follow --: ./workbook run {words}")
    own_program = find_own_program(parsed.target, build_options(parsed), workbook.catalogue)
    if own_program:
        return _run_own(own_program, options, main_tree(workbook, chapter=NO_CHAPTER), parsed.unchecked)
    if parsed.unchecked:
        raise UsageError(f"--unchecked is for a program of your own; '{parsed.target[0]}' is not a file.")
    found = workbook.catalogue.find(parsed.target[0])
    if isinstance(found, Program) and found.kind == "exercise":
        source_or_reset(found, workbook)
    chapter = found.name if isinstance(found, Chapter) else found.chapter
    tree = shared_tree(workbook, chapter) or main_tree(workbook, chapter=chapter)
    if isinstance(found, Chapter):
        return _run_chapter(found, options, tree, workbook, parsed.details)
    if parsed.details:
        raise UsageError(f"--details is for a whole chapter; '{parsed.target[0]}' is one program, which prints everything.")
    return _run_one(found, options, tree, workbook)


def _run_one(program: Program, options: list[str], tree: BuildTree, workbook: Workbook) -> int:
    if not _runnable([program], tree):
        raise MissingToolError(f"{_needs_gpu(program)}\nInstead: {after_program(program, tree)}")
    if tree.left_out(program.target):
        reason = f"{program.target} is left out here, because {tree.left_out(program.target)}."
        raise MissingToolError(f"{reason}\nInstead: {after_program(program, tree)}")
    tree.build(program.target, source=program.source)
    outcome = run_program(tree.program(program.target), options, launched_by=tree.launcher)
    if not outcome.passed:
        complain(outcome.explanation())
    elif tree.backend == "simulator":
        cost = _claimed_cost(program, workbook.catalogue.find_chapter(program.chapter))
        say(f"\n{wrapped(cost)}" if cost else "")
        say(f"Next: {after_program(program, tree)}")
    return outcome.exit_code


def _runnable(programs: Iterable[Program], tree: BuildTree) -> list[Program]:
    return [program for program in programs if tree.backend == "cuda" or not program.needs_gpu]


def _needs_gpu(program: Program) -> MissingToolError:
    return MissingToolError(f"{program.target} needs a GPU and nvcc: it uses what the simulator does not model.")


def _claimed_cost(program: Program, chapter: Chapter) -> str:
    """A sentence that compares the cost of a stage with that of the chapter's first stage; empty without claims."""
    return claimed_sentence(program, chapter, claims_of(chapter.files))


def _write_data(name: str, folder: Path, workbook: Workbook) -> int:
    """Writes a data set without running a program, or lists the data sets if the name is empty."""
    if not name:
        for data_set in DATA_SETS:
            say(f"{data_set.name}  {data_set.about}; for {data_set.chapter}")
        return EXIT_OK
    data_set = find_data_set(name)
    files = write_data_set(data_set, workbook.root, folder)
    say(f"{data_set.about}: {workbook.shown(files.vectors)}, with labels in {workbook.shown(files.labels)}")
    return EXIT_OK


def _run_on_data(target: str, name: str, folder: Path, options: list[str], workbook: Workbook) -> int:
    data_set = find_data_set(name)
    found = workbook.catalogue.find(target)
    chapter = found.name if isinstance(found, Chapter) else found.chapter
    is_stage = isinstance(found, Chapter) or found.kind == "stage"
    if chapter != data_set.chapter or not is_stage:
        raise UsageError(f"--data {name} is for {data_set.chapter} or one of its stages, not for '{target}'.")
    tree = main_tree(workbook, chapter=chapter)
    stages = found.of_kind("stage") if isinstance(found, Chapter) else (found,)
    runnable = _runnable(stages, tree)
    if not runnable:
        raise _needs_gpu(stages[-1])
    stage = runnable[-1]
    files = write_data_set(data_set, workbook.root, folder)
    tree.build(stage.target, source=stage.source)
    inputs = ["--input", str(files.vectors), "--labels", str(files.labels)]
    has_output = any(option == "--output" or option.startswith("--output=") for option in options)
    with _ctrl_c_left_to_the_program():
        outcome = run_program(
            tree.program(stage.target),
            [*inputs, *([] if has_output else ["--output", str(folder)]), *options],
            launched_by=tree.launcher,
        )
    if not has_output and (outcome.passed or outcome.returncode == EXIT_INTERRUPTED):
        _draw_map(folder / f"{files.vectors.stem}_map.csv", workbook)
    if outcome.returncode == EXIT_INTERRUPTED:
        return EXIT_INTERRUPTED
    if not outcome.passed:
        complain(outcome.explanation())
    return outcome.exit_code


def _draw_map(points: Path, workbook: Workbook) -> None:
    """Draws the map next to the file with its points, if the program wrote that."""
    script = workbook.root / "plots/embedding_map.py"
    if points.is_file() and script.is_file():
        sys.stdout.flush()
        subprocess.run([sys.executable, str(script), str(points)], check=False)


@contextlib.contextmanager
def _ctrl_c_left_to_the_program() -> Iterator[None]:
    """Ignores Ctrl-C in this process: the program also receives it, and writes its map before it ends."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # programs would inherit SIG_IGN, but not a handler
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run_own(program: OwnProgram, options: list[str], tree: BuildTree, unchecked: bool) -> int:
    is_checked = tree.backend == "simulator" and not unchecked
    outcome = run_program(program.build(tree, traced=is_checked), options, OWN_PROGRAM, launched_by=tree.launcher)
    if not outcome.passed:
        complain(outcome.explanation())
        if is_checked:
            say(f"Line by line: {after_own_program(program, options)}")
    for warning in arithmetic_warnings(program.cuda_sources, tree.workbook.root):
        say(wrapped(warning))
    if outcome.passed and is_checked:
        require_nvcc_accepts(program, tree.workbook, tree)
    return outcome.exit_code


def _run_chapter(chapter: Chapter, options: list[str], tree: BuildTree, workbook: Workbook, with_details: bool) -> int:
    programs = chapter.of_kind("stage", "operation")
    for_gpu_only = [program for program in programs if program not in _runnable(programs, tree)]
    left_out = [p for p in programs if p not in for_gpu_only and tree.left_out(p.target)]
    runnable = [program for program in programs if program not in for_gpu_only and program not in left_out]
    # The targets are named, because an exercise that does not compile yet must not stop the stages.
    if runnable:
        tree.build(chapter.name, [program.target for program in runnable])
    # In chapter 0 the output of the programs is the lesson.
    with_details = with_details or all(program.is_whole for program in runnable)
    ran = _run_in_full(runnable, options, tree) if with_details else _run_for_table(runnable, options, tree)
    if not with_details:
        _say_table(chapter, ran, workbook)
    if ran:
        say()
    if for_gpu_only:
        say(f"Not run, because they need a GPU: {_short_names(for_gpu_only, chapter)}")
    for program in left_out:
        say(f"{program.target}: left out, because {tree.left_out(program.target)}")
    if not ran:
        say("No program of this chapter runs on this machine.")
        return EXIT_OK
    failed = [one.program.target for one, outcome in ran if not outcome.passed]
    say(f"{len(ran) - len(failed)} of {len(ran)} programs passed." + (f" Failed: {', '.join(failed)}" if failed else ""))
    if not with_details and not failed:
        say(f"The output of each program: ./workbook run {chapter.name} --details")
    if not failed and runnable and tree.backend == "simulator":
        say(f"Next: {after_chapter(chapter, tree)}")
    if not failed and ran:
        return EXIT_OK
    # An option that every program refuses is a usage error, as for a single program.
    return EXIT_USAGE if ran and all(outcome.exit_code == EXIT_USAGE for _, outcome in ran) else EXIT_FAILED


def _run_in_full(programs: list[Program], options: list[str], tree: BuildTree) -> list[tuple[Ran, Outcome]]:
    """Runs the programs with their output on the terminal."""
    ran = []
    for program in programs:
        outcome = run_program(tree.program(program.target), options, launched_by=tree.launcher)
        if not outcome.passed:
            complain(outcome.explanation())
        ran.append((Ran(program, outcome.passed), outcome))
    return ran


def _run_for_table(programs: list[Program], options: list[str], tree: BuildTree) -> list[tuple[Ran, Outcome]]:
    """Runs the programs, and shows the output only of those that fail."""
    ran = []
    with Phase("Running") as phase:
        for number, program in enumerate(programs, start=1):
            phase.at(f"{number} of {len(programs)}: {program.target}")
            ran.append(_run_and_time(program, options, tree))
    failures = dict.fromkeys(
        f"{outcome.output.strip()}\n{outcome.explanation()}".strip() for _, outcome in ran if not outcome.passed
    )
    if failures and all(outcome.exit_code == EXIT_USAGE for _, outcome in ran):
        failures = dict.fromkeys([next(iter(failures))])
    for failure in failures:
        complain(f"\n{failure}")
    return ran


def _run_and_time(program: Program, options: list[str], tree: BuildTree) -> tuple[Ran, Outcome]:
    """On a GPU, the result has the first row of the program's measurements."""
    file = tree.program(program.target)
    if tree.backend == "cuda" and "--csv" not in options:
        outcome = run_program(file, [*options, "--csv"], capture=True, launched_by=tree.launcher)
        if outcome.passed:
            with contextlib.suppress(WorkbookError):
                return Ran(program, True, parse_program_output(outcome.output)[0]), outcome
        elif outcome.exit_code != EXIT_USAGE:
            return Ran(program, False), outcome
        # A program that measures no time has no option --csv.
    outcome = run_program(file, options, capture=True, launched_by=tree.launcher)
    return Ran(program, outcome.passed), outcome


def _say_table(chapter: Chapter, ran: list[tuple[Ran, Outcome]], workbook: Workbook) -> None:
    core = {stage.target for stage in core_stages(chapter, workbook)}
    say()
    say(chapter_table(chapter, [one for one, _ in ran], core, claims_of(chapter.files)))
    others = [one.program for one, _ in ran if one.program.kind != "stage" and one.passed]
    if others:
        say(f"\nOther programs, also correct: {_short_names(others, chapter)}")


def _short_names(programs: list[Program], chapter: Chapter) -> str:
    return ", ".join(program.target[len(chapter.name) + 1 :] for program in programs)
