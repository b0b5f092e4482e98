"""The book in a real browser, from its web server. The tests need Chromium and the book's packages."""

from __future__ import annotations

import contextlib
import json
import time
import unittest

from support import ROOT

from book.built import built_book, has_simulator, pages_of, served
from exercises.test_predict import HOW_WRONG, KILOBYTES
from exercises.test_typed_answers import EITHER, RIGHT, WRONG
from stepping.in_browser import InBrowser
from cli.book.advanced_pages import divided
from cli.book.pages import name_in_book, parts_of, read_page
from cli.exercises.predictions import Number
from cli.exercises.typed_answers import TypedError, typed_numbers
from cli.workbook import Workbook

LESSON = "chapters/ch3_transpose/index.html"
_WAIT_LIMIT_S = 20
# The fields of the lesson's first question with a number.
_NUMBER = "[...document.querySelectorAll('.predict-question')].find((form) => form.elements.answer.type === 'text')"
_ANSWER_OF = f"{_NUMBER}.closest('.predict').nextElementSibling"


class BookInBrowser(InBrowser):
    @classmethod
    def setUpClass(cls) -> None:
        cls.site = built_book()
        super().setUpClass()
        cls.address = cls.stack.enter_context(served(cls.site))

    def setUp(self) -> None:
        super().setUp()
        self.open(LESSON)
        self.evaluate("localStorage.clear()")

    def open(self, page: str) -> None:
        self.browser.open_address(self.address + page)

    def evaluate(self, expression: str) -> object:
        return self.browser.evaluate(expression)

    def wait_for(self, expression: str) -> None:
        """Waits until the expression is true, possibly in the next page."""
        limit_s = time.monotonic() + _WAIT_LIMIT_S
        while time.monotonic() < limit_s:
            with contextlib.suppress(RuntimeError):  # the page is being replaced
                if self.evaluate(expression):
                    return
            time.sleep(0.05)
        self.fail(f"not within {_WAIT_LIMIT_S} s: {expression}")

    def type(self, text: str) -> None:
        for character in text:
            self.browser.press(character)


class EveryPageTest(BookInBrowser):
    def test_no_complaint_and_no_sideways_scrolling(self) -> None:
        """Every lesson and page, and one in twelve of the sources, which are all similar."""
        pages = pages_of(self.site)
        sources = [page for page in pages if page.endswith((".cu.html", ".h.html", ".cpp.html"))]
        self.assertGreater(len(sources), 100)
        wrong = []
        for page in sorted({*pages} - {*sources}) + sources[::12]:
            self.browser.resize(360)
            self.open(page)
            wide = [width for width in (360, 1600) if not self.fits(width)]
            if self.browser.errors or wide:
                wrong.append((page, self.browser.errors, wide))
            elsewhere = [one for one in self.browser.requests if not one.startswith((self.address, "data:"))]
            self.assertEqual(elsewhere, [], page)
        self.assertEqual(wrong, [])


