"""The catalogues of a chapter's bugs: tests/<chapter>/mistakes.txt, and beginners.txt in the same folder.

A catalogue can begin with comments, in lines that start with `#`. Then the bugs follow: rows below the name of the file
that they change. A line that begins with two blanks goes on with the row above.

    == 02_localmem.cu
    reads_its_own_slot: Each thread reads the element that it wrote.
      `tile[threadIdx.x][threadIdx.y]` => `tile[threadIdx.y][threadIdx.x]`; test=MatchesReference case=32x32 wrong

The file is a stage at the chapter's root or in an operation's folder, a program in `baselines/`, or a solution in
`solutions/`. The tests of the operation to which it belongs must find the bug. A row has

- a name, and a description of the bug for learners;
- edits: a text that occurs in the file exactly once, and the text that replaces it. A blank in the text to find also
  matches the end of a line. If nothing is left of a line, the line goes too. Several edits have commas between;
- reasons: facts as in a hint's heading (common/cli/checking/facts.py). A failed test must have recorded a fact with all of
  these words, or with the words after a comma. The test's name can be one of them (`test=MatchesReference case=1x1`).
  Several reasons have semicolons between, and each must hold.

If an edit inserts lines or fits no row, the bug is an entry, and each of its parts has lines of its own:

    == barrier_in_branch: 02_localmem.cu
    The barrier is inside the guard, so the threads beyond the matrix do not reach it.
    rejected by: finding=barrier kernel=transpose_localmem_kernel
    @@
         tile[threadIdx.y][threadIdx.x] = in[...];
    +    __syncthreads();
    @@
    -  __syncthreads();

- `rejected by: ` and a reason, once or more;
- `only in block order: reverse`, if the result is correct while the blocks of a grid run in their usual order;
- edits, each below a line `@@`: the lines to find, which begin with a blank (lines that stay) or with `-` (lines that
  are removed), and the lines to insert, which begin with `+`. At least one line to find is required, and the lines to
  find must occur in the file exactly once. Or
- `whole file: mistakes/NAME.cu`, a file of its own, if little of the original file is left.

In chapters/published/bugs.txt the files are whole programs, without tests. After the description follow the wrong
choices of a hunt, `or: ` and a sentence each, and `says: `, as in beginners.txt.

In beginners.txt a bug is in the answer to an exercise. A row needs no description, and states the result of `./workbook
check`:

    == solutions/ex2_write_the_copies.cu
    elements_for_bytes: `d_x, h_x, bytes` => `d_x, h_x, n`; error found; finding=uninitialised; bytes_not_elements
    source_first: `d_x, h_x` => `h_x, d_x`; does not compile; "Are the arguments in the right order"

- before the reasons the verdict: `wrong result`, `does not compile`, `passed` and so on
  (common/cli/checking/check_result.py). In an entry it is `verdict: `;
- as reasons facts of the failure that the check shows, in an entry `fact: `. Where no test has run, instead a regular
  expression in quotes, in an entry `says: `; it must match in the whole text of the check, with each line end as a
  blank;
- the id of the first hint (common/cli/exercises/hints.py), in an entry `hint: `. It is missing if no hint is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from cli.errors import WorkbookError
from cli.mistakes.reasons import Reason, compile_pattern, read_reason

Read = TypeVar("Read")
BLOCK_ORDERS = ("reverse", "1")
_HEAD = "== "
_HEADLINE = re.compile(r"== (?P<name>[a-z][a-z0-9_]*): (?P<spoiled>\S+\.cu)")
_REASON, _ORDER, _WHOLE_FILE, _EDIT = "rejected by: ", "only in block order: ", "whole file: ", "@@"
_VERDICT, _FACT, _ANSWER, _HINT, _OTHER = "verdict: ", "fact: ", "says: ", "hint: ", "or: "
_SPOILED = re.compile(r"(?:(?!harness/)\w+/)?\w+\.cu")
_ROWS_OF = re.compile(rf"== (?P<spoiled>{_SPOILED.pattern})")
_GOES_ON = "  "
_PART = r"`(?:[^`]+)` => `(?:[^`]*)`"
_FACT_OF_ROW = r"[^;\"=]+=[^;\"]+"
_ROW = re.compile(
    rf"(?P<name>[a-z][a-z0-9_]*): (?:(?P<words>(?!{_PART})\S.*?) )?(?P<edits>{_PART}(?:, {_PART})*); "
    r"(?:(?P<verdict>[\w ]+); )?"
    rf"(?:\"(?P<answer>.+)\"|(?P<facts>{_FACT_OF_ROW}(?:; {_FACT_OF_ROW})*))(?:; (?P<hint>[a-z][a-z0-9_]*))?"
)


class CatalogueError(WorkbookError):
    """The error in a catalogue, with the file and the line."""


@dataclass(frozen=True)
class Edit:
    """A text to find, and the text that replaces it."""

    line: int  # its first line in the catalogue
    old: str
    new: str
    is_part: bool = False  # of lines; otherwise both are whole lines

    @property
    def place(self) -> re.Pattern[str]:
        """White space at the end of a line does not count; in a part of lines no white space does."""
        if not self.is_part:
            return re.compile("^" + "".join(rf"{re.escape(line)}[ \t]*\n" for line in self.old.splitlines()), re.M)
        part = r"\s+".join(map(re.escape, self.old.split()))
        return re.compile(part if self.new else rf"^[ \t]*{part}[ \t]*\n|{part}", re.M)


@dataclass(frozen=True)
class Mistake:
    """A bug that can be put into a stage or a solution."""

    name: str
    chapter: str
    spoiled: str  # the file with the bug: "02_localmem.cu", "all_reduce/01_ring.cu", "solutions/ex1_matrix_sum.cu"
    words: str  # the description for learners
    reasons: tuple[Reason, ...]
    block_order: str  # the only order in which the result is wrong; empty if it is always wrong
    edits: tuple[Edit, ...]
    whole_file: str  # relative to the catalogue's folder; empty if there are edits
    catalogue: Path
    line: int
    verdict: str = ""  # of a check; this field and those below are only used in beginners.txt
    answer: tuple[re.Pattern[str], ...] = ()
    hint: str = ""  # the id of the first hint
    others: tuple[str, ...] = ()  # wrong choices of a hunt; only in chapters/published

    def error(self, message: str, line: int = 0) -> CatalogueError:
        return CatalogueError(f"{self.catalogue}:{line or self.line}: {self.name}: {message}")


def read_catalogue(file: Path) -> list[Mistake]:
    """The bugs in a catalogue; its folder has the chapter's name. Raises CatalogueError."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise CatalogueError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise CatalogueError(f"{file}: byte {error.start} is not UTF-8. Save the file as UTF-8.") from error
    mistakes: dict[str, Mistake] = {}
    whole_files: dict[str, str] = {}
    for mistake in (one for first, entry in _entries(file, lines) for one in _read(file, first, entry)):
        if mistake.name in mistakes:
            raise mistake.error(f"line {mistakes[mistake.name].line} has the same name. Rename one of them.")
        mistakes[mistake.name] = mistake
        if mistake.whole_file:
            if mistake.whole_file in whole_files:
                raise mistake.error(f"{mistake.whole_file} is also used by {whole_files[mistake.whole_file]}.")
            whole_files[mistake.whole_file] = mistake.name
    return list(mistakes.values())


