"""Every link of the built book has a target in it, and nothing is fetched from other sites."""

from __future__ import annotations

import functools
import html.parser
import unittest
from pathlib import Path
from urllib.parse import unquote, urlsplit

from book.built import built_book, has_simulator
from support import ROOT

from cli.book.step_pages import stepped_stages
from cli.workbook import Workbook

_FETCHED = {("img", "src"), ("script", "src"), ("iframe", "src"), ("link", "href"), ("source", "src")}


class _Page(html.parser.HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.anchors.add(value)
            elif (tag, name) in _FETCHED and value:
                self.fetched.append(value)
            elif name == "href" and value:
                self.links.append(value)


@functools.lru_cache(maxsize=None)
def _read(file: Path) -> _Page:
    return _Page(file.read_text(encoding="utf-8"))


class LinksTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.site = built_book()
        cls.files = sorted(file for file in cls.site.rglob("*.html") if "_static" not in file.parts)

    def target(self, file: Path, link: str) -> tuple[Path, str] | None:
        """The file and the anchor of a link; None for a different site."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            return None
        path = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        return (path / "index.html" if path.is_dir() else path), unquote(parts.fragment)

    def test_links_have_targets(self) -> None:
        self.assertGreater(len(self.files), 200)
        wrong, checked = [], 0
        for file in self.files:
            for link in {*_read(file).links, *_read(file).fetched}:
                found = self.target(file, link)
                if not found or link in ("#", ""):
                    continue
                path, anchor = found
                checked += 1
                if not path.is_file() or (anchor and path.suffix == ".html" and anchor not in _read(path).anchors):
                    wrong.append(f"{file.relative_to(self.site)}: {link}")
        self.assertEqual(wrong, [])
        self.assertGreater(checked, 5000)

    def test_nothing_comes_from_another_site(self) -> None:
        for file in self.files:
            elsewhere = [
                link for link in _read(file).fetched if not link.startswith("data:") and self.target(file, link) is None
            ]
            self.assertEqual(elsewhere, [], file.name)

    def test_pages_of_the_repository_are_in_it_whole(self) -> None:
        folder = self.site / "chapters/ch3_transpose"
        files = [folder / "index.html", folder / "ADVANCED.html", *folder.glob("advanced-*.html")]
        core, *advanced = (file.read_text(encoding="utf-8") for file in files)
        self.assertIn("Stage 03", core)
        self.assertGreater(len(advanced), 15)
        self.assertEqual(sum("<h1>Stage 09" in page for page in advanced), 1)
        lesson = "".join([core, *advanced])
        self.assertNotIn("&lt;!--", lesson)
        self.assertNotIn("<!-- predict", lesson)
        stepped = [stage for stage in stepped_stages(Workbook(ROOT)) if stage.chapter == "ch3_transpose"]
        self.assertGreater(len(stepped), 10)
        self.assertEqual(lesson.count("<iframe"), len(stepped) if has_simulator() else 0)

    def test_no_reference_answer_is_in_it(self) -> None:
        self.assertEqual([file for file in self.files if "solutions" in file.parts], [])
