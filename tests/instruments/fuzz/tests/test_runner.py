"""The fuzzer itself: it finds planted failures and prints how to repeat them, and a seed gives the same cases."""

from __future__ import annotations

import contextlib
import io
import random
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
sys.path[:0] = [str(ROOT / folder) for folder in ("tests/instruments", "common", "common/simulator/translate")]

from fuzz import runner  # noqa: E402
from fuzz.edits import edited_code, edited_data  # noqa: E402
from fuzz.files import Files  # noqa: E402


class Planted:
    """Fails in three ways, depending on a random number."""

    name = "files"
    is_isolated = True

    def run(self, chance: random.Random, folder: Path) -> str:
        (folder / "input").write_text("x", encoding="utf-8")
        kind = chance.randrange(4)
        if kind == 0:
            raise ZeroDivisionError("planted")
        if kind == 1:
            while True:
                pass
        return "words" if kind == 2 else ""


class RunnerTest(unittest.TestCase):
    def run_planted(self, *arguments: str) -> tuple[int, str, list[str]]:
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as failures, contextlib.redirect_stdout(said):
            with unittest.mock.patch.multiple(
                runner, _areas=lambda *_: {"files": Planted()}, _SHARE=runner.Share(cpu_s=1), _CASES={"files": 8}
            ):
                code = runner.main([*arguments, "--failures", failures])
            kept = sorted(path.name for path in Path(failures).iterdir())
        return code, said.getvalue(), kept

    def test_each_kind_of_failure_is_reported_and_kept(self) -> None:
        code, said, kept = self.run_planted("--seed", "15")
        self.assertEqual(code, 1)
        self.assertTrue(said.startswith("Seed 15. "), said)
        for words in ("ZeroDivisionError: planted", "over 1 s of CPU time", "FAILED: words"):
            self.assertIn(words, said)
        self.assertIn(f"files: 8 cases, {len(kept)} failed", said)

    def test_one_case_again(self) -> None:
        _, said, _ = self.run_planted("--seed", "15")
        number = said.split("FAILED: words")[0].rpartition("files:")[2].strip()
        code, again, kept = self.run_planted("--seed", "15", "--case", f"files:{number}")
        self.assertEqual((code, kept), (1, [f"15_files_{number}"]))
        self.assertIn(f"files:{number} FAILED: words", again)

    def test_areas_with_programs_in_a_tree(self) -> None:
        with tempfile.TemporaryDirectory() as temporary, contextlib.redirect_stdout(io.StringIO()) as said:
            tree = Path(temporary)

            def names() -> set[str]:
                return set(runner._areas(tree, tree, [])) & {"programs", "answers"}

            self.assertEqual(names(), set())
            (tree / "bin").mkdir()
            for backend, areas in (("simulator", {"programs", "answers"}), ("cuda", {"programs"})):
                (tree / "CMakeCache.txt").write_text(f"WORKBOOK_ACTIVE_BACKEND:INTERNAL={backend}\n", encoding="utf-8")
                self.assertEqual(names(), areas)
        self.assertIn("its programs are left out", said.getvalue())
        self.assertIn("is built with nvcc", said.getvalue())

    def test_a_stopped_run_reports_its_progress(self) -> None:
        results = ["", runner.Stopped(15)]
        with unittest.mock.patch.object(runner, "_wrong_with", side_effect=results):
            code, said, _ = self.run_planted("--seed", "15")
        self.assertEqual(code, 128 + 15)
        self.assertIn("Stopped.\n", said)
        self.assertIn("files: 1 cases, 0 failed", said)

    def test_an_unknown_area(self) -> None:
        with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()):
            runner.main(["fields"])


class AreasTest(unittest.TestCase):
    def test_the_same_seed_gives_the_same_edits(self) -> None:
        text = (ROOT / "chapters/ch3_transpose/01_naive.cu").read_text(encoding="utf-8")
        for edit in (edited_code, edited_data):
            one, other = (edit(text, random.Random("17:files:3")) for _ in range(2))
            self.assertEqual(one, other)
            self.assertNotEqual(one, edit(text, random.Random("17:files:4")))

    def test_a_reader_that_raises_anything_else_is_found(self) -> None:
        files = Files(ROOT)
        readers = files._readers

        def read(file: Path) -> None:
            raise UnicodeDecodeError("utf-8", b"", 0, 1, "planted")

        files._readers = {name: (texts, read) for name, (texts, _) in readers.items()}
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(UnicodeDecodeError):
            files.run(random.Random(1), Path(folder))


if __name__ == "__main__":
    unittest.main()
