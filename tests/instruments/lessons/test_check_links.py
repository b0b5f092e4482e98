"""check_links.py finds broken links, and no others."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import check_links


class CheckLinks(unittest.TestCase):
    def problems(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "README.md"
            (page.parent / "other.md").write_text("# A `naive` kernel: 1 + 1\n\n## Twice\n\n## Twice\n")
            page.write_text(f"# This page\n\n{text}\n")
            return check_links.problems(page)

    def test_correct_links(self) -> None:
        for link in (
            "[a](other.md)",
            "[a](other.md#a-naive-kernel-1--1)",
            "[a](other.md#twice-1)",
            "[a](#this-page)",
            "[a](https://example.org/nothing)",
            "`[a](nothing.md)`",
            "```\n[a](nothing.md)\n```",
            '<img src="other.md">',
        ):
            with self.subTest(link):
                self.assertEqual(self.problems(link), [])

    def test_broken_links(self) -> None:
        for link, message in (
            ("[a](nothing.md)", "there is no nothing.md"),
            ("[a](other.md#no-such)", "other.md has no heading '#no-such'"),
            ("[a](#that-page)", "this page has no heading '#that-page'"),
            ('<img src="no.svg">', "there is no no.svg"),
            ("```\ncode\n```\n[a](nothing.md)", "README.md:6: there is no nothing.md"),
            ("`code` and [a](nothing.md) `code`", "there is no nothing.md"),
        ):
            with self.subTest(link):
                found = self.problems(link)
                self.assertEqual(len(found), 1)
                self.assertIn(message, found[0])


if __name__ == "__main__":
    unittest.main()