class ReadingTest(BookInBrowser):
    def test_pages_are_in_the_order_of_the_course(self) -> None:
        whole = [page for part in parts_of(Workbook(ROOT)) for page in part.pages]
        pieces = [piece.path for page in whole for piece in divided(page, read_page(ROOT, page))]
        pages = [name_in_book(page).replace(".md", ".html") for page in pieces]
        self.open("index.html")
        turned = []
        for page in pages:
            turned.append(str(self.evaluate("document.querySelector('.next-page')?.href")).removeprefix(self.address))
            self.open(page)
        self.assertEqual(turned, pages)
        back = self.evaluate("document.querySelector('.prev-page').href")
        self.assertEqual(back, self.address + pages[-2])

    def test_dark_and_light(self) -> None:
        paper = "getComputedStyle(document.body).backgroundColor"
        light = self.evaluate(paper)
        self.browser.prefer(prefers_color_scheme="dark")
        dark = self.evaluate(paper)
        self.assertNotEqual(dark, light)
        self.browser.prefer()
        seen = set()
        for _ in range(3):
            self.evaluate("[...document.querySelectorAll('.theme-toggle')].find((one) => one.offsetWidth).click()")
            seen.add(self.evaluate(paper))
        self.assertEqual(seen, {light, dark})

    def test_a_term_explains_itself(self) -> None:
        self.evaluate("document.querySelector(\"a.term[data-term='Sector']\").focus()")
        self.wait_for("!document.getElementById('term-tip').hidden")
        tip = str(self.evaluate("document.getElementById('term-tip').textContent"))
        self.assertIn("the smallest amount that is transferred", tip)
        self.browser.press("Escape")
        self.assertTrue(self.evaluate("document.getElementById('term-tip').hidden"))
        self.evaluate("document.activeElement.blur()")
        middle = self.evaluate(
            "(() => { const term = document.querySelector(\"a.term[data-term='Warp']\");"
            "term.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const box = term.getClientRects()[0]; return [box.x + box.width / 2, box.y + box.height / 2]; })()"
        )
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=middle[0], y=middle[1])
        self.wait_for("document.getElementById('term-tip').textContent.startsWith('Warp.')")
        self.assertFalse(self.evaluate("document.getElementById('term-tip').hidden"))

    def test_code_can_be_copied_and_links_to_its_line(self) -> None:
        blocks = self.evaluate("document.querySelectorAll('div.highlight pre').length")
        self.assertEqual(self.evaluate("document.querySelectorAll('button.copybtn').length"), blocks)
        self.evaluate("document.querySelector('p.listing a').click()")
        self.wait_for("location.pathname.endsWith('01_naive.cu.html') && document.querySelector(':target') !== null")
        line = str(self.evaluate("location.hash")).removeprefix("#L-")
        text = str(self.evaluate("document.querySelector(':target').textContent"))
        source = (ROOT / "chapters/ch3_transpose/01_naive.cu").read_text(encoding="utf-8").splitlines()
        self.assertEqual(text.split(maxsplit=1), [line, f"{source[int(line) - 1].strip()}\n"])


class LandingTest(BookInBrowser):
    lit = "[...document.querySelectorAll('.touched')].filter((one) => getComputedStyle(one).opacity > 0.9).length"

    def test_it_is_one_screen(self) -> None:
        self.browser.resize(1280, 800)
        self.open("index.html")
        self.assertLessEqual(self.evaluate("document.documentElement.scrollHeight"), 800)
        self.assertEqual(self.evaluate("document.querySelectorAll('.progressions > div').length"), 4)
        tops = self.evaluate("[...document.querySelectorAll('.progressions > div')].map((one) => one.offsetTop)")
        self.assertEqual(len(set(tops)), 1)

    def test_the_picture_moves_and_can_be_paused(self) -> None:
        self.open("index.html")
        self.wait_for(f"{self.lit} > 0 && {self.lit} < 64")
        self.evaluate("document.getElementById('landing-pause').click()")
        paused = self.evaluate("new Promise((done) => setTimeout(done, 100))") or self.evaluate(self.lit)
        self.evaluate("new Promise((done) => setTimeout(done, 700))")
        self.assertEqual(self.evaluate(self.lit), paused)
        self.evaluate("document.getElementById('landing-pause').click()")
        self.wait_for(f"{self.lit} !== {paused}")

    def test_without_motion_it_shows_the_end(self) -> None:
        self.browser.prefer(prefers_reduced_motion="reduce")
        self.open("index.html")
        self.assertEqual(self.evaluate(self.lit), 64)
        self.assertFalse(self.evaluate("document.getElementById('landing-pause').checkVisibility()"))

    def test_buttons(self) -> None:
        for button, path in ((1, "docs/first_hour.html"), (2, LESSON)):
            self.open("index.html")
            self.evaluate(f"document.querySelector('.landing-buttons a:nth-child({button})').click()")
            self.wait_for(f"location.pathname.endsWith({path!r})")
        if has_simulator():
            self.wait_for("document.getElementById('steps-ch3_transpose_naive').open")


