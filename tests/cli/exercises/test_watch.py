"""`./workbook watch`, and what it takes for a saved file."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from exercises.support import EXERCISE, ExerciseTest

from cli.exercises.watching import saved


class WatchTest(ExerciseTest):
    def test_checks_when_the_file_is_saved(self) -> None:
        environment = {**os.environ, "WORKBOOK_NO_INSTALL": "1"}
        command = [str(self.root / "workbook"), "watch", "ch3"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        limit = threading.Timer(60, process.kill)
        limit.start()
        self.addCleanup(limit.cancel)
        self.addCleanup(process.kill)
        assert process.stdout
        for line in process.stdout:
            if line.startswith("Watching"):
                break
        self.write(f"{EXERCISE}~", "an editor's own")
        self.write("chapters/ch3_transpose/.ex2_swizzled.cu.swp", "an editor's own")
        self.answer.write_text("mine\n", encoding="utf-8")
        said = []
        for line in process.stdout:
            said.append(line)
            if line.startswith("Watching"):
                break
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        self.assertIn(f"{EXERCISE} was saved.\n", said)
        self.assertIn(f"{EXERCISE} passes: 1 tests, and the goal is reached.\n", said)
        self.assertIn("No longer watching.", rest)


class SavedTest(unittest.TestCase):
    """The files are real; the naps between two looks are where they change."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name, "a.cu")
        self.file.write_text("0")

    def saves(self, *steps: object) -> list[str]:
        """What the file holds each time it is reported, when one of the steps is taken in each nap."""
        naps = iter(steps)
        seen: list[str] = []

        def nap(_: float) -> None:
            step = next(naps, StopIteration)
            if step is StopIteration:
                raise KeyboardInterrupt
            if callable(step):
                step()

        try:
            for file in saved([self.file], sleep=nap):
                seen.append(file.read_text())
        except KeyboardInterrupt:
            pass
        return seen

    def write(self, text: str) -> None:
        self.file.write_text(text)

    def replace(self) -> None:
        other = self.file.with_name("4913")
        other.write_text("replaced")
        os.replace(other, self.file)

    def test_nothing_happens(self) -> None:
        self.assertEqual(self.saves(None, None, None), [])

    def test_saved_once_is_told_once(self) -> None:
        self.assertEqual(self.saves(lambda: self.write("new"), None, None, None), ["new"])

    def test_waits_until_the_file_stands_still(self) -> None:
        writes = [functools.partial(self.write, text) for text in ("ha", "half", "halves")]
        saves = self.saves(*writes, None, None)
        self.assertEqual(saves, ["halves"])

    def test_replaced_file(self) -> None:
        self.assertEqual(self.saves(self.file.unlink, None, self.replace, None, None), ["replaced"])

    def test_other_files(self) -> None:
        self.assertEqual(self.saves(lambda: self.file.with_name("a.cu~").write_text("x"), None, None), [])
