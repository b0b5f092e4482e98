"""Running a traced program for its report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from cli.errors import EXIT_FAILED, WorkbookError
from cli.running.processes import Outcome, run_program
from cli.terminal.console import complain
from cli.tracing.report import Report, parse_report

_FROM_SIMULATOR = "CUDA simulator: "


@dataclass(frozen=True)
class Trace:
    """How a traced program ended, with which options it ran, and its report, also as the JSON that it wrote."""

    outcome: Outcome
    options: tuple[str, ...]
    report: Report
    json_text: str


def trace(
    program: Path, options: list[str], shows_output: bool = False, environment: dict[str, str] | None = None
) -> Trace:
    """Runs to the end. With shows_output, what the program prints is on the terminal as it comes, and not in the
    outcome; the simulator's messages of what the report has too are left out. environment: what the simulator is to
    be told besides.

    Raises WorkbookError, after the program's own words, when it leaves no report.
    """
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        report_file = Path(folder) / "report.json"
        environment = {**(environment or {}), "CUDA_SIMULATOR_REPORT": str(report_file)}
        messages = _SimulatorMessages()
        if shows_output:
            outcome = _run_with_terminal(program, options, environment, messages)
        else:
            outcome = run_program(program, options, environment, capture=True)
        if not report_file.is_file():
            messages.show()
            complain(outcome.output.rstrip())
            error = WorkbookError(outcome.explanation() or f"{program.name} ran but wrote no report.")
            error.exit_code = outcome.exit_code or EXIT_FAILED
            raise error
        json_text = report_file.read_text(encoding="utf-8")
    report = parse_report(json_text)
    messages.show(except_of=report)
    return Trace(outcome, tuple(options), report, json_text)


class _SimulatorMessages:
    """The simulator's messages among what a program writes to stderr, held back until there is a report."""

    def __init__(self) -> None:
        self._messages: list[list[str]] = []
        self._inside = False

    def take(self, line: str) -> bool:
        """Keeps a line that is the simulator's: a message, or one of the places below it."""
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
    program: Path, options: list[str], environment: dict[str, str], messages: _SimulatorMessages
) -> Outcome:
    try:
        process = subprocess.Popen(
            [str(program), *options],
            env={**os.environ, **environment},
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise WorkbookError(f"Cannot start {program}: {error.strerror}.") from error
    with process:
        try:
            for line in process.stderr or ():
                if not messages.take(line):
                    print(line, end="", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            messages.show()
            raise
    return Outcome(program.name, process.returncode)
