"""`./workbook inspect`"""

from __future__ import annotations

from pathlib import Path

from cli.arguments import ArgumentParser, split_at_dashes
from cli.build_tree import simulator_tree
from cli.console import Palette, colours_wanted, complain, say, width_columns
from cli.errors import EXIT_FAILED, EXIT_OK, UsageError
from cli.measurements import read_sizes
from cli.report_text import render
from cli.tracing import Trace, trace
from cli.workbook import Workbook

SUMMARY = "count a program's memory accesses under the simulator, line by line, and find its mistakes"
USAGE = "inspect TARGET [--json FILE] [-- program options]"
DETAILS = """
Runs the program under the simulator, also on a machine with a GPU. For each load and store it shows how many
32-byte sectors a warp's request moves and how many would do, or the bank conflicts in shared memory. Races,
accesses out of bounds and other mistakes come first; with any of them the exit code is 1.
Without options of your own the program runs first as it is, to find mistakes, and then at the chapter's
inspect_size.csv, where tiles divide the data and the counts come out whole. --json FILE keeps the report that
the table was made from.

  ./workbook inspect ch3_transpose_naive
  ./workbook inspect ch3_transpose_localmem -- --rows 1000 --cols 777
"""


def run(arguments: list[str], workbook: Workbook) -> int:
    own_arguments, options = split_at_dashes(arguments)
    parser = ArgumentParser("inspect", USAGE)
    parser.add_argument("target")
    parser.add_argument("--json", metavar="FILE", type=Path)
    parsed = parser.parse_args(own_arguments)
    program = workbook.catalogue.find_program(parsed.target)
    if program.needs_gpu:
        raise UsageError(f"{program.target} needs a GPU: it uses what the simulator does not model.")

    tree = simulator_tree(workbook)
    traced_target = f"{program.target}_inspect"
    tree.build(traced_target, source=program.source)
    traced = _trace(tree.program(traced_target), options)
    usual_options = [] if options else _usual_options(workbook.root / "chapters" / program.chapter)
    if usual_options and traced.outcome.passed and not traced.report.findings:
        # The program's own shape is one that no tile divides, good for finding mistakes. Counts come out whole here.
        traced = _trace(tree.program(traced_target), usual_options)
    if parsed.json:
        parsed.json.write_text(traced.json_text, encoding="utf-8")

    say()
    say(render(traced.report, width_columns(), Palette(colours_wanted())))
    outcome, findings = traced.outcome, traced.report.findings
    if not outcome.passed and not findings:
        complain(f"\n{outcome.output.rstrip()}\n{outcome.explanation()}")
    return EXIT_FAILED if findings or not outcome.passed else EXIT_OK


def _trace(program: Path, options: list[str]) -> Trace:
    say(" ".join(["Running", program.name, *options, "..."]))
    return trace(program, options)


def _usual_options(chapter_folder: Path) -> list[str]:
    size_file = chapter_folder / "inspect_size.csv"
    if not size_file.is_file():
        return []
    names, sizes = read_sizes(size_file)
    return [word for name, value in zip(names, sizes[0]) for word in (f"--{name}", value)]
