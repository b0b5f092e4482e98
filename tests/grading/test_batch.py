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

from class_of_twenty import SOLUTION, file_of, with_code
from support import built_tree, grades_in, needs_tree, require_room

from cli.commands import grade as grade_command
from cli.errors import EXIT_OK
from cli.running.isolated import Share
from cli.running.removal import remove_folder
from grading import judging

SIZE = int(os.environ.get("WORKBOOK_GRADED_BATCH", "0"))
NEWLINES = 900_000 if SIZE else 3000
TARGET = "ch3_ex2"

def huge_name() -> str:
    """A name of 250 bytes whose demangled form has megabytes: each level names the previous one twice."""
    levels = ["St4pairIiiE"]
    for number in range(18):
        last = "0123456789ABCDEFGHIJ"[number]
        levels.append(f"S_IS{last}_S{last}_E")
    return "_Z1f" + "".join(levels)


def put_deep_folders(folder: Path) -> None:
    at = os.open(folder, os.O_RDONLY)
    for _ in range(1100):
        os.mkdir("d", dir_fd=at)
        inner = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = inner
    os.close(at)


HONEST = {
    "reference": (file_of(SOLUTION), {"passed"}),
    "unfinished": (file_of(SOLUTION[: len(SOLUTION) // 2]), {"does not compile"}),
    "absent": (lambda folder: None, {"not handed in"}),
}
MORE_HONEST = {
    "windows": (file_of("\ufeff" + SOLUTION.replace("\n", "\r\n")), {"passed"}),
    "wrong": (file_of(with_code("if (rows == 5) return;")), {"wrong result"}),
}
# The possible verdicts of each: only a correct file can pass.
HOSTILE = {
    "newlines": (file_of("\n" * NEWLINES + "void unfinished"), {"does not compile", "refused", "not graded"}),
    "comments": (file_of("#" + "/**/" * 60 + "define X 1\nvoid"), {"does not compile", "refused", "not graded"}),
    "digits": (
        file_of(with_code("throw std::string(300000, '9').c_str();", "#include <string>")),
        {"wrong result", "crashed", "does not compile"},
    ),
    "name": (
        file_of(with_code(f"{huge_name()}();", f'extern "C" void {huge_name()}();')),
        {"refused", "does not compile", "not graded"},
    ),
    "deep": (put_deep_folders, {"not handed in"}),
    "loop": (lambda folder: (folder / f"{TARGET}.cu").symlink_to(f"{TARGET}.cu"), {"not handed in"}),
}
MORE_HOSTILE = {
    "endless": (file_of(with_code("for (volatile int i = 0;; i = 1) {}")), {"stopped at a limit"}),
}


@needs_tree
class BatchTest(unittest.TestCase):
    def setUp(self) -> None:
        require_room()
        self.tree = built_tree()
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
        reports = self.folder / "reports"
        share = unittest.mock.patch.object(judging, "SHARE", Share(cpu_s=20))
        room = unittest.mock.patch.object(tempfile, "tempdir", str(self.room))
        with grades_in(self.tree, lambda _: None), share, room:
            code = grade_command.run([f"{self.folder}/in", TARGET, "--reports", str(reports)], self.tree.workbook)

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
