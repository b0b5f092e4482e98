"""Compares the findings of the traced simulator and of compute-sanitizer in correct and wrong kernels.

Usage: agreement.py measure PROGRAM RESULTS.csv [--jobs N]
       agreement.py check PROGRAM RESULTS.csv PAGE.md [--write]

PROGRAM is sanitizer_cases, which lists the pairs of kernels and the simulator's findings in them: those that their
source states, in marks that the test simulator.findings compares with the simulator.

measure: on a GPU, with PROGRAM built by nvcc. Runs every kernel without a tool and under compute-sanitizer's four
tools, each in a process of its own, N at a time (8 by default), and writes the reports of the tools.

check: the simulator must find every bug that compute-sanitizer found, and PAGE must have the table of the results;
--write writes this table. Exits with 1 after anything else.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "plots")]

from agreement_table import render
from cli.errors import WorkbookError
from cli.measuring.measurements import commit_name, today, write_rows
from measurements import ResultsError
from readme_table import read_page, replace_table
from sanitizer_runs import (
    VARIANTS,
    Pair,
    Result,
    describe_device,
    find_sanitizer,
    found_by,
    read_pairs,
    read_results,
    results_of,
    run_all,
)

# Correct kernels that a tool of compute-sanitizer reports. racecheck does not support fences, and initcheck reports the
# unused bytes of a structure.
TOOLS_ALARMS = {("fenced_flag_between_warps", "racecheck"), ("struct_copied_to_host", "initcheck")}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("measure", "check"):
        command = commands.add_parser(name)
        command.add_argument("program", type=Path)
        command.add_argument("results", type=Path)
        if name == "measure":
            command.add_argument("--jobs", type=int, default=8)
        else:
            command.add_argument("page", type=Path)
            command.add_argument("--write", action="store_true")
    parsed = parser.parse_args(arguments)
    try:
        if parsed.command == "measure":
            return run_measure(parsed.program, parsed.results, parsed.jobs)
        return run_check(parsed.program, parsed.results, parsed.page, parsed.write)
    except (WorkbookError, ResultsError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def run_measure(program: Path, results_file: Path, jobs: int) -> int:
    pairs = read_pairs(program)
    sanitizer = find_sanitizer()
    device = describe_device(program, sanitizer)
    runs = []
    for run in run_all(program, sanitizer, pairs, jobs):
        runs.append(run)
        print(f"{len(runs)}: {run.text()}", flush=True)
    provenance = {**device, "commit": commit_name(Path(__file__).parent), "date": today()}
    write_rows(results_file, [{**result, **provenance} for result in results_of(pairs, runs)])
    print(f"Written to {results_file}")
    return 0


def run_check(program: Path, results_file: Path, page: Path, wants_to_write: bool) -> int:
    pairs = read_pairs(program)
    results = read_results(results_file, pairs)
    complaints = [
        f"{pair.name} {variant}: {text}"
        for pair in pairs
        for variant in VARIANTS
        for text in disagreement(results[pair.name, variant], pair)
    ]
    text = read_page(page)
    expected = replace_table(text, "compute-sanitizer", render(pairs, results))
    if expected != text and wants_to_write:
        page.write_text(expected, encoding="utf-8")
        print(f"Wrote the table in {page}")
    elif expected != text:
        complaints.append(f"{page} does not match {results_file}: run this again with --write.")
    agreed = f"In {len(pairs)} pairs, the simulator finds every bug that compute-sanitizer finds."
    print("\n".join(complaints) or agreed)
    return 1 if complaints else 0


def disagreement(result: Result, pair: Pair) -> list[str]:
    """Messages about bugs that only compute-sanitizer reports, and about its reports of a correct kernel."""
    tools = found_by(result)
    if result["variant"] == "right":
        alarms = [tool for name, tool in sorted(TOOLS_ALARMS) if name == pair.name]
        return [f"{tool} reports it: is it right?" for tool in tools if tool not in alarms] + [
            f"TOOLS_ALARMS states that {tool} reports it, but it does not." for tool in alarms if tool not in tools
        ]
    if not pair.is_missed() or not tools:
        return []
    return [f"{' and '.join(tools)} finds the bug, the simulator does not."]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
