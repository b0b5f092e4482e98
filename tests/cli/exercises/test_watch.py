"""`./workbook watch`, and how it detects a saved file."""

from __future__ import annotations

import functools
import itertools
import os
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

from exercises.support import EXERCISE, UNWRITTEN, ExerciseTest, tests_that
from support import FolderTest

from cli.exercises.watching import Saves


class WatchTest(ExerciseTest):
    def test_checks_when_the_file_is_saved(self) -> None:
        environment = {**os.environ, "PATH": self.path, "WORKBOOK_NO_INSTALL": "1"}
        command = [str(self.root / "workbook"), "watch", "ch3"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        limit = threading.Timer(60, process.kill)
        limit.start()
        self.addCleanup(limit.cancel)
        self.addCleanup(process.kill)
        assert process.stdout
        before_it_waits = functools.partial(itertools.takewhile, lambda line: not line.startswith("Watching"))
        list(before_it_waits(process.stdout))
        self.write(f"{EXERCISE}~", "an editor's own")
        self.write("chapters/ch3_transpose/.ex2_swizzled.cu.swp", "an editor's own")
        self.answer.write_text("mine\n", encoding="utf-8")
        said = list(before_it_waits(process.stdout))
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=20)
        self.assertEqual(process.returncode, 0)
        self.assertIn(f"{EXERCISE} was saved.\n", said)
        self.assertIn(f"{EXERCISE} passes: 1 tests, and the goal is reached.\n", "".join(said))
        self.assertIn("No longer watching.", rest)


SECOND = "chapters/ch3_transpose/ex3_second.cu"
FAILING = tests_that({"b": UNWRITTEN})


# Like a shell: the command runs in a process group of its own, in the foreground, and its exit code is printed at the end.
SHELL = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
command = os.fork()
if command:
    ended = os.waitpid(command, 0)[1]
    sys.exit(os.WEXITSTATUS(ended) if os.WIFEXITED(ended) else 128 + os.WTERMSIG(ended))
