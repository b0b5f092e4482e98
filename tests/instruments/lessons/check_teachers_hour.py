"""Replays the hour in docs/for_teachers.md: prints the differences and exits with 1; 77 if this machine cannot replay
it.

Usage: check_teachers_hour.py BUILD_FOLDER [--write]

The commands of the section run in the workbook's folder, with a separate home folder and a Slurm of one node. Output
that changes between runs or machines is not compared. --write writes the real output into the page.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/for_teachers.md"
SLURM = ROOT / "tests/grading/one_node_slurm.sh"
CANNOT = 77
_SECTION = re.compile(r"(?<=^## The first hour of a course\n).*?(?=^## )", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HOME = "/home/you"
# Output that is not compared: numbers of files and of jobs, and the memory limit of this machine.
_MASKED = (
    (re.compile(r"^\d+ files written", re.MULTILINE), "N files written"),
    (re.compile(r"^Job \d+:", re.MULTILINE), "Job N:"),
    (re.compile(r"(?<=seccomp filter; ).*$", re.MULTILINE), "..."),
)
_PROGRESS = re.compile(r"^(Configuring|Building|Another|Waiting) .*\n", re.MULTILINE)


def why_not(build: Path) -> str:
    """Why this machine cannot replay it; empty if it can."""
    absent = [name for name in ("slurmctld", "slurmd", "munged", "sbatch", "bwrap", "git") if not shutil.which(name)]
    if absent:
        return f"there is no {', '.join(absent)}"
    if os.geteuid() != 0:
        return "only root can set up Slurm"
    if not (ROOT / ".git").exists():
        return "the workbook is not a git clone"
    if build.resolve() != (ROOT / "build").resolve():
        return "./workbook builds in build/, and this is a different build folder"
    return ""


def replay(page: str, home: Path) -> str:
    """The page with the real output of the section's commands. Raises CalledProcessError for one that fails."""

    def real(block: re.Match[str]) -> str:
        commands = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"$ {command}\n{run(command, home)}" for command in commands) + "```"

    return _SECTION.sub(lambda section: _BLOCK.sub(real, section[0]), page)


def run(command: str, home: Path) -> str:
    """The output of a command, without its progress lines."""
    ended = subprocess.run(
        ["bash", "-c", command], cwd=ROOT, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, check=False
    )
    if ended.returncode != 0:
        raise subprocess.CalledProcessError(ended.returncode, command, ended.stdout, ended.stderr)
    text = _PROGRESS.sub("", ended.stdout).replace(str(home), _HOME).lstrip("\n")
    return f"{text.rstrip()}\n" if text.strip() else ""


def masked(page: str) -> str:
    for pattern, plain in _MASKED:
        page = pattern.sub(plain, page)
    return page


def main(arguments: list[str]) -> int:
    if not arguments or arguments[1:] not in ([], ["--write"]):
        print(__doc__, file=sys.stderr)
        return 2
    problem = why_not(Path(arguments[0]))
    if problem:
        print(f"The hour is not replayed: {problem}.")
        return CANNOT
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="workbook-hour-") as folder:
        cluster, home = Path(folder) / "cluster", Path(folder) / "home"
        for made in (Path(folder), cluster, home):
            made.mkdir(exist_ok=True)
            made.chmod(0o755)
        os.environ["SLURM_CONF"] = str(cluster / "slurm.conf")
        try:
            subprocess.run([str(SLURM), str(cluster)], check=True)
            real = replay(page, home)
        except subprocess.CalledProcessError as error:
            print(f"{error.cmd}: exit code {error.returncode}\n{error.stdout or ''}{error.stderr or ''}")
            return 1
        finally:
            subprocess.run([str(SLURM), str(cluster), "stop"], check=True)
    if "--write" in arguments:
        PAGE.write_text(real, encoding="utf-8")
        return 0
    for line, (shown, printed) in enumerate(zip(masked(page).splitlines(), masked(real).splitlines()), start=1):
        if shown != printed:
            print(f"{PAGE}:{line}: the page has\n  {shown}\nbut the command prints\n  {printed}\n")
            break
    else:
        if masked(page) == masked(real):
            return 0
    print(f"Update the page with: python3 tests/instruments/lessons/check_teachers_hour.py {arguments[0]} --write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
