"""Running a traced program for its report."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from cli.console import complain
from cli.errors import EXIT_FAILED, WorkbookError
from cli.processes import Outcome, run_program
from cli.report import Report, parse_report


@dataclass(frozen=True)
class Trace:
    """How a traced program ended, and its report, also as the JSON that it wrote."""

    outcome: Outcome
    report: Report
    json_text: str


def trace(program: Path, options: list[str]) -> Trace:
    """Raises WorkbookError, after the program's own words, when it leaves no report."""
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        report_file = Path(folder) / "report.json"
        outcome = run_program(program, options, {"CUDA_SIMULATOR_REPORT": str(report_file)}, capture=True)
        if not report_file.is_file():
            complain(outcome.output.rstrip())
            error = WorkbookError(outcome.explanation() or f"{program.name} ran but wrote no report.")
            error.exit_code = outcome.exit_code or EXIT_FAILED
            raise error
        json_text = report_file.read_text(encoding="utf-8")
    return Trace(outcome, parse_report(json_text), json_text)
