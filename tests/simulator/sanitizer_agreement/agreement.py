"""Compares the findings of the traced simulator and of compute-sanitizer in correct and wrong kernels.

Usage: agreement.py measure PROGRAM RESULTS.csv [--log FILE] [--resume FILE [--again NAME]...] [--jobs N]
       agreement.py check PROGRAM [RESULTS.csv]
       agreement.py table RESULTS.csv PAGE.md [--check]

measure: on a GPU, with PROGRAM (sanitizer_cases) built by nvcc. Runs every kernel without a tool and under
compute-sanitizer's four tools, each in a process of its own, N at a time (8 by default), and writes the reports of the
tools. --log keeps the output, one run per line, as JSON. --resume reuses the runs of such a file from the same GPU and
versions, and makes only the missing runs; --again repeats the runs of a changed pair (NAME can contain * and ?).

check: with PROGRAM as the simulator's traced build. Correct kernels must pass. In a wrong kernel, the simulator must
find the bugs that its source states, in comments such as `// wrong in tree: race`, and nothing else (see cases.h). With
RESULTS.csv, the simulator must find every bug that compute-sanitizer found. Prints both next to each other; exits with
1 if they disagree.

table: writes PAGE's table of the results, between its two markers; --check compares it, and exits with 1 if it differs.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "common"))

from agreement_table import with_table
from cli.errors import WorkbookError
from cli.measuring.measurements import commit_name, today
from cli.terminal.console import table
from kernel_pairs import TOOLS_ALARM, VARIANTS, Pair, is_false_alarm, is_missed, read_marks, read_pairs
from sanitizer_runs import (
    Run,
    SanitizerResult,
    describe_device,
    find_sanitizer,
    read_log,
    read_results,
    results_of,
    run_all,
    runs_of,
    write_results,
)
from simulator_runs import complaint, found_in_simulator

SOURCES = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("measure")
    command.add_argument("program", type=Path)
    command.add_argument("results", type=Path)
    command.add_argument("--log", type=Path)
    command.add_argument("--resume", type=Path)
    command.add_argument("--again", action="append", default=[], metavar="NAME")
    command.add_argument("--jobs", type=int, default=8)
    command = commands.add_parser("check")
    command.add_argument("program", type=Path)
    command.add_argument("results", type=Path, nargs="?")
    command = commands.add_parser("table")
    command.add_argument("results", type=Path)
    command.add_argument("page", type=Path)
    command.add_argument("--check", action="store_true")
    parsed = parser.parse_args(arguments)
    try:
        if parsed.command == "measure":
            known = read_log(parsed.resume, parsed.again) if parsed.resume else []
            return run_measure(parsed.program, parsed.results, parsed.log, known, parsed.jobs)
        if parsed.command == "check":
            return run_check(parsed.program, parsed.results)
        return run_table(parsed.results, parsed.page, parsed.check)
    except (WorkbookError, OSError) as error:
        print(error, file=sys.stderr)
        return 1


def run_measure(program: Path, results_file: Path, log_file: Path | None, known: list[Run], jobs: int) -> int:
    pairs = read_pairs(program)
    sanitizer = find_sanitizer()
    device = describe_device(program, sanitizer)
    wanted = runs_of(pairs)
    runs = [run for run in known if run.key in wanted]
    missing = sorted(set(wanted) - {run.key for run in runs}, key=wanted.index)
    with open(log_file or os.devnull, "w", encoding="utf-8") as log:
        for run in runs:
            print(json.dumps(vars(run)), file=log, flush=True)
        for run in run_all(program, sanitizer, missing, jobs):
            runs.append(run)
            print(json.dumps(vars(run)), file=log, flush=True)
            print(f"{len(runs)} of {len(wanted)}: {run.text()}", flush=True)
    provenance = {**device, "commit": commit_name(SOURCES), "date": today()}
    write_results(results_file, results_of(pairs, runs), provenance)
    print(f"Written to {results_file}")
    return 0


def run_check(program: Path, results_file: Path | None) -> int:
    pairs = read_pairs(program)
    marks = read_marks(SOURCES, pairs)
    results = read_results(results_file, pairs) if results_file else {}
    kernels = [(pair, variant) for pair in pairs for variant in VARIANTS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = list(pool.map(lambda kernel: found_in_simulator(program, *kernel), kernels))

    lines = [["kernel", "", "simulator", "compute-sanitizer"]]
    complaints = []
    for (pair, variant), found in zip(kernels, findings):
        expected = [mark for mark in marks[pair.name] if mark.variant == variant]
        result = results.get((pair.name, variant))
        kinds = ", ".join(dict.fromkeys(finding.kind for finding in found.findings)) or "-"
        lines.append([pair.name, variant, kinds, result.summary() if result else "not measured"])
        name = f"{pair.name} {variant}"
        complaints += [f"{name}: {text}" for text in complaint(found, expected)]
        of_tools = [mark.kind for mark in marks[pair.name] if mark.variant == TOOLS_ALARM]
        complaints += [f"{name}: {text}" for text in disagreement(result, bool(found.findings), variant, of_tools)]
    print(table(lines))
    missed = sum(is_missed(marks[pair.name]) for pair in pairs)
    alarms = sum(is_false_alarm(marks[pair.name]) for pair in pairs)
    print(
        f"\n{len(pairs)} pairs. The simulator is known to miss {missed} bugs, and to report {alarms} correct kernels."
    )
    print("\n".join(complaints) or "All findings are as expected.")
    return 1 if complaints else 0


def disagreement(result: SanitizerResult | None, is_found: bool, variant: str, alarms: list[str]) -> list[str]:
    """Messages about bugs that only compute-sanitizer reports; `alarms` are the tools that are known to be wrong."""
    if result is None:
        return []
    found_by = result.found_by()
    if variant == "right":
        known, unknown = [t for t in alarms if t in found_by], [t for t in found_by if t not in alarms]
        return [f"{tool} reports it: is it right?" for tool in unknown] + [
            f"the source states that {tool} reports it, but it does not." for tool in alarms if tool not in known
        ]
    if is_found or not found_by:
        return []
    return [f"{' and '.join(found_by)} finds the bug, the simulator does not."]


def run_table(results_file: Path, page: Path, only_check: bool) -> int:
    results = read_results(results_file)
    pairs = list(dict.fromkeys(Pair(result.topic, result.pair, result.mistake) for result in results.values()))
    text = page.read_text(encoding="utf-8")
    expected = with_table(text, pairs, results, read_marks(SOURCES, pairs))
    if expected == text:
        return 0
    if only_check:
        print(f"{page} does not match {results_file}: run this again without --check.", file=sys.stderr)
        return 1
    page.write_text(expected, encoding="utf-8")
    print(f"Wrote the table in {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
