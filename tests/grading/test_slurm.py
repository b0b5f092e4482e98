"""`./workbook grade --slurm` and WORKBOOK_LAUNCHER on a real Slurm with one node; one_node_slurm.sh sets it up."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

from support import FolderTest

from cli.errors import MissingToolError, WorkbookError
from cli.running.processes import run_program
from grading import slurm
from grading.slurm import grade_with_slurm, last_words

_SCRIPT = Path(__file__).with_name("one_node_slurm.sh")
_NEEDED = ("slurmctld", "slurmd", "munged", "sbatch", "squeue", "srun")
_ABSENT = [name for name in _NEEDED if not shutil.which(name)]
_WHY_NOT = f"there is no {', '.join(_ABSENT)}" if _ABSENT else "" if os.geteuid() == 0 else "only root sets up a Slurm"

# Replaces ./workbook grade: marks the students of its share; the second attempt marks the remaining students.
_GRADER = """
import pathlib, sys
folder, *_, share = sys.argv[1:]
folder = pathlib.Path(folder)
number, parts = map(int, share.split("/"))
students = sorted(path.stem for path in folder.glob("*.student"))
for student in students[number - 1::parts]:
    if (folder / f"{student}.graded").exists():
        continue
    if student == "kim" and not (folder / "node_failed").exists():
        (folder / "node_failed").write_text("")
        print("kim  not graded: the node has failed")
        sys.exit(9)
    with (folder / f"{student}.graded").open("a") as file:
        file.write("once\\n")
"""


class WithoutSlurmTest(FolderTest):
    def test_reports_missing_commands(self) -> None:
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            with self.assertRaisesRegex(MissingToolError, "--slurm needs Slurm's commands, but sbatch cannot be started"):
                grade_with_slurm("", ["true"], lambda: 1, self.folder / "logs")

    def test_options_that_are_not_a_command_line_are_reported(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "--slurm '-p \"x' is not a command line"):
            grade_with_slurm('-p "x', ["true"], lambda: 1, self.folder / "logs")

    def test_no_job_is_submitted_without_students(self) -> None:
        grade_with_slurm("", ["true"], lambda: 0, self.folder / "logs")


@unittest.skipIf(_WHY_NOT, _WHY_NOT)
class SlurmTest(FolderTest):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        cls.addClassCleanup(temporary.cleanup)
        cls.cluster = Path(temporary.name)
        cls.cluster.chmod(0o755)
        subprocess.run([str(_SCRIPT), str(cls.cluster)], check=True)
        cls.addClassCleanup(subprocess.run, [str(_SCRIPT), str(cls.cluster), "stop"], check=True)
        setting = mock.patch.dict(os.environ, {"SLURM_CONF": str(cls.cluster / "slurm.conf")})
        setting.start()
        cls.addClassCleanup(setting.stop)

    def setUp(self) -> None:
        super().setUp()
        self.put("grader.py", _GRADER)

    def students(self, *names: str) -> None:
        for name in names:
            (self.folder / f"{name}.student").write_text("")

    def missing(self) -> int:
        return len([path for path in self.folder.glob("*.student") if not path.with_suffix(".graded").exists()])

    def grade(self, options: str = "-p gpu") -> None:
        command = [sys.executable, str(self.folder / "grader.py"), str(self.folder)]
        grade_with_slurm(options, command, self.missing, self.folder / "logs")

    def graded(self) -> dict[str, str]:
        return {path.stem: path.read_text() for path in self.folder.glob("*.graded")}

    def test_each_student_is_graded_once(self) -> None:
        self.students("ada", "ben", "eve")
        self.grade()
        self.assertEqual(self.graded(), dict.fromkeys(("ada", "ben", "eve"), "once\n"))

    def test_a_second_attempt_grades_the_students_of_a_failed_node(self) -> None:
        self.students("ada", "kim", "zoe")
        self.grade()
        self.assertEqual(self.graded(), dict.fromkeys(("ada", "kim", "zoe"), "once\n"))
        self.assertEqual(last_words(self.folder / "logs", "kim"), "kim  not graded: the node has failed")
        self.assertIn("no task on the cluster has started to grade this answer", last_words(self.folder / "logs", "ada"))

    def test_the_clusters_reason_for_refusing_a_job_is_shown(self) -> None:
        self.students("ada")
        with self.assertRaisesRegex(WorkbookError, "sbatch refuses the job: .*invalid partition"):
            self.grade("-p nowhere")

    def test_slurms_reason_is_shown_if_munge_does_not_answer(self) -> None:
        self.students("ada")
        text = (self.cluster / "slurm.conf").read_text().replace("munge/socket", "munge/absent")
        (self.folder / "slurm.conf").write_text(text)
        with mock.patch.dict(os.environ, {"SLURM_CONF": str(self.folder / "slurm.conf")}):
            with self.assertRaisesRegex(WorkbookError, "(?s)sbatch refuses the job: .*[Mm]unge"):
                self.grade()

    def test_ctrl_c_cancels_a_waiting_job(self) -> None:
        self.students("ada")
        said: list[str] = []

        def say(text: str) -> None:
            said.append(text)
            if text.startswith("Waiting"):
                signal.raise_signal(signal.SIGINT)

        timer = threading.Timer(120, signal.raise_signal, [signal.SIGINT])  # if it prints nothing
        timer.start()
        self.addCleanup(timer.cancel)
        with self.assertRaises(KeyboardInterrupt), mock.patch.object(slurm, "say", say):
            self.grade("-p gpu --begin=now+1hour")
        self.assertEqual(said[1:], ["Waiting for the queue: BeginTime (Ctrl-C cancels the job)"])
        queue = subprocess.run(["squeue", "--noheader"], capture_output=True, text=True, check=True).stdout
        self.assertNotIn("PENDING", queue)
        self.assertEqual(self.graded(), {})

    def test_a_launched_program_runs_in_a_job(self) -> None:
        code = "import os, sys; print(os.environ['SLURM_JOB_PARTITION']); sys.exit(3)"
        outcome = run_program(Path(sys.executable), ["-c", code], capture=True, launched_by=["srun", "--quiet", "-p", "gpu"])
        self.assertEqual(outcome.returncode, 3)
        self.assertEqual(outcome.output.split()[0], "gpu")
