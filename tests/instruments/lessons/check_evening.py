"""Rule: README.md works from a fresh clone, as a newcomer follows it: its two commands, then "One evening", in a
pseudo-terminal of 24 lines and 80 columns.

Errors: a command that fails (a check of a starter must fail), an output of more than one screen, a quoted output that
the command does not print, a race that is not found. --write updates the numbers of docs/contributing.md ("First
screens").
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

from cli.workbook import Workbook
from pages import FENCE, Found, Rewritten, read, section, tracked

PAGE = Path("docs/contributing.md")
LINES, COLUMNS = 24, 80
_START = re.compile(r"^## Start\n+```\n(?P<commands>.*?)```", re.MULTILINE | re.DOTALL)
_STEP = re.compile(r"^\| \d+ \| \[[^]]*\]\((?P<page>[^#)]*)#(?P<anchor>[^)]*)\) \| `(?P<command>\./workbook [^`]*)` \|$", re.MULTILINE)
_EDIT = re.compile(r"delete the line with `(?P<text>[^`]*)` in `(?P<file>[^`]*)` and repeat step (?P<step>\d+)")
_INVISIBLE = re.compile(r"<!--.*?-->|<details>.*?</details>|\]\([^)]*\)", re.DOTALL)
_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Ran:
    command: str
    exit_code: int
    lines: list[str]  # lines that stay on the screen


def run_in_terminal(command: str, folder: Path) -> Ran:
    """The output that a person sees; an overwritten line counts once."""
    ours, theirs = pty.openpty()
    ioctl(theirs, TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "COLUMNS", "LINES", "NO_COLOR")}
    environment.update(TERM="xterm-256color", LANG="C.UTF-8", WORKBOOK_BACKEND="simulator")
    environment["WORKBOOK_NO_INSTALL"] = "1"  # the offer to download nvcc would wait for an answer
    process = subprocess.Popen(
        command.split(), cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    printed = b"".join(_all_from(ours))
    os.close(ours)
    text = _ESCAPE.sub("", printed.decode("utf-8", errors="replace")).replace("\r\n", "\n")
    lines = [_shown(line) for line in text.rstrip("\n").split("\n")]
    return Ran(command, process.wait(), [line for line in lines if line is not None])


def _all_from(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:  # the other side is closed
            return
        if not part:
            return
        yield part


def _shown(line: str) -> str | None:
    """The part of an overwritten line that stays; None if nothing stays."""
    if "\r" not in line:
        return line
    last = line.rsplit("\r", 1)[1]
    return last.rstrip() or None


def words_in(text: str) -> int:
    """The number of words that a reader sees before unfolding anything."""
    return len(_INVISIBLE.sub("", text).split())


def is_quoted(quoted: str, lines: list[str]) -> bool:
    """Whether a quotation, with "..." for any number of lines, agrees with the lines of an output, except for spaces.
    """
    parts = [part.split() for part in re.split(r"^\.\.\.$", quoted, flags=re.MULTILINE)]
    pattern = r".*".join(r"\s+".join(re.escape(word) for word in part) for part in parts)
    return re.fullmatch(rf"\s*{pattern}\s*", "\n".join(lines), re.DOTALL) is not None


def follow(readme: str, clone: Path) -> tuple[list[str], dict[str, str]]:
    """The errors, and the numbers of the page."""
    start = _START.search(readme)
    steps = list(_STEP.finditer(readme))
    edit = _EDIT.search(readme)
    if not start or not steps or not edit:
        return ["README.md no longer has its Start, its steps of an evening or its edit in the expected form"], {}
    typed = [line for line in start["commands"].splitlines() if line.startswith("./workbook")]
    commands = [*typed, *(step["command"] for step in steps)]
    ran = [_told(run_in_terminal(command, clone)) for command in commands]
    found = [f"'{one.command}' ends with {one.exit_code}" for one in ran if one.exit_code != (" check " in one.command)]
    found += [f"'{one.command}' prints {len(one.lines)} lines, more than a screen" for one in ran if len(one.lines) > LINES]
    for quoted in (fence["text"] for fence in FENCE.finditer(readme) if fence["kind"] == "console"):
        command, output = quoted.removeprefix("$ ").split("\n", 1)
        real = next((one for one in ran if one.command == command), None)
        if real is None or not is_quoted(output, real.lines):
            found.append(f"README.md quotes an output that '{command}' does not print: {output}")
    found += _race_of(edit, steps[int(edit["step"]) - 1]["command"], clone)
    before = readme[: edit.start()] + "".join(section(read(clone / step["page"]), step["anchor"]) for step in steps)
    words = words_in(before) + sum(words_in("\n".join(one.lines)) for one in ran)
    numbers = {
        "lines of README.md": str(len(readme.splitlines())),
        **{f"lines of `./workbook {name}`": str(_lines_of(name, clone)) for name in ("list", "help")},
        "commands typed before the race": str(len(ran)),
        "words read before it, to the next 500": f"{500 * round(words / 500):,}",  # rounded, because a busy machine prints more words
    }
    return found, numbers


def _told(ran: Ran) -> Ran:
    print(f"{ran.command}: exit code {ran.exit_code}, {len(ran.lines)} lines", flush=True)
    return ran


def _race_of(edit: re.Match[str], command: str, clone: Path) -> list[str]:
    """Makes the edit; the command must find the race and name two lines of the file."""
    file = clone / edit["file"]
    lines = read(file).splitlines(keepends=True)
    kept = [line for line in lines if edit["text"] not in line]
    if len(kept) != len(lines) - 1:
        return [f"{edit['file']} does not have one line with {edit['text']}"]
    file.write_text("".join(kept), encoding="utf-8")
    ran = _told(run_in_terminal(command, clone))
    places = {line for line in ran.lines if re.search(rf"\b{re.escape(file.name)}:\d+", line)}
    if ran.exit_code != 1 or not any("race" in line for line in ran.lines) or len(places) < 2:
        return [f"'{command}' does not name the two lines of the race"]
    return []


def _lines_of(command: str, clone: Path) -> int:
    printed = subprocess.run(["./workbook", command], cwd=clone, check=True, stdout=subprocess.PIPE, text=True).stdout
    return len(printed.splitlines())


def with_numbers(page: str, numbers: dict[str, str]) -> str:
    """The page with these numbers in its table. Raises ValueError if a row is missing."""
    for name, value in numbers.items():
        row = re.compile(rf"^\| {re.escape(name)} \| [\d,]+ \|$", re.MULTILINE)
        if not row.search(page):
            raise ValueError(f"{PAGE} has no row '{name}'")
        page = row.sub(f"| {name} | {value} |", page)
    return page


def evening(workbook: Workbook, build: Path) -> Found:
    clone = build / "fresh_clone"  # the test of the notebook goes on there
    shutil.rmtree(clone, ignore_errors=True)
    cloned = ["git", "clone", "--quiet", "--depth=1", f"file://{workbook.root}", clone]
    subprocess.run(cloned, check=True, capture_output=True)
    for file in tracked(workbook.root):  # with uncommitted changes
        (clone / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(workbook.root / file, clone / file)
    found, numbers = follow(read(clone / "README.md"), clone)
    yield from found
    page = workbook.root / PAGE
    yield Rewritten(page, with_numbers(read(page), numbers))
