"""The glossary's terms: their meanings, and the words for them."""

from __future__ import annotations

import re
import unittest

from support import ROOT

from cli.book.glossary import meaning_html, pattern_of, read_terms, with_anchors

PAGE = """# Glossary

**Bank conflict.** Two lanes that want `x<y>` of one *bank*. See
[more](limits.md). First used in: chapter 3.

**Block.** See thread block.

**Graph (CUDA).** Launches. First used in: chapter 9.

**SM (streaming multiprocessor).** A part; also called
*multiprocessor*. First used in: chapter 1.

**Thread block.** Up to 1024 threads. First used in: chapter 0.
"""


def matches(words: str, text: str) -> bool:
    return re.fullmatch(pattern_of(words), text) is not None


class TermsTest(unittest.TestCase):
    def test_entries(self) -> None:
        conflict, graph, sm, block = read_terms(PAGE)
        self.assertEqual((conflict.name, conflict.anchor), ("Bank conflict", "term-bank-conflict"))
        self.assertEqual(conflict.meaning, "Two lanes that want `x<y>` of one *bank*. See more.")
        self.assertEqual(
            meaning_html(conflict), "Two lanes that want <code>x&lt;y&gt;</code> of one <em>bank</em>. See more."
        )
        self.assertEqual(graph.words, ())  # a graph has a different meaning elsewhere
        self.assertEqual(sm.words, ("SM", "streaming multiprocessor", "multiprocessor"))
        self.assertEqual(block.words, ("Thread block", "Block"))

    def test_each_entry_can_be_linked_to(self) -> None:
        page = with_anchors(PAGE)
        self.assertIn('<span id="term-sm-streaming-multiprocessor"></span>**SM (streaming', page)
        self.assertIn("\n**Block.** See", page)

    def test_plurals_and_capitals(self) -> None:
        for words, text, expected in (
            ("Warp", "warps", True),
            ("Warp", "Warp", True),
            ("Latency", "latencies", True),
            ("Bank conflict", "bank\nconflicts", True),
            ("SM", "SMs", True),
            ("SM", "sm", False),
            ("Tile", "tiled", False),
        ):
            with self.subTest(text):
                self.assertEqual(matches(words, text), expected)

    def test_the_workbooks_own_glossary(self) -> None:
        terms = read_terms((ROOT / "docs/glossary.md").read_text(encoding="utf-8"))
        self.assertGreater(len(terms), 60)
        for term in terms:
            self.assertNotIn("First used in", term.meaning)
            self.assertTrue(term.meaning.endswith("."), term.name)
        self.assertEqual(len({term.anchor for term in terms}), len(terms))