def _entries(file: Path, lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """The number of each entry's first line, and its lines."""
    starts = [number for number, line in enumerate(lines) if line.startswith(_HEAD.rstrip())]
    for number, line in enumerate(lines[: starts[0] if starts else None]):
        if line.strip() and not line.startswith("#"):
            raise CatalogueError(f"{file}:{number + 1}: '{line}' is before the first bug ('== name: file.cu').")
    for start, end in zip(starts, [*starts[1:], len(lines)]):
        yield start + 1, lines[start:end]


def _read(file: Path, first: int, lines: list[str]) -> Iterator[Mistake]:
    """The bugs of an entry: one, or a row each."""
    rows_of = _ROWS_OF.fullmatch(lines[0].rstrip())
    if not rows_of:
        yield _Entry(file, first, lines).read()
        return
    rows: list[tuple[int, str]] = []
    for number, line in enumerate(lines[1:], start=first + 1):
        if line.startswith(_GOES_ON) and rows:
            rows[-1] = rows[-1][0], f"{rows[-1][1]} {line.strip()}"
        elif line.strip():
            rows.append((number, line.rstrip()))
    if not rows:
        raise CatalogueError(f"{file}:{first}: no row of a bug follows '{lines[0]}'.")
    for number, row in rows:
        yield _row(file, number, row, rows_of["spoiled"])


def _row(file: Path, number: int, line: str, spoiled: str) -> Mistake:
    row = _ROW.fullmatch(line)
    try:
        if row is None:
            raise ValueError(f"'{line}' is not 'name: words `old` => `new`; verdict; facts or \"text\"; hint'.")
        if not (row["words"] or row["verdict"]):
            raise ValueError(f"{row['name']}: describe the bug in words after its name.")
        parts = [part[1:-1].split("` => `") for part in re.findall(_PART, row["edits"])]
        if any(old == new for old, new in parts):
            raise ValueError(f"{row['name']}: an edit changes nothing.")
        return Mistake(
            name=row["name"],
            chapter=file.resolve().parent.name,
            spoiled=spoiled,
            words=row["words"] or "",
            reasons=tuple(map(read_reason, row["facts"].split("; "))) if row["facts"] else (),
            block_order="",
            edits=tuple(Edit(number, old, new, is_part=True) for old, new in parts),
            whole_file="",
            catalogue=file,
            line=number,
            verdict=row["verdict"] or "",
            answer=(compile_pattern(row["answer"]),) if row["answer"] else (),
            hint=row["hint"] or "",
        )
    except ValueError as error:
        raise CatalogueError(f"{file}:{number}: {error}") from error


class _Entry:
    """Reads the lines of one bug."""

    def __init__(self, file: Path, first: int, lines: list[str]) -> None:
        self._file = file
        self._first = first
        self._lines = lines
        self._words: list[str] = []
        self._reasons: list[Reason] = []
        self._answer: list[re.Pattern[str]] = []
        self._order = ""
        self._whole_file = ""
        self._verdict = ""
        self._hint = ""
        self._others: list[str] = []

    def read(self) -> Mistake:
        headline = _HEADLINE.fullmatch(self._lines[0].rstrip())
        if headline is None:
            raise self._error(0, f"'{self._lines[0]}' is not '== name_of_the_mistake: file.cu'.")
        if not _SPOILED.fullmatch(headline["spoiled"]):
            raise self._error(0, f"'{headline['spoiled']}' is not stage.cu, folder/stage.cu, baselines/name.cu or solutions/name.cu.")
        end = next((n for n, line in enumerate(self._lines) if line.rstrip() == _EDIT), len(self._lines))
        for number, line in enumerate(self._lines[1:end], start=1):
            if line.strip():
                self._read_line(number, line.rstrip())
        edits = tuple(self._edits(end))
        self._require(bool(self._words), "describe the bug in a line below its name.")
        self._require(bool(self._reasons or self._answer), f"state why it must be rejected: '{_REASON}' and facts.")
        self._require(bool(edits) != bool(self._whole_file), f"it needs edits, below '@@', or a '{_WHOLE_FILE}'.")
        return Mistake(
            headline["name"],
            self._file.resolve().parent.name,
            headline["spoiled"],
            " ".join(self._words),
            tuple(self._reasons),
            self._order,
            edits,
            self._whole_file,
            self._file,
            self._first,
            self._verdict,
            tuple(self._answer),
            self._hint,
            tuple(self._others),
        )

    def _error(self, number: int, message: str) -> CatalogueError:
        return CatalogueError(f"{self._file}:{self._first + number}: {message}")

    def _require(self, is_so: bool, message: str) -> None:
        if not is_so:
            raise self._error(0, f"{self._lines[0]}: {message}")

    def _read_line(self, number: int, line: str) -> None:
        if line.startswith(_REASON.rstrip()):
            self._reasons.append(self._checked(number, line[len(_REASON) :], read_reason))
        elif line.startswith(_ANSWER.rstrip()):
            self._answer.append(self._checked(number, line[len(_ANSWER) :], compile_pattern))
        elif line.startswith(_FACT.rstrip()):
            self._reasons.append(self._checked(number, line[len(_FACT) :], read_reason))
        elif line.startswith(_HINT.rstrip()):
            self._hint = line[len(_HINT) :]
        elif line.startswith(_OTHER):
            self._others.append(line[len(_OTHER) :])
        elif line.startswith(_VERDICT.rstrip()):
            self._verdict = line[len(_VERDICT) :]
        elif line.startswith(_ORDER.rstrip()):
            self._order = line[len(_ORDER) :]
            if self._order not in BLOCK_ORDERS:
                raise self._error(number, f"'{self._order}' is not an order of the blocks: {', '.join(BLOCK_ORDERS)}.")
        elif line.startswith(_WHOLE_FILE.rstrip()):
            self._whole_file = line[len(_WHOLE_FILE) :]
            if not re.fullmatch(r"mistakes/\w+\.cu", self._whole_file):
                raise self._error(number, f"'{self._whole_file}' is not mistakes/name.cu.")
        elif self._reasons or self._answer or self._order or self._whole_file:
            raise self._error(number, f"'{line}' is neither '{_REASON}...', '{_ORDER}...', '{_WHOLE_FILE}...' nor '@@'.")
        else:
            self._words.append(line.strip())

    def _checked(self, number: int, text: str, read: Callable[[str], Read]) -> Read:
        try:
            return read(text)
        except ValueError as error:
            raise self._error(number, str(error)) from error

    def _edits(self, begin: int) -> Iterator[Edit]:
        starts = [n for n in range(begin, len(self._lines)) if self._lines[n].rstrip() == _EDIT]
        for start, end in zip(starts, [*starts[1:], len(self._lines)]):
            while not self._lines[end - 1].strip():
                end -= 1
            yield self._edit(start, end)

    def _edit(self, start: int, end: int) -> Edit:
        old, new = [], []
        for number in range(start + 1, end):
            line = self._lines[number]
            sign, text = line[:1] or " ", line[1:].rstrip()
            if sign not in " -+":
                raise self._error(number, f"'{line}': a line of an edit begins with a blank, '-' or '+'.")
            if sign in " -":
                old.append(text)
            if sign in " +":
                new.append(text)
        if not any(line.strip() for line in old):
            raise self._error(start, "the edit has no line to find: add the line before or after the change.")
        if old == new:
            raise self._error(start, "the edit changes nothing: it has no '-' and no '+', or the same text after them.")
        return Edit(self._first + start, *("".join(f"{line}\n" for line in lines) for lines in (old, new)))
