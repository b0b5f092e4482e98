"""`./workbook inspect`"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cli.building.arithmetic import arithmetic_warnings
from cli.building.build_tree import NO_CHAPTER, BuildTree, simulator_tree
from cli.building.device_rules import broken_rules
from cli.building.own_program import (
    OWN_PROGRAM,
    BUILD_USAGE,
    BuildOptions,
    OwnProgram,
    add_target_arguments,
    build_options,
    find_own_program,
)
from cli.catalogue import Program
from cli.checking.shared_tree import shared_tree
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.exercises.lookup import source_or_reset
from cli.measuring.measurements import usual_options
from cli.pictures import options as picture_options
from cli.stepping import options as page_options
from cli.terminal.arguments import ArgumentParser, split_at_dashes
from cli.terminal.console import Palette, colours_wanted, complain, say, width_columns, wrapped
from cli.tracing.report import Finding, add_findings
from cli.tracing.report_text import render
from cli.tracing.trace import trace
from cli.tracing.traced_run import TracedRun
from cli.workbook import Workbook

SUMMARY = "count a program's memory accesses line by line; find its errors"
USAGE = (
    f"inspect TARGET|FILE.cu... {BUILD_USAGE} [--json FILE] {picture_options.USAGE} {page_options.USAGE} "
    "[-- program options]"
)
DETAILS = f"""
Runs the program in the simulator, even on a machine with a GPU. For each load and store it shows how many 32-byte
sectors a warp's request transfers and how many are enough, or the bank conflicts in shared memory. (Lanes, sectors,
wavefronts and the ideal are averages per request; docs/glossary.md explains the words.) Races, accesses out of bounds
and other errors come first. If there is an error, or if no kernel ran, the exit code is 1.

TARGET is a program from './workbook list'. Without program options it runs twice: first with its default size, to find
errors, then at the size in the chapter's inspect_size.csv. Tiles divide that size, so the counts are easy to read.

FILE.cu is a program of your own, with kernels and a main(), in any folder. A name with a slash or with the ending .cu
is a file. More .cu and .cpp files can follow; they are linked with it. The program runs in the current folder.
--include DIR adds a folder in which the compiler looks for headers, in addition to the folder of the file.
--define N=1000 gives the constant N of the source another value, such as a size that is too large for a CPU (with nvcc
it is the option -D). --compiler=OPTION passes an option to the compiler, such as --compiler=-fopenmp.

--json FILE writes the report from which the table is made.
{picture_options.DETAILS}{page_options.DETAILS}
  ./workbook inspect ch3_transpose_naive
  ./workbook inspect ch3_transpose_naive --picture naive.png
  ./workbook inspect ch3_transpose_localmem --html page.html --against ch3_transpose_padded
  ./workbook inspect ch3_transpose_localmem -- --rows 1000 --cols 777
  ./workbook inspect ~/gpu/my_kernel.cu
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    own_arguments, options = split_at_dashes(arguments)
    parser = ArgumentParser("inspect", USAGE)
    add_target_arguments(parser)
    parser.add_argument("--json", metavar="FILE", type=Path)
    picture_options.add_options(parser)
    page_options.add_options(parser)
    parsed = parser.parse_beside_program_options(own_arguments)
    picture = picture_options.wanted_picture(parsed)
    page = page_options.wanted_page(parsed)
    environment = {**(picture.environment if picture else {}), **(page.environment if page else {})}
    traced = _inspect(parsed.target, build_options(parsed), options, workbook, environment)
    others = []
    if page and page.against:
        others.append(_inspect([page.against], build_options(parsed), options, workbook, environment))
    if parsed.json:
        parsed.json.write_text(traced.json_text, encoding="utf-8")

    runs = [traced, *others]
    for each in runs:
        _show(each)
    own_program = find_own_program(parsed.target, build_options(parsed), workbook.catalogue)
    for warning in arithmetic_warnings(own_program.cuda_sources, workbook.root) if own_program else []:
        say(wrapped(warning))
    if picture:
        picture.draw(traced)
    if page:
        page.write(runs)
    # A run without a kernel has checked nothing.
    clean = all(each.passed and each.report.kernels for each in runs)
    return EXIT_OK if clean else EXIT_FAILED


def _show(traced: TracedRun) -> None:
    say(render(traced.report, width_columns(), Palette(colours_wanted())))
    outcome = traced.outcome
    if not outcome.passed and not traced.report.findings:
        complain(f"\n{outcome.output}".rstrip() + f"\n{outcome.explanation()}")


def _inspect(
    words: list[str], build: BuildOptions, options: list[str], workbook: Workbook, environment: dict[str, str]
) -> TracedRun:
    own_program = find_own_program(words, build, workbook.catalogue)
    if own_program:
        return _inspect_own_program(own_program, options, workbook, environment)
    program = workbook.catalogue.find_program(words[0])
    if program.kind == "exercise":
        source_or_reset(program, workbook)
    if program.needs_gpu:
        raise UsageError(
            f"{program.target} cannot be inspected, because it uses features that the simulator does not model. "
            "On a GPU you can count with ncu: docs/profiling.md"
        )
    tree = shared_tree(workbook, program.chapter) or simulator_tree(workbook, chapter=program.chapter)
    return _inspect_program(program, options, workbook, tree, environment)


def _inspect_program(
    program: Program, options: list[str], workbook: Workbook, tree: BuildTree, environment: dict[str, str]
) -> TracedRun:
    """Inspects one of the workbook's programs. Without the learner's options it runs twice: at its default size, which
    no tile divides and which shows errors, then at the chapter's inspect_size.csv, where the counts are integers.
    environment: settings of the simulator.

    Raises BuildError, or WorkbookError when a run leaves no report.
    """
    target = f"{program.target}_inspect"
    files = workbook.files_of(program.chapter)
    folders = files.include_folders
    with tree.looking_for_broken_rules(program.source, folders, program.target) as broken:
        tree.build(target, source=program.source, include_folders=folders, broken=broken)
        executable = tree.program(target)
        traced = _trace(executable, options, environment)
        usual = [] if options else usual_options(files.inspect_size)
        if usual and traced.passed:
            traced = _trace(executable, usual, environment)
        return _with_findings(traced, broken())


def _inspect_own_program(
    program: OwnProgram, options: list[str], workbook: Workbook, environment: dict[str, str]
) -> TracedRun:
    """Inspects a learner's own program, whose output goes to the terminal. Raises as _inspect_program does."""
    executable = program.build(simulator_tree(workbook, chapter=NO_CHAPTER), traced=True)
    broken = [
        finding
        for source in program.cuda_sources
        for finding in broken_rules(source, program.include_folders, workbook.root)
    ]
    return _with_findings(_trace(executable, options, {**OWN_PROGRAM, **environment}, shows_output=True), broken)


def _trace(executable: Path, options: list[str], environment: dict[str, str], shows_output: bool = False) -> TracedRun:
    """Prints the program's name and options if there are options, or if the program's output follows."""
    if options or shows_output:
        say(" ".join(["Running", executable.name, *options, "..."]))
    return trace(executable, options, shows_output, environment)


def _with_findings(traced: TracedRun, findings: list[Finding]) -> TracedRun:
    if not findings:
        return traced
    report = replace(traced.report, findings=(*findings, *traced.report.findings))
    return replace(traced, report=report, json_text=add_findings(traced.json_text, findings))
