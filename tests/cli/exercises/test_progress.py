"""The output of `./workbook progress`, and its file."""

from __future__ import annotations

import os
import threading
import unittest
import unittest.mock

from exercises.support import EXERCISE, UNWRITTEN, ExerciseTest, tests_that
from support import ROOT
from terminal.screen import Screen, shown

from cli.commands import progress as progress_command
from cli.exercises import progress
from cli.terminal.fitting import visible_columns
from cli.workbook import Workbook


class OneScreenTest(unittest.TestCase):
    def lines(self, columns: int) -> list[str]:
        """The output for the workbook's own chapters."""
        with shown(Screen(), COLUMNS=str(columns)) as screen:
            progress_command.run([], Workbook(ROOT))
        return screen.text().splitlines()

    def test_all_chapters_fit_24_lines_of_80_columns(self) -> None:
        lines = self.lines(80)
        self.assertLess(len(lines), 24)  # the prompt needs one
        self.assertLessEqual(max(map(visible_columns, lines)), 80)

    def test_a_narrow_terminal_has_two_lines_for_a_chapter(self) -> None:
        lines = self.lines(40)
        self.assertRegex(lines[0], r" ch0_machine +[.#]+ +\d of \d$")
        self.assertRegex(lines[1], r"^ +\d+ of \d+ predictions right$")


class ProgressTest(ExerciseTest):
    SOLVED = "ch3_ex2,solved,2026-01-02,3,1,,000000000000"
    HEADER = "exercise,state,date,checks,hints,failure,answer"

    def test_states(self) -> None:
        self.assertRegex(self.workbook("progress", "ch3").stdout, r"ch3_ex2 +swizzled +not started\n")
        self.answer.write_text("mine\n", encoding="utf-8")
        self.assertRegex(self.workbook("progress", "ch3").stdout, r"ch3_ex2 +swizzled +not checked yet\n")
        self.write("progress.csv", f"{self.HEADER}\n{self.SOLVED}\n")
        result = self.workbook("progress", "ch3")
        self.assertRegex(result.stdout, r"✓  ch3_ex2 +swizzled +solved 2026-01-02, 3 checks; changed since the last check")
        self.assertIn("\n1 of 1 exercises solved.", result.stdout)
        self.answer.unlink()
        self.assertRegex(self.workbook("progress", "ch3").stdout, r"✗  ch3_ex2 .*the file is missing: ./workbook reset ch3_ex2")

    def test_a_line_for_each_chapter(self) -> None:
        self.write("chapters/ch10_many_gpus/CMakeLists.txt", "add_chapter(ch10_many_gpus EXERCISES ex1_a ex2_b)")
        self.write("progress.csv", f"{self.HEADER}\n{self.SOLVED}\nch10_ex2,solved,2026-01-02,1,,,0\n")
        self.assertEqual(
            self.workbook("progress").stdout.splitlines()[:3],
            ["✓  ch3_transpose   #   1 of 1", "   ch10_many_gpus  .#  1 of 2", ""],
        )

    def test_next_is_in_the_named_chapter(self) -> None:
        self.write("chapters/ch1_saxpy/CMakeLists.txt", "add_chapter(ch1_saxpy EXERCISES ex1_add)")
        first = self.write("chapters/ch1_saxpy/ex1_add.cu", "mine\n")
        self.write("solutions/ch1_saxpy/starters.csv", f"file,blob\n{first.name},0\n")
        next_of_ch1 = f"Next: {first.relative_to(self.root)}, then ./workbook check ch1_ex1"
        next_of_ch3 = f"Next: {EXERCISE}, then ./workbook check ch3_ex2"
        self.assertEqual(self.workbook("progress").stdout.splitlines()[-1], next_of_ch1)
        self.assertEqual(self.workbook("progress", "ch3").stdout.splitlines()[-1], next_of_ch3)
        self.write("progress.csv", f"{self.HEADER}\n{self.SOLVED}\n")
        self.assertEqual(self.workbook("progress", "ch3").stdout.splitlines()[-1], next_of_ch1)

    def test_hint_without_a_check(self) -> None:
        self.assertIn("These are general hints.", self.workbook("hint", "ch3_ex2").stdout)
        self.assertIn("You have seen all general hints. ", self.workbook("hint", "ch3_ex2").stdout)
        self.assertRegex(self.workbook("progress", "ch3").stdout, r"ch3_ex2 +swizzled +not started\n")

    def test_solved_stays_solved(self) -> None:
        self.write("progress.csv", f"{self.HEADER}\n{self.SOLVED}\n")
        self.write_answer(tests_that({"b": UNWRITTEN}))
        self.check()
        self.assertEqual(self.entry()[:4], ["ch3_ex2", "solved", "2026-01-02", "4"])
        self.assertIn("; the present file fails", self.workbook("progress", "ch3").stdout)

    def test_file_cut_in_half(self) -> None:
        text = f"{self.HEADER}\n{self.SOLVED}\nch1_ex1,solv"
        self.write("progress.csv", text)
        result = self.ends(0, "progress")
        self.assertIn("\n1 of 1 exercises solved.", result.stdout)
        self.assertIn("line 3 cannot be read and is left out; 1 exercise is kept.", result.stderr)
        self.assertIn("or go back to your last commit: git checkout progress.csv\n", result.stderr)
        self.assertEqual((self.root / "progress.csv.damaged-1").read_text(encoding="utf-8"), text)
        self.check()
        self.assertEqual((self.root / "progress.csv").read_text(encoding="utf-8").count("\n"), 2)
        self.assertEqual(self.workbook("progress").stderr, "")

    def test_malformed_lines(self) -> None:
        digits = "9" * 5000
        bad = (f"ch3_ex2,solved,2026-01-02,{digits},1,,0", "a" * 200_000, 'ch1_ex1,"', "ch1_ex1,solved,2026-01-02,\u0663,,,")
        self.write("progress.csv", "\n".join([self.HEADER, *bad, self.SOLVED, ""]))
        result = self.ends(0, "progress")
        self.assertIn("\n1 of 1 exercises solved.", result.stdout)
        self.assertIn("lines 2, 3, 4, 5 cannot be read", result.stderr)

    def test_a_special_file_is_not_read(self) -> None:
        os.mkfifo(self.root / "progress.csv")
        self.assertIn("progress.csv is not a file that ./workbook has written", self.ends(1, "progress").stderr)

    def test_second_damage_leaves_the_first_copy(self) -> None:
        texts = [f"{self.HEADER}\n{line}\n" for line in ("cut", "cut\nagain")]
        for text in (texts[0], texts[0], texts[1]):
            self.write("progress.csv", text)
            result = self.workbook("progress")
        self.assertIn("lines 2, 3 cannot be read and are left out; 0 exercises are kept.", result.stderr)
        copies = sorted(self.root.glob("progress.csv.damaged*"))
        self.assertEqual([copy.read_text(encoding="utf-8") for copy in copies], texts)

    def test_windows_line_ends_and_bom(self) -> None:
        (self.root / "progress.csv").write_bytes(f"\ufeff{self.HEADER}\r\n{self.SOLVED}\r\n".encode())
        result = self.workbook("progress")
        self.assertEqual(result.stderr, "")
        self.assertIn("\n1 of 1 exercises solved.", result.stdout)


