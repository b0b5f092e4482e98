"""Rule: the commands of docs/sources.md run, and its figures agree with their files.

For each row of a table with the columns below, the command is run in its small form: with the sizes of the chapter's
lesson/inspect_size.csv instead of its own. A program that needs a GPU or a profiler or that the build leaves out, a
check of an exercise, and a test of a chapter are looked up but not run: other tests run them. A row can also have a
link instead of a command. "published" is the last row of the chapter's lesson/published.csv with the same program and
sizes; "H200" is the median over the rounds of plots/results/nvidia-h200/. The cell has a dash if the time is unknown,
if the command leaves the size open, if the row is not about the program's time and has its own "published:", and if the
launch is "refused", with a text that the program must print. "without a GPU" is the cost that `./workbook inspect`
counts at the row's own size, or at a smaller size that the cell names: "sectors: 4 per load, at `--n 1000`". Any other
text is allowed for a program without sectors in lesson/claims.csv. --write writes these figures into the page.
"""

from __future__ import annotations

import csv
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from cli.building.build_tree import BuildTree
from cli.catalogue import Program
from cli.errors import WorkbookError
from cli.measuring.claims import SECTORS, WAYS, Counts, counts_in_simulator
from cli.measuring.measurements import median_of_rounds, size_columns
from cli.running.limited_run import Limits, run_within
from cli.workbook import Workbook
from pages import Found, Rewritten, read

PAGE = "docs/sources.md"
HEADER = "| experiment | here | published, ms | H200, ms | without a GPU |"
_RUN, _CHECK, _TEST = "./workbook run ", "./workbook check ", "./workbook test "
_PROFILED = re.compile(r"`(?:nsys profile|ncu) .*?build/bin/(?P<target>\w+)[^`]*`")
_LINK = re.compile(r"\[[^\]]+\]\([^)]+\)")  # the rule links follows it
_NEEDS_GPU, _REFUSED, _OWN_FIGURES, _COUNTS = "needs a GPU", "refused", "published:", "sectors: "
_SMALLER_SIZE = re.compile(r", at `[^`]+`$")
_NONE = "–"
_LIMIT_S = 120


@dataclass(frozen=True)
class Command:
    target: str
    options: tuple[tuple[str, str], ...]  # without the dashes


def command_of(cell: str) -> Command:
    """The command in a cell such as `./workbook run ch1_saxpy_naive --n 100`. Raises ValueError."""
    text = cell.strip().strip("`")
    if text.startswith(_CHECK):
        return Command(text.removeprefix(_CHECK), ())
    if not text.startswith(_RUN):
        raise ValueError(f"'{text}' does not start with {_RUN.strip()}")
    target, *words = [word for word in shlex.split(text.removeprefix(_RUN)) if word != "--"]
    options = []
    while words:
        name = words.pop(0)
        if not name.startswith("--"):
            raise ValueError(f"'{name}' is not an option")
        value = words.pop(0) if words and not words[0].startswith("--") else ""
        options.append((name[2:], value))
    return Command(target, tuple(options))


def small_arguments(command: Command, sizes: dict[str, str]) -> list[str]:
    """The arguments with these sizes instead of the command's. A list of items, and its other options, stay unchanged.
    """
    keeps = any("," in value for _, value in command.options)
    arguments = ["--check"]
    for name, value in command.options:
        arguments.append(f"--{name}")
        if value:
            arguments.append(value if keeps else sizes.get(name, value))
    return arguments


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(read(file).splitlines())) if file.is_file() else []


def matching(rows: list[dict[str, str]], program: str, command: Command) -> list[dict[str, str]]:
    """The rows about a program at the command's sizes; none if they have several sizes."""
    given = dict(command.options)
    found = [
        row
        for row in rows
        if row["program"] == program and all(row.get(name, value) == value for name, value in given.items())
    ]
    sizes = {tuple(row[name] for name in size_columns(list(row))) for row in found}
    return found if len(sizes) == 1 else []


def published_time(rows: list[dict[str, str]], program: str, command: Command) -> str:
    """The time in the last row that fits, with its device: a document can have several."""
    found = matching(rows, program, command)
    return f"{_shown(float(found[-1]['median_ms']))} ({found[-1]['device']})" if found else _NONE


def measured_time(rows: list[dict[str, str]], program: str, command: Command) -> str:
    """The median over the rounds, as in the lessons' tables."""
    found = matching(rows, program, command)
    return _shown(median_of_rounds(found, "median_ms")) if found else _NONE


def _shown(time_ms: float) -> str:
    return f"{time_ms:.0f}" if time_ms >= 1000 else f"{time_ms:.4g}"


def cost_words(counts: Counts) -> str:
    sectors = [f"{counts[kind]:.3g} per {kind[1]}" for kind in counts if kind[0] == "global" and kind[2] == SECTORS]
    ways = [f"{counts[kind]:.3g}" for kind in counts if kind[2] == WAYS]
    conflict = f"; {max(ways, key=float)}-way bank conflict" if ways else ""
    return _COUNTS + ", ".join(sectors) + conflict.replace("; 1-way", "; no")


