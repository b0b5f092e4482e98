"""The texts of a source that are reworded."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "instruments"))

from reword import reworded


class Reworded(unittest.TestCase):
    def test_sentences(self) -> None:
        self.assertEqual(reworded('FAIL() << n << " of them are wrong";'), 'FAIL() << n << " of ~ them ~ are ~ wrong";')
        self.assertEqual(reworded('return "it is " + name + " in memory";'), 'return "it ~ is " + name + " in ~ memory";')

    def test_facts_and_searched_strings_stay(self) -> None:
        for source in (
            'record_fact("pattern=border array=y");',
            'words += " between=threads memory";',
            'EXPECT_NE(text.find("is the wrong size"), npos);',
            '#include "tests/support/facts.h"',
            "// is the \"wrong size\" here",
            "const char c = '\"';",
            'setenv("CUDA_SIMULATOR_PEER_ACCESS", "0", 1);',
            'return "block %d, warp %d: threads %d to %d";',
        ):
            self.assertEqual(reworded(source), source)

    def test_the_sources_have_sentences(self) -> None:
        for name in ("tests/support/wrong_pattern.h", "common/simulator/trace/report/finding_texts.cpp"):
            source = (ROOT / name).read_text(encoding="utf-8")
            self.assertGreater(reworded(source).count(" ~ "), 50, name)


if __name__ == "__main__":
    unittest.main()
