"""Building a program for the simulator, and running it traced: what `inspect` shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.building.device_rules import broken_rules
from cli.building.own_program import OwnProgram
from cli.catalogue import Program
from cli.measuring.measurements import read_sizes
from cli.terminal.console import say
from cli.tracing.report import Finding, add_findings
from cli.tracing.trace import trace
from cli.verdicts.traced_run import TracedRun
from cli.workbook import Workbook


def inspect_program(
    program: Program, options: list[str], workbook: Workbook, tree: BuildTree, environment: dict[str, str]
) -> TracedRun:
    """One of the workbook's programs. Without options of the learner's it runs a second time, at the chapter's
    inspect_size.csv: its own shape is one that no tile divides, good for finding mistakes; here counts come out whole.
    environment: what the simulator is to be told.

    Raises BuildError, or WorkbookError when a run leaves no report.
    """
    target = f"{program.target}_inspect"
    files = workbook.files_of(program.chapter)
    tree.build(target, source=program.source, include_folders=files.include_folders)
    broken = broken_rules(program.source, files.include_folders, workbook.root)
    executable = tree.program(target)
    traced = _run(executable, options, environment)
    usual = [] if options else usual_options(files.inspect_size)
    if usual and traced.outcome.passed and not traced.report.findings:
        traced = _run(executable, usual, environment)
    return _with_findings(traced, broken)


def inspect_own_program(
    program: OwnProgram, options: list[str], workbook: Workbook, tree: BuildTree, environment: dict[str, str]
) -> TracedRun:
    """A learner's own program, which prints to the terminal as it runs. Raises as inspect_program does."""
    executable = program.build(tree, traced=True)
    broken = [
        finding
        for source in program.cuda_sources
        for finding in broken_rules(source, program.include_folders, workbook.root)
    ]
    return _with_findings(_run(executable, options, environment, shows_output=True), broken)


def _run(executable: Path, options: list[str], environment: dict[str, str], shows_output: bool = False) -> TracedRun:
    say(" ".join(["Running", executable.name, *options, "..."]))
    return trace(executable, options, shows_output, environment)


def _with_findings(traced: TracedRun, findings: list[Finding]) -> TracedRun:
    if not findings:
        return traced
    report = replace(traced.report, findings=(*findings, *traced.report.findings))
    return replace(traced, report=report, json_text=add_findings(traced.json_text, findings))


def usual_options(size_file: Path) -> list[str]:
    """Those of a chapter's inspect_size.csv; none without that file."""
    if not size_file.is_file():
        return []
    names, sizes = read_sizes(size_file)
    return [word for name, value in zip(names, sizes[0]) for word in (f"--{name}", value)]