class StructureTest(BookInBrowser):
    ADVANCED = "chapters/ch3_transpose/ADVANCED.html"
    STAGE = "chapters/ch3_transpose/advanced-stage-06.html"

    def is_at(self, page: str) -> None:
        self.wait_for(f"location.href.startsWith({(self.address + page)!r}) && document.readyState === 'complete'")

    def test_old_links_to_sections_of_advanced_pages(self) -> None:
        self.open(f"{self.ADVANCED}#the-stages")
        self.assertTrue(str(self.evaluate("location.pathname")).endswith("ADVANCED.html"))
        self.evaluate("location.hash = '#stage-06-tile-order'")
        self.is_at(self.STAGE)
        self.assertIn("Stage 06: tile order", str(self.evaluate("document.querySelector('h1').textContent")))
        self.assertTrue(str(self.evaluate("document.title")).startswith("Stage 06: tile order · Chapter 3, advanced"))
        exercise = "exercise-2-a-tile-without-bank-conflicts-ex2"
        for end in ("_swizzledcu", "-swizzled-cu"):  # the anchor on the repository's page, and the id in the site
            self.browser.call("Page.navigate", url=f"{self.address}{self.ADVANCED}#{exercise}{end}")
            self.is_at(f"chapters/ch3_transpose/advanced-stage-04b.html#{exercise}{end}")
        self.wait_for("document.querySelector(':target h2')?.textContent.startsWith('Exercise 2')")

    def test_the_sidebar_shows_the_page(self) -> None:
        self.open(self.STAGE)
        names = "[...document.querySelectorAll('.sidebar-tree .caption')].map((one) => one.textContent.trim())"
        captions = self.evaluate(names)
        self.assertEqual(captions[1:4], ["Core path", "Advanced path and projects", "Reference"])
        place = "document.querySelector('.sidebar-tree .current-page').getBoundingClientRect()"
        self.assertTrue(self.evaluate(f"{place}.top > 0 && {place}.bottom < innerHeight"))

    def test_arrow_keys_turn_pages(self) -> None:
        self.open(self.STAGE)
        self.browser.press("ArrowRight")
        self.is_at("chapters/ch3_transpose/advanced-stage-07.html")
        self.browser.press("ArrowLeft")
        self.is_at(self.STAGE)

    def test_arrow_keys_that_do_something_else(self) -> None:
        """In a field and on a block that scrolls, with a modifier, and where a script has used the key."""
        self.evaluate("window.isStill = true")
        for key in ("ArrowRight", "ArrowLeft"):
            self.evaluate(f"{_NUMBER}.elements.answer.focus()")
            self.browser.press(key)
            self.evaluate(
                "(() => { const block = document.querySelector('pre'); block.style.width = '9em';"
                "block.tabIndex = 0; block.focus(); })()"
            )
            self.browser.press(key)
            self.evaluate("document.activeElement.blur()")
            for modifier in ("altKey", "ctrlKey", "metaKey", "shiftKey"):
                pressed = f"new KeyboardEvent('keydown', {{key: '{key}', bubbles: true, {modifier}: true}})"
                self.evaluate(f"document.body.dispatchEvent({pressed})")
            self.evaluate("addEventListener('keydown', (event) => event.preventDefault(), {capture: true, once: true})")
            self.browser.press(key)
        self.evaluate("new Promise((done) => setTimeout(done, 300))")
        self.assertTrue(self.evaluate("window.isStill"))


