"""How the book's pages look: pictures in both themes, sources, tables of results, and paper."""

from __future__ import annotations

from pathlib import Path

from book.built import pages_of
from book.test_in_browser import LESSON, BookInBrowser

SOURCE = "chapters/ch3_transpose/02_localmem.cu.html"
_RESULT = " (0."  # in a cell such as "1579 (0.50)"
_LIMIT = 4.5  # the contrast of texts, according to WCAG AA
# The contrasts of the texts that are too low, with their colours.
_LOW_CONTRASTS = """(selector) => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (colour) => numbers(colour).slice(0, 3).map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, n) => sum + one * [0.2126, 0.7152, 0.0722][n], 0);
  const paper = (one) => {
    while (one && numbers(getComputedStyle(one).backgroundColor)[3] === 0) one = one.parentElement;
    return one ? getComputedStyle(one).backgroundColor : "rgb(255, 255, 255)";
  };
  const low = new Set();
  for (const one of document.querySelectorAll(selector)) {
    if (!one.textContent.trim()) continue;
    const [a, b] = [light(getComputedStyle(one).color), light(paper(one))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < LIMIT) low.add(`${one.className} ${getComputedStyle(one).color} ${contrast.toFixed(2)}`);
  }
  return [...low];
}""".replace("LIMIT", str(_LIMIT))


def page_with_results(site: Path) -> str:
    pages = [page for page in pages_of(site) if page.startswith("chapters/ch3_transpose/")]
    return max(pages, key=lambda page: (site / page).read_text(encoding="utf-8").count(_RESULT))


class PicturesTest(BookInBrowser):
    # The colour of the card's corner, as the browser draws it: no script can read the pixels of a picture of a file.
    paper = (
        "(async () => { const image = document.querySelector('.picture img[src$=\".svg\"]'); await image.decode();"
        "const canvas = document.createElement('canvas'); const pen = canvas.getContext('2d');"
        "canvas.width = image.naturalWidth; canvas.height = image.naturalHeight;"
        "pen.drawImage(image, 0, 0); return [...pen.getImageData(20, 20, 1, 1).data].slice(0, 3); })()"
    )

    def test_pictures_follow_the_theme_of_the_page(self) -> None:
        for system in ("light", "dark"):
            for theme, dark in (("light", False), ("dark", True), ("auto", system == "dark")):
                with self.subTest(system=system, theme=theme):
                    self.browser.prefer(prefers_color_scheme=system)
                    self.evaluate(f"document.body.dataset.theme = '{theme}'")
                    scheme = "getComputedStyle(document.querySelector('.picture img')).colorScheme"
                    self.assertEqual(self.evaluate(scheme), "normal" if theme == "auto" else theme)
                    self.assertEqual(self.evaluate(self.paper), [22, 27, 34] if dark else [255, 255, 255])

    def test_a_narrow_page_scrolls_its_pictures(self) -> None:
        self.browser.resize(390)
        box = "document.querySelector('.picture')"
        self.assertGreaterEqual(self.evaluate(f"{box}.querySelector('img').offsetWidth"), 600)
        self.assertTrue(self.evaluate(f"{box}.scrollWidth > {box}.clientWidth"))
        self.assertTrue(self.fits())


class SourcesTest(BookInBrowser):
    def test_100_columns_fit(self) -> None:
        self.open(SOURCE)
        for width in (1280, 1366, 1600, 1920):
            self.browser.resize(width)
            fits = (
                "(() => { const block = document.querySelector('.source-file pre');"
                "const line = block.querySelector('span[id]').cloneNode(true); block.append(line);"
                "line.replaceChildren(line.querySelector('.linenos'), 'x'.repeat(100));"
                "const fits = block.scrollWidth <= block.clientWidth; line.remove(); return fits; })()"
            )
            self.assertTrue(self.evaluate(fits), width)
            size = "parseFloat(getComputedStyle(document.querySelector('.source-file pre')).fontSize)"
            self.assertTrue(self.evaluate(f"12 <= {size} && {size} < 14"), width)

    def test_code_has_enough_contrast(self) -> None:
        self.open(SOURCE)
        self.evaluate("document.querySelector('details').open = true")
        for theme in ("light", "dark"):
            self.evaluate(f"document.body.dataset.theme = '{theme}'")
            self.assertEqual(self.evaluate(f"({_LOW_CONTRASTS})('.highlight pre span, .linenos')"), [], theme)


class TablesTest(BookInBrowser):
    def test_results_stay_on_one_line(self) -> None:
        self.open(page_with_results(self.site))
        for width in (390, 1280):
            self.browser.resize(width)
            result = "/^\\d+ \\(0\\.\\d+\\)$/"
            cells = f"[...document.querySelectorAll('td')].filter((cell) => {result}.test(cell.innerText.trim()))"
            heights = self.evaluate(f"{cells}.map((cell) => cell.querySelector('p').getClientRects()[0].height)")
            self.assertGreater(len(heights), 20)  # type: ignore[arg-type]
            self.assertEqual(len(set(heights)), 1, set(heights))  # type: ignore[arg-type,call-overload]
            self.assertTrue(self.fits())


class PaperTest(BookInBrowser):
    def tearDown(self) -> None:
        self.browser.call("Emulation.setEmulatedMedia", media="")

    def test_folds_are_open_on_paper_only(self) -> None:
        closed = "document.querySelectorAll('article details:not([open])').length"
        before = self.evaluate(closed)
        self.evaluate(f"addEventListener('beforeprint', () => {{ window.closedOnPaper = {closed}; }})")
        self.browser.call("Page.printToPDF")
        self.assertEqual(self.evaluate("window.closedOnPaper"), 0)
        self.assertEqual(self.evaluate(closed), before)

    def test_only_the_text_is_printed(self) -> None:
        for page in (LESSON, page_with_results(self.site), SOURCE):
            self.open(page)
            self.browser.call("Emulation.setEmulatedMedia", media="print")
            self.browser.resize(700)  # A4 without its margins
            seen = (
                "[...document.querySelectorAll('.skip-to-content, .sidebar-drawer, .toc-drawer, .mobile-header, button,"
                "footer, .predict, .back-to-top')].filter((one) => one.checkVisibility()).map((one) => one.className)"
            )
            self.assertEqual(self.evaluate(seen), [])
            self.assertLess(self.evaluate("document.querySelector('h1').getBoundingClientRect().top"), 100)
            cut = (
                "[...document.querySelectorAll('article pre, .table-wrapper, article img')]"
                ".filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent.slice(0, 80))"
            )
            self.assertEqual(self.evaluate(cut), [], page)
