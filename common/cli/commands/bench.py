"""`./workbook bench`"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from cli.building.build_tree import BuildTree, main_tree
from cli.catalogue import Chapter, Program
from cli.errors import EXIT_FAILED, EXIT_OK, EXIT_USAGE, MissingToolError, UsageError, WorkbookError
from cli.exercises.course import core_stages
from cli.exercises.next_command import after_bench, after_chapter
from cli.exercises.progress import Progress
from cli.machine.tools import output_of
from cli.measuring.core_summary import core_summary, speeds_of
from cli.measuring.measurements import (
    Row,
    Size,
    commit_name,
    parse_program_output,
    parse_sizes,
    read_sizes,
    summary,
    today,
    write_rows,
)
from cli.running.launcher import launcher
from cli.running.processes import run_program
from cli.terminal.arguments import ArgumentParser
from cli.terminal.console import complain, say
from cli.workbook import Workbook

SUMMARY = "measure a chapter's programs on your GPU"
USAGE = "bench CHAPTER|--core [--programs TARGET...] [--sizes SIZE...] [--rounds N] [--output FILE] [--build FOLDER]"
DETAILS = """
Runs all programs at all sizes, in N rounds (3 by default): a drift of the GPU's clock affects all programs in the same
way. Writes build/results/CHAPTER.csv and prints the medians. The sizes come from the chapter's bench_sizes.csv;
--sizes 4096x4096 16383x10007 replaces them. --programs naive padded measures only these programs. A program that cannot
compute a size says why and is left out there. A program whose result is wrong is reported and left out, and the exit
code is 1. --build FOLDER runs the programs of a build folder without building them again.