class PredictTest(BookInBrowser):
    """The lesson's first question with a number: the share that follows from the sectors."""

    def answer(self, text: str) -> str:
        self.evaluate(f"{_NUMBER}.elements.answer.value = {text!r}; {_NUMBER}.requestSubmit()")
        return str(self.evaluate(f"{_NUMBER}.querySelector('.predict-verdict').textContent"))

    def is_open(self) -> bool:
        return bool(self.evaluate(f"{_ANSWER_OF}.open"))

    def open_answer(self) -> None:
        self.evaluate(f"{_ANSWER_OF}.querySelector('summary').click()")

    def test_a_wrong_answer_and_then_a_right_one(self) -> None:
        self.assertFalse(self.is_open())
        self.assertRegex(self.answer("0.5"), r"^No: too high, .*\. A write request touches far more .* Try again, or open")
        self.assertFalse(self.is_open())
        self.assertEqual(self.answer("0.22"), "Right: 0.22, as the simulator counts.")
        self.assertTrue(self.is_open())

    def test_the_answer_opens_only_after_a_guess(self) -> None:
        self.open_answer()
        self.assertFalse(self.is_open())
        self.assertEqual(self.evaluate("document.activeElement.name"), "answer")
        self.answer("7")
        self.open_answer()
        self.assertTrue(self.is_open())

    def test_the_answer_can_be_opened_without_the_question(self) -> None:
        self.evaluate(f"{_NUMBER}.closest('.predict').querySelector('.predict-open').click()")
        self.assertTrue(self.is_open())

    def test_invalid_answers_get_a_message(self) -> None:
        self.assertIn("Type an answer first", self.answer(" "))
        self.assertIn("is not a number. Type one, such as", self.answer("many"))
        self.assertFalse(self.is_open())

    def test_answers_are_remembered(self) -> None:
        self.answer("0.22")
        self.open(LESSON)
        verdict = self.evaluate(f"{_NUMBER}.querySelector('.predict-verdict').textContent")
        self.assertIn("You have answered this before", str(verdict))
        self.assertFalse(self.is_open())
        self.open_answer()
        self.assertTrue(self.is_open())

    def test_a_choice(self) -> None:
        form = "document.querySelector('.predict-question fieldset').form"
        right = int(self.evaluate(f"JSON.parse({form}.dataset.question).right"))
        verdict = f"{form}.querySelector('.predict-verdict').textContent"
        self.evaluate(f"{form}.requestSubmit()")
        self.assertEqual(self.evaluate(verdict), "Choose one of the options.")
        for option, words in ((1 - right if right < 2 else 0, "No: "), (right, "Right: ")):
            self.evaluate(f"{form}.querySelectorAll('input')[{option}].checked = true; {form}.requestSubmit()")
            self.assertTrue(str(self.evaluate(verdict)).startswith(words))

    def test_answers_are_judged_as_by_the_command(self) -> None:
        words = [typed for typed, *_ in (*RIGHT, *EITHER, *WRONG)]
        words += ["1,02", "10^3 / 8", "0,5", "4 KB", "7 sector", "> 5", "less than 5", "+ 3", "9" * 60, "12.", "five"]
        words += ["2 ^ 0.5", "100 per cent", "1,000,000 * 2", "10^999", "a half", "5 s", "3 kilobytes"]
        for unit in ("", "sectors", "times", "%", "KB", "ms", "billion pairs", "of the pairs"):
            asked = f"{json.dumps(words)}.map((text) => workbookAnswers.typedNumbers(text, {json.dumps(unit)}))"
            found = self.evaluate(asked)
            for text, answer in zip(words, found):
                with self.subTest(text=text, unit=unit):
                    try:
                        self.assertEqual(answer, {"values": list(typed_numbers(text, unit))})
                    except TypedError as error:
                        self.assertEqual(answer, {"problem": str(error)})

    def test_tolerance_of_answers(self) -> None:
        questions = [
            (Number("", "", "0.22", "", ""), 0.2222),
            (Number("", "", "12", "", ""), 12.0),
            (Number("", "", "1,200", "", ""), 1234.0),
            (Number("", "", "180", "ms", "", share=0.2), 175.0),
            (Number("", "", "8", "times", "", factor=2.0), 7.5),
        ]
        for question, value in questions:
            rounding = 0.0 if question.is_exact(value) else question.rounding
            data = {"value": value, "share": question.share, "factor": question.factor, "rounding": rounding}
            for share in (0.4, 0.5, 0.79, 0.81, 0.98, 0.999, 1.0, 1.0004, 1.02, 1.19, 1.21, 1.99, 2.01):
                typed = share * value
                right = self.evaluate(f"workbookAnswers.isRight({typed!r}, {json.dumps(data)})")
                self.assertEqual(right, question.is_right(typed, value), (question, typed))

    def test_messages_for_wrong_numbers(self) -> None:
        data = {"value": 64.0, "usual": KILOBYTES.usual}
        for readings, words in HOW_WRONG:
            said = self.evaluate(f"workbookAnswers.howWrong({json.dumps(readings)}, {json.dumps(data)})")
            self.assertEqual(said, words)

    def test_without_scripts_answers_are_folds(self) -> None:
        with self.without_scripts():
            self.open(LESSON)
            self.assertFalse(self.evaluate("document.querySelector('.predict').checkVisibility()"))
            self.open_answer()
            self.assertTrue(self.is_open())


