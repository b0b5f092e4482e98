"""The search: its index of the pages' sections, and its page in a real browser."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from book.built import pages_of
from book.test_in_browser import BookInBrowser

from cli.book.search_index import FILE, sections_of, write_index

PAGE = """<nav>Pages</nav><article role="main">
<section id="ch"><h1>Chapter 3<a class="headerlink" href="#ch">¶</a></h1>
<p>One <code>warp</code> <em>reads</em>.<br>Then it &amp; writes.</p><pre>out[i] = in[j];</pre>
<section id="s1"><h2>Stage 01: <code>naive</code></h2><p class="listing"><a>01.cu</a>, line 3</p>
<p>First.</p><details><summary>Answer</summary><p>Secret</p><details>42</details></details>
<div class="predict" hidden><form>Guess</form></div>
<div class="cost-strip"><p>The same in both</p></div><ul><li>last</li><li>words</li></ul>
<table><tr><td>1579 (0.50)</td><td>padded first</td></tr></table></section>
<section id="s2"><h2>Terms</h2>
<p><span id="term-sector"></span><strong>Sector.</strong> 32 <strong>bytes</strong>.</p><p>The end.</p></section>
</section></article><footer>Made with</footer>"""


def sections_in(script: str) -> list[list]:
    return json.loads(script.split(" = ", 1)[1].rstrip(";\n"))


class IndexTest(unittest.TestCase):
    def test_sections_have_their_own_text(self) -> None:
        self.assertEqual(
            [section.entry() for section in sections_of(PAGE)],
            [
                ["Chapter 3", "ch", "One warp reads. Then it & writes.", "out in"],
                ["Stage 01: naive", "s1", "First. last words", "cu line padded"],
                ["Terms", "s2", "The end.", ""],
                ["Sector", "term-sector", "32 bytes.", ""],
            ],
        )

    def test_the_index_is_a_script(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            site = Path(folder)
            (site / "a.html").write_text(PAGE, encoding="utf-8")
            write_index(site, ["a.html"])
            script = (site / FILE).read_text(encoding="utf-8")
        self.assertTrue(script.startswith("window.workbookSections = [[\"a.html\",["), script)
        self.assertEqual(len(sections_in(script)[0]), 5)


class SearchTest(BookInBrowser):
    """From the web server; and from a file, where a page can load scripts but cannot fetch."""

    def places(self) -> list[str]:
        return [self.address, self.site.resolve().as_uri() + "/"]

    def search(self, words: str, address: str = "") -> list[dict[str, str]]:
        self.browser.open_address((address or self.address) + "search.html?q=" + words.replace(" ", "+"))
        self.assertEqual(self.browser.errors, [])
        return self.evaluate(  # type: ignore[return-value]
            "[...document.querySelectorAll('#search-results li')].map((row) => ({"
            "title: row.querySelector('a').textContent, link: row.querySelector('a').href, page: row.querySelector('span')?.textContent ?? '',"
            "text: row.querySelector('p').textContent,"
            "marked: [...row.querySelectorAll('p mark')].map((mark) => mark.textContent).join(' ')}))"
        )

    def test_results_are_sections(self) -> None:
        for address in self.places():
            with self.subTest(address):
                found = self.search("bank conflict", address)
                self.assertEqual(len(found), 20)
                self.assertEqual((found[0]["title"], found[0]["page"]), ("Bank conflict", "Glossary"))
                self.assertIn("conflict", found[1]["title"])  # the words are in the title
                for one in found:
                    self.assertRegex(one["link"], r"\.html#.+")
                    self.assertLess(len(one["text"]), 260)
                    self.assertRegex(one["title"] + one["marked"], "(?i)bank.*conflict|conflict.*bank")
                self.assertNotRegex(" ".join(self.browser.requests), "searchindex|searchtools")

    def test_all_words_are_needed(self) -> None:
        both = self.search("barrier tile")
        self.assertGreater(len(both), 0)
        self.assertEqual(self.search("barrier zyzzyva"), [])
        self.assertIn("No section has", str(self.evaluate("document.getElementById('search-status').textContent")))
        (race,) = [one for one in self.search("chapter 3 race") if "ex3_find_the_race" in one["title"]]
        self.assertEqual(race["page"], "Chapter 3: matrix transpose")

    def test_results_name_the_chapter(self) -> None:
        (stage,) = [one for one in self.search("stage 09 sector-aligned") if one["title"].startswith("Stage 09: sector")]
        self.assertRegex(stage["page"], "^Chapter 3")
        pages = [one["page"] for one in self.search("chapter course")]
        self.assertEqual([one for one in pages if len(set(one.split(" › "))) < len(one.split(" › "))], [])

    def test_words_match_from_their_start_and_in_other_forms(self) -> None:
        self.assertNotRegex(json.dumps([one["marked"] for one in self.search("race")]), "(?i)[a-z]race")
        self.assertEqual(self.search("coalescing")[0]["title"], "Coalesced access")
        self.assertTrue(self.search("yncthread"))  # no word starts with it

    def test_answers_and_tables_are_not_shown(self) -> None:
        answers = "[...document.querySelectorAll('article details')].filter((one) => /^Answer/.test(one.textContent.trim()))"
        answer = str(self.evaluate(f"{answers}[0].querySelector('p').textContent"))
        words = " ".join(answer.split()[:8])
        self.assertGreater(len(words), 20)
        script = (self.site / FILE).read_text(encoding="utf-8")
        self.assertNotIn(words, " ".join(script.split()))
        self.assertLess(len(script.encode()), 900_000)
        titles = {entries[1][0] for entries in sections_in(script)}
        self.assertIn("Glossary", titles)
        self.assertNotIn("01_naive.cu", titles)
        for one in self.search("padded"):
            self.assertNotIn("1579", one["text"])  # from a table of results

    def test_with_the_keyboard(self) -> None:
        for address in self.places():
            with self.subTest(address):
                self.browser.open_address(address + "docs/setup.html")
                self.evaluate("document.querySelector('.sidebar-search').focus()")
                self.type("tile")
                self.browser.press("Enter")
                self.wait_for("document.querySelector('#search-results a') !== null")
                self.assertEqual(self.evaluate("document.activeElement.name"), "q")
                self.type(" barrier")
                self.browser.press("ArrowDown", 2)
                second = "document.querySelectorAll('#search-results a')[1]"
                self.assertTrue(self.evaluate(f"document.activeElement === {second}"))
                self.wait_for("location.search === '?q=tile%20barrier'")
                link = self.evaluate(f"{second}.href")
                self.browser.press("Enter")
                self.wait_for(f"location.href === {json.dumps(link)} && document.querySelector(':target') !== null")
                self.assertEqual(self.browser.errors, [])

    def test_the_links_lead_to_sections(self) -> None:
        script = (self.site / FILE).read_text(encoding="utf-8")
        for page, *entries in sections_in(script):
            text = (self.site / page).read_text(encoding="utf-8")
            self.assertEqual([anchor for _, anchor, _, _ in entries if f'id="{anchor}"' not in text], [], page)
            self.assertIn(page, pages_of(self.site))