--core measures the stages of the core path instead, each once at its usual size: one minute on an H200, after the build.
It writes build/results/core.csv, shows each stage next to the H200, and names the stages to look at. Both forms record
in progress.csv what your GPU reached.
"""


@dataclass
class _Session:
    """The measurements and failures of a benchmark so far."""

    options: list[str]
    commit: str
    date: str
    rows: list[Row] = field(default_factory=list)
    failed: set[tuple[str, Size]] = field(default_factory=set)
    refused: set[tuple[str, Size]] = field(default_factory=set)  # by the program: it cannot compute this size


def run(arguments: list[str], workbook: Workbook) -> int:
    parser = ArgumentParser("bench", USAGE)
    parser.add_argument("chapter", nargs="?")
    parser.add_argument("--core", action="store_true")
    parser.add_argument("--programs", nargs="+", metavar="TARGET", default=[])
    parser.add_argument("--sizes", nargs="+", metavar="SIZE")
    parser.add_argument("--rounds", type=int, metavar="N")
    parser.add_argument("--build", type=Path, metavar="FOLDER")
    parser.add_argument("--output", type=Path, metavar="FILE")
    parsed = parser.parse_args(arguments)
    rounds = parsed.rounds if parsed.rounds is not None else 1 if parsed.core else 3
    if rounds < 1:
        raise UsageError("--rounds must be 1 or more.")
    if parsed.core and (parsed.chapter or parsed.programs or parsed.sizes):
        raise UsageError("--core measures the stages of the core path at their usual sizes: name no chapter, program or size.")
    if parsed.core:
        return _bench_core(workbook, rounds, parsed.build, parsed.output)
    if not parsed.chapter:
        raise UsageError("Name a chapter, or use --core.")
    chapter = workbook.catalogue.find_chapter(parsed.chapter)
    options, sizes = read_sizes(chapter.files.bench_sizes)
    programs = _programs(chapter, parsed.programs, workbook)
    if parsed.sizes:
        sizes = parse_sizes(parsed.sizes, options)

    sizes = _with_gpus_there(sizes, options, _gpu_count(chapter, workbook))
    tree = _cuda_tree(chapter, parsed.build, workbook)
    if not parsed.build:
        programs = _with_what_they_need(programs, bool(parsed.programs), tree)
        tree.build(chapter.name, [program.target for program in programs])
    output_file = parsed.output or tree.folder / "results" / f"{chapter.name}.csv"
    session = _Session(options, commit_name(workbook.root), today())
    _run_rounds(session, rounds, programs, sizes, tree, output_file)
    return _finish(session, output_file, chapter, workbook)


def _bench_core(workbook: Workbook, rounds: int, build: Path | None, output: Path | None) -> int:
    chapters = [chapter for chapter in workbook.catalogue.chapters if chapter.files.bench_sizes.is_file()]
    if _gpu_count(chapters[0], workbook) == 1:
        chapters = [chapter for chapter in chapters if "gpus" not in read_sizes(chapter.files.bench_sizes)[0]]
    tree = _cuda_tree(chapters[0], build, workbook)
    programs = [stage for chapter in chapters for stage in core_stages(chapter, workbook) if not stage.is_on_cpu]
    if not build:
        programs = _with_what_they_need(programs, False, tree)
        tree.build("the core path", [program.target for program in programs])
    output_file = output or tree.folder / "results" / "core.csv"
    session = _Session([], commit_name(workbook.root), today())
    _run_rounds(session, rounds, programs, [()], tree, output_file)
    say()
    if session.rows:
        say(core_summary(session.rows, workbook.root / "plots/results/nvidia-h200/core.csv"))
        say(f"\nWritten to {workbook.shown(output_file)}")
    return _exit_code(session)


def _run_rounds(
    session: _Session, rounds: int, programs: list[Program], sizes: list[Size], tree: BuildTree, output_file: Path
) -> None:
    runs = [(number, size, program) for number in range(1, rounds + 1) for size in sizes for program in programs]
    for place, (round_number, size, program) in enumerate(runs, start=1):
        if (program.target, size) in session.failed | session.refused:
            continue
        at_size = f", {' x '.join(size)}" if size else ""
        say(f"Round {round_number} of {rounds}{at_size}: {program.target} ({place} of {len(runs)})")
        _run_once(session, round_number, size, program, tree)
        if session.rows:  # after each program, so that an interrupted benchmark keeps its measurements
            write_rows(output_file, session.rows)
    Progress(tree.workbook.root).record_speeds(speeds_of(session.rows), session.date)


def _gpu_count(chapter: Chapter, workbook: Workbook) -> int:
    """The number of GPUs, at least 1. Raises MissingToolError without one."""
    gpus = output_of([*launcher(), "nvidia-smi", "-L"])
    if not gpus:
        raise _no_gpu(chapter, workbook)
    return len(gpus.strip().splitlines())


def _cuda_tree(chapter: Chapter, build: Path | None, workbook: Workbook) -> BuildTree:
    """The build folder that was named, or the main tree. Raises MissingToolError if it is for the simulator."""
    tree = BuildTree(workbook, str(build.resolve()), "auto") if build else main_tree(workbook)
    if tree.backend != "cuda":
        raise _no_gpu(chapter, workbook)
    return tree


def _programs(chapter: Chapter, names: list[str], workbook: Workbook) -> list[Program]:
    """The named programs, in the order of the lesson; without names, all programs that measure a time."""
    timed = {program.target: program for program in chapter.of_kind("stage", "operation")}
    asked = set()
    for name in names:
        of_chapter = workbook.catalogue.now_called(f"{chapter.name}_{name}")
        target = of_chapter if of_chapter in timed else workbook.catalogue.find_program(name).target
        if target not in timed:
            raise UsageError(f"{target} is not a program of {chapter.name} that measures a time.")
        asked.add(target)
    return [program for target, program in timed.items() if not asked or target in asked]


def _with_gpus_there(sizes: list[Size], options: list[str], gpus: int) -> list[Size]:
    """The sizes, without those for more GPUs than this machine has."""
    if "gpus" not in options:
        return sizes
    place = options.index("gpus")
    for size in sizes:
        if int(size[place]) > gpus:
            say(f"Left out, because there {'is 1 GPU' if gpus == 1 else f'are {gpus} GPUs'}: {' x '.join(size)}")
    return [size for size in sizes if int(size[place]) <= gpus]


def _with_what_they_need(programs: list[Program], are_asked_for: bool, tree: BuildTree) -> list[Program]:
    """The programs that this machine can build: some need a library that it lacks, or a newer GPU."""
    targets_by_reason: dict[str, list[str]] = {}
    for program in programs:
        reason = tree.left_out(program.target)
        if reason:
            targets_by_reason.setdefault(reason, []).append(program.target)
    lines = [f"Left out, because {reason}: {', '.join(targets)}" for reason, targets in targets_by_reason.items()]
    there = [program for program in programs if not tree.left_out(program.target)]
    if lines and (are_asked_for or not there):
        raise MissingToolError("\n".join(lines))
    for line in lines:
        say(line)
    return there


def _no_gpu(chapter: Chapter, workbook: Workbook) -> MissingToolError:
    return MissingToolError(
        "Speed can only be measured on a GPU: the simulator counts accesses, it does not measure time.\n"
        f"To see the counts of a program: {after_chapter(chapter, BuildTree(workbook, 'build', 'auto'))}\n"
        "If this machine has a GPU, './workbook doctor' shows what is missing."
    )


def _run_once(session: _Session, round_number: int, size: Size, program: Program, tree: BuildTree) -> None:
    try:
        rows = _measure(program, size, session.options, tree)
    except UsageError as refusal:
        say(f"Left out: {refusal}")
        session.refused.add((program.target, size))
    except WorkbookError as error:
        complain(str(error))
        session.failed.add((program.target, size))
    else:
        provenance = {"round": str(round_number), "commit": session.commit, "date": session.date}
        session.rows += [{**row, **provenance} for row in rows]


def _measure(program: Program, size: Size, options: list[str], tree: BuildTree) -> list[Row]:
    command_line = ["--csv"]
    for option, value in zip(options, size):
        command_line += [f"--{option}", value]
    outcome = run_program(tree.program(program.target), command_line, capture=True, launched_by=tree.launcher)
    if outcome.exit_code == EXIT_USAGE:
        raise UsageError(outcome.output.rstrip())
    if not outcome.passed:
        raise WorkbookError(f"{outcome.output.rstrip()}\n{outcome.explanation()} It is left out at this size.".lstrip())
    try:
        return parse_program_output(outcome.output)
    except WorkbookError as error:
        raise WorkbookError(f"{program.target} {error}; it is left out at this size.") from error


def _finish(session: _Session, output_file: Path, chapter: Chapter, workbook: Workbook) -> int:
    say()
    if session.rows:
        say(summary(session.rows, session.options))
        say(f"\nWritten to {workbook.shown(output_file)}")
    if session.rows and not session.failed:
        say(f"Next: {after_bench(chapter, output_file, workbook)}")
    return _exit_code(session)


def _exit_code(session: _Session) -> int:
    if session.rows and not session.failed:
        return EXIT_OK
    if not session.failed:
        complain("No program computes any of these sizes.")
        return EXIT_FAILED
    failures = sorted(f"{target}{' at ' if size else ''}{' x '.join(size)}" for target, size in session.failed)
    complain(f"Failed: {', '.join(failures)}")
    return EXIT_FAILED