class KeyboardTest(BookInBrowser):
    def tab_to(self, expression: str) -> None:
        for _ in range(60):
            if self.evaluate(f"document.activeElement === {expression}"):
                return
            self.browser.press("Tab")
        self.fail(f"the Tab key does not come to {expression}")

    def test_a_question_and_its_answer(self) -> None:
        self.evaluate("document.querySelector('.predict').previousElementSibling.scrollIntoView()")
        self.evaluate(
            "(() => { const before = document.querySelector('.predict').previousElementSibling;"
            "before.tabIndex = -1; before.focus(); })()"
        )
        self.tab_to(f"{_NUMBER}.elements.answer")
        self.type("0.22")
        self.browser.press("Enter")
        self.assertTrue(self.evaluate(f"{_ANSWER_OF}.open"))
        self.tab_to(f"{_ANSWER_OF}.querySelector('summary')")
        self.browser.press("Enter")
        self.assertFalse(self.evaluate(f"{_ANSWER_OF}.open"))

    def test_hints_open_one_by_one(self) -> None:
        fold = "document.querySelector('.hints')"
        self.evaluate(f"{fold}.querySelector('summary').focus()")
        self.browser.press("Enter")
        self.assertTrue(self.evaluate(f"{fold}.open"))
        shown = f"[...{fold}.querySelectorAll('details')].filter((one) => one.checkVisibility()).length"
        first = self.evaluate(shown)
        self.tab_to(f"{fold}.querySelector('details').querySelector('summary')")
        self.browser.press("Enter")
        inner = f"{fold}.querySelector('details')"
        self.assertTrue(self.evaluate(f"{inner}.open"))
        self.assertFalse(self.evaluate(f"{inner}.querySelector('details').open"))
        self.assertEqual(self.evaluate(shown), first + 1)

    def test_from_the_start_of_a_page(self) -> None:
        self.open("index.html")
        seen = set()
        for _ in range(40):
            self.browser.press("Tab")
            seen.add(self.evaluate("document.activeElement.className || document.activeElement.textContent.trim()"))
        self.assertTrue(any("sidebar-search" in str(one) for one in seen), seen)
        self.assertTrue(any("reference internal" in str(one) for one in seen), seen)


@unittest.skipUnless(has_simulator(), "needs build/ to be the build folder with the simulator")
class StepsTest(BookInBrowser):
    frame = "document.querySelector('#steps-ch3_transpose_localmem iframe')"

    def setUp(self) -> None:
        super().setUp()
        self.assertEqual([one for one in self.browser.requests if "/steps/" in one], [])  # none until it is opened
        self.evaluate("document.querySelector('#steps-ch3_transpose_localmem').open = true")
        self.evaluate(f"{self.frame}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        self.wait_for(f"{self.frame}.contentDocument.querySelector('.stepper .sentence')?.textContent")

    def test_a_stage_is_stepped_through_in_its_section(self) -> None:
        heading = f"{self.frame}.closest('section').querySelector('h2').textContent"
        self.assertTrue(str(self.evaluate(heading)).startswith("Stage 02"))
        self.evaluate(f"{self.frame}.contentDocument.querySelector('.forward').click()")
        self.assertEqual(self.evaluate(f"{self.frame}.contentDocument.querySelector('.stepper').dataset.step"), "1")
        self.evaluate(f"{self.frame}.contentDocument.querySelector('.to-costliest').click()")
        self.assertEqual(self.evaluate(f"{self.frame}.contentDocument.querySelector('.stepper').dataset.units"), "32")
        self.assertEqual(self.browser.errors, [])

    def test_it_is_as_dark_as_the_page(self) -> None:
        paper = f"{self.frame}.contentWindow.getComputedStyle({self.frame}.contentDocument.body).backgroundColor"
        seen = {}
        for theme in ("light", "dark"):
            self.evaluate(f"document.body.dataset.theme = '{theme}'")
            self.evaluate("new Promise((done) => setTimeout(done, 200))")
            seen[theme] = self.evaluate(paper)
        self.assertEqual(seen, {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"})

    def test_it_fits_a_narrow_page(self) -> None:
        self.browser.resize(360)
        self.assertTrue(self.fits())
        inner = f"{self.frame}.contentDocument.documentElement"
        self.assertTrue(self.evaluate(f"{inner}.scrollWidth <= {inner}.clientWidth"))
