#!/usr/bin/env python3
"""Compares the simulator's counts with a GPU's counters, kernel by kernel.

    python3 tests/simulator/hardware_counts/compare.py           builds the programs; on a GPU with ncu it measures first
    python3 tests/simulator/hardware_counts/compare.py --table   also writes the tables in docs/simulator.md
    python3 tests/simulator/hardware_counts/compare.py --measure-waiting FILE    measures the cases of waiting_cases.txt

Without a GPU the simulator is compared with the newest counts in plots/results. The exit code is 1 if the counts of a
kernel differ without a reason in known_differences.csv, or a reason is no longer needed. Kernels that no GPU has
counted yet are in waiting_cases.txt: they run, their results are checked, and the tables leave them out.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "plots")]

from agreement import compare, is_one_of, read_known_differences, read_waiting_cases
from counts import METRICS, CaseCounts, HardwareCounts, counts_from_profile, counts_from_report, read_counts
from counts import write_counts
from measurements import ResultsError
from readme_table import read_page, replace_table
from tables import Description, markdown, summary, terminal_table

from cli.building.build_tree import BuildTree, main_tree, processor_count, simulator_tree
from cli.errors import EXIT_FAILED, EXIT_OK, WorkbookError
from cli.measuring.measurements import commit_name, parse_program_output, today
from cli.measuring.ncu import profile, require_ncu
from cli.running.processes import run_program
from cli.terminal.console import complain, say
from cli.tracing.trace import trace
from cli.workbook import Workbook

PAGE = ROOT / "docs/simulator.md"
TABLE = "hardware_counts"
KNOWN_DIFFERENCES = Path(__file__).with_name("known_differences.csv")
WAITING_CASES = Path(__file__).with_name("waiting_cases.txt")
_TARGET = "hardware_counts"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulator", type=Path, metavar="PROGRAM", help="the traced program; by default it is built")
    parser.add_argument("--gpu", type=Path, metavar="PROGRAM", help="the CUDA program to measure")
    parser.add_argument("--counts", type=Path, metavar="FILE", help="the hardware's counts; written if measured")
    parser.add_argument("--known", type=Path, metavar="FILE", default=KNOWN_DIFFERENCES)
    parser.add_argument("--waiting", type=Path, metavar="FILE", default=WAITING_CASES, help="cases not measured yet")
    parser.add_argument("--measure-waiting", type=Path, metavar="FILE", help="on a GPU: measure only these cases")
    parser.add_argument("--page", type=Path, metavar="FILE", default=PAGE, help="the page that has the tables")
    parser.add_argument("--table", action="store_true", help="write the tables in the page")
    parser.add_argument("--check-table", action="store_true", help="fail if the tables of the page differ")
    parsed = parser.parse_args(arguments)
    try:
        return run(parsed)
    except (WorkbookError, ResultsError, OSError) as error:
        complain(f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error))
        return error.exit_code if isinstance(error, WorkbookError) else EXIT_FAILED


def run(parsed: argparse.Namespace) -> int:
    simulator, gpu = (program and program.resolve() for program in (parsed.simulator, parsed.gpu))
    if not simulator and not gpu:
        simulator, gpu = built_programs(Workbook(ROOT))
    waiting = read_waiting_cases(parsed.waiting)
    if parsed.measure_waiting:
        if not gpu:
            raise WorkbookError("--measure-waiting needs a GPU with ncu.")
        measure(gpu, parsed.measure_waiting, waiting)
        return EXIT_OK
    counts_file = parsed.counts or (ROOT / "build/results/hardware_counts.csv" if gpu else newest_counts())
    if gpu:
        measure(gpu, counts_file, ["*"])
    if not simulator:
        return EXIT_OK
    hardware = read_counts(counts_file)
    descriptions = descriptions_of(simulator)
    counted = count_in_simulator(simulator, descriptions)
    comparisons, problems = compare(counted, hardware, read_known_differences(parsed.known), waiting)
    say(terminal_table(comparisons))
    say(f"\n{summary(comparisons)}.")
    if parsed.table or parsed.check_table:
        problems += update_page(parsed.page, markdown(descriptions, comparisons, hardware), parsed.check_table)
    if problems:
        complain("\n" + "\n".join(problems))
    return EXIT_FAILED if problems else EXIT_OK


def built_programs(workbook: Workbook) -> tuple[Path, Path | None]:
    """The simulator's program, and the GPU's if there is a GPU with ncu. Raises WorkbookError."""
    tree = main_tree(workbook, with_tests=True)
    gpu = None
    if tree.backend == "cuda":
        require_ncu()
        tree.build(_TARGET)
        gpu = tree.program(_TARGET)
    traced: BuildTree = simulator_tree(workbook, with_tests=True)
    traced.build(_TARGET)
    return traced.program(f"{_TARGET}_inspect"), gpu


def newest_counts() -> Path:
    """Raises WorkbookError if no GPU has been measured."""
    files = sorted(ROOT.glob("plots/results/*/hardware_counts.csv"))
    if not files:
        raise WorkbookError("No counts of a GPU in plots/results. Measure them: run compare.py on a GPU with ncu.")
    return max(files, key=lambda file: read_counts(file).provenance["date"])


def output_of(program: Path, option: str) -> str:
    """Raises WorkbookError if the program fails."""
    outcome = run_program(program, [option], capture=True)
    if not outcome.passed:
        raise WorkbookError(f"{outcome.output.rstrip()}\n{outcome.explanation()}")
    return outcome.output


def descriptions_of(program: Path) -> list[Description]:
    return [Description(*line.split("\t")) for line in output_of(program, "--list").splitlines()]


def measure(program: Path, file: Path, patterns: list[str]) -> None:
    """Writes the counts of these cases. Raises WorkbookError if a result is wrong, or ncu did not profile exactly one
    kernel per case.
    """
    cases = [entry.case for entry in descriptions_of(program) if is_one_of(entry.case, patterns)]
    say(f"Measuring with ncu: {len(cases)} kernels")
    device = parse_program_output(output_of(program, "--device"))[0]
    kernels = profile(program, cases, METRICS)
    if len(kernels) != len(cases):
        raise WorkbookError(f"ncu profiled {len(kernels)} kernels of {len(cases)} cases; each case must launch one.")
    counts = {case: counts_from_profile(kernel) for case, kernel in zip(cases, kernels)}
    write_counts(file, HardwareCounts(counts, {**device, "commit": commit_name(ROOT), "date": today()}))
    say(f"Written to {file}")


def count_in_simulator(program: Path, descriptions: list[Description]) -> dict[str, CaseCounts]:
    """Runs each case in a process of its own. Raises WorkbookError for the first case that fails."""

    def count(entry: Description) -> CaseCounts:
        traced = trace(program, [entry.case])
        if not traced.outcome.passed:
            raise WorkbookError(f"{traced.outcome.output.rstrip()}\n{entry.case}: {traced.outcome.explanation()}")
        return counts_from_report(traced.report)

    with ThreadPoolExecutor(processor_count()) as pool:
        return dict(zip((entry.case for entry in descriptions), pool.map(count, descriptions)))


def update_page(page: Path, table: str, check: bool) -> list[str]:
    """Writes the tables, or reports that they differ. Raises ResultsError without the page's markers."""
    text = read_page(page)
    expected = replace_table(text, TABLE, table)
    if expected == text:
        return []
    if check:
        return [f"{page} has outdated tables. Fix it with: python3 tests/simulator/hardware_counts/compare.py --table"]
    page.write_text(expected, encoding="utf-8")
    say(f"Wrote the tables in {page}")
    return []


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
