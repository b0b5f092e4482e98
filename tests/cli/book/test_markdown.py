"""The rewritten and the unchanged parts of a page's Markdown."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401  # puts the command on the path

from cli.book.listings import lines_of, with_caption
from cli.book.markdown import code_blocks, inserted, linked_files, sections_of, with_links, without_comments
from cli.book.sources import Sources

FENCED = "```cuda 01_naive.cu\n[a](b.md) <!-- c -->\n```"


class LinksTest(unittest.TestCase):
    def test_links_in_code_are_ignored(self) -> None:
        page = f"[one](a.md#x) `[no](no.md)` ![p](p.svg)\n\n{FENCED}\n\n[b](https://b.c/) [d](#d)\n"
        self.assertEqual(list(linked_files(page)), ["a.md", "p.svg"])

    def test_the_part_after_the_hash_stays(self) -> None:
        page = "[one](../a/README.md#x) and `[two](README.md)`"
        moved = with_links(page, lambda path, anchor: f"{path.replace('README', 'index')}#{anchor}")
        self.assertEqual(moved, "[one](../a/index.md#x) and `[two](README.md)`")

    def test_code_that_goes_on_in_the_next_line(self) -> None:
        page = "`a [b](c.md)\nd` [e](f.md) `g`"
        self.assertEqual(list(linked_files(page)), ["f.md"])

    def test_links_to_other_sites_stay(self) -> None:
        page = "[a](https://example.org/README.md#a) [b](mailto:a@example.org)"
        self.assertEqual(with_links(page, lambda path, anchor: "moved"), page)

    def test_links_within_the_page(self) -> None:
        moved = with_links("[a](#b) `[a](#b)`", lambda path, anchor: f"c{path}.md#{anchor}")
        self.assertEqual(moved, "[a](c.md#b) `[a](#b)`")
        self.assertEqual(list(linked_files("[a](#b)")), [])


class CommentsTest(unittest.TestCase):
    def test_comments_are_removed_except_in_code(self) -> None:
        page = f"One.\n<!-- figures\n  1 = x\n-->\n\nTwo `<!-- x -->`.\n\n{FENCED}\n"
        self.assertEqual(without_comments(page), f"One.\n\nTwo `<!-- x -->`.\n\n{FENCED}\n")


class SectionsTest(unittest.TestCase):
    def test_a_section_ends_where_one_of_its_level_begins(self) -> None:
        page = "# A\n\n## B\n\nb\n\n### C\n\nc\n\n## D\n\nd\n"
        found = {section.text: (section.level, page[section.begin : section.end]) for section in sections_of(page)}
        self.assertEqual(found["B"], (2, "## B\n\nb\n\n### C\n\nc\n\n"))
        self.assertEqual(found["C"], (3, "### C\n\nc\n\n"))
        self.assertEqual(found["D"], (2, "## D\n\nd\n"))

    def test_inserted_blocks_keep_their_order(self) -> None:
        page = "## A\n\na\n\n## B\n\n  b\n"
        places = [(page.index("## B"), "first"), (page.index("## B"), "second"), (len(page), "last")]
        self.assertEqual(inserted(page, places), "## A\n\na\n\nfirst\n\nsecond\n\n## B\n\n  b\n\nlast\n\n")

    def test_indented_text_stays_indented(self) -> None:
        self.assertEqual(inserted("- a\n\n  b\n", [(5, "  new")]), "- a\n\n  new\n\n  b\n")


class CodeBlocksTest(unittest.TestCase):
    def test_blocks_are_put_back_unchanged(self) -> None:
        page = f"a\n\n````markdown x.md\n```csv\n1\n```\n````\n\n{FENCED}\n\n  ```\n  b\n  ```\n"
        code = code_blocks()
        aside = code.put_aside(page)
        self.assertNotIn("```", aside)
        self.assertEqual(code.put_back(aside), page)


class ListingTest(unittest.TestCase):
    SOURCE = "one\ntwo\nthree\nfour\ntwo\nfive\n"

    def test_lines(self) -> None:
        for listing, lines in (
            ("two\nthree\n", (2, 3)),
            ("one\n...\nfour\n", (1, 4)),
            ("four\n", (4, 4)),
            ("four\ntwo\n", (4, 5)),
            ("six\n", None),
        ):
            with self.subTest(listing):
                self.assertEqual(lines_of(listing, self.SOURCE), lines)

    def test_the_caption_links_to_the_first_line(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            file = root / "chapters/ch1_x/baselines/a.cu"
            file.parent.mkdir(parents=True)
            file.write_text(self.SOURCE, encoding="utf-8")
            sources = Sources(root)
            block = "```cuda baselines/a.cu\ntwo\nthree\n```"
            shown = with_caption(block, "chapters/ch1_x", sources, root)
            self.assertEqual(
                shown, f'<p class="listing"><a href="baselines/a.cu.html#L-2">a.cu</a>, lines 2 to 3</p>\n\n{block}'
            )
            for other in ("```cuda b.cu\ntwo\n```", "```\ntwo\n```", "```cuda baselines/a.cu\nsix\n```"):
                self.assertEqual(with_caption(other, "chapters/ch1_x", sources, root), other)
