"""Hunts: which mistake a seed plants, what the command says, and that a hunt can be won."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

from support import ROOT

from cli.building.build_tree import BuildTree
from cli.commands import hunt as command
from cli.errors import UsageError, WorkbookError
from cli.exercises.answer_build import build_reference
from cli.exercises.check import check_exercise
from cli.exercises.check_result import CheckResult
from cli.exercises.hunts import candidates, hunt_of, open_hunt
from cli.mistakes.spoiling import spoiled_file
from cli.workbook import Workbook

CHAPTERS = ("ch0_machine", "ch1_saxpy", "ch2_subset_sum", "ch3_transpose", "ch4_reduction", "ch5_dot_product", "ch6_matmul")


class HuntTest(unittest.TestCase):
    """A workbook whose files are the real ones, and whose own folder is empty else."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="workbook-test-")
        self.addCleanup(temporary.cleanup)
        root = Path(temporary.name).resolve()
        for folder in ("chapters", "common", "solutions", "tests"):
            (root / folder).symlink_to(ROOT / folder)
        self.workbook = Workbook(root)
        self.file = root / "hunt_ch3_transpose.cu"

    def run_hunt(self, *arguments: str, is_mended: bool = True) -> tuple[int, str]:
        words = io.StringIO()
        with contextlib.redirect_stdout(words), unittest.mock.patch.object(command, "_is_mended", lambda *_: is_mended):
            return command.run(list(arguments), self.workbook), words.getvalue()

    def test_every_chapter_has_mistakes_to_plant_and_each_applies(self) -> None:
        for chapter in CHAPTERS:
            found = candidates(chapter, self.workbook)
            self.assertGreaterEqual(len(found), 10, chapter)
            for mistake, program in found:
                self.assertFalse(program.needs_gpu)
                self.assertEqual(program.source.name, mistake.spoiled.rpartition("/")[2])
                self.assertEqual(program.kind, "exercise" if chapter == "ch0_machine" else "stage")

    def test_a_seed_is_one_mistake(self) -> None:
        one, same = (hunt_of("ch3_transpose", 7, self.workbook) for _ in range(2))
        self.assertEqual((one.mistake.name, one.choices), (same.mistake.name, same.choices))
        names = {hunt_of("ch3_transpose", seed, self.workbook).mistake.name for seed in range(20)}
        self.assertGreater(len(names), 8)

    def test_the_answer_is_among_different_choices(self) -> None:
        for seed in range(20):
            hunt = hunt_of("ch4_reduction", seed, self.workbook)
            self.assertEqual(len(set(hunt.choices)), 4)
            self.assertEqual(hunt.choices[hunt.answer - 1], hunt.mistake.words)

    def test_from_its_beginning_to_its_end(self) -> None:
        code, words = self.run_hunt("ch3", "--seed", "7")
        hunt = open_hunt(self.workbook)
        self.assertEqual((code, hunt.seed), (0, 7))
        self.assertIn(f"hunt_ch3_transpose.cu: stage {hunt.mistake.spoiled}, with a mistake in it (seed 7).", words)
        self.assertEqual(self.run_hunt(is_mended=False)[0], 1)
        code, words = self.run_hunt()
        self.assertEqual(code, 0)
        for number in range(1, 5):
            self.assertIn(f"\n{number}. ", words)
        wrong = next(number for number in range(1, 5) if number != hunt.answer)
        self.assertEqual(self.run_hunt("--answer", str(wrong))[0], 1)
        self.assertTrue(self.file.is_file())
        code, words = self.run_hunt("--answer", str(hunt.answer))
        self.assertEqual(code, 0)
        self.assertIn("\n-", words)
        self.assertFalse(self.file.exists())

    def test_where_stages_are_whole_programs_it_is_in_an_answer(self) -> None:
        code, words = self.run_hunt("ch0", "--seed", "7")
        hunt = open_hunt(self.workbook)
        name = hunt.program.source.name
        self.assertEqual(code, 0)
        self.assertIn(f"hunt_ch0_machine.cu: the answer to {name}, with a mistake in it (seed 7).", words)
        text = (self.workbook.root / "hunt_ch0_machine.cu").read_text(encoding="utf-8")
        self.assertIn(f"\n// the answer to {name}. Mend it, then: ./workbook hunt\n", text)
        self.assertEqual(self.run_hunt("--answer", str(hunt.answer))[0], 0)

    def test_no_answer_counts_before_it_is_mended(self) -> None:
        self.run_hunt("ch3", "--seed", "7")
        hunt = open_hunt(self.workbook)
        self.assertEqual(self.run_hunt("--answer", str(hunt.answer), is_mended=False)[0], 1)
        self.assertTrue(self.file.is_file())

    def test_giving_up_shows_the_mistake(self) -> None:
        self.run_hunt("ch3", "--seed", "7")
        mistake = open_hunt(self.workbook).mistake
        code, words = self.run_hunt("--give-up", is_mended=False)
        self.assertEqual(code, 0)
        self.assertIn(mistake.words.split()[0], words)
        self.assertFalse(self.file.exists())

    def test_one_hunt_at_a_time(self) -> None:
        self.run_hunt("ch3", "--seed", "7")
        with self.assertRaisesRegex(UsageError, "hunt_ch3_transpose.cu is still open"):
            self.run_hunt("ch4")

    def test_what_cannot_be(self) -> None:
        for arguments, words in (
            ((), "No hunt is open"),
            (("--answer", "1"), "No hunt is open"),
            (("--seed", "7"), "begins with a chapter"),
            (("ch3", "--seed", "-1"), "from 0 to 999999, not -1"),
            (("ch3", "--seed", "1000000"), "from 0 to 999999, not 1000000"),
            (("ch3", "--give-up"), "leave the chapter out"),
            (("ch99",), "no chapter"),
        ):
            with self.subTest(arguments), self.assertRaisesRegex(UsageError, words):
                self.run_hunt(*arguments)
        self.run_hunt("ch3", "--seed", "7")
        with self.assertRaisesRegex(UsageError, "from 1 to 4, not 5"):
            self.run_hunt("--answer", "5")

    def test_a_first_line_that_says_nothing(self) -> None:
        for text in ("", "// Mine\n", "// Hunt in ch4_reduction, seed 7: ...\n", "\xff\xfe"):
            self.file.write_text(text, encoding="latin-1")
            with self.subTest(text), self.assertRaisesRegex(WorkbookError, "no longer begins with"):
                open_hunt(self.workbook)


