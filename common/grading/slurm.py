"""Grading on a cluster: an array of Slurm jobs, each of which grades its share of the students."""

from __future__ import annotations

import shlex
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from cli.errors import MissingToolError, WorkbookError
from cli.terminal.console import say

_MAX_TASKS = 64
_POLL_S = 2.0
# If a node fails during a grading, the remaining students are graded in a second attempt.
_ATTEMPTS = 2


def grade_with_slurm(options: str, command: list[str], count_missing: Callable[[], int], logs: Path) -> None:
    """Runs the command, `./workbook grade ... --resume`, as tasks with --share, until no report is missing.

    options: for sbatch, as on a command line. count_missing: counts students without a complete report. The caller
    reports those who are missing after two attempts. Raises MissingToolError without Slurm, and WorkbookError if Slurm
    refuses the job.
    """
    logs.mkdir(parents=True, exist_ok=True)
    for _ in range(_ATTEMPTS):
        missing = count_missing()
        if missing == 0:
            return
        tasks = min(missing, _MAX_TASKS)
        job = _submit(options, command, tasks, logs)
        say(f"Job {job}: {missing} students in {tasks} task{'s' if tasks > 1 else ''}.")
        try:
            _wait(job)
        except BaseException:
            _slurm(["scancel", job])  # an interrupted command cancels its job
            raise


def _submit(options: str, command: list[str], tasks: int, logs: Path) -> str:
    line = f'{shlex.join(command)} --share "$SLURM_ARRAY_TASK_ID/{tasks}"'
    array = ["--array", f"1-{tasks}", "--output", str(logs / "%A_%a.log"), "--job-name", "workbook-grade"]
    ended = _slurm(["sbatch", "--parsable", "--requeue", *array, *_words(options), "--wrap", line])
    if ended.returncode != 0:
        raise WorkbookError(f"sbatch refuses the job: {(ended.stderr or ended.stdout).strip()}")
    return ended.stdout.strip().partition(";")[0]


def _wait(job: str) -> None:
    """Waits until all tasks of the job have ended; prints why tasks are pending whenever the reason changes."""
    told = ""
    while True:
        ended = _slurm(["squeue", "--noheader", "--jobs", job, "--format", "%T %r"])
        states = [line.split(maxsplit=1) for line in ended.stdout.splitlines() if line.strip()]
        if ended.returncode != 0 or not states:
            return  # Slurm forgets a job some time after its end
        reasons = sorted({reason for state, reason in states if state == "PENDING" and reason not in ("None", "Priority")})
        text = f"Waiting for the queue: {', '.join(reasons)}" if reasons else ""
        if text and text != told:
            say(f"{text} (Ctrl-C cancels the job)")
        told = text or told
        time.sleep(_POLL_S)


def last_words(logs: Path, student: str) -> str:
    """The last line that the tasks have printed about a student, for a student without a report."""
    lines = [line for log in sorted(logs.glob("*.log")) for line in _lines(log) if line.startswith(f"{student}  ")]
    return lines[-1] if lines else f"no task on the cluster has started to grade this answer; see {logs}"


def _lines(log: Path) -> list[str]:
    try:
        return log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _words(options: str) -> list[str]:
    try:
        return shlex.split(options)
    except ValueError as error:
        raise WorkbookError(f"--slurm '{options}' is not a command line: {error}.") from error


def _slurm(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        words = f"--slurm needs Slurm's commands, but {command[0]} cannot be started: {error.strerror}."
        raise MissingToolError(words) from error
