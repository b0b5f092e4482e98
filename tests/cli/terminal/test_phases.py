"""The output of a long step, on a terminal and in a pipe."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import time
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from exercises.support import ExerciseTest
from terminal.screen import on_terminal

from cli.building.build_tree import how_far
from cli.running import children, limited_run
from cli.running.children import run_child
from cli.running.limited_run import Limits, run_within
from cli.terminal import phases
from cli.terminal.bottom_line import BottomLine, bottom_line
from cli.terminal.console import say
from cli.terminal.phases import Phase, duration, program_phase


def lines_on(screen: str) -> list[str]:
    """The screen of a terminal after these characters: `\\r` overwrites the line."""
    shown = []
    for line in screen.split("\n"):
        cells: list[str] = []
        for part in line.split("\r"):
            cells[: len(part)] = part
        shown.append("".join(cells).rstrip())
    return shown


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    @property
    def lines(self) -> list[str]:
        return lines_on(self.getvalue())

    def until(self, words: str) -> None:
        """Waits until the line contains these words."""
        ends = time.monotonic() + 10
        while words not in self.lines[-1]:
            if time.monotonic() > ends:
                raise AssertionError(f"{words!r} is not in {self.getvalue()!r}")
            time.sleep(0.005)


class PhaseTest(unittest.TestCase):
    """Phases in which two seconds are shortened."""

    def setUp(self) -> None:
        self.terminal = Terminal()
        for name, value in (("SHOWN_AFTER_S", 0.1), ("_TICK_S", 0.02)):
            patch = mock.patch.object(phases, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.addCleanup(setattr, bottom_line, "shows_programs", False)

    @contextlib.contextmanager
    def on_terminal(self) -> Iterator[Terminal]:
        with contextlib.redirect_stdout(self.terminal):
            yield self.terminal

    @contextlib.contextmanager
    def in_pipe(self, told_after_s: float = 10.0) -> Iterator[tuple[io.StringIO, io.StringIO]]:
        """stdout and stderr, where a long phase is reported after this time."""
        pipe, errors = io.StringIO(), io.StringIO()
        with mock.patch.object(phases, "TOLD_AFTER_S", told_after_s):
            with contextlib.redirect_stdout(pipe), contextlib.redirect_stderr(errors):
                yield pipe, errors

    def test_a_line_that_stays(self) -> None:
        with self.on_terminal() as terminal, Phase("Building x") as phase:
            self.assertEqual(terminal.lines, ["Building x ..."])
            phase.at("3 of 12: naive.cu")
            self.assertEqual(terminal.lines, ["Building x ... 3 of 12: naive.cu"])
            phase.at("4 of 12: b.cu")
            self.assertEqual(terminal.lines, ["Building x ... 4 of 12: b.cu"])
        self.assertEqual(self.terminal.lines, ["Building x ...", ""])

    def test_the_time_is_shown_later(self) -> None:
        with self.on_terminal() as terminal, Phase("Building x") as phase:
            phase.at("10 %")
            terminal.until("Building x ... 10 %, 0 s")
        self.assertEqual(self.terminal.lines, ["Building x ... 0 s", ""])

    def test_a_phase_that_is_not_kept_leaves_nothing(self) -> None:
        with self.on_terminal() as terminal:
            with Phase("Grading a", is_kept=False):
                self.assertEqual(terminal.getvalue(), "")
                terminal.until("Grading a ... 0 s")
        self.assertEqual(self.terminal.lines, [""])

    def test_a_short_phase_that_is_not_kept_is_not_shown(self) -> None:
        with self.on_terminal():
            with Phase("Grading a", is_kept=False):
                pass
        self.assertEqual(self.terminal.getvalue(), "")

    def test_in_a_file_only_the_name(self) -> None:
        with self.in_pipe() as (pipe, _), Phase("Building x") as phase, Phase("Grading a", is_kept=False):
            phase.at("10 %")
            time.sleep(0.15)
        self.assertEqual(pipe.getvalue(), "Building x ...\n")

    def test_in_a_file_a_long_phase_is_reported_at_intervals(self) -> None:
        with mock.patch.object(phases.time, "monotonic", return_value=0.0) as clock:
            with self.in_pipe() as (pipe, errors), Phase("Running a", is_kept=False) as phase:
                for clock.return_value in (1.0, 9.9, 10.0, 11.0, 19.9, 20.5, 40.9, 90.0):
                    phase.at("Suite.Test\x1b[2J")
                    phase.still()
        told = [f"Running a ... Suite.Test?[2J, {s}\n" for s in ("10 s", "20 s", "1 min 30 s")]
        self.assertEqual((pipe.getvalue(), errors.getvalue()), ("", "".join(told)))

    def test_a_program_in_a_pipe_is_reported_with_its_test(self) -> None:
        bottom_line.shows_programs = True
        script = "echo '[ RUN      ] Suite.Slow'; sleep 1"
        with self.in_pipe(told_after_s=0.2) as (pipe, errors), mock.patch.object(limited_run, "_LOOK_S", 0.3):
            ended = run_within(Limits(), ["sh", "-c", script], Path("/"))
        self.assertEqual((ended.returncode, pipe.getvalue()), (0, ""))
        self.assertIn("Running sh ... Suite.Slow, 0 s\n", errors.getvalue())

    def test_a_slow_program_in_a_pipe(self) -> None:
        bottom_line.shows_programs = True
        with self.in_pipe(told_after_s=0.1) as (_, errors), mock.patch.object(children, "_LOOK_S", 0.2):
            ended = run_child(["sh", "-c", "cat; sleep 0.7; echo b"], input=b"a\n", stdout=subprocess.PIPE)
            with self.assertRaises(subprocess.TimeoutExpired):
                run_child(["sleep", "60"], timeout=0.5, stdout=subprocess.PIPE)
        self.assertEqual((ended.returncode, ended.stdout), (0, b"a\nb\n"))
        self.assertRegex(errors.getvalue(), r"Running sh \.\.\. 0 s\n(.*\n)*Running sleep \.\.\. 0 s\n")

    def test_other_output_has_its_own_line(self) -> None:
        with self.on_terminal() as terminal:
            with Phase("Building x"):
                say("told")
                terminal.until("Building x ... 0 s")
            with Phase("Grading a", is_kept=False):
                terminal.until("Grading a")
                say("a passed")
        self.assertEqual(self.terminal.lines, ["Building x ...", "told", "Building x ... 0 s", "a passed", ""])

    def test_one_within_another(self) -> None:
        with self.on_terminal() as terminal:
            with Phase("Grading a", is_kept=False):
                terminal.until("Grading a")
                with Phase("Building x"):
                    pass
                terminal.until("Grading a")
        self.assertEqual(self.terminal.lines, ["Building x ...", ""])

    def test_an_error_ends_it(self) -> None:
        with self.on_terminal(), self.assertRaises(ValueError), Phase("Building x"):
            raise ValueError
        with self.on_terminal():
            say("after")
        self.assertEqual(self.terminal.lines, ["Building x ...", "after", ""])

    def test_a_program_is_shown_if_no_other_phase_is(self) -> None:
        bottom_line.shows_programs = True
        with self.on_terminal() as terminal:
            with program_phase(["/tmp/bin/ch3_ex1_test", "--check"]):
                terminal.until("Running ch3_ex1_test ... 0 s")
            with program_phase(["/usr/bin/python3", "-S", "/tmp/rewrite_cuda.py"]):
                terminal.until("Running rewrite_cuda.py")
            with Phase("Building x"), program_phase(["make"]):
                terminal.until("Building x ... 0 s")

    def test_a_program_is_shown_only_on_request(self) -> None:
        with self.on_terminal(), program_phase(["make"]):
            time.sleep(0.15)
        self.assertEqual(self.terminal.getvalue(), "")

    def test_names_cannot_control_the_terminal(self) -> None:
        with self.on_terminal() as terminal, Phase("Grading \x1b[2J\n") as phase:
            phase.at("\x1b]0;title\x07")
            self.assertEqual(terminal.lines, ["Grading ?[2J? ... ?]0;title?"])

    def test_a_line_is_never_longer_than_the_terminal(self) -> None:
        with self.on_terminal() as terminal, Phase("Building x") as phase:
            phase.at("7 of 12: " + 100 * "n")
            self.assertEqual(len(terminal.lines[0]), 79)
            terminal.until("nn, 0 s")
            self.assertEqual(len(terminal.lines[0]), 79)

    def test_a_process_that_was_forked_draws_nothing(self) -> None:
        line = BottomLine()
        line.begin(Phase("x", is_kept=False))
        line.after_fork()
        self.assertFalse(line.is_taken())

    def test_durations(self) -> None:
        self.assertEqual([duration(s) for s in (2.9, 59.9, 60, 3725)], ["2 s", "59 s", "1 min 00 s", "62 min 05 s"])


class BuildLinesTest(unittest.TestCase):
    def test_progress_of_a_build(self) -> None:
        for line, told in (
            ("[  7%] Building CXX object chapters/a/CMakeFiles/x.dir/03_padded.cpp.o\n", "7 %: 03_padded.cpp"),
            ("[ 69%] Linking CXX executable ../../bin/ch3_transpose_padded\n", "69 %: ch3_transpose_padded"),
            ("[100%] Built target ch3_transpose\n", "100 %"),
            ("[0/2] Re-checking globbed directories...\n", ""),
            ("ninja: no work to do.\n", ""),
            ("[  0%] Rewriting ch3_ex2_kernels for the simulator\n", "0 %"),
            ("[3/12] Linking CXX static library libx.a\n", "3 of 12: libx.a"),
            ("-- Detecting CXX compile features\n", "CMake: Detecting CXX compile features"),
            ("make[2]: Entering directory\n", ""),
        ):
            with self.subTest(line):
                self.assertEqual(how_far(line), told)


class CommandTest(ExerciseTest):
    """A check that counts for over two seconds, after tests that take less."""

    def setUp(self) -> None:
        super().setUp()
        self.write_program("ch3_ex2_inspect", f"sleep 2.3\n{self.script_of('ch3_ex2_inspect')}")

    def script_of(self, name: str) -> str:
        return (self.root / "programs" / name).read_text(encoding="utf-8").partition("\n")[2]

    def on_terminal(self) -> str:
        environment = {**os.environ, "PATH": self.path, "WORKBOOK_NO_INSTALL": "1"}
        code, screen = on_terminal([str(self.root / "workbook"), "check", "ch3_ex2"], environment)
        self.assertEqual(code, 0, screen)
        return screen

    def test_on_a_terminal(self) -> None:
        screen = self.on_terminal()
        self.assertRegex(screen, r"\rRunning ch3_ex2_inspect \.\.\. 2 s")
        self.assertRegex(screen, r"\rConfiguring build \.\.\. CMake: Configuring done")
        self.assertNotIn("Running ch3_ex2_test", screen)
        self.assertNotIn("Running", "\n".join(lines_on(screen)))

    def test_the_test_that_runs_is_on_the_terminal(self) -> None:
        tests = self.script_of("ch3_ex2_test")
        self.write_program("ch3_ex2_test", f"echo '[ RUN      ] Suite.Slow'\nsleep 3.3\n{tests}")
        screen = self.on_terminal()
        self.assertRegex(screen, r"\rRunning ch3_ex2_test \.\.\. Suite\.Slow, [23] s")
        self.assertNotIn("Slow", "\n".join(lines_on(screen)))

    def test_tests_that_never_end(self) -> None:
        self.write_program("ch3_ex2_test", "echo '[ RUN      ] Suite.Endless'\necho begun\nwhile :; do :; done")
        result = self.workbook("check", "ch3_ex2", WORKBOOK_CHECK_SECONDS="0.3")
        self.assertEqual((result.returncode, result.stderr), (1, ""))
        said = (
            "stopped at a limit.\nch3_ex2_test was stopped: it timed out after 0.3 s of CPU time. It was running the\n"
            "test Suite.Endless.\nLikely: a loop in host code that never ends, or far more work than needed, such as one\n"
            "launch per element.\nbegun\nIf your machine is slow, allow more time: WORKBOOK_CHECK_SECONDS=0.6\n"
        )
        self.assertIn(" ".join(said.split()), " ".join(result.stdout.split()))
        self.assertNotRegex(result.stdout, "\r|Running")
        self.assertEqual(self.entry()[:4], ["ch3_ex2", "tried", self.entry()[2], "1"])

    def test_tests_that_wait_for_ever(self) -> None:
        self.write_program("ch3_ex2_test", "sleep 60")
        result = self.ends(1, "check", "ch3_ex2", WORKBOOK_CHECK_SECONDS="0.2")
        self.assertIn("Likely: it waits for something that never happens", result.stdout)

    def test_a_limit_that_is_not_a_number(self) -> None:
        result = self.ends(2, "check", "ch3_ex2", WORKBOOK_CHECK_SECONDS="soon")
        self.assertIn("WORKBOOK_CHECK_SECONDS is 'soon'", result.stderr)
        self.assertNotIn("Building", result.stdout)
        self.assertFalse((self.root / "progress.csv").exists())
