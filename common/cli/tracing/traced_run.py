"""The result of running a traced program: how it ended, and the simulator's report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from cli.errors import WorkbookError
from cli.running.limited_run import Ended
from cli.running.processes import Outcome
from cli.running.runner import Runner
from cli.tracing.report import Report, parse_report

WRONG_RESULT = 1  # exit code of a program whose own check failed
MAX_REPORT_BYTES = 256 << 20


class Ending(Enum):
    """How a run ended: the first of these that is true."""

    STOPPED = "stopped at a limit"
    MISTAKE = "error found"
    WRONG = "wrong result"
    CRASHED = "crashed"  # or left no report
    PASSED = "passed"


@dataclass(frozen=True)
class TracedRun:
    """A run of `program` with `options`. The report and its JSON are empty if the run left no readable report."""

    program: str
    options: tuple[str, ...]
    ended: Ended
    report: Report = Report()
    json_text: str = ""

    @property
    def has_report(self) -> bool:
        return bool(self.json_text)

    @property
    def ending(self) -> Ending:
        if self.ended.stopped:
            return Ending.STOPPED
        if self.report.findings:
            return Ending.MISTAKE
        if self.ended.returncode == WRONG_RESULT:
            return Ending.WRONG
        return Ending.PASSED if self.ended.returncode == 0 and self.has_report else Ending.CRASHED

    @property
    def passed(self) -> bool:
        return self.ending is Ending.PASSED

    @property
    def outcome(self) -> Outcome:
        """How the process ended, whatever the report contains."""
        return Outcome(self.program, self.ended.returncode, self.ended.output)

    @property
    def shown(self) -> str:
        return " ".join([self.program, *self.options])

    def words(self) -> str:
        """A sentence on how the run ended; empty for a successful process that left a report."""
        if self.ended.stopped:
            return f"{self.shown} was stopped: it {self.ended.stopped}."
        explanation = Outcome(self.shown, self.ended.returncode).explanation()
        return explanation or ("" if self.has_report else f"{self.shown} left no report.")


def run_traced(
    program: Path, options: Iterable[str], folder: Path, run: Runner, environment: dict[str, str]
) -> TracedRun:
    """Runs a traced program, which leaves its report in `folder`; the report's name is added to `environment`."""
    report_file = folder / "report.json"
    report_file.unlink(missing_ok=True)
    options = tuple(options)
    ended = run([str(program), *options], folder, {**environment, "CUDA_SIMULATOR_REPORT": str(report_file)})
    try:
        json_text = _text(report_file)
        return TracedRun(program.name, options, ended, parse_report(json_text), json_text)
    except (OSError, UnicodeDecodeError, WorkbookError):
        return TracedRun(program.name, options, ended)


def _text(report_file: Path) -> str:
    if report_file.stat().st_size > MAX_REPORT_BYTES:
        raise WorkbookError(f"{report_file} has over {MAX_REPORT_BYTES >> 20} MiB.")
    return report_file.read_text(encoding="utf-8")
