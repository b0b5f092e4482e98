"""The rewritten and the unchanged parts of a page's Markdown."""

from __future__ import annotations

import json
import re
import subprocess
import unittest
from collections import Counter

from book.built import python_of_book
from support import ROOT, folder_of

from cli.book.listings import lines_of, with_caption
from cli.book.markdown import code_blocks, inserted, linked_files, sections_of, with_links, without_comments
from cli.book.pages import parts_of
from cli.book.sources import Sources
from cli.workbook import Workbook

FENCED = "```cuda 01_naive.cu\n[a](b.md) <!-- c -->\n```"
_RENDERED = """
import json, sys
from markdown_it import MarkdownIt
json.dump([MarkdownIt("commonmark").enable("table").render(text) for text in json.load(sys.stdin)], sys.stdout)
"""
_ITEM = re.compile(r"(?P<indent> *)(-|\d+\.) ")
_CELL_END = re.compile(r"(?<!\\)\|(?=.)")
_HTML_CODE = re.compile(r"<(?P<tag>pre|code)\b.*?</(?P=tag)>", re.DOTALL)
_GLUED = re.compile(r"[.;:?!)>]\s-\s.*|\| ?\|")


def meant(page: str) -> Counter[str]:
    """The list items, table rows and cells of a page, from its lines. A line that begins with a minus sign or a number in
    the middle of a paragraph is not an item.
    """
    lines = without_comments(code_blocks().put_aside(page)).split("\n")
    found = Counter(li=0, tr=0, td=0)
    for before, line in zip(["", *lines], lines):
        item = _ITEM.match(line)
        if item:
            introduced = "|.+:$" if item["indent"] else ""
            found["li"] += bool(re.match(rf"\s*$|{item['indent']}(  |(-|\d+\.) ){introduced}", before))
        if line.startswith("|") and not re.fullmatch(r"\|(:?-+:?\|)+", line.replace(" ", "")):
            found["tr"] += 1
            found["td"] += len(_CELL_END.findall(line))
    return found


def rendered(html: str) -> Counter[str]:
    return Counter({"li": html.count("<li>"), "tr": html.count("<tr>"), "td": len(re.findall("<t[dh][ >]", html))})


class RenderedTest(unittest.TestCase):
    def test_items_rows_and_cells_are_those_that_were_meant(self) -> None:
        pages = [ROOT / page for part in parts_of(Workbook(ROOT)) for page in part.pages]
        pages += sorted(ROOT.glob("solutions/*/*.md"))  # the hints
        texts = [page.read_text(encoding="utf-8") for page in pages]
        command = [python_of_book(), "-c", _RENDERED]
        printed = subprocess.run(command, input=json.dumps(texts), stdout=subprocess.PIPE, text=True, check=True).stdout
        wrong = []
        for page, text, html in zip(pages, texts, json.loads(printed)):
            name = page.relative_to(ROOT)
            if meant(text) != rendered(html):
                wrong.append(f"{name}: {dict(meant(text))} were meant, and {dict(rendered(html))} are rendered")
            wrong += [f"{name}: {found[0]}" for found in _GLUED.finditer(_HTML_CODE.sub("<code>", html))]
        self.assertEqual(wrong, [])


class LinksTest(unittest.TestCase):
    def test_linked_files(self) -> None:
        for page, files in (
            (f"[one](a.md#x) `[no](no.md)` ![p](p.svg)\n\n{FENCED}\n\n[b](https://b.c/) [d](#d)\n", ["a.md", "p.svg"]),
            ("`a [b](c.md)\nd` [e](f.md) `g`", ["f.md"]),  # code that goes on in the next line
        ):
            self.assertEqual(list(linked_files(page)), files)

    def test_moved_links(self) -> None:
        for page, moved in (
            ("[one](../a/README.md#x) and `[two](README.md)`", "[one](../a/README.md!x) and `[two](README.md)`"),
            ("[a](https://example.org/README.md#a) [b](mailto:a@example.org)", None),
            ("[a](#b) `[a](#b)`", "[a](!b) `[a](#b)`"),
        ):
            with self.subTest(page):
                self.assertEqual(with_links(page, lambda path, anchor: f"{path}!{anchor}"), moved or page)


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
        root = folder_of(self)
        file = root / "chapters/ch1_x/baselines/a.cu"
        file.parent.mkdir(parents=True)
        file.write_text(self.SOURCE, encoding="utf-8")
        sources, block = Sources(root), "```cuda baselines/a.cu\ntwo\nthree\n```"
        caption = '<p class="listing"><a href="baselines/a.cu.html#L-2">a.cu</a>, lines 2 to 3</p>'
        self.assertEqual(with_caption(block, "chapters/ch1_x", sources, root), f"{caption}\n\n{block}")
        for other in ("```cuda b.cu\ntwo\n```", "```\ntwo\n```", "```cuda baselines/a.cu\nsix\n```"):
            self.assertEqual(with_caption(other, "chapters/ch1_x", sources, root), other)
