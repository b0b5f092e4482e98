"""`./workbook run`"""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterable, Iterator

from cli.building.build_tree import NO_CHAPTER, BuildTree, main_tree
from cli.building.own_program import OwnProgram, add_target_arguments, find_own_program
from cli.catalogue import Chapter, Program
from cli.data_sets import data_folder, find_data_set, write_data_set
from cli.errors import EXIT_FAILED, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, MissingToolError, UsageError
from cli.exercises.lookup import source_or_reset
from cli.exercises.next_command import after_chapter, after_own_program, after_program
from cli.measuring.claims import read_claims
from cli.measuring.costs import claimed_sentence
from cli.running.processes import run_program
from cli.terminal.arguments import ArgumentParser, split_at_dashes
from cli.terminal.console import complain, say, wrapped
from cli.workbook import Workbook

SUMMARY = "build a program, every program of a chapter, or one of your own, and run it"
USAGE = "run TARGET|FILE.cu... [--data NAME] [--include DIR] [--unchecked] [-- program options]"
DETAILS = """
TARGET is a program or a chapter from './workbook list'. With a GPU and nvcc the program runs on the GPU, else
under the simulator. Every program checks its result first. A chapter's run leaves out the exercises. Without a GPU no
time is worth a look: of a stage it says what its accesses cost beside those of the chapter's first one.

FILE.cu is a program of your own, as './workbook help inspect' describes it. The simulator looks for its mistakes as it
runs: pointers to the host's memory in a kernel, accesses out of bounds, races. With one of them the exit code is 1.
--unchecked runs it without that, many times faster.

--data NAME draws a map of real data, of which './workbook data' has a list, with a stage of ch9_embedding, or with the
last one that runs here. It lies in data/, or where the program's --output says. Ctrl-C ends it early and keeps the map.

  ./workbook run ch3_transpose_naive
  ./workbook run ch9_embedding --data digits
  ./workbook run ch3_transpose_naive -- --rows 1000 --cols 777
  ./workbook run ch3_transpose
  ./workbook run ~/gpu/my_kernel.cu
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    own_arguments, options = split_at_dashes(arguments)
    parser = ArgumentParser("run", USAGE)
    add_target_arguments(parser)
    parser.add_argument("--unchecked", action="store_true")
    parser.add_argument("--data")
    parsed = parser.parse_beside_program_options(own_arguments)
    if parsed.data is not None:
        return _run_on_data(parsed.target[0], parsed.data, options, workbook)
    own_program = find_own_program(parsed.target, parsed.include, workbook.catalogue)
    if own_program:
        return _run_own(own_program, options, main_tree(workbook, chapter=NO_CHAPTER), parsed.unchecked)
    if parsed.unchecked:
        raise UsageError(f"--unchecked goes with a file of your own; '{parsed.target[0]}' is no such file.")
    found = workbook.catalogue.find(parsed.target[0])
    if isinstance(found, Program) and found.kind == "exercise":
        source_or_reset(found, workbook)
    tree = main_tree(workbook, chapter=found.name if isinstance(found, Chapter) else found.chapter)
    if isinstance(found, Chapter):
        return _run_chapter(found, options, tree)
    return _run_one(found, options, tree, workbook)


def _run_one(program: Program, options: list[str], tree: BuildTree, workbook: Workbook) -> int:
    if not _runnable([program], tree):
        raise MissingToolError(f"{_needs_gpu(program)}\nInstead: {after_program(program, tree)}")
    if tree.left_out(program.target):
        reason = f"{program.target} is left out here, for {tree.left_out(program.target)}."
        raise MissingToolError(f"{reason}\nInstead: {after_program(program, tree)}")
    tree.build(program.target, source=program.source)
    outcome = run_program(tree.program(program.target), options, launched_by=tree.launcher)
    if not outcome.passed:
        complain(outcome.explanation())
    elif tree.backend == "simulator":
        cost = _costs([program], workbook.catalogue.find_chapter(program.chapter)).get(program.target)
        say(f"\n{wrapped(cost)}" if cost else "")
        say(f"Next: {after_program(program, tree)}")
    return outcome.exit_code


def _runnable(programs: Iterable[Program], tree: BuildTree) -> list[Program]:
    return [program for program in programs if tree.backend == "cuda" or not program.needs_gpu]


def _needs_gpu(program: Program) -> MissingToolError:
    return MissingToolError(f"{program.target} needs a GPU and nvcc: it uses what the simulator does not model.")


def _costs(programs: Iterable[Program], chapter: Chapter) -> dict[str, str]:
    """By target, what stages cost beside the chapter's first, where there is no time that says so: as far as known."""
    file = chapter.files.claims
    claims = read_claims(file) if file.is_file() else []
    sentences = {program.target: claimed_sentence(program, chapter, claims) for program in programs}
    return {target: sentence for target, sentence in sentences.items() if sentence}


