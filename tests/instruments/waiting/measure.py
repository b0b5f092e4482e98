"""Measures how long a learner waits: the commands of the README and of a working day, on a fresh clone, with their
goals.

Usage: measure.py [--only NAME...]

    run        ./workbook run ch3_transpose, from a fresh clone
    check      ./workbook check ch3_ex1, after an edit
    inspect    ./workbook inspect ch3_transpose_padded, when it is built
    chapter    ./workbook test ch1_saxpy, from a fresh clone
    suite      ./workbook test, from a fresh clone
    again      ./workbook test, with nothing changed

For each it prints the elapsed seconds, the CPU time of all processes in seconds, and the goal in elapsed seconds
for a machine with two processors. The clone has the last commit. This is not a test, because times depend on the load.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


@dataclass(frozen=True)
class Wait:
    name: str
    goal_s: float
    command: tuple[str, ...]
    prepare: Callable[[Path], None]  # not timed


def _fresh(clone: Path) -> None:
    subprocess.run(["make", "clean"], cwd=clone, check=True, stdout=subprocess.DEVNULL)


def _nothing(clone: Path) -> None:
    del clone


def _edit(clone: Path) -> None:
    """Checks an exercise once, then changes it: the second check of a learner is timed."""
    workbook(clone, ("check", "ch3_ex1"))
    exercise = clone / "chapters/ch3_transpose/ex1_matrix_sum.cu"
    exercise.write_text(exercise.read_text(encoding="utf-8") + "// changed\n", encoding="utf-8")


def _inspected_once(clone: Path) -> None:
    workbook(clone, ("inspect", "ch3_transpose_padded"))


WAITS = (
    Wait("run", 15, ("run", "ch3_transpose"), _fresh),
    Wait("check", 1.5, ("check", "ch3_ex1"), _edit),
    Wait("inspect", 1.0, ("inspect", "ch3_transpose_padded"), _inspected_once),
    Wait("chapter", 75, ("test", "ch1_saxpy"), _fresh),
    Wait("suite", 200, ("test",), _fresh),
    Wait("again", 60, ("test",), _nothing),
)


def workbook(clone: Path, arguments: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "WORKBOOK_BACKEND": os.environ.get("WORKBOOK_BACKEND", "simulator")}
    environment.pop("CI", None)  # a learner's build, not a maintainer's
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # nor a container's
    return subprocess.run(
        ["./workbook", *arguments],
        cwd=clone,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def processor_s() -> float:
    """Processor time of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(wait: Wait, clone: Path) -> tuple[float, float, str]:
    """The elapsed seconds, the seconds of CPU time, and the last printed line."""
    wait.prepare(clone)
    used, begin = processor_s(), time.monotonic()
    ended = workbook(clone, wait.command)
    lines = ended.stdout.strip().splitlines() or [""]
    return time.monotonic() - begin, processor_s() - used, lines[-1]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=[wait.name for wait in WAITS])
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="workbook-") as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
        print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; seconds")
        print(f"{'':<8}  {'clock':>7}  {'goal':>6}  {'processor':>9}  ends with")
        for wait in WAITS:
            if parsed.only and wait.name not in parsed.only:
                continue
            clock_s, used_s, last_line = measure(wait, clone)
            print(f"{wait.name:<8}  {clock_s:7.1f}  {wait.goal_s:6.1f}  {used_s:9.1f}  {last_line[:60]}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
