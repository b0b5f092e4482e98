"""Parts of the instruments: cases and what they give. The rules of the lessons and the mutants have tables of their
own."""

from __future__ import annotations

import contextlib
import io
import os
import random
import sys
import tempfile
import unittest
import unittest.mock
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests", "tests/instruments", "common", "common/simulator/translate")]

import house
import in_turn
from foreign.check_programs import Program, classify, is_worse, read_table, write_table
from fuzz import runner
from fuzz.edits import edited_code, edited_data
from fuzz.files import Files
from reword import reworded


class Planted:
    """Fails in three ways, depending on a random number."""

    name = "files"
    is_isolated = True

    def run(self, chance: random.Random, folder: Path) -> str:
        (folder / "input").write_text("x", encoding="utf-8")
        kind = chance.randrange(4)
        while kind == 1:
            pass
        return "words" if kind == 2 else str(1 // kind)[3:]  # division by zero


class FuzzTest(unittest.TestCase):
    def run_planted(self, *arguments: str) -> tuple[int, str, list[str]]:
        with tempfile.TemporaryDirectory() as failures, contextlib.redirect_stdout(io.StringIO()) as said:
            with unittest.mock.patch.multiple(
                runner, _areas=lambda *_: {"files": Planted()}, _SHARE=runner.Share(cpu_s=1), _CASES={"files": 8}
            ):
                code = runner.main(["--seed", "15", *arguments, "--failures", failures])
            return code, said.getvalue(), sorted(path.name for path in Path(failures).iterdir())

    def test_each_kind_of_failure_is_reported_and_can_be_repeated(self) -> None:
        code, said, kept = self.run_planted()
        self.assertEqual(code, 1)
        for words in ("Seed 15. ", "ZeroDivisionError", "over 1 s of CPU time", "FAILED: words", f"files: 8 cases, {len(kept)} failed"):
            self.assertIn(words, said)
        case = said.split(" FAILED: words")[0].split()[-1]
        code, again, kept = self.run_planted("--case", case)
        self.assertEqual((code, kept), (1, [f"15_{case.replace(':', '_')}"]))
        self.assertIn(f"{case} FAILED: words", again)

    def test_a_stopped_run_reports_its_progress(self) -> None:
        with unittest.mock.patch.object(runner, "_wrong_with", side_effect=["", runner.Stopped(15)]):
            code, said, _ = self.run_planted()
        self.assertEqual(code, 128 + 15)
        self.assertIn("files: 1 cases, 0 failed", said)

    def test_areas_that_a_tree_allows(self) -> None:
        with tempfile.TemporaryDirectory() as temporary, contextlib.redirect_stdout(io.StringIO()):
            tree = Path(temporary)
            for backend, areas in (("", set()), ("simulator", {"programs", "answers"}), ("cuda", {"programs"})):
                if backend:
                    (tree / "bin").mkdir(exist_ok=True)
                    (tree / "CMakeCache.txt").write_text(f"WORKBOOK_ACTIVE_BACKEND:INTERNAL={backend}\n", encoding="utf-8")
                self.assertEqual(runner._areas(tree, tree, []).keys() & {"programs", "answers"}, areas)

    def test_the_same_seed_gives_the_same_edits(self) -> None:
        text = (ROOT / "chapters/ch3_transpose/01_naive.cu").read_text(encoding="utf-8")
        for edit in (edited_code, edited_data):
            one, other, third = (edit(text, random.Random(seed)) for seed in ("a", "a", "b"))
            self.assertTrue(one == other != third)

    def test_a_reader_that_raises_anything_else_is_found(self) -> None:
        files = Files(ROOT)
        files._readers = {name: (texts, lambda _: 1 // 0) for name, (texts, _) in files._readers.items()}
        with tempfile.TemporaryDirectory() as folder:
            self.assertRaises(ZeroDivisionError, files.run, random.Random(1), Path(folder))


class RewordTest(unittest.TestCase):
    def test_sentences_are_reworded_but_no_facts_and_searched_strings(self) -> None:
        for source, after in (
            ('FAIL() << n << " of them are wrong";', 'FAIL() << n << " of ~ them ~ are ~ wrong";'),
            ('return "it is " + name + " in memory";', 'return "it ~ is " + name + " in ~ memory";'),
            *((source, source) for source in (
                'record_fact("pattern=border array=y");', 'words += " between=threads memory";', '#include "tests/support/facts.h"',
                'EXPECT_NE(text.find("is the wrong size"), npos);', "// is the \"wrong size\" here", "const char c = '\"';",
                'return "block %d, warp %d: threads %d to %d";')),
        ):  # fmt: skip
            self.assertEqual(reworded(source), after)
        for name in ("tests/support/wrong_pattern.h", "common/simulator/trace/report/finding_texts.cpp"):
            self.assertGreater(reworded((ROOT / name).read_text(encoding="utf-8")).count(" ~ "), 50, name)


class ForeignTest(unittest.TestCase):
    def test_how_a_program_ends(self) -> None:
        for returncode, output, result in (
            (0, "Test PASSED\n", "passed"),
            (0, "max error 0.1\n", "ran"),
            (0, "CUDA simulator: Note: 4 bytes are not freed\n", "ran"),
            (0, "Test FAILED\n", "wrong"),
            (1, "Test FAILED\n", "failed"),
            (1, "3 CUDA simulator: k: race\n", "found"),
            (1, "CUDA simulator: the program has computed for 8 s. If\nWRONG\n", "failed"),
            (None, "computing\n", "slow"),
        ):
            self.assertEqual(classify(returncode, output), result, output)

    def test_the_table(self) -> None:
        program = Program("owner+name", "a.cu;b.cpp", "", "--define N=8", "16", "ours", "yes", "ran")
        for change, worse in (({"built": "no"}, True), ({"result": "found"}, True), ({"result": "passed"}, False)):
            self.assertEqual(is_worse(replace(program, **change), program), worse)
        with tempfile.TemporaryDirectory() as folder:
            write_table([program], Path(folder) / "programs.csv")
            self.assertEqual(read_table(Path(folder) / "programs.csv"), [program])
        self.assertEqual([one.files for one in read_table() if one.result == "wrong"], [])


class InTurnTest(unittest.TestCase):
    def test_three_commits_try_all_in_ci(self) -> None:
        kept = {name: value for name, value in os.environ.items() if name not in ("CI", "WORKBOOK_ALL_ANSWERS")}
        for commit, settings, tried in (
            ("9", {"CI": "true"}, [0, 3, 6]),
            ("a", {"CI": "true"}, [1, 4]),
            ("b", {"CI": "true"}, [2, 5]),
            ("", {"CI": "true"}, [*range(7)]),
            ("a", {"CI": "true", "WORKBOOK_ALL_ANSWERS": "1"}, [*range(7)]),
            ("a", {}, [*range(7)]),
        ):
            with unittest.mock.patch.dict(os.environ, {**kept, **settings}, clear=True), unittest.mock.patch.object(
                in_turn, "_commit", lambda: commit
            ), contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(in_turn.in_turn(range(7)), tried)
        self.assertRegex(in_turn._commit(), "^([0-9a-f]{40,64})?$")


class HouseTest(unittest.TestCase):
    def test_a_folder_stays_within_its_limit(self) -> None:
        limits = {"common/cli": 500, "plots": 500, "gone": 101}
        counts = house.Counter({"common/cli": 501, "plots": 400, "new": 1})
        said = "\n".join(house.beyond(counts, limits))
        for words in ("common/cli has 501 lines and may have 500. Remove 1,", "new has 1 lines and may have 0.",
                      "gone has only 0 lines"):
            self.assertIn(words, said)
        self.assertNotIn("plots", said)

    def test_a_long_line_counts_twice(self) -> None:
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(house, "ROOT", Path(folder)):
            for name in ("common/cli/a.py", "chapters/ch1_a/b.cu", "tests/ch1_a/c.cpp", "tests/cli/d.md"):
                file = Path(folder, name)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"x\n{'x' * 120}\n{'x' * 121}\n", encoding="utf-8")
            files = [file.relative_to(folder) for file in Path(folder).rglob("*.*")]
            self.assertEqual(house.weights(files), {"common/cli": 4})


if __name__ == "__main__":
    unittest.main()
