"""Explanations of survivors: each is needed, and each is true."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # puts the modules on the path

from cli.errors import WorkbookError
from mutate.operators import mutants_of
from mutate.runner import judge
from mutate.survivors import Explanation, objections, read_explanations
from mutate.table import as_text, write_row
from mutate.trial import Fate, Result

A, B = mutants_of("01_a.cu", "int x = 1;\n")
C = mutants_of("02_b.cu", "\nint x = 1;\n")[0]
CODE = "int x = 1;"


def explain(files: str, mutation: str = "1 became 2", code: str = CODE) -> Explanation:
    return Explanation(files, code, mutation, "the same", "a.csv:2")


class SurvivorsTest(unittest.TestCase):
    def test_names(self) -> None:
        names = ["01_a.cu:1: 1 became 2", "01_a.cu:1: 1 became 0", "02_b.cu:2: 1 became 2"]
        self.assertEqual([mutant.name for mutant in (A, B, C)], names)

    def test_survivor_without_explanation(self) -> None:
        found = objections([A, B, C], {A: True, B: False}, [])
        self.assertEqual(len(found), 1)
        self.assertIn("01_a.cu:1: 1 became 2 survived, but no row explains it", found[0])
        self.assertIn("\n  int x = 2;\n  01_a.cu,int x = 1;,1 became 2,", found[0])

    def test_explanation_of_several_files(self) -> None:
        self.assertEqual(objections([A, B, C], {A: True, B: False, C: True}, [explain("0?_*.cu")]), [])

    def test_explanation_of_a_mutant_that_is_found(self) -> None:
        found = objections([A, B, C], {A: True, B: False, C: False}, [explain("*.cu")])
        self.assertEqual(found, ["a.csv:2 explains 02_b.cu:2: 1 became 2, which did not survive."])

    def test_explanation_of_a_mutant_that_was_not_tried(self) -> None:
        self.assertEqual(objections([A, B, C], {B: False}, [explain("*.cu")]), [])

    def test_explanation_of_an_unknown_mutant(self) -> None:
        for explanation in (explain("03_*.cu"), explain("*.cu", "1 became 7"), explain("*.cu", code="int y = 1;")):
            found = objections([A, B, C], {A: False}, [explanation])
            self.assertEqual(found, [f"a.csv:2 explains a mutant that does not exist: {explanation.mutation}"])

    def test_two_explanations(self) -> None:
        found = objections([A], {A: True}, [explain("01_a.cu"), explain("*")])
        self.assertEqual(found, ["a.csv:2 explains 01_a.cu:1: 1 became 2, but an earlier row explains it too."])

    def test_file(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a.csv"
            self.assertEqual(read_explanations(file), [])
            file.write_text('files,code,mutation,reason\n*.cu,"f(1, 2);",1 became 2,"Yes, it is."\n')
            self.assertEqual(
                read_explanations(file), [Explanation("*.cu", "f(1, 2);", "1 became 2", "Yes, it is.", "a.csv:2")]
            )
            for row in ("*.cu,x,1 became 2", "*.cu,x,1 became 2,", "*.cu,x,1 became 2,a,b"):
                file.write_text(f"files,code,mutation,reason\n{row}\n")
                with self.assertRaisesRegex(WorkbookError, "a.csv:2: a row must have 4 fields"):
                    read_explanations(file)
            file.write_text("code,mutation,reason\n")
            with self.assertRaisesRegex(WorkbookError, "the first line must be files,code,mutation,reason"):
                read_explanations(file)

    def test_same_code(self) -> None:
        results = {A: Result(Fate.SAME, ""), B: Result(Fate.TESTS, "")}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a.csv"
            self.assertEqual(judge([A, B], results, file), [])  # needs no explanation,
            file.write_text(f"files,code,mutation,reason\n01_a.cu,{CODE},1 became 2,the same\n")
            self.assertEqual(judge([A, B], results, file), [])  # but can have one

    def test_too_many_survivors(self) -> None:
        text = "\n".join(f"int x{i} = 1;" for i in range(50))
        mutants = mutants_of("a.cu", text)  # 100
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "a.csv"
            rows = [f'{m.file},{m.code},{m.mutation},"the same"' for m in mutants[:3]]
            for survivors, expected in ((2, []), (3, ["3.0% of the mutants survive; more than 2% are too many."])):
                file.write_text("\n".join(["files,code,mutation,reason", *rows[:survivors]]))
                results = {
                    mutant: Result(Fate.SURVIVED if i < survivors else Fate.TESTS, "")
                    for i, mutant in enumerate(mutants)
                }
                self.assertEqual(judge(mutants, results, file), expected)
            sample = {mutants[0]: Result(Fate.SURVIVED, "")}
            self.assertEqual(judge(mutants, sample, file), [])

    def test_table_on_the_screen(self) -> None:
        results = {A: Result(Fate.TESTS, ""), B: Result(Fate.CLAIMS, ""), C: Result(Fate.SURVIVED, "")}
        rows = [line.split() for line in as_text(results).splitlines()]
        sums = ["3", "1", "1", "0", "1", "0", "0"]
        self.assertEqual(rows[-2:], [["constant", "one", "more,", "one", "less", *sums], ["all", *sums]])

    def test_row_of_a_chapter(self) -> None:
        header = (
            "| chapter | mutants | found by tests | found by claims | stopped at a limit | survived "
            "| same code | did not compile |\n|:---|---:|---:|---:|---:|---:|---:|---:|\n"
        )
        results = {A: Result(Fate.TESTS, ""), B: Result(Fate.CLAIMS, ""), C: Result(Fate.SURVIVED, "")}
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"

            def assert_table(*rows: str) -> None:
                table = header + "".join(f"{row}\n" for row in rows)
                expected = f"Before.\n<!-- mutants:begin -->\n\n{table}\n<!-- mutants:end -->\nAfter.\n"
                self.assertEqual(page.read_text(), expected)

            page.write_text("Before.\n<!-- mutants:begin -->\n<!-- mutants:end -->\nAfter.\n")
            write_row(page, "ch2_b", results)
            assert_table("| ch2_b | 3 | 1 | 1 | 0 | 1 | 0 | 0 |")
            write_row(page, "ch1_a", {A: Result(Fate.STOPPED, "")})
            assert_table("| ch1_a | 1 | 0 | 0 | 1 | 0 | 0 | 0 |", "| ch2_b | 3 | 1 | 1 | 0 | 1 | 0 | 0 |")
            write_row(page, "ch2_b", {A: Result(Fate.NOT_COMPILED, "")})
            assert_table("| ch1_a | 1 | 0 | 0 | 1 | 0 | 0 | 0 |", "| ch2_b | 1 | 0 | 0 | 0 | 0 | 0 | 1 |")

    def test_page_without_a_table(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            for prepare in (lambda: None, lambda: page.write_text("No markers.\n")):
                prepare()
                with self.assertRaisesRegex(WorkbookError, "page.md"):
                    write_row(page, "ch1_a", {A: Result(Fate.TESTS, "")})


if __name__ == "__main__":
    unittest.main()
