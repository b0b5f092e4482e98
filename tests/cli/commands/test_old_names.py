"""A program's old name still means that program, in every command, and never a different one."""

from __future__ import annotations

import csv
import unittest

from support import ROOT, FolderTest, ended

from cli.catalogue import read_catalogue
from cli.commands.make import _now_called
from cli.errors import UsageError
from cli.exercises.progress import Progress
from cli.old_names import TABLE, read_old_names

_LISTS = "add_chapter({0} EXERCISES ex2_a)"


class TableTest(unittest.TestCase):
    def test_a_name_once_used_is_never_given_to_another_program(self) -> None:
        with (ROOT / TABLE).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        old = [row["old"] for row in rows]
        targets = {program.target for chapter in read_catalogue(ROOT).chapters for program in chapter.programs}
        self.assertGreaterEqual(len(rows), 4)
        self.assertEqual(len(old), len(set(old)), "one old name has two rows")
        self.assertEqual(set(old) & targets, set(), "a program of today has the old name of another one")
        # This also forbids chains: no `new` is an `old`, because no target is.
        self.assertEqual({row["new"] for row in rows} - targets, set(), "no such target today")

    def test_every_old_name_of_the_workbook_finds_its_program(self) -> None:
        for old, new in read_old_names(ROOT).items():
            with self.subTest(old=old):
                program, said = ended(read_catalogue(ROOT).find_program, old)
                self.assertEqual((program.target, said), (new, f"{old} is now called {new}.\n"))


class LookupTest(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        for chapter, stages in (("ch6_matmul", "01_naive 05_two_buffers"), ("ch8_tsne", "02_tiled 08_ahead")):
            (self.folder / "chapters" / chapter).mkdir(parents=True)
            for stage in stages.split():
                (self.folder / "chapters" / chapter / f"{stage}.cu").write_text("", encoding="utf-8")
            (self.folder / "chapters" / chapter / "CMakeLists.txt").write_text(_LISTS.format(chapter), encoding="utf-8")
        self.rename("ch6_matmul_wgmma,ch6_matmul_two_buffers", "ch8_tsne_naive,ch8_tsne_ahead")

    def rename(self, *rows: str) -> None:
        (self.folder / TABLE).write_text("\n".join(["old,new", *rows]) + "\n", encoding="utf-8")
        self.catalogue = read_catalogue(self.folder)

    def found(self, name: str) -> tuple[str, str]:
        """The target, and the message about it."""
        program, said = ended(self.catalogue.find_program, name)
        return program.target, said

    def test_by_target_short_name_and_file(self) -> None:
        said = "ch6_matmul_wgmma is now called ch6_matmul_two_buffers.\n"
        names = ("ch6_matmul_wgmma", "ch6_wgmma", "wgmma", "05_wgmma", "05_wgmma.cu", "chapters/ch6_matmul/05_wgmma.cu")
        for name in names:
            with self.subTest(name=name):
                self.catalogue = read_catalogue(self.folder)
                self.assertEqual(self.found(name), ("ch6_matmul_two_buffers", said))

    def test_the_message_appears_once(self) -> None:
        self.assertNotEqual(self.found("wgmma")[1], "")
        self.assertEqual(self.found("wgmma"), ("ch6_matmul_two_buffers", ""))

    def test_a_present_short_name_comes_before_an_old_one(self) -> None:
        self.assertEqual(self.found("naive"), ("ch6_matmul_naive", ""))
        self.assertEqual(self.found("ch8_naive")[0], "ch8_tsne_ahead")

    def test_a_file_of_another_folder_or_kind_does_not_match(self) -> None:
        for name in ("chapters/ch8_tsne/05_wgmma.cu", "05_wgmma.cpp"):
            with self.subTest(name=name), self.assertRaises(UsageError):
                self.found(name)

    def test_a_program_that_is_in_another_chapter_now(self) -> None:
        self.rename("ch6_matmul_tensor,ch8_tsne_ahead")
        for name in ("ch6_matmul_tensor", "ch6_tensor", "15_tensor.cu", "chapters/ch6_matmul/15_tensor.cu"):
            with self.subTest(name=name):
                self.assertEqual(self.found(name)[0], "ch8_tsne_ahead")
        with self.assertRaises(UsageError):
            self.found("chapters/ch8_tsne/15_tensor.cu")

    def test_a_file_that_has_moved_into_its_operations_folder(self) -> None:
        folder = self.folder / "chapters/ch6_matmul"
        (folder / "blocked").mkdir()
        (folder / "blocked/01_ring.cu").write_text("", encoding="utf-8")
        (folder / "CMakeLists.txt").write_text("add_chapter(ch6_matmul)\nadd_operation(ch6_matmul blocked)", encoding="utf-8")
        for name in ("blocked_ring.cu", "chapters/ch6_matmul/blocked_ring.cu"):
            with self.subTest(name=name):
                self.catalogue = read_catalogue(self.folder)
                said = f"{name} is now called chapters/ch6_matmul/blocked/01_ring.cu.\n"
                self.assertEqual(self.found(name), ("ch6_matmul_blocked_ring", said))

    def test_a_name_close_to_an_old_name_is_not_a_different_program(self) -> None:
        for name, meant in (("ch6_matmul_wgmm", "ch6_matmul_two_buffers"), ("ch8_tsne_naiv", "ch8_tsne_ahead")):
            with self.subTest(name=name), self.assertRaisesRegex(UsageError, f"Did you mean {meant}\\?"):
                self.catalogue.find(name)

    def test_make_takes_a_full_old_name_and_its_traced_program(self) -> None:
        for old, now in (
            ("ch6_matmul_wgmma", "ch6_matmul_two_buffers"),
            ("ch6_matmul_wgmma_inspect", "ch6_matmul_two_buffers_inspect"),
            ("wgmma", "wgmma"),
            ("ch6_matmul_naive_inspect", "ch6_matmul_naive_inspect"),
        ):
            self.assertEqual(ended(_now_called, old, self.catalogue)[0], now)

    def test_progress_under_an_old_name_is_kept(self) -> None:
        self.rename("ch6_ex1,ch6_ex2")
        header = "exercise,state,date,checks,hints,failure,answer\n"
        rows = ("ch6_ex1,solved,2026-01-02,3,1,,0\n", "ch6_ex2,tried,2026-01-03,2,0,,1\n")
        for order in (rows, rows[::-1], rows[:1]):
            (self.folder / "progress.csv").write_text(header + "".join(order), encoding="utf-8")
            progress = Progress(self.folder)
            with self.subTest(order=order):
                self.assertIsNone(progress["ch6_ex1"])
                self.assertEqual((progress["ch6_ex2"].state, progress["ch6_ex2"].date), ("solved", "2026-01-02"))
