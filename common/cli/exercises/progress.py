"""The exercises and questions that a learner has tried and solved: progress.csv, in the workbook's folder."""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import hashlib
import io
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError
from cli.exercises.backups import back_up
from cli.exercises.question_names import QUESTION_PREFIX, name_in_progress
from cli.old_names import read_old_names
from cli.running.turns import turn
from cli.terminal.console import complain
from cli.workbook import PROGRESS

SOLVED, TRIED = "solved", "tried"
WRONG, REPEATED = "wrong", "repeated"  # `failure` of a question that was not answered correctly at first
SPEED_PREFIX = "speed_"  # before the target of a program that was measured; its entry's `answer` is the speed
_COLUMNS = ("exercise", "state", "date", "checks", "hints", "failure", "answer")
_COUNTS = re.compile(r"[0-9]{0,9} [0-9]{0,9}")
_MAX_BYTES = 16 << 20
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class Entry:
    """One exercise, or one Predict question. `date` is the day of the first success, or of the last try. `failure` has
    the ids of the hints that fit, with semicolons between, and `hints` is the number of hints that were given for
    it. `answer` is a digest of the file."""

    exercise: str
    state: str
    date: str
    checks: int = 0
    hints: int = 0
    failure: str = ""
    answer: str = ""

    @property
    def failures(self) -> list[str]:
        return self.failure.split("; ") if self.failure else []


class Progress:
    """The entries of the file. Every change reads the file again, because another command may have changed it, and
    replaces it in one step.
    """

    def __init__(self, root: Path) -> None:
        self.file = root / PROGRESS
        self._now_called = read_old_names(root)
        self._entries, bad_lines = self._read()
        if bad_lines:
            self._keep_damaged(bad_lines)

    def __getitem__(self, exercise: str) -> Entry | None:
        return self._entries.get(exercise)

    @property
    def has_wrong_answers(self) -> bool:
        """Whether a question was answered wrong, and not answered correctly on a later day."""
        return any(one.failure == WRONG for one in self._entries.values() if one.exercise.startswith(QUESTION_PREFIX))

    def record_check(
        self, exercise: str, answer: Path, passed: bool, failures: Iterable[str] | None, today: str
    ) -> Entry:
        """Records a check. A solved exercise stays solved. If failures is None, as for a file that does not compile,
        the last failures and their hints stay.
        """

        def checked(known: Entry) -> Entry:
            failure = known.failure if failures is None else "; ".join(failures)
            changes: dict[str, str | int] = {
                "checks": known.checks + 1,
                "failure": failure,
                "answer": text_digest(answer),
            }
            if failure != known.failure:
                changes["hints"] = 0
            if known.state != SOLVED:
                changes.update(state=SOLVED if passed else TRIED, date=today)
            return dataclasses.replace(known, **changes)

        return self._change(exercise, today, checked)

    def record_prediction(self, question: str, right: bool, today: str) -> Entry:
        """Records an answer to a Predict question. A question that was once answered correctly stays solved. If a wrong
        answer came first, `failure` is WRONG until a right answer on a later day; until then `date` is the day of the
        last answer.
        """

        def answered(known: Entry) -> Entry:
            changes: dict[str, str | int] = {"checks": known.checks + 1}
            if known.state != SOLVED:
                changes.update(state=SOLVED if right else TRIED, date=today)
                if not right:
                    changes["failure"] = WRONG
            elif known.failure == WRONG:
                changes.update({"failure": REPEATED} if right and known.date != today else {"date": today})
            return dataclasses.replace(known, **changes)

        return self._change(question, today, answered)

    def record_hint(self, exercise: str, hints: int, today: str) -> None:
        """Records the number of hints that have been given for the last failure."""
        self._change(exercise, today, lambda known: dataclasses.replace(known, hints=hints))

    def record_speeds(self, speeds: dict[str, str], today: str) -> None:
        """speeds: what this GPU reached, in words, by the program's target. Each replaces what was noted before."""
        entries = {f"{SPEED_PREFIX}{target}": speed for target, speed in speeds.items()}

        def measured(known: Entry) -> Entry:
            return Entry(known.exercise, SOLVED, today, 1, answer=entries[known.exercise])

        if entries:
            self._change_all(entries, today, measured)

    def speeds(self, chapter: str) -> dict[str, Entry]:
        """The entries of a chapter's programs that were measured on a GPU, by target."""
        prefix = f"{SPEED_PREFIX}{chapter}_"
        return {name[len(SPEED_PREFIX) :]: one for name, one in self._entries.items() if name.startswith(prefix)}

    def _change(self, exercise: str, today: str, change: Callable[[Entry], Entry]) -> Entry:
        self._change_all([exercise], today, change)
        return self._entries[exercise]

    def _change_all(self, names: Iterable[str], today: str, change: Callable[[Entry], Entry]) -> None:
        with turn(self.file.parent):
            with contextlib.suppress(WorkbookError):  # then the entries that were read first stay
                self._entries = self._read()[0]
            for name in names:
                self._entries[name] = change(self._entries.get(name) or Entry(name, TRIED, today))
            self._write()

    def _write(self) -> None:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(_COLUMNS)
        writer.writerows(dataclasses.astuple(self._entries[name]) for name in sorted(self._entries))
        try:
            _replace_file(self.file, text.getvalue())
        except OSError as error:
            complain(f"Your progress could not be recorded: {self.file} cannot be written ({error.strerror}).")

    def _read(self) -> tuple[dict[str, Entry], list[int]]:
        return read_entries(self.file, self._now_called)

    def _keep_damaged(self, bad_lines: list[int]) -> None:
        numbers = ", ".join(map(str, bad_lines))
        line, it_is = ("line", "is") if len(bad_lines) == 1 else ("lines", "are")
        kept = "1 exercise is" if len(self._entries) == 1 else f"{len(self._entries)} exercises are"
        words = f"{PROGRESS}: {line} {numbers} cannot be read and {it_is} left out; {kept} kept."
        try:
            copy = back_up(self.file, "damaged")
        except OSError as error:
            complain(f"{words} The damaged file could not be copied ({error.strerror}): copy it yourself.")
        else:
            complain(
                f"{words} A copy of the damaged file is in {copy.name}.\n"
                f"Restore its lines by hand, or go back to your last commit: git checkout {PROGRESS}"
            )