@unittest.skipUnless(os.environ.get("WORKBOOK_SIMULATOR_TREE"), "needs a build folder with the simulator")
class RealHuntTest(unittest.TestCase):
    def test_it_fails_as_it_is_and_passes_when_it_is_mended(self) -> None:
        result = self.mended("ch1_saxpy", 3)
        self.assertTrue(result.passed, result)
        self.assertTrue(result.goals)

    def test_the_same_of_an_exercise(self) -> None:
        self.assertTrue(self.mended("ch0_machine", 3).passed)

    def mended(self, chapter: str, seed: int) -> CheckResult:
        workbook = Workbook(ROOT)
        tree = BuildTree(workbook, os.environ["WORKBOOK_SIMULATOR_TREE"], "simulator")
        hunt = hunt_of(chapter, seed, workbook)
        build_reference(hunt.program, tree)
        with tempfile.TemporaryDirectory(prefix="workbook-test-") as folder:
            file = Path(folder) / f"hunt_{chapter}.cu"
            file.write_text(hunt.text(workbook), encoding="utf-8")
            self.assertFalse(check_exercise(hunt.program, workbook, tree, file).passed)
            file.write_text(spoiled_file(hunt.mistake, workbook.root).read_text(encoding="utf-8"), encoding="utf-8")
            return check_exercise(hunt.program, workbook, tree, file)


if __name__ == "__main__":
    unittest.main()
