"""A class of honest and hostile students: each student gets a report, independent of the others' submissions.

    WORKBOOK_SIMULATOR_TREE=$PWD/../../build WORKBOOK_GRADED_BATCH=200 python3 -m unittest grading.test_batch

in tests/cli grades 200 submissions, 60 of them hostile. By default a few kinds are graded, once each; test_answers.py
tests the verdicts on an endless loop and on wrong answers.
"""

from __future__ import annotations

import csv
import itertools
import json
import os
import tempfile
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

from support import CASES, LIMITS, ROOT

from cli.building.build_tree import BuildTree
from cli.commands import grade as grade_command
from cli.errors import EXIT_OK, MissingToolError
from cli.running.isolated import Share
from cli.running.removal import remove_folder
from cli.workbook import Workbook
from grading import judging
from grading.judging import Examiner
from grading.sandbox import require_sandbox

SIZE = int(os.environ.get("WORKBOOK_GRADED_BATCH", "0"))
NEWLINES = 900_000 if SIZE else 3000
TARGET = "ch3_ex2"
SOLUTION = (ROOT / "solutions/ch3_transpose/ex2_swizzled.cu").read_text(encoding="utf-8")
LAUNCH = "  transpose_swizzled_kernel<<<"


def with_code(code: str, before: str = "") -> str:
    text = SOLUTION.replace(LAUNCH, f"  {code}\n{LAUNCH}")
    return text.replace('#include "transpose.h"', f'#include "transpose.h"\n{before}')


def huge_name() -> str:
    """A name of 250 bytes whose demangled form has megabytes: each level names the previous one twice."""
    levels = ["St4pairIiiE"]
    for number in range(18):
        last = "0123456789ABCDEFGHIJ"[number]
        levels.append(f"S_IS{last}_S{last}_E")
    return "_Z1f" + "".join(levels)


def put_text(text: str) -> Callable[[Path], None]:
    return lambda folder: (folder / f"{TARGET}.cu").write_text(text, encoding="utf-8", newline="") and None


def put_deep_folders(folder: Path) -> None:
    at = os.open(folder, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)


HONEST = {
    "reference": (put_text(SOLUTION), {"passed"}),
    "unfinished": (put_text(SOLUTION[: len(SOLUTION) // 2]), {"does not compile"}),
    "absent": (lambda folder: None, {"not handed in"}),
}
MORE_HONEST = {
    "windows": (put_text("\ufeff" + SOLUTION.replace("\n", "\r\n")), {"passed"}),
    "wrong": (put_text(with_code("if (rows == 5) return;")), {"wrong result"}),
}
# The possible verdicts of each: only a correct file can pass.
HOSTILE = {
    "newlines": (put_text("\n" * NEWLINES + "void unfinished"), {"does not compile", "refused", "not graded"}),
    "comments": (put_text("#" + "/**/" * 60 + "define X 1\nvoid"), {"does not compile", "refused", "not graded"}),
    "digits": (
        put_text(with_code("throw std::string(300000, '9').c_str();", "#include <string>")),
        {"wrong result", "crashed", "does not compile"},
    ),
    "name": (
        put_text(with_code(f"{huge_name()}();", f'extern "C" void {huge_name()}();')),
        {"refused", "does not compile", "not graded"},
    ),
    "deep": (put_deep_folders, {"not handed in"}),
    "loop": (lambda folder: (folder / f"{TARGET}.cu").symlink_to(f"{TARGET}.cu"), {"not handed in"}),
}
MORE_HOSTILE = {
    "endless": (put_text(with_code("for (volatile int i = 0;; i = 1) {}")), {"stopped at a limit"}),
}


@unittest.skipUnless(os.environ.get("WORKBOOK_SIMULATOR_TREE"), "needs a build folder with the simulator")
class BatchTest(unittest.TestCase):
    def setUp(self) -> None:
        try:
            require_sandbox()
        except MissingToolError as error:
            self.skipTest(str(error))
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.folder.chmod(0o755)
        self.room = self.folder / "tmp"
        self.room.mkdir(mode=0o755)
        self.addCleanup(lambda: remove_folder(self.folder / "in"))
        self.expected: dict[str, set[str]] = {}
        for number, (kind, (put, verdicts)) in enumerate(self.kinds()):
            name = f"{number:03} {kind}\x1b[2J"
            (self.folder / "in" / name).mkdir(parents=True)
            put(self.folder / "in" / name)
            self.expected[name] = verdicts

    def kinds(self) -> list[tuple[str, tuple[Callable[[Path], None], set[str]]]]:
        """Hostile students first, so that the students after them show any damage."""
        if not SIZE:
            return [*HOSTILE.items(), *HONEST.items()]
        hostile = itertools.islice(itertools.cycle({**HOSTILE, **MORE_HOSTILE}.items()), SIZE * 3 // 10)
        honest = itertools.islice(itertools.cycle({**HONEST, **MORE_HONEST}.items()), SIZE - SIZE * 3 // 10)
        return [*hostile, *honest]

    def test_each_student_gets_a_report(self) -> None:
        workbook = Workbook(ROOT)
        tree = BuildTree(workbook, os.environ["WORKBOOK_SIMULATOR_TREE"], "simulator")
        reports = self.folder / "reports"

        def examiner(exercise: object, *_: object, **__: object) -> Examiner:
            return Examiner(exercise, workbook, tree, CASES, LIMITS)

        with unittest.mock.patch.multiple(
            grade_command, Examiner=examiner, exercise_tree=lambda _: tree, say=lambda _: None, complain=lambda _: None
        ), unittest.mock.patch.object(judging, "SHARE", Share(cpu_s=20)), unittest.mock.patch.object(
            tempfile, "tempdir", str(self.room)
        ):
            code = grade_command.run([f"{self.folder}/in", TARGET, "--reports", str(reports)], workbook)

        verdicts = {}
        for name in self.expected:
            report = json.loads((reports / f"{name}.json").read_text(encoding="utf-8"))
            ElementTree.parse(reports / f"{name}.xml")
            verdicts[name] = report["exercises"][0]["verdict"]
        unexpected = {name: verdict for name, verdict in verdicts.items() if verdict not in self.expected[name]}
        self.assertEqual(unexpected, {})
        self.assertEqual(code == EXIT_OK, "not graded" not in verdicts.values())
        rows = list(csv.DictReader((reports / "summary.csv").read_text(encoding="utf-8").splitlines()))
        self.assertEqual(len(rows), len(self.expected))
        self.assertEqual(os.listdir(self.room), [])