def read_entries(file: Path, now_called: dict[str, str]) -> tuple[dict[str, Entry], list[int]]:
    """The entries, and the numbers of the other lines; now_called: present names of exercises by their old ones. Raises
    WorkbookError if the file cannot be read.
    """
    entries: dict[str, Entry] = {}
    try:
        status = file.stat()
        is_special = not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode)
        if is_special or status.st_size > _MAX_BYTES:
            raise WorkbookError(f"{file} is not a file that ./workbook has written. Move it to a different folder.")
        text = file.read_text(encoding="utf-8-sig", errors="replace")
    except FileNotFoundError:
        return entries, []
    except OSError as error:
        raise WorkbookError(f"{file} cannot be read: {error.strerror}.") from error
    bad_lines = []
    # The lines are read one by one, so that a bad line does not affect the others. No field contains a line end.
    for number, line in enumerate(text.splitlines(), start=1):
        row = _row(line)
        entry = _entry(row) if row is not None else None
        if entry:
            entry = dataclasses.replace(entry, exercise=now_called.get(entry.exercise, entry.exercise))
            known = entries.get(entry.exercise)  # twice if git has joined two files, or after a change of its name
            entries[entry.exercise] = _joined(known, entry) if known else entry
        elif row is None or row and tuple(row) != _COLUMNS:
            bad_lines.append(number)
    return entries, bad_lines


def text_digest(file: Path) -> str:
    """A short digest that does not depend on the kind of line ends; empty if the file cannot be read."""
    try:
        content = file.read_bytes()
    except OSError:
        return ""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()[:12]


def _row(line: str) -> list[str] | None:
    """The fields of a line; None if it is not a line of a CSV file."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return None


def _entry(row: list[str]) -> Entry | None:
    if len(row) != len(_COLUMNS):
        return None
    exercise, state, date, checks, hints, failure, answer = row
    if state not in (SOLVED, TRIED) or not _DATE.fullmatch(date) or not _COUNTS.fullmatch(f"{checks} {hints}"):
        return None
    name = name_in_progress(exercise)
    return Entry(name, state, date, int(checks), int(hints or 0), failure, answer) if checks else None


def _joined(one: Entry, other: Entry) -> Entry:
    """One entry for two entries of the same exercise: solved if one of them is solved, on the earlier day."""
    first, second = sorted((one, other), key=lambda entry: (entry.state != SOLVED, entry.date))
    return dataclasses.replace(first, checks=first.checks + second.checks)


def _replace_file(file: Path, text: str) -> None:
    """Replaces the file in one step, so that it is complete even after a crash. Raises OSError."""
    if file.is_dir():
        raise IsADirectoryError(21, os.strerror(21))
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as temporary:
            temporary.write(text)
        os.chmod(name, 0o644)
        os.replace(name, file)
    except OSError:
        os.unlink(name)
        raise
