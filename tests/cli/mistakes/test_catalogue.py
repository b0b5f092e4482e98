"""Reading a catalogue of bugs, and the messages for a malformed catalogue."""

from __future__ import annotations

import unittest

import support

from cli.mistakes.catalogue import CatalogueError, Edit, Mistake, read_catalogue
from cli.mistakes.reasons import holds
from cli.mistakes.spoiling import spoiled_source

_NO_GUARD = """\
== no_guard: 01_naive.cu
Every thread takes an element,
past the end of the array too.
rejected by: finding=out_of_bounds kernel=naive_kernel, test=KeepsEveryBit
rejected by: finding=race kernel=naive_kernel
@@
   const int i = threadIdx.x;
-  if (i < n) {
-    y[i] = x[i];
-  }
+  y[i] = x[i];
"""
_TICKET = """\
== ticket: solutions/ex1_sum.cu
Takes the tile of the block that comes first.
only in block order: reverse
rejected by: test=MatchesReference
@@
-  const int tile = blockIdx.x;
+  const int tile = ticket;

@@

 }  // namespace
+int ticket;
"""
_REWRITTEN = """\
== rewritten: baselines/copy.cu
Written from scratch.
rejected by: test=MatchesReference
whole file: mistakes/rewritten.cu
"""


_BEGINNERS = """\
== no_guard: solutions/ex1_sum.cu
I forgot the guard.
verdict: error found
fact: finding=out_of_bounds access=load
hint: behind_the_array
@@
-  if (i < n) {
+  {
"""


