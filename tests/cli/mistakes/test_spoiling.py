"""Putting a bug into a file, and bugs that no longer fit the file."""

from __future__ import annotations

import re

from support import FolderTest

from cli.mistakes.catalogue import CatalogueError, Mistake, read_catalogue
from cli.mistakes.spoiling import spoiled_file, spoiled_source, text_file

_SOURCE = """\
#include <cuda_runtime.h>

__global__ void copy_kernel(const int* x, int* y, int n) {
  const int i = threadIdx.x;
  if (i < n) {
    y[i] = x[i];
  }
  if (i < n) {
    y[i] += 1;
  }
}
"""
_HEAD = "== wrong: 01_copy.cu\nA mistake.\nrejected by: test=MatchesReference\n"


class SpoiledSource(FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.tests = self.folder / "tests" / "ch9_copy"
        for part in (self.tests / "mistakes", self.folder / "chapters/ch9_copy", self.folder / "solutions/ch9_copy"):
            part.mkdir(parents=True)
        self.source = self.folder / "chapters" / "ch9_copy" / "01_copy.cu"
        self.source.write_text(_SOURCE)

    def mistake(self, text: str) -> Mistake:
        (self.tests / "mistakes.txt").write_text(text)
        return read_catalogue(self.tests / "mistakes.txt")[0]

    def spoiled(self, edits: str) -> str:
        return spoiled_source(self.mistake(_HEAD + edits), self.folder)

    def assert_refused(self, edits: str, line: int, words: str) -> None:
        with self.assertRaises(CatalogueError) as caught:
            self.spoiled(edits)
        self.assertTrue(str(caught.exception).startswith(f"{self.tests}/mistakes.txt:{line}: wrong: "), caught.exception)
        self.assertIn(words, str(caught.exception))

    def test_edits_in_any_order(self) -> None:
        text = self.spoiled("@@\n-    y[i] += 1;\n+    y[i] += 2;\n@@\n   const int i = threadIdx.x;\n+  if (i == 0) return;\n")
        expected = _SOURCE.replace("+= 1", "+= 2").replace("threadIdx.x;\n", "threadIdx.x;\n  if (i == 0) return;\n")
        self.assertEqual(text, expected)
        self.assertEqual(self.source.read_text(), _SOURCE)

    def test_context_makes_a_line_unique(self) -> None:
        text = self.spoiled("@@\n-  if (i < n) {\n+  if (i <= n) {\n     y[i] += 1;\n")
        self.assertEqual(text, _SOURCE.replace("  if (i < n) {\n    y[i] += 1", "  if (i <= n) {\n    y[i] += 1"))

    def test_white_space_at_ends_of_lines_does_not_count(self) -> None:
        self.source.write_text(_SOURCE.replace("y[i] += 1;", "y[i] += 1;  "))
        self.assertIn("y[i] += 2;\n", self.spoiled("@@\n-    y[i] += 1;   \n+    y[i] += 2;\n"))

    def row(self, edits: str) -> str:
        row = f"== 01_copy.cu\nwrong: A mistake. {edits}; test=MatchesReference\n"
        return spoiled_source(self.mistake(row), self.folder)

    def test_a_row_replaces_text_and_lines_of_which_nothing_is_left(self) -> None:
        for edits, old, new in (
            ("`+= 1` => `+= 2`", "+= 1", "+= 2"),
            ("`+= 1` => `= 2`, `x[i]; } if` => `0; if`",
             "x[i];\n  }\n  if (i < n) {\n    y[i] += 1", "0; if (i < n) {\n    y[i] = 2"),
            ("`y[i] = x[i]; } if (i < n) {` => ``", "    y[i] = x[i];\n  }\n  if (i < n) {\n", ""),
            ("`+= 1` => ``", "+= 1", ""),
        ):
            self.assertEqual(self.row(edits), _SOURCE.replace(old, new))

    def test_rows_that_do_not_apply(self) -> None:
        for edits, words in (
            ("`i <` => `i >`", "occurs 2 times in 01_copy.cu, at lines 5, 8"),
            ("`i  > n` => `i`", "'i  > n' is not in 01_copy.cu"),
            ("`y[i] +=` => `y[i] =`, `+= 1` => `= 2`", "two edits change the same text"),
        ):
            with self.assertRaisesRegex(CatalogueError, re.escape(words)):
                self.row(edits)

    def test_edits_that_do_not_apply(self) -> None:
        both = "@@\n-    y[i] = x[i];\n+    y[i] = 0;\n@@\n   if (i < n) {\n-    y[i] = x[i];\n+    y[i] = 1;\n"
        for edits, words in (
            ("@@\n-  if (i < n) {\n+  if (i <= n) {\n", "occurs 2 times in 01_copy.cu, at lines 5, 8"),
            ("@@\n   int i = 0;\n+  return;\n", "'int i = 0;' is not in 01_copy.cu"),
            ("@@\n   if (i < n) {\n-  }\n", "the lines to find are not adjacent in 01_copy.cu"),
            (both, "two edits change the same text"),
        ):
            self.assert_refused(edits, 4, words)

    def test_file_that_is_not_there(self) -> None:
        self.source.rename(self.source.with_name("02_copy.cu"))
        self.assert_refused("@@\n-    y[i] += 1;\n", 1, "there is no chapters/ch9_copy/01_copy.cu. Was it renamed?")

    def test_solution(self) -> None:
        solution = self.folder / "solutions" / "ch9_copy" / "ex1_copy.cu"
        solution.write_text("int x;\n")
        mistake = self.mistake(_HEAD.replace("01_copy.cu", "solutions/ex1_copy.cu") + "@@\n-int x;\n+int y;\n")
        self.assertEqual(spoiled_file(mistake, self.folder), solution)
        self.assertEqual(spoiled_source(mistake, self.folder), "int y;\n")

    def test_whole_file(self) -> None:
        mistake = self.mistake(_HEAD + "whole file: mistakes/wrong.cu\n")
        with self.assertRaisesRegex(CatalogueError, "mistakes/wrong.cu cannot be read"):
            spoiled_source(mistake, self.folder)
        (self.tests / "mistakes" / "wrong.cu").write_text("int z;\n")
        self.assertEqual(spoiled_source(mistake, self.folder), "int z;\n")
        self.assertEqual(text_file(mistake, self.folder), self.tests / "mistakes" / "wrong.cu")
        (self.tests / "mistakes" / "wrong.cu").write_text(_SOURCE)
        with self.assertRaisesRegex(CatalogueError, "is the same as 01_copy.cu"):
            spoiled_source(mistake, self.folder)
