"""The advanced pages, divided into a page for each stage, and the links to their sections."""

from __future__ import annotations

import html
import json
import re
import unittest

from support import ROOT

from cli.book.advanced_pages import book_pages, divided, key_of, places
from cli.book.book_source import BookSource
from cli.book.pages import parts_of, read_page
from cli.workbook import Workbook

PAGE = "chapters/ch1_x/ADVANCED.md"
TEXT = """# Chapter 1, advanced: more

First.

## The stages

A table.

## Stage 02: two at once

Two.

```sh
## not a heading
```

### Exercise 1: `a` and [b](c.md)

Three.

### Results

## Results

### Results

Four.

## What would you try next?

Five.

### More

## References
"""


class DividedTest(unittest.TestCase):
    def test_pieces(self) -> None:
        introduction, stage, results = divided(PAGE, TEXT)
        self.assertEqual(introduction.path, PAGE)
        self.assertEqual(introduction.text, TEXT[: TEXT.index("## Stage 02")])
        self.assertEqual((stage.path, stage.title), ("chapters/ch1_x/advanced-stage-02.md", "Stage 02: two at once"))
        self.assertTrue(stage.text.startswith("# Stage 02: two at once\n\nTwo.\n"))
        self.assertIn("```sh\n## not a heading\n```", stage.text)
        self.assertIn("\n## Exercise 1: `a`", stage.text)
        self.assertEqual(results.path, "chapters/ch1_x/advanced-results.md")
        self.assertIn("\n## Results\n\nFour.\n\n## What would you try next?\n\nFive.\n\n### More\n", results.text)

    def test_other_pages_stay_whole(self) -> None:
        for page in ("chapters/ch1_x/README.md", "docs/setup.md"):
            self.assertEqual([piece.text for piece in divided(page, TEXT)], [TEXT])
            self.assertEqual(places(page, TEXT), {})
            self.assertEqual(list(book_pages(page, TEXT)), [(page, TEXT)])

    def test_a_page_without_sections(self) -> None:
        self.assertEqual(list(book_pages(PAGE, "# One\n\nText.\n")), [(PAGE, "# One\n\nText.\n")])
        self.assertEqual(places(PAGE, "# One\n"), {"one": PAGE})

    def test_equal_names_get_different_pages(self) -> None:
        paths = [piece.path for piece in divided(PAGE, "# A\n\n## B: c\n\n## B: d\n\n## B: d\n")]
        self.assertEqual(len(set(paths)), 4)

    def test_anchors(self) -> None:
        found = places(PAGE, TEXT)
        stage, results = "chapters/ch1_x/advanced-stage-02.md", "chapters/ch1_x/advanced-results.md"
        for path, anchors in (
            (PAGE, ("chapter-1-advanced-more", "the-stages")),
            (stage, ("stage-02-two-at-once", "exercise-1-a-and-b", "results")),
            (results, ("what-would-you-try-next", "more", "references")),
        ):
            for anchor in anchors:
                self.assertEqual(found[key_of(anchor)], path)
        self.assertEqual(key_of("Exercise 1: `a_b.cu` and [b](c.md)"), key_of("exercise-1-a_bcu-and-b"))
        self.assertEqual(key_of("Exercise 1: `a_b.cu` and [b](c.md)"), key_of("exercise-1-a-b-cu-and-b"))

    def test_the_introduction_lists_the_pages_and_redirects_old_links(self) -> None:
        framed = TEXT.replace("Two.", 'Two.\n<details id="steps-ch1_x_two"></details>')
        (page, introduction), (_, stage), _ = book_pages(PAGE, framed)
        self.assertEqual(page, PAGE)
        contents = introduction[: introduction.index("## The stages")]
        self.assertIn("advanced-stage-02\nadvanced-results\n", contents)
        moved = json.loads(html.unescape(re.search(r'data-moved="([^"]*)"', introduction)[1]))
        for anchor in ("stage-02-two-at-once", "exercise-1-a-and-b", "steps-ch1_x_two", "results"):
            self.assertEqual(moved[key_of(anchor)], "advanced-stage-02.html")
        self.assertEqual(moved[key_of("what-would-you-try-next")], "advanced-results.html")
        self.assertNotIn(key_of("the-stages"), moved)
        self.assertIn('<a href="ADVANCED.html">Chapter 1, advanced: more</a>', stage)


class WorkbookTest(unittest.TestCase):
    """The workbook's own advanced pages."""

    workbook = Workbook(ROOT)
    book = BookSource(workbook, with_steps=True)
    pages = [page for part in parts_of(workbook) for page in part.pages if page.endswith("ADVANCED.md")]

    def test_nothing_is_lost(self) -> None:
        self.assertEqual(len(self.pages), 13)
        for page in self.pages:
            text = read_page(ROOT, page)
            pieces = divided(page, text)
            self.assertEqual(len({piece.path for piece in pieces}), len(pieces), page)
            whole = "".join(piece.text for piece in pieces)
            self.assertEqual(re.sub("^#+ ", "", whole, flags=re.M), re.sub("^#+ ", "", text, flags=re.M), page)

    def test_a_stage_keeps_its_frame_questions_hints_and_listings(self) -> None:
        pages = dict(book_pages(self.pages[3], self.book.page(self.pages[3])))
        stage = pages["chapters/ch3_transpose/advanced-stage-05.md"]
        self.assertIn('src="../../steps/ch3_transpose_swizzled.html"', stage)
        self.assertIn('<p class="listing"><a href="05_swizzled.cu.html#L-', stage)
        whole = "".join(pages.values())
        for part in ('class="predict-question"', '<details class="hints">', "<iframe", '<p class="listing">'):
            self.assertEqual(whole.count(part), self.book.page(self.pages[3]).count(part))
            self.assertNotIn(part, pages[self.pages[3]])
            self.assertIn(part, whole)

    def test_links_lead_to_the_new_pages(self) -> None:
        sources = self.book.page("docs/from_the_sources.md")
        self.assertIn("](../chapters/ch8_tsne/advanced-stage-05.md#stage-05-pairs-in-registers-8-x-8-per-thread)", sources)
        tensor_cores = self.book.page("chapters/ch11_tensor_cores/README.md")
        self.assertIn("](../ch6_matmul/advanced-stage-10.md#stage-10-paired-lanes)", tensor_cores)
        within = self.book.page("chapters/ch3_transpose/ADVANCED.md")
        self.assertIn("](advanced-the-sum-of-two-matrices.md#the-sum-of-two-matrices)", within)
        for page in self.pages:
            self.assertNotRegex(self.book.page(page), r"\]\([^()\s]*ADVANCED\.md#(?!the-stages)")
