"""What is seen of a long step, on a terminal and in a pipe."""

from __future__ import annotations

import contextlib
import io
import os
import select
import subprocess
import time
import unittest
from collections.abc import Iterator
from unittest import mock

from exercises.support import ExerciseTest

from cli.building.build_tree import how_far
from cli.terminal import phases
from cli.terminal.bottom_line import BottomLine, bottom_line
from cli.terminal.console import say
from cli.terminal.phases import Phase, duration, program_phase


def lines_on(screen: str) -> list[str]:
    """What a terminal shows at the end of these characters: `\\r` writes over the line."""
    shown = []
    for line in screen.replace("\r\n", "\n").split("\n"):
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
        """Waits until the line has them."""
        ends = time.monotonic() + 10
        while words not in self.lines[-1]:
            if time.monotonic() > ends:
                raise AssertionError(f"{words!r} is not in {self.getvalue()!r}")
            time.sleep(0.005)


class PhaseTest(unittest.TestCase):
    """Two seconds are shorter here."""

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

    def test_one_that_passes_leaves_nothing(self) -> None:
        with self.on_terminal() as terminal:
            with Phase("Grading a", is_kept=False):
                self.assertEqual(terminal.getvalue(), "")
                terminal.until("Grading a ... 0 s")
        self.assertEqual(self.terminal.lines, [""])

    def test_a_short_one_that_passes_is_not_seen(self) -> None:
        with self.on_terminal():
            with Phase("Grading a", is_kept=False):
                pass
        self.assertEqual(self.terminal.getvalue(), "")

    def test_elsewhere_the_name_alone(self) -> None:
        pipe = io.StringIO()
        with contextlib.redirect_stdout(pipe):
            with Phase("Building x") as phase, Phase("Grading a", is_kept=False):
                phase.at("10 %")
                time.sleep(0.15)
        self.assertEqual(pipe.getvalue(), "Building x ...\n")

    def test_what_is_said_meanwhile_has_a_line_of_its_own(self) -> None:
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

    def test_a_program_is_shown_where_nothing_else_is(self) -> None:
        bottom_line.shows_programs = True
        with self.on_terminal() as terminal:
            with program_phase(["/tmp/bin/ch3_ex1_test", "--check"]):
                terminal.until("Running ch3_ex1_test ... 0 s")
            with program_phase(["/usr/bin/python3", "-S", "/tmp/rewrite_cuda.py"]):
                terminal.until("Running rewrite_cuda.py")
            with Phase("Building x"), program_phase(["make"]):
                terminal.until("Building x ... 0 s")

    def test_a_program_is_not_shown_unless_asked_for(self) -> None:
        with self.on_terminal(), program_phase(["make"]):
            time.sleep(0.15)
        self.assertEqual(self.terminal.getvalue(), "")

    def test_names_cannot_command_the_terminal(self) -> None:
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
    def test_what_a_build_says_of_itself(self) -> None:
        for line, told in (
            ("[  7%] Building CXX object chapters/a/CMakeFiles/x.dir/03_padded.cpp.o\n", "7 %: 03_padded.cpp"),
            ("[ 69%] Linking CXX executable ../../bin/ch3_transpose_padded\n", "69 %: ch3_transpose_padded"),
            ("[100%] Built target ch3_transpose\n", "100 %"),
            ("[700%] Building CXX object chapters/a/CMakeFiles/x.dir/03_padded.cpp.o\n", "03_padded.cpp"),
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

    def test_on_a_terminal(self) -> None:
        terminal, side = os.openpty()
        self.addCleanup(os.close, terminal)
        environment = {**os.environ, "WORKBOOK_NO_INSTALL": "1"}
        command = [str(self.root / "workbook"), "check", "ch3_ex2"]
        process = subprocess.Popen(command, stdin=side, stdout=side, stderr=side, env=environment)
        os.close(side)
        self.addCleanup(process.kill)
        screen = b""
        while select.select([terminal], [], [], 30)[0]:
            try:
                screen += os.read(terminal, 4096)
            except OSError:  # its end
                break
        self.assertEqual(process.wait(20), 0)
        self.assertRegex(screen.decode(), r"\rRunning ch3_ex2_inspect \.\.\. 2 s")
        self.assertRegex(screen.decode(), r"\rConfiguring build \.\.\. CMake: Configuring done")
        self.assertNotIn("Running ch3_ex2_test", screen.decode())
        self.assertNotIn("Running", "\n".join(lines_on(screen.decode())))

    def test_in_a_pipe(self) -> None:
        said = self.check().stdout
        self.assertIn("Building ch3_ex2 ...\n", said)
        self.assertNotRegex(said, "Running|\r")


if __name__ == "__main__":
    unittest.main()