os.setpgid(0, 0)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.tcsetpgrp(0, os.getpid())
signal.signal(signal.SIGTTOU, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""


class TerminalTest(ExerciseTest):
    """On a terminal of its own, with two exercises."""

    def setUp(self) -> None:
        super().setUp()
        lists = self.root / "chapters/ch3_transpose/CMakeLists.txt"
        lists.write_text(lists.read_text().replace("ex2_swizzled", "ex2_swizzled ex3_second"))
        self.write(SECOND, "// Exercise 3\n")
        self.write("solutions/ch3_transpose/ex3_second.cu", "// Solved\n")
        self.write_answer(FAILING)
        self.terminal, self.side = os.openpty()
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(os.close, self.side)
        self.before = termios.tcgetattr(self.side)
        self.words = ""

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[bytes]:
        """Runs ./workbook watch in the foreground until it waits."""
        process = subprocess.Popen(
            [sys.executable, "-c", SHELL, str(self.root / "workbook"), "watch", *arguments],
            **dict.fromkeys(("stdin", "stdout", "stderr"), self.side),
            env={**os.environ, "PATH": self.path, "WORKBOOK_NO_INSTALL": "1", **environment},
            start_new_session=True,
        )
        limit = threading.Timer(60, process.kill)
        limit.start()
        for end in (limit.cancel, process.wait, process.kill):
            self.addCleanup(end)
        self.until("q: quit")
        self.wait_for(lambda: not self.shows_what_is_typed())
        return process

    def until(self, end: str) -> str:
        """The output up to these words, from the end of the previous call."""
        while end not in self.words:
            ready, _, _ = select.select([self.terminal], [], [], 30)
            self.assertTrue(ready, f"{end!r} is not said in: {self.words}")
            self.words += os.read(self.terminal, 4096).decode().replace("\r\n", "\n")
        said, _, self.words = self.words.partition(end)
        return said

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def send(self, number: int) -> None:
        """Sends a signal to the command in the foreground."""
        os.kill(os.tcgetpgrp(self.terminal), number)

    def shows_what_is_typed(self) -> bool:
        return bool(termios.tcgetattr(self.side)[3] & termios.ECHO)

    def wait_for(self, holds: Callable[[], bool]) -> None:
        ends = time.monotonic() + 20
        while not holds():
            self.assertLess(time.monotonic(), ends)
            time.sleep(0.02)

    def assert_as_it_was(self) -> None:
        self.assertEqual(termios.tcgetattr(self.side), self.before)

    def test_without_a_name_it_watches_the_current_exercise(self) -> None:
        process = self.start()
        self.press("q")
        self.until("No longer watching.")
        self.assertEqual(process.wait(20), 0)
        self.assert_as_it_was()

    def test_shows_what_to_read_and_write(self) -> None:
        self.write("progress.csv", "ch3_ex2,solved,2026-01-02,3,1,,000000000000\n")
        process = self.start()
        self.press("?q")
        words = self.until("No longer watching.")
        self.assertIn("h: a hint, n: the next exercise, q: quit\n", words)
        self.assertEqual(process.wait(20), 0)

    def test_a_pass_leads_to_the_next_exercise(self) -> None:
        process = self.start()
        self.answer.write_text("half\n", encoding="utf-8")
        self.assertIn("It was never written.", self.until("q: quit"))
        self.write_answer(tests_that({}))
        self.answer.write_text("mine\n", encoding="utf-8")
        words = self.until("q: quit")
        self.assertIn(f"{EXERCISE} passes", words)
        self.assertIn(f"  write  {SECOND}\n", words)
        self.assertIn(f"Watching {SECOND}. Save to check; h: a hint", words)
        self.press("n")
        self.assertIn("All other exercises are solved.", self.until("q: quit"))
        self.press("q")
        self.assertEqual(process.wait(20), 0)

    def test_ends_when_all_are_solved(self) -> None:
        self.write("progress.csv", "ch3_ex3,solved,2026-01-02,3,1,,000000000000\n")
        process = self.start()
        self.write_answer(tests_that({}))
        self.answer.write_text("mine\n", encoding="utf-8")
        self.until("All exercises are solved.")
        self.assertEqual(process.wait(20), 0)
        self.assert_as_it_was()

    def test_n_goes_to_the_next_and_back_to_the_first(self) -> None:
        self.start()
        self.press("n")
        self.assertIn(f"Watching {SECOND}.", self.until("q: quit"))
        self.press("N")
        self.assertIn(f"Watching {EXERCISE}.", self.until("q: quit"))

    def test_h_gives_the_hint_of_the_last_failure(self) -> None:
        self.start()
        self.press("h")
        self.until("Hint 1 of 1: Write it down, on paper.")

    def test_other_keys_do_nothing(self) -> None:
        process = self.start()
        self.press("x\n\x1b[Aq")
        self.press("\x1b[B")
        self.press("\xe4")
        self.press("q")
        self.assertNotIn("Hint", self.until("No longer watching."))
        self.assertEqual(process.wait(20), 0)

    def test_a_failure_is_opened_in_the_editor(self) -> None:
        editor = self.write("tools/vim", '#!/bin/sh\nstty -a | grep -c -e " -icanon"\necho "opened with $*"\n')
        editor.chmod(0o755)
        self.write_answer(tests_that({"b": "race: k: Two threads."}))
        self.start("--open", VISUAL="", EDITOR=f"'{editor}' -n")
        self.answer.write_text("half\n", encoding="utf-8")
        words = self.until("q: quit")
        self.assertIn(f"Opening the file: '{editor}' -n +3 {EXERCISE}\n", words)
        self.assertIn(f"0\nopened with -n +3 {self.answer}\n", words)  # the terminal has its old settings
        self.write_answer(tests_that({}))
        self.answer.write_text("mine\n", encoding="utf-8")
        self.assertNotIn("Opening", self.until("q: quit"))
        self.wait_for(lambda: not self.shows_what_is_typed())

    def test_no_editor_to_open(self) -> None:
        for environment, words in (
            ({"EDITOR": "", "VISUAL": " "}, "Set EDITOR: EDITOR=nano ./workbook watch --open"),
            ({"EDITOR": "vi", "VISUAL": "noeditor -w"}, "VISUAL names noeditor, but there is no such program."),
        ):
            with self.subTest(environment):
                self.assertIn(words, self.ends(2, "watch", "ch3_ex2", "--open", **environment).stderr)

    def test_the_terminal_is_restored_after_signals(self) -> None:
        codes = {signal.SIGINT: 0, signal.SIGTERM: 0, signal.SIGHUP: 0, signal.SIGQUIT: 128 + signal.SIGQUIT}
        for number, exit_code in codes.items():
            with self.subTest(number):
                process = self.start()
                self.send(number)
                self.assertEqual(process.wait(20), exit_code)
                self.assert_as_it_was()

    def test_ctrl_c(self) -> None:
        process = self.start()
        self.press("\x03")
        self.until("No longer watching.")
        self.assertEqual(process.wait(20), 0)
        self.assert_as_it_was()

    def test_stopped_and_continued(self) -> None:
        process = self.start()
        command = os.tcgetpgrp(self.terminal)
        self.press("\x1a")
        self.wait_for(lambda: Path(f"/proc/{command}/stat").read_text().rpartition(")")[2].split()[0] == "T")
        self.assert_as_it_was()
        self.send(signal.SIGCONT)
        self.wait_for(lambda: not self.shows_what_is_typed())
        self.press("q")
        self.until("No longer watching.")
        self.assertEqual(process.wait(20), 0)
        self.assert_as_it_was()

    def test_a_named_exercise_stays_after_it_is_solved(self) -> None:
        self.write_answer(tests_that({}))
        self.start("ch3_ex2")
        self.answer.write_text("tidier\n", encoding="utf-8")
        words = self.until("q: quit")
        self.assertIn(f"{EXERCISE} passes", words)
        self.assertIn(f"Watching {EXERCISE}.", words)


class SavesTest(FolderTest):
    """The files are real; they change between two calls."""

    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "a.cu"
        self.file.write_text("0")

    def saves(self, *steps: object) -> list[str]:
        """The contents of the file at each report, if one of the steps runs before each call."""
        saves = Saves([self.file])
        seen: list[str] = []
        for step in steps:
            if callable(step):
                step()
            seen += [file.read_text() for file in saves.since_last_look()]
        return seen

    def write(self, text: str) -> None:
        self.file.write_text(text)

    def replace(self) -> None:
        other = self.file.with_name("4913")
        other.write_text("replaced")
        os.replace(other, self.file)

    def test_nothing_happens(self) -> None:
        self.assertEqual(self.saves(None, None, None), [])

    def test_saved_once_is_reported_once(self) -> None:
        self.assertEqual(self.saves(lambda: self.write("new"), None, None, None), ["new"])

    def test_waits_until_the_file_no_longer_changes(self) -> None:
        writes = [functools.partial(self.write, text) for text in ("ha", "half", "halves")]
        saves = self.saves(*writes, None, None)
        self.assertEqual(saves, ["halves"])

    def test_replaced_file(self) -> None:
        self.assertEqual(self.saves(self.file.unlink, None, self.replace, None, None), ["replaced"])

    def test_other_files(self) -> None:
        self.assertEqual(self.saves(lambda: self.file.with_name("a.cu~").write_text("x"), None, None), [])