class ReadCatalogue(support.FolderTest):
    def setUp(self) -> None:
        super().setUp()
        self.file = self.folder / "ch9_example" / "mistakes.txt"
        self.file.parent.mkdir()

    def read(self, text: str) -> list[Mistake]:
        self.file.write_text(text, encoding="utf-8")
        return read_catalogue(self.file)

    def test_an_entry_for_a_beginners_bug(self) -> None:
        (row,) = self.read(_BEGINNERS)
        self.assertEqual((row.verdict, row.words), ("error found", "I forgot the guard."))
        self.assertEqual((row.reasons, row.hint), ((("finding=out_of_bounds access=load",),), "behind_the_array"))

    def test_rows_of_beginners_bugs(self) -> None:
        rows = self.read(
            "== solutions/ex1_sum.cu\n"
            "no_guard: `if (i < n)` => ``, `n;` => `n; f(\"a\");`; error found; finding=race, finding=barrier; no_barrier\n"
            'swapped: `a, b` => `b, a`; does not compile; "no; \'(match|fit)\'"\n'
        )
        self.assertEqual([row.line for row in rows], [2, 3])
        self.assertEqual(rows[0].edits[1], Edit(2, "n;", 'n; f("a");', is_part=True))
        self.assertEqual((rows[0].reasons, rows[0].hint), ((("finding=race", "finding=barrier"),), "no_barrier"))
        self.assertTrue(rows[1].answer[0].search("no; 'match'"))

    def test_rows_of_bugs(self) -> None:
        one, two = self.read(
            "== scan/01_naive.cu\n"
            "off_by_one: `<=` for `<`: a row too many.\n"
            "  `< n` => `<= n`; finding=race, finding=barrier;\n"
            "  test=MatchesReference case=1x1\n"
            "nothing: Launches nothing. `f();` => ``; launch=none\n"
        )
        self.assertEqual((one.name, one.spoiled, one.line), ("off_by_one", "scan/01_naive.cu", 2))
        self.assertEqual((one.words, one.verdict), ("`<=` for `<`: a row too many.", ""))
        self.assertEqual(one.edits, (Edit(2, "< n", "<= n", is_part=True),))
        self.assertEqual(one.reasons, (("finding=race", "finding=barrier"), ("test=MatchesReference case=1x1",)))
        self.assertEqual((two.words, two.edits[0].new, two.line), ("Launches nothing.", "", 5))

    def test_rows_that_are_refused(self) -> None:
        for row, words in (
            ("a: `b`; wrong result; finding=race", "is not 'name: words `old` => `new`;"),
            ("a: Words. `b` => `c`", "is not 'name: words `old` => `new`;"),
            ("a: `b` => `c`; finding=race", "describe the bug"),
            ("a: Words. `b` => `b`; finding=race", "an edit changes nothing"),
            ("a: Words. `b` => `c`; finding=rice", "no fact is 'finding=rice'"),
        ):
            self.assert_refused(f"== solutions/ex1_sum.cu\n{row}\n", 2, words)
        self.assert_refused("== solutions/ex1_sum.cu\n\n", 1, "no row of a bug follows")

    def test_an_entry_with_the_wrong_choices_of_a_hunt(self) -> None:
        (bug,) = self.read(_NO_GUARD.replace("rejected by: ", "or: It has no barrier.\nor: It adds twice.\nrejected by: ", 1))
        self.assertEqual(bug.others, ("It has no barrier.", "It adds twice."))

    def assert_refused(self, text: str, line: int, words: str) -> None:
        with self.assertRaises(CatalogueError) as caught:
            self.read(text)
        self.assertTrue(str(caught.exception).startswith(f"{self.file}:{line}: "), caught.exception)
        self.assertIn(words, str(caught.exception))

    def test_a_bug(self) -> None:
        (mistake,) = self.read("# The mistakes of chapter 9.\n\n" + _NO_GUARD)
        self.assertEqual((mistake.name, mistake.chapter, mistake.spoiled), ("no_guard", "ch9_example", "01_naive.cu"))
        self.assertEqual(mistake.words, "Every thread takes an element, past the end of the array too.")
        facts, race = mistake.reasons
        self.assertEqual(facts, ("finding=out_of_bounds kernel=naive_kernel", "test=KeepsEveryBit"))
        self.assertEqual(race, ("finding=race kernel=naive_kernel",))
        self.assertTrue(holds(facts, ["finding=out_of_bounds access=load kernel=naive_kernel"]))
        self.assertTrue(holds(facts, ["finding=race", "suite=Matrix test=KeepsEveryBit"]))
        self.assertFalse(holds(facts, ["finding=out_of_bounds kernel=other", "finding=race kernel=naive_kernel"]))
        self.assertEqual((mistake.block_order, mistake.whole_file, mistake.line), ("", "", 3))
        old = "  const int i = threadIdx.x;\n  if (i < n) {\n    y[i] = x[i];\n  }\n"
        self.assertEqual(mistake.edits, (Edit(8, old, "  const int i = threadIdx.x;\n  y[i] = x[i];\n"),))

    def test_block_order_and_several_edits(self) -> None:
        (mistake,) = self.read(_TICKET)
        self.assertEqual((mistake.spoiled, mistake.block_order), ("solutions/ex1_sum.cu", "reverse"))
        self.assertEqual(mistake.edits[0].old, "  const int tile = blockIdx.x;\n")
        self.assertEqual(mistake.edits[1].old, "\n}  // namespace\n")
        self.assertEqual(mistake.edits[1].new, "\n}  // namespace\nint ticket;\n")

    def test_a_whole_file_and_none(self) -> None:
        _, mistake = self.read(f"{_NO_GUARD}\n{_REWRITTEN}")
        self.assertEqual((mistake.whole_file, mistake.edits), ("mistakes/rewritten.cu", ()))
        self.assertEqual(self.read("") + self.read("# None yet.\n"), [])

    def test_texts_that_are_refused(self) -> None:
        reason, text = "rejected by: test=MatchesReference\n", "whole file: mistakes/rewritten.cu\n"
        for catalogue, line, words in (
            (f"{_NO_GUARD}\n{_TICKET}\n{_NO_GUARD}", 26, "no_guard: line 1 has the same name"),
            (f"{_REWRITTEN}\n{_REWRITTEN.replace('== re', '== ')}", 6, "mistakes/rewritten.cu is also used by rewritten"),
            ("# Mistakes\nno_guard: 01_naive.cu\n", 2, "is before the first bug"),
            (_REWRITTEN.replace("Written from scratch.\n", ""), 1, "describe the bug in a line below its name"),
            (_REWRITTEN.replace(reason, ""), 1, "state why it must be rejected"),
            (_REWRITTEN.replace(text, ""), 1, "it needs edits"),
            (_REWRITTEN.replace("mistakes/rewritten", "../a"), 4, "is not mistakes/name.cu"),
            (_NO_GUARD.replace("@@", f"{text}@@"), 1, "it needs edits"),
            (_NO_GUARD.replace("+  y[i]", "y[i]"), 11, "begins with a blank, '-' or '+'"),
            (_NO_GUARD + "#include <cmath>\n", 12, "begins with a blank, '-' or '+'"),
            (_TICKET.replace("reverse", "backwards"), 3, "'backwards' is not an order of the blocks"),
            (_TICKET.replace("@@\n-", "rejectedby: race\n@@\n-", 1), 5, "'rejectedby: race' is neither"),
            (_TICKET.replace(" }  // namespace\n", ""), 9, "the edit has no line to find"),
            (_TICKET.replace("tile = ticket", "tile = blockIdx.x"), 5, "the edit changes nothing"),
        ):
            self.assert_refused(catalogue, line, words)
        for headline in ("== no guard: 01_naive.cu", "== no_guard", "== : 01_naive.cu", "==no_guard: a.cu", "== A: a.cu"):
            refused = _NO_GUARD.replace("== no_guard: 01_naive.cu", headline)
            self.assert_refused(refused, 1, "name_of_the_mistake: file.cu")
        for spoiled in ("../ch1_saxpy/01_one_block.cu", "harness/a.cu", "/tmp/a.cu", "solutions/more/a.cu"):
            self.assert_refused(_NO_GUARD.replace("01_naive.cu", spoiled), 1, "is not stage.cu")

    def test_reason_without_a_value(self) -> None:
        for reason, words in (
            ("", "no fact has the word ''"),
            ("race: naive_kernel", "no fact has the word 'race:'"),
            ("finding=rice", "no fact is 'finding=rice'"),
            ("finding=race, ", "no fact has the word ''"),
            ("test", "has a key without a value"),
            ("finding=race, suite case", "has a key without a value"),
        ):
            self.assert_refused(_REWRITTEN.replace("by: test=MatchesReference", f"by: {reason}"), 3, words)
        for pattern, words in ((".*", "matches every output"), ("(", "is not a regular expression")):
            self.assert_refused(_BEGINNERS.replace("fact: finding=out_of_bounds access=load", f"says: {pattern}"), 4, words)

    def test_a_file_that_is_not_text(self) -> None:
        self.file.write_bytes(b"== \xff")
        with self.assertRaisesRegex(CatalogueError, "byte 3 is not UTF-8"):
            read_catalogue(self.file)
        with self.assertRaisesRegex(CatalogueError, "cannot be read: No such file"):
            read_catalogue(self.file.parent / "gone.txt")


class ShippedCatalogues(unittest.TestCase):
    def test_every_edit_applies(self) -> None:
        catalogues = [file for name in ("mistakes", "beginners") for file in support.ROOT.glob(f"tests/*/{name}.txt")]
        mistakes = [mistake for file in catalogues for mistake in read_catalogue(file)]
        self.assertGreater(len(mistakes), 1000)
        for mistake in mistakes:
            with self.subTest(mistake=mistake.name, chapter=mistake.chapter):
                self.assertTrue(spoiled_source(mistake, support.ROOT).endswith("\n"))
