"""An exercise in a workbook of its own, with "answers" that are shell scripts."""

from __future__ import annotations

import json
import subprocess
from unittest import mock

from support import ROOT, FakeWorkbook, FolderTest, access, ended, leaves, report_of

from cli.commands import hunt
from cli.exercises.starters import blob_hash
from cli.workbook import Workbook

EXERCISE = "chapters/ch3_transpose/ex2_swizzled.cu"
STARTER = "// Exercise 2\n#include \"transpose.h\"\n// TODO: write it.\n"
GOALS = "rows,memory,operation,measure,value,tolerance\n64,shared,load,conflict_ways,1,0\n"
SHEET = """\
# ex2: swizzled

## Goals

```csv
{goals}```

## Hints

### not_written: pattern=unwritten array=out
- It was never written.

### bank: goal=ways memory=shared access=load
- Which bank?
- It is c ^ r.

### steps
- Write it down,
  on paper.
"""
RACE = {
    "kind": "race",
    "kernel": "k",
    "message": "Two threads.",
    "places": [
        {"file": "ex2_swizzled.cu", "line": 3, "column": 9, "operation": "store", "thread": [1, 0, 0], "block": [0, 0, 0]}
    ],
}
UNWRITTEN = "9 of 9 elements are wrong. The first is out[0]: expected 1, got nan. Pattern: none of them was written."


def tests_that(failed: dict[str, str], passed: tuple[str, ...] = ("right",)) -> str:
    """A GoogleTest program with these tests, which fail as given."""
    tests: list[dict] = [{"name": name, "result": "COMPLETED"} for name in passed]
    tests += [
        {
            **{"name": name, "result": "COMPLETED", "failures": [{"failure": f"a.cpp:1\nFailed\n{words}"}]},
            **({"facts": "pattern=unwritten array=out"} if words == UNWRITTEN else {}),
            **({"findings": json.dumps([RACE])} if words.startswith("race: ") else {}),
        }
        for name, words in failed.items()
    ]
    results = json.dumps({"testsuites": [{"name": "Suite", "testsuite": tests}]})
    return f"cat > \"${{GTEST_OUTPUT#json:}}\" <<'END'\n{results}\nEND\nexit {int(bool(failed))}"


def conflicts_of(ways: int) -> dict[str, object]:
    """Ten loads of shared memory with bank conflicts."""
    return access(memory="shared", requests=10, lanes=320, wavefronts=10 * ways, ideal_wavefronts=10)


def traced_with(ways: int) -> str:
    return leaves(report_of(conflicts_of(ways)))


class HuntTest(FolderTest):
    """A workbook with the real files in an otherwise empty folder."""

    def setUp(self) -> None:
        super().setUp()
        for folder in ("chapters", "common", "docs", "solutions", "tests"):
            (self.folder / folder).symlink_to(ROOT / folder)
        self.workbook = Workbook(self.folder)

    def run_hunt(self, *arguments: str, is_fixed: bool = True) -> tuple[int, str]:
        """The exit code and the output. The file is not built, and its bug is fixed or not."""
        with mock.patch.object(hunt, "_is_fixed", lambda *_: is_fixed):
            return ended(hunt.run, list(arguments), self.workbook)


class ExerciseTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.answer = self.write(EXERCISE, STARTER)
        self.write_sheet(GOALS)
        blob = blob_hash(STARTER.encode())
        self.write("solutions/ch3_transpose/starters.csv", f"file,blob\nex2_swizzled.cu,{blob}\n")
        self.write("solutions/ch3_transpose/ex2_swizzled.cu", "// Solved\n#include \"transpose.h\"\nint answer;\n")
        self.write_answer(tests_that({}), ways=1)
        for name, script in (("test", tests_that({})), ("inspect", traced_with(1))):
            self.write_program(f"ch3_ex2_solution_{name}", script)

    def write_sheet(self, goals: str) -> None:
        self.write("solutions/ch3_transpose/ex2_swizzled.md", SHEET.format(goals=goals))

    def write_answer(self, tests: str, ways: int = 1) -> None:
        self.write_program("ch3_ex2_test", tests)
        self.write_program("ch3_ex2_inspect", traced_with(ways))

    def check(self) -> subprocess.CompletedProcess[str]:
        return self.workbook("check", "ch3_ex2")

    def entry(self) -> list[str]:
        return (self.root / "progress.csv").read_text(encoding="utf-8").splitlines()[1].split(",")