class Page:
    def __init__(self, workbook: Workbook, build: Path) -> None:
        self._bin = build / "bin"
        self._workbook = workbook
        self._tree = BuildTree(workbook, str(build), "simulator")
        self.problems: list[str] = []

    def checked(self, text: str) -> str:
        """The page with the correct figures; errors in its commands are appended to `problems`."""
        lines, in_table = [], False
        for number, line in enumerate(text.splitlines(), start=1):
            in_table = line.startswith(HEADER) or (in_table and line.startswith("|"))
            if in_table and not line.startswith((HEADER, "|:")):
                line = self._row(number, line)
            lines.append(line)
        if HEADER not in text:
            self.problems.append(f"{PAGE} has no table with the header {HEADER}")
        return "\n".join(lines) + "\n"

    def _row(self, number: int, line: str) -> str:
        try:
            experiment, here, _, _, without_gpu = (cell.strip() for cell in line.strip().strip("|").split("|"))
            if self._is_looked_up(here):
                return f"| {experiment} | {here} | {_NONE} | {_NONE} | {without_gpu} |"
            command = command_of(here)
            program = self._workbook.catalogue.find_program(command.target)
        except (ValueError, WorkbookError) as error:
            self.problems.append(f"{PAGE}:{number}: {error}")
            return line
        if (without_gpu == _NEEDS_GPU) != program.needs_gpu:
            self.problems.append(f"{PAGE}:{number}: what does {program.target} do without a GPU?")
        lesson = self._workbook.root / "chapters" / program.chapter / "lesson"
        short = program.target.removeprefix(f"{program.chapter}_")
        published = published_time(rows_of(lesson / "published.csv"), short, command)
        results = rows_of(self._workbook.root / f"plots/results/nvidia-h200/{program.chapter}.csv")
        h200 = measured_time(results, program.target, command)
        is_refused = without_gpu.startswith(_REFUSED)
        if is_refused or _OWN_FIGURES in experiment:
            published = h200 = _NONE
        if program.kind != "exercise" and not program.needs_gpu and not self._tree.left_out(program.target):
            claims = {row["stage"] for row in rows_of(lesson / "claims.csv") if row["measure"] == SECTORS}
            if not is_refused and (without_gpu.startswith(_COUNTS) or short in claims):
                without_gpu = self._counted(number, program, command, without_gpu)
            words = without_gpu.removeprefix(f"{_REFUSED}: ").strip("`") if is_refused else ""
            self._run(number, program, command, rows_of(lesson / "inspect_size.csv"), words)
        return f"| {experiment} | {here} | {published} | {h200} | {without_gpu} |"

    def _counted(self, number: int, program: Program, command: Command, cell: str) -> str:
        smaller_size = "".join(_SMALLER_SIZE.findall(cell))
        arguments = small_arguments(command, dict(re.findall(r"--(\w+) (\d+)", smaller_size)))
        try:
            counts = counts_in_simulator(self._bin / f"{program.target}_inspect", arguments)
        except WorkbookError as error:
            self.problems.append(f"{PAGE}:{number}: {program.target}_inspect {' '.join(arguments)}: {error}")
            return cell
        return cost_words(counts) + smaller_size

    def _is_looked_up(self, here: str) -> bool:
        """Whether it is a link, a test or a profile of an existing chapter or program. Raises WorkbookError."""
        profiled = _PROFILED.fullmatch(here)
        if profiled:
            self._workbook.catalogue.find_program(profiled["target"])
        test = here.strip("`")
        if test.startswith(_TEST):
            self._workbook.catalogue.find_chapter(test.removeprefix(_TEST))
        return bool(profiled or test.startswith(_TEST) or _LINK.fullmatch(here))

    def _run(self, number: int, program: Program, command: Command, sizes: list[dict[str, str]], refusal: str) -> None:
        """refusal: the text that the program must print if it cannot launch its kernel; empty if it must succeed."""
        target = program.target
        arguments = small_arguments(command, sizes[0] if sizes else {})
        if program.is_whole:
            arguments.remove("--check")  # it has only its own options
        try:
            ended = run_within(Limits(wall_s=_LIMIT_S), [str(self._bin / target), *arguments], self._workbook.root)
        except OSError as error:
            self.problems.append(f"{PAGE}:{number}: {target} cannot be started: {error.strerror}.")
            return
        if refusal not in ended.output if refusal else ended.returncode != 0:
            what = f"{target} {' '.join(arguments)} fails: {ended.stopped}"
            self.problems.append(f"{PAGE}:{number}: {what}\n{ended.output}")


def sources(workbook: Workbook, build: Path) -> Found:
    page = Page(workbook, build)
    wanted = page.checked(read(workbook.root / PAGE))
    yield from page.problems
    yield Rewritten(workbook.root / PAGE, wanted)
