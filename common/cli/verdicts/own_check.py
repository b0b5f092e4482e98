"""`./workbook check my.cu`: runs a learner's own program in several orders of its blocks, and reports errors."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from cli.building.device_rules import broken_rules
from cli.building.own_program import OWN_PROGRAM, OwnProgram
from cli.running.children import temporary_folder
from cli.running.limited_run import Ended, Limits, run_within
from cli.running.runner import LIMIT_VARIABLE, clean_environment, cpu_limit_s
from cli.terminal.console import Palette, colours_wanted, mark, verdict, width_columns, wrapped
from cli.terminal.source_lines import SourceLines, short_name
from cli.tracing.report import Finding, Unfreed
from cli.tracing.report_text import render_findings
from cli.tracing.traced_run import Ending, TracedRun, run_traced
from cli.verdicts.printed_orders import Difference, Kind, compare, varying_lines
from cli.workbook import Workbook

_FORWARD = "forward"
# The other values of CUDA_SIMULATOR_BLOCK_ORDER, in words: the reverse order, and the seeds of two shuffled orders.
_OTHERS = {"reverse": "in reverse", "1": "shuffled", "2": "shuffled"}
_LAST_LINES = 10  # the number of output lines that are shown of a failed program


@dataclass(frozen=True)
class _Run:
    traced: TracedRun
    printed: str  # the standard output


@dataclass
class OwnCheck:
    """The results of a check, as paragraphs: the check fails if there are errors, but not if there are questions."""

    errors: list[str] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.errors


def check_own(program: OwnProgram, executable: Path, options: list[str], workbook: Workbook) -> OwnCheck:
    """Checks a built program, in the current folder and without input. Raises WorkbookError if it cannot be started."""
    checked = OwnCheck()
    broken = [
        finding
        for source in program.cuda_sources
        for finding in broken_rules(source, program.include_folders, workbook.root)
    ]
    first = _run(executable, options, _FORWARD)
    checked.errors += _failure(first, broken)
    if checked.errors:
        checked.notes.append("Fix this first. Leaks and other orders of the blocks are checked once there are no such errors.")
        return checked
    report = first.traced.report
    if not report.kernels and not report.library_computed:
        checked.errors.append(
            "No kernel ran, so there is nothing to check. Is there a launch, kernel<<<blocks, threads>>>(...), and does "
            "the program reach it?"
        )
        return checked
    if report.unfreed:
        checked.errors.append(_leak_words(report.unfreed))
    _compare_orders(checked, program, executable, options, first)
    return checked


def _run(executable: Path, options: list[str], order: str) -> _Run:
    cpu_s = cpu_limit_s()
    limits = Limits(cpu_s=cpu_s, wall_s=5 * cpu_s, memory_bytes=sys.maxsize)
    with temporary_folder() as folder, tempfile.TemporaryFile() as printed:

        def here(command: list[str], _: Path, environment: dict[str, str]) -> Ended:
            return run_within(limits, command, Path.cwd(), environment, stdout=printed)

        traced = run_traced(
            executable, options, folder, here, clean_environment({**OWN_PROGRAM, "CUDA_SIMULATOR_BLOCK_ORDER": order})
        )
        printed.seek(0)
        return _Run(traced, printed.read(limits.output_bytes).decode(errors="replace"))


def _failure(run: _Run, broken: list[Finding]) -> list[str]:
    """The errors of one run, in one paragraph or none."""
    traced = run.traced
    findings = (*broken, *traced.report.findings)
    if findings:
        return [render_findings(findings, width_columns(), Palette(colours_wanted()))]
    if traced.passed:
        return []
    words = traced.words()
    if traced.ending is Ending.STOPPED:
        words += f"\nDoes a loop never end? If the program is only slow, allow more time: {LIMIT_VARIABLE}={2 * cpu_limit_s():g}"
    last = [line for line in f"{run.printed}\n{traced.ended.output}".splitlines() if line.strip()][-_LAST_LINES:]
    return ["\n".join([words, *(["The last lines of its output:", *(f"  {line}" for line in last)] if last else [])])]


def _leak_words(unfreed: tuple[Unfreed, ...]) -> str:
    source = SourceLines()
    total = sum(one.bytes for one in unfreed)
    lines = [f"The program ends and has not freed {total:,} bytes of memory:"]
    for one in unfreed:
        where = f"{short_name(one.file)}:{one.line}" if one.file else "unknown line"
        times = f" in {one.allocations} allocations" if one.allocations > 1 else ""
        lines.append(f"  {where}  {one.function}: {one.bytes:,} bytes{times}")
        excerpt = source.excerpt(one.file, one.line, one.column, width_columns() - 6)
        lines += [f"      {excerpt}"] if excerpt else []
    pinned = any(one.function == "cudaMallocHost" for one in unfreed)
    freed_by = "cudaFree" + (" (cudaFreeHost for memory from cudaMallocHost)" if pinned else "")
    return "\n".join([*lines, f"Call {freed_by} when no kernel needs the memory any more."])


def _compare_orders(
    checked: OwnCheck, program: OwnProgram, executable: Path, options: list[str], first: _Run
) -> None:
    again = _run(executable, options, _FORWARD)
    varying = varying_lines(first.printed, again.printed)
    if varying is None:
        checked.notes.append(
            "The program prints a different number of lines in each run, so its output was not compared between orders of "
            "the blocks. Does it print times, or start from a random seed?"
        )
    elif varying:
        checked.notes.append(
            f"Line {min(varying) + 1} of the output differs from run to run, as a time or an address does. Such lines were "
            "not compared."
        )
    worst, worst_order = Difference(Kind.SAME), ""
    for order in _OTHERS:
        run = _run(executable, options, order)
        failure = _failure(run, [])
        if failure:
            words = f"The program succeeds with the blocks in order, but fails with the blocks {_order_words(order)}."
            checked.errors.append("\n".join([words, *failure, _how_to_see(order, program, options)]))
            return
        difference = compare(first.printed, run.printed, varying) if varying is not None else Difference(Kind.SAME)
        if difference.kind > worst.kind:
            worst, worst_order = difference, order
    _tell(checked, worst, worst_order, program, options)


def _tell(checked: OwnCheck, difference: Difference, order: str, program: OwnProgram, options: list[str]) -> None:
    first, second = _around_difference(difference.first, difference.second, width_columns() - len("  blocks in reverse: "))
    two = (
        f"  blocks in order:   {first or '(no such line)'}\n"
        f"  blocks {_OTHERS.get(order, '') + ':':<11} {second or '(no such line)'}"
    )
    if difference.kind is Kind.OTHER:
        checked.errors.append(
            "The output depends on the order in which the blocks run. A GPU runs them in any order, so the result is not "
            f"defined. Line {difference.line} of the output is the first that shows it:\n{two}\n"
            "Does a block use a result of another block of the same launch, or take positions in an array from an atomic "
            "counter? Split the work into two launches, or give each block positions of its own.\n"
            + _how_to_see(order, program, options)
        )
    elif difference.kind is Kind.ROUNDING:
        checked.questions.append(
            "Floating-point numbers in the output differ in their last digits when the blocks run in a different order. The "
            f"first such line is line {difference.line}:\n{two}\n"
            "A sum by atomic functions does this legitimately: each order of the additions rounds differently. Is that what "
            "you want here? If so, nothing needs to change. If two runs must give equal results, let each block store its "
            "own partial sum, and add these in a fixed order."
        )
    elif difference.kind is Kind.ORDER_OF_LINES:
        checked.notes.append(
            "Only the order of the lines in the output depends on the order of the blocks. That is fine for lines that a "
            "kernel prints with printf."
        )


def _around_difference(first: str, second: str, columns: int) -> tuple[str, str]:
    """Two lines, cut to this many columns around their first difference, with dots where they are cut."""
    same = len(os.path.commonprefix([first, second]))
    room = max(20, columns - len("......"))
    start = max(0, same - room // 2) if max(len(first), len(second)) > columns else 0

    def cut(line: str) -> str:
        end = start + room if start or len(line) > columns else len(line)
        return f"{'...' if start else ''}{line[start:end]}{'...' if end < len(line) else ''}"

    return cut(first), cut(second)


def _order_words(order: str) -> str:
    return _OTHERS[order] + (f" (seed {order})" if order.isdigit() else "")


def _how_to_see(order: str, program: OwnProgram, options: list[str]) -> str:
    words = [_as_typed(source) for source in program.sources]
    words += program.options.words(_as_typed)
    words += ["--", *options] if options else []
    return f"To repeat it: CUDA_SIMULATOR_BLOCK_ORDER={order} ./workbook run {shlex.join(words)}"


def _as_typed(path: Path) -> str:
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def own_check_words(checked: OwnCheck, shown: str) -> str:
    """The text of a check; its first line is the verdict."""
    if checked.errors:
        head = verdict(False, f"{shown}: {'error' if len(checked.errors) == 1 else 'errors'} found.")
    elif checked.questions:
        head = f"{mark(None)} {shown} passes, with a question."
    else:
        orders = len(_OTHERS) + 1
        head = verdict(True, f"{shown} passes: no errors, all memory freed, the same results in {orders} orders of the blocks.")
    parts = [wrapped(part) for part in (*checked.errors, *checked.questions, *checked.notes)]
    return "\n\n".join([head, *parts])
