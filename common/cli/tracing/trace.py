"""Runs a traced program and reads its report."""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
from pathlib import Path

from cli.errors import EXIT_FAILED, WorkbookError
from cli.running.children import child, temporary_folder
from cli.running.limited_run import Ended
from cli.running.runner import run_freely
from cli.terminal.console import complain
from cli.tracing.report import Report
from cli.tracing.traced_run import TracedRun, run_traced

_FROM_SIMULATOR = "CUDA simulator: "


def trace(
    program: Path, options: list[str], shows_output: bool = False, environment: dict[str, str] | None = None
) -> TracedRun:
    """Runs the program to its end, in the current folder. With shows_output, the program's output goes directly to the
    terminal, and the outcome does not contain it; simulator messages that are also in the report are left out.
    environment: more variables for the simulator.

    Raises WorkbookError, after printing the program's output, if the program leaves no report.
    """
    messages = _SimulatorMessages()
    run = functools.partial(_run_with_terminal, messages) if shows_output else run_freely
    with temporary_folder() as folder:
        traced = run_traced(program, options, folder, run, environment or {})
    if not traced.has_report:
        messages.show()
        complain(traced.outcome.output.rstrip())
        error = WorkbookError(traced.outcome.explanation() or f"{program.name} ran but wrote no report.")
        error.exit_code = traced.outcome.exit_code or EXIT_FAILED
        raise error
    messages.show(except_of=traced.report)
    return traced


class _SimulatorMessages:
    """The simulator's messages in a program's stderr, held back until there is a report."""

    def __init__(self) -> None:
        self._messages: list[list[str]] = []
        self._inside = False

    def take(self, line: str) -> bool:
        """Keeps the line and returns true if it is from the simulator: a message, or a place below one."""
        if line.startswith(_FROM_SIMULATOR):
            self._messages.append([line])
            self._inside = True
        elif self._inside and line.startswith("  "):
            self._messages[-1].append(line)
        else:
            self._inside = False
        return self._inside

    def show(self, except_of: Report | None = None) -> None:
        findings = except_of.findings if except_of else ()
        known = {f"{finding.kernel}: {finding.message}" if finding.kernel else finding.message for finding in findings}
        for first, *places in self._messages:
            if first[len(_FROM_SIMULATOR) :].rstrip("\n") not in known:
                complain("".join([first, *places]).rstrip("\n"))


def _run_with_terminal(
    messages: _SimulatorMessages, command: list[str], _: Path, environment: dict[str, str]
) -> Ended:
    streams = {"stderr": subprocess.PIPE, "text": True, "errors": "replace"}
    started = child(command, shares_terminal=True, env={**os.environ, **environment}, **streams)
    with contextlib.ExitStack() as stack:
        try:
            process = stack.enter_context(started)
        except OSError as error:
            raise WorkbookError(f"Cannot start {command[0]}: {error.strerror}.") from error
        try:
            for line in process.stderr or ():
                if not messages.take(line):
                    print(line, end="", file=sys.stderr, flush=True)
            process.wait()
        except KeyboardInterrupt:
            messages.show()
            raise
    return Ended(process.returncode)
