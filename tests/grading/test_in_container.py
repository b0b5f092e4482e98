"""`./workbook grade --contained` from end to end, without namespaces: honest and hostile submissions."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from class_of_twenty import CLASS, HOSTILE
from test_reference_answers import KINDS
from support import ROOT, FolderTest

_WITHOUT_NAMESPACES = (sys.executable, str(Path(__file__).with_name("no_namespaces.py")))
# Another user must be able to enter the folders of these.
_NEEDED = (Path(sys.prefix), Path(sys.base_prefix), ROOT, Path(os.environ.get("WORKBOOK_SIMULATOR_TREE", ROOT)))
# Students of the class of twenty: one for each course of a grading.
_STUDENTS = ("Ada", "Emre", "Jörg Müller", "Lea", *HOSTILE)


def _container() -> list[str]:
    """The command that starts a container: with its own processes, and without a folder that only root can enter."""
    command = ["bwrap", "--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc"]
    ways = {parent for path in _NEEDED for parent in path.resolve().parents}
    closed = sorted((folder for folder in ways if not folder.stat().st_mode & 0o001), key=lambda folder: len(folder.parts))
    if closed:
        command += ["--perms", "0755", "--tmpfs", str(closed[0])]
        behind = {path.resolve() for path in _NEEDED if closed[0] in path.resolve().parents}
        between = {folder for path in behind for folder in path.parents if closed[0] in folder.parents}
        for folder in sorted(between):
            command += ["--perms", "0755", "--dir", str(folder)]
        for path in sorted(behind):
            command += ["--bind", str(path), str(path)]
    return [*command, *_WITHOUT_NAMESPACES]


@unittest.skipUnless(shutil.which("bwrap"), "needs bubblewrap")
@unittest.skipUnless(os.environ.get("WORKBOOK_SIMULATOR_TREE"), "needs the simulator's build tree (ctest sets it)")
@unittest.skipIf(os.geteuid() != 0, "only root can run a program as another user")
class InContainer(FolderTest):
    def grade(self, *options: str) -> subprocess.CompletedProcess[str]:
        handed_in = self.folder / "handed_in"
        for name in _STUDENTS:
            (handed_in / name).mkdir(parents=True)
            CLASS[name].put(handed_in / name)
        hidden = self.folder / "hidden.csv"
        hidden.write_text("exercise,seed,shapes\nch3_ex2,918273,97x131\n", encoding="utf-8")
        hidden.chmod(0o600)
        command = [*_container(), str(ROOT / "workbook"), "grade", str(handed_in), "ch3_ex2"]
        command += ["--hidden", str(hidden), "--reports", str(self.folder / "grades"), "--seconds", "5", *options]
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=900, check=False)

    def test_the_reference_answer_of_each_kind_of_build_passes(self) -> None:
        (self.folder / "handed_in/no_answer").mkdir(parents=True)  # the reference answers are tried first
        command = [*_container(), str(ROOT / "workbook"), "grade", str(self.folder / "handed_in"), *KINDS.values()]
        command += ["--contained", "--reports", str(self.folder / "grades")]
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=900, check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(result.stdout.count("not handed in"), len(KINDS))

    def test_no_namespace_can_be_made(self) -> None:
        for flag in ("--user", "--mount", "--pid"):
            tried = subprocess.run([*_container(), "unshare", flag, "true"], capture_output=True, text=True, check=False)
            self.assertNotEqual(tried.returncode, 0)
            self.assertIn("Operation not permitted", tried.stderr)

    def test_the_sandbox_is_refused_with_an_alternative(self) -> None:
        result = self.grade()
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        self.assertIn("This machine does not allow sandboxes", result.stderr)
        self.assertIn("--contained", result.stderr)

    def test_each_student_gets_the_correct_verdict(self) -> None:
        result = self.grade("--contained")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        with (self.folder / "grades/summary.csv").open(encoding="utf-8", newline="") as file:
            verdicts = {row["student"].lstrip("'"): row["verdict"] for row in csv.DictReader(file)}
        self.assertEqual(verdicts, {name: CLASS[name].verdict for name in _STUDENTS})
        report = json.loads((self.folder / "grades/Ada.json").read_text(encoding="utf-8"))
        self.assertRegex(report["sandbox"], "^the container, another user and a seccomp filter; ")