def _run_on_data(target: str, name: str, options: list[str], workbook: Workbook) -> int:
    data_set = find_data_set(name)
    found = workbook.catalogue.find(target)
    chapter = found.name if isinstance(found, Chapter) else found.chapter
    is_stage = isinstance(found, Chapter) or found.kind == "stage"
    if chapter != data_set.chapter or not is_stage:
        raise UsageError(f"--data {name} goes with {data_set.chapter} or one of its stages, and not with '{target}'.")
    tree = main_tree(workbook, chapter=chapter)
    stages = found.of_kind("stage") if isinstance(found, Chapter) else (found,)
    runnable = _runnable(stages, tree)
    if not runnable:
        raise _needs_gpu(stages[-1])
    stage = runnable[-1]
    folder = data_folder(workbook.root)
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
    if outcome.returncode == EXIT_INTERRUPTED:
        return EXIT_INTERRUPTED
    if not outcome.passed:
        complain(outcome.explanation())
    return outcome.exit_code


@contextlib.contextmanager
def _ctrl_c_left_to_the_program() -> Iterator[None]:
    """The terminal tells the program too, which has something to write before it ends."""
    before = signal.signal(signal.SIGINT, lambda *_: None)  # unlike SIG_IGN, no program inherits it
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _run_own(program: OwnProgram, options: list[str], tree: BuildTree, unchecked: bool) -> int:
    is_checked = tree.backend == "simulator" and not unchecked
    outcome = run_program(program.build(tree, traced=is_checked), options, launched_by=tree.launcher)
    if not outcome.passed:
        complain(outcome.explanation())
        if is_checked:
            say(f"Line by line: {after_own_program(program, options)}")
    return outcome.exit_code


def _run_chapter(chapter: Chapter, options: list[str], tree: BuildTree) -> int:
    programs = chapter.of_kind("stage", "operation")
    for_gpu_only = [program for program in programs if program not in _runnable(programs, tree)]
    left_out = [p for p in programs if p not in for_gpu_only and tree.left_out(p.target)]
    runnable = [program for program in programs if program not in for_gpu_only and program not in left_out]
    # Named one by one: an exercise that does not compile yet must not stop the lesson's stages.
    tree.build(chapter.name, [program.target for program in runnable])
    outcomes = []
    for program in runnable:
        outcomes.append(run_program(tree.program(program.target), options, launched_by=tree.launcher))
        if not outcomes[-1].passed:
            complain(outcomes[-1].explanation())
    passed = [outcome for outcome in outcomes if outcome.passed]
    failed = [outcome.program for outcome in outcomes if not outcome.passed]
    say()
    for program in for_gpu_only:
        say(f"{program.target}: needs a GPU")
    for program in left_out:
        say(f"{program.target}: left out, for {tree.left_out(program.target)}")
    say(f"{len(passed)} of {len(outcomes)} passed" + (f"; failed: {', '.join(failed)}" if failed else ""))
    if not failed and runnable and tree.backend == "simulator":
        for target, cost in _costs(runnable, chapter).items():
            say(wrapped(f"{target}: {cost}"))
        say(f"Next: {after_chapter(chapter, tree)}")
    if not failed and outcomes:
        return EXIT_OK
    # An option that no program knows is bad usage, as it is for a single one.
    return EXIT_USAGE if outcomes and all(outcome.exit_code == EXIT_USAGE for outcome in outcomes) else EXIT_FAILED
