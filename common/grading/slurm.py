"""Grading spread over a cluster: an array of Slurm jobs, each of which grades its share of the students."""

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
# A grading that a node's failure has cut short is begun once more, with what is left of it.
_ATTEMPTS = 2


def grade_with_slurm(options: str, command: list[str], count_missing: Callable[[], int], logs: Path) -> None:
    """Runs the command, `./workbook grade ... --resume`, as tasks with --share, until nobody's report is missing.

    options: for sbatch, as one types them. count_missing: students without a whole report. What is missing after two
    attempts is the caller's to tell. Raises MissingToolError without Slurm, and WorkbookError where it refuses the job.
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
            _slurm(["scancel", job])  # whatever ends the command ends what it has submitted
            raise


def _submit(options: str, command: list[str], tasks: int, logs: Path) -> str:
    line = f'{shlex.join(command)} --share "$SLURM_ARRAY_TASK_ID/{tasks}"'
    array = ["--array", f"1-{tasks}", "--output", str(logs / "%A_%a.log"), "--job-name", "workbook-grade"]
    ended = _slurm(["sbatch", "--parsable", "--requeue", *array, *_words(options), "--wrap", line])
    if ended.returncode != 0:
        raise WorkbookError(f"sbatch takes no such job: {(ended.stderr or ended.stdout).strip()}")
    return ended.stdout.strip().partition(";")[0]


def _wait(job: str) -> None:
    """Until no task of the job waits or runs; says why tasks wait, whenever that changes."""
    told = ""
    while True:
        ended = _slurm(["squeue", "--noheader", "--jobs", job, "--format", "%T %r"])
        states = [line.split(maxsplit=1) for line in ended.stdout.splitlines() if line.strip()]
        if ended.returncode != 0 or not states:
            return  # a job that has ended is forgotten after a while
        reasons = sorted({reason for state, reason in states if state == "PENDING" and reason not in ("None", "Priority")})
        text = f"Waiting for the queue: {', '.join(reasons)}" if reasons else ""
        if text and text != told:
            say(f"{text} (Ctrl-C takes the job back)")
        told = text or told
        time.sleep(_POLL_S)


def last_words(logs: Path, student: str) -> str:
    """What the tasks have said of a student last, to be read where there is no report."""
    lines = [line for log in sorted(logs.glob("*.log")) for line in _lines(log) if line.startswith(f"{student}  ")]
    return lines[-1] if lines else f"no task on the cluster has come to this answer; see {logs}"


def _lines(log: Path) -> list[str]:
    try:
        return log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _words(options: str) -> list[str]:
    try:
        return shlex.split(options)
    except ValueError as error:
        raise WorkbookError(f"--slurm '{options}' is no command line: {error}.") from error


def _slurm(command: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
        )
    except OSError as error:
        words = f"--slurm needs Slurm's commands, and {command[0]} cannot be started: {error.strerror}."
        raise MissingToolError(words) from error
