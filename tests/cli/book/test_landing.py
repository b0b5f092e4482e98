"""The first page of the book."""

from __future__ import annotations

import csv
import re
import unittest

from support import ROOT, FakeWorkbook

from cli.book.landing import overview, page_text
from cli.book.pages import parts_of, read_page
from cli.workbook import Workbook


class LandingTest(unittest.TestCase):
    workbook = Workbook(ROOT)
    parts = parts_of(workbook)

    def page(self, has_steps: bool) -> str:
        return page_text(self.workbook, self.parts, has_steps)

    def test_the_four_progressions_are_those_of_the_readme(self) -> None:
        page = self.page(has_steps=True)
        names = re.findall(r'<div><a href="chapters/(\w+)/index\.html">([^<]+)</a>', page)
        self.assertEqual([name for _, name in names], ["Subset sum", "Transpose", "Reduction", "t-SNE distances"])
        chapters = ["ch2_subset_sum", "ch3_transpose", "ch4_reduction", "ch8_tsne"]
        self.assertEqual([chapter for chapter, _ in names], chapters)
        times = re.findall(r"\| ([\d.]+ ms) \|", read_page(ROOT, "README.md"))
        self.assertEqual(re.findall(r"<b>([\d.]+ ms)</b>", page), times)
        self.assertIn("<span>multiply instead of <code>powf</code></span>", page)

    def test_buttons(self) -> None:
        page = self.page(has_steps=True)
        self.assertIn('<a href="docs/first_hour.html">Start the first hour</a>', page)
        self.assertIn('index.html#steps-ch3_transpose_naive">Step through a kernel</a>', page)
        self.assertNotIn("#steps-", self.page(has_steps=False))

    def test_the_sectors_of_the_picture_are_counted(self) -> None:
        with (ROOT / "chapters/ch3_transpose/lesson/claims.csv").open(encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["measure"] == "sectors_per_request"]
        stores = (row for row in rows if (row["memory"], row["operation"]) == ("global", "store"))
        counts = {row["stage"]: row["value"] for row in stores}
        self.assertEqual((counts["naive"], counts["padded"]), ("32", "4"))
        page = self.page(has_steps=False)
        self.assertRegex(page, r"Naive transpose</b><br>32 threads write to 32 sectors")
        self.assertRegex(page, r"With a padded tile</b><br>32 threads write to 4 sectors")
        self.assertEqual(page.count('class="touched"'), 64)
        self.assertEqual(len(set(re.findall(r"@keyframes (sector-\d+)", page))), 32)

    def test_the_contents_have_captions(self) -> None:
        captions = re.findall(r":caption: (.+)", self.page(has_steps=False))
        self.assertEqual(captions[:4], ["Start here", "Core path", "Advanced path and projects", "Reference"])

    def test_the_readme_is_the_overview(self) -> None:
        self.assertEqual(overview("# CUDA workbook\n\n# b\n"), "# Overview\n\n# b\n")


class OtherCopiesTest(FakeWorkbook):
    def test_a_copy_without_the_table(self) -> None:
        self.write("README.md", "# The workbook\n")
        workbook = Workbook(self.root)
        self.assertNotIn("progressions", page_text(workbook, parts_of(workbook), has_steps=False))
