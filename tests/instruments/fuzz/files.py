"""Damaged files that the command reads: a reader reports the error, or accepts the file."""

from __future__ import annotations

import contextlib
import io
import random
from collections.abc import Callable
from pathlib import Path

from cli.catalogue import read_catalogue
from cli.checking.hidden_cases import read_hidden_cases
from cli.checking.sheet import read_sheet
from cli.errors import WorkbookError
from cli.exercises.course import read_paths
from cli.exercises.hints import hints_in
from cli.exercises.lookup import all_exercises
from cli.exercises.progress import Progress
from cli.exercises.starters import read_starters
from cli.measuring.claims import read_claims
from cli.measuring.measurements import parse_program_output, read_sizes, usual_options
from cli.mistakes.catalogue import read_catalogue as read_mistakes
from cli.pictures.access_picture import draw_accesses
from cli.running.limited_run import Ended
from cli.terminal.console import Palette
from cli.tracing.report import parse_report
from cli.tracing.report_text import render
from cli.verdicts.ctest import read_counts
from cli.verdicts.googletest import judge
from cli.workbook import PROGRESS, Workbook
from fuzz.edits import edited_data

_PROGRESS = "exercise,state,date,checks,hints,failure,answer\nch3_ex2,solved,2026-01-02,3,1,,000000000000\n" * 2
_HIDDEN = "exercise,seed,shapes\nch3_ex2,918273,97x2051 5x5\nch1_ex1,,1000\n"
_RESULTS = (
    '{"testsuites": [{"name": "Suite", "testsuite": [{"name": "right", "result": "COMPLETED"}, {"name": "wrong", '
    '"result": "COMPLETED", "failures": [{"failure": "a.cpp:1\\nFailed\\n9 of 9 elements are wrong."}]}]}]}'
)
_JUNIT = (
    '<testsuites><testsuite name="a"><testcase name="ch3.b" status="run" result="completed"><failure message="no"/>'
    '</testcase><testcase name="c" status="disabled"><skipped message="x"/></testcase></testsuite></testsuites>'
)
_MEASURED = "program,rows,cols,median_ms,min_ms,gb_per_s\nch3_transpose_naive,8192,8192,0.4,0.39,1300\n"


class Files:
    name = "files"
    is_isolated = True

    def __init__(self, root: Path) -> None:
        self._root = root
        self._readers: dict[str, tuple[tuple[str, ...], Callable[[Path], object]]] = {
            "progress.csv": ((_PROGRESS,), self._read_progress),
            "hidden.csv": ((_HIDDEN,), self._read_hidden),
            "claims.csv": (self._texts("chapters/*/lesson/claims.csv"), read_claims),
            "sizes.csv": (self._texts("chapters/*/lesson/*size*.csv"), self._read_sizes),
            "sheet.md": (self._texts("solutions/*/*.md"), lambda file: hints_in(read_sheet(file))),
            "course.md": (self._texts("docs/course.md"), lambda file: read_paths(file.read_text(errors="replace"))),
            "starters.csv": (self._texts("solutions/*/starters.csv"), read_starters),
            "CMakeLists.txt": (self._texts("chapters/*/CMakeLists.txt"), self._read_lists),
            "mistakes.txt": (self._texts("tests/*/mistakes.txt"), read_mistakes),
            "report.json": (self._texts("chapters/*/lesson/**/*.json"), self._read_report),
            "tests.json": ((_RESULTS,), lambda file: judge("a", Ended(1), file)),
            "tests.xml": ((_JUNIT,), lambda file: read_counts(file, file.parent)),
            "measured.csv": ((_MEASURED,), lambda file: parse_program_output(file.read_text(errors="replace"))),
        }

    def run(self, chance: random.Random, folder: Path) -> str:
        name = chance.choice(sorted(name for name, (texts, _) in self._readers.items() if texts))
        texts, read = self._readers[name]
        file = folder / name
        file.write_bytes(edited_data(chance.choice(texts), chance))
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                read(file)
        except WorkbookError as error:
            return "" if str(error) else "the error has no message"
        return ""

    def _texts(self, pattern: str) -> tuple[str, ...]:
        return tuple(file.read_text(encoding="utf-8") for file in sorted(self._root.glob(pattern)))

    def _read_progress(self, file: Path) -> None:
        progress = Progress(file.parent)
        assert progress.file.name == PROGRESS
        progress.record_check("ch3_ex2", file, True, [], "2026-01-02")
        if Progress(file.parent)["ch3_ex2"] is None:
            raise AssertionError("the recorded entry is missing")

    def _read_hidden(self, file: Path) -> None:
        cases = read_hidden_cases(file, all_exercises(Workbook(self._root)))
        for case in cases.values():
            case.environment()

    def _read_sizes(self, file: Path) -> None:
        read_sizes(file)
        usual_options(file)

    def _read_lists(self, file: Path) -> None:
        chapter = file.parent / "chapters/ch3_transpose"
        chapter.mkdir(parents=True)
        file.rename(chapter / file.name)
        read_catalogue(file.parent)

    def _read_report(self, file: Path) -> None:
        report = parse_report(file.read_text(encoding="utf-8", errors="replace"))
        render(report, 100, Palette(False))
        draw_accesses(report, None, "a program")