class ProgressFileTest(ExerciseTest):
    def test_entries_of_another_command_are_kept(self) -> None:
        first, second = progress.Progress(self.root), progress.Progress(self.root)
        first.record_check("ch3_ex2", self.answer, True, [], "2026-01-02")
        first.record_check("ch3_ex1", self.answer, False, ["wrong"], "2026-01-02")
        self.assertEqual(second.record_check("ch3_ex2", self.answer, False, ["wrong"], "2026-01-03").checks, 2)
        kept = progress.Progress(self.root)
        self.assertEqual([kept[name].state for name in ("ch3_ex1", "ch3_ex2")], ["tried", "solved"])

    def test_lines_that_git_has_joined_are_one_entry(self) -> None:
        lines = "ch3_ex2,solved,2026-01-02,2,0,,a\nch3_ex2,tried,2026-01-03,1,0,wrong,b\n"
        (self.root / "progress.csv").write_text(f"{ProgressTest.HEADER}\n{lines}", encoding="utf-8")
        joined = progress.Progress(self.root)["ch3_ex2"]
        self.assertEqual((joined.state, joined.date, joined.checks), ("solved", "2026-01-02", 3))

    def test_checks_at_the_same_time_all_count(self) -> None:
        def check_often() -> None:
            for _ in range(20):
                progress.Progress(self.root).record_check("ch3_ex2", self.answer, True, [], "2026-01-02")

        threads = [threading.Thread(target=check_often) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(self.entry()[3], "80")

    def test_without_write_permission_the_result_is_still_printed(self) -> None:
        kept = progress.Progress(self.root)
        denied = PermissionError(13, "Permission denied")
        with unittest.mock.patch("cli.exercises.progress.os.replace", side_effect=denied):
            with unittest.mock.patch("cli.exercises.progress.complain") as complain:
                entry = kept.record_check("ch3_ex2", self.answer, True, [], "2026-01-02")
        self.assertEqual(entry.state, "solved")
        self.assertIn("progress.csv cannot be written (Permission denied)", complain.call_args[0][0])
        self.assertEqual([name for name in os.listdir(self.root) if "progress" in name], [])
