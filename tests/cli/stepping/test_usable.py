"""A large page in a real browser: its speed, sizes, keys and colours."""

from __future__ import annotations

import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

from stepping.in_browser import MOST_BYTES, InBrowser
from stepping.pages import large_run, write_page
from stepping.support import recorded, report_text, traced, values_of
from support import access

STEP_LIMIT_MS = 16


class UsableTest(InBrowser):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.page = write_page(cls.folder / "large.html", large_run())

    def setUp(self) -> None:
        super().setUp()
        self.open(self.page)

    def test_a_step_takes_less_than_a_frame(self) -> None:
        self.assertLess(self.page.stat().st_size, MOST_BYTES)
        self.assertIn("of 10,000", self.text(".position"))
        before_s = self.browser.busy_s()
        self.browser.press("ArrowRight", times=50)
        took_ms = 1000 * (self.browser.busy_s() - before_s)
        self.assertEqual(self.data("step"), "50")
        self.assertLess(took_ms / 50, STEP_LIMIT_MS)

    def test_narrow_and_wide(self) -> None:
        for width in (360, 768, 1600):
            with self.subTest(width):
                self.browser.resize(width)
                self.open(self.page)
                self.assertTrue(self.fits())
                for button in (".play", ".forward", ".to-costliest", ".slider"):
                    box = self.browser.evaluate(
                        f"(({{left, right, width}}) => [left >= 0, right <= {width}, width > 0])"
                        f"(document.querySelector('{button}').getBoundingClientRect())"
                    )
                    self.assertEqual(box, [True, True, True], button)

    def test_a_phone(self) -> None:
        self.browser.resize(390, 844)
        self.open(self.page)
        self.assertTrue(self.fits())
        self.assertLess(self.rectangle(".memories")["top"], 500)
        sizes = self.browser.evaluate(
            "[...document.querySelectorAll('button:not(.heat), select, summary, .slider')]"
            ".filter((of) => of.offsetWidth).map((of) => [of.className || of.tagName, of.offsetWidth, of.offsetHeight])"
        )
        self.assertGreater(len(sizes), 10)
        self.assertEqual([size for size in sizes if min(size[1:]) < 32], [])

    def test_the_gutter_fits_its_costs(self) -> None:
        cut = "[...document.querySelectorAll('.heat')].filter((of) => of.scrollWidth > of.clientWidth).length"
        self.assertEqual(self.browser.evaluate(cut), 0)

    def test_only_accesses_have_a_colour(self) -> None:
        """The current line, the gutter and the slider are grey: the difference of their channels is small."""
        for theme in ("light", "dark"):
            self.browser.prefer(prefers_color_scheme=theme)
            self.open(self.page)
            for name in ("here", "heat", "heat-ideal", "idle", "meet", "quiet"):
                with self.subTest(theme=theme, name=name):
                    text = f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()"
                    channels = bytes.fromhex(self.browser.evaluate(text)[1:])
                    self.assertLess(max(channels) - min(channels), 34)
            self.assertEqual(
                self.browser.evaluate("getComputedStyle(document.querySelector('.slider')).accentColor"),
                self.browser.evaluate("getComputedStyle(document.querySelector('.position')).color"),
            )

    def test_the_keyboard_suffices(self) -> None:
        focused = set()
        for _ in range(30):
            self.browser.press("Tab")
            focused.add(self.browser.evaluate("document.activeElement.className || document.activeElement.tagName"))
        self.assertLessEqual({"kernel", "to-costliest", "play", "forward", "slider", "SUMMARY"}, focused)
        self.assertTrue(any("heat" in name for name in focused))
        self.browser.evaluate("document.querySelector('.lines').focus()")
        for key, step in (("End", "9999"), ("ArrowLeft", "9998"), ("Home", "0"), ("PageDown", "32"), ("PageUp", "0")):
            self.browser.press(key)
            self.assertEqual(self.data("step"), step, key)

    def test_a_button_acts_by_key(self) -> None:
        self.browser.evaluate("document.querySelector('.forward').focus()")
        self.browser.press("Enter")
        self.assertEqual(self.data("step"), "1")

    def test_playing_and_pausing(self) -> None:
        self.browser.evaluate("document.querySelector('.speed').value = 'fast'")
        self.browser.press(" ")
        self.assertEqual(self.text(".play"), "Pause")
        self.browser.evaluate("new Promise((done) => setTimeout(done, 500))")
        self.browser.press(" ")
        self.assertEqual(self.text(".play"), "Play")
        self.assertGreater(int(self.data("step")), 0)

    def test_a_line_leads_to_its_steps(self) -> None:
        self.browser.evaluate("document.querySelectorAll('button.heat')[1].click()")
        self.assertEqual(self.data("step"), "1")
        self.assertEqual(self.text("[aria-current=step] .number"), "4")

    def test_without_colour_steps_still_differ(self) -> None:
        """They differ in brightness, and for a screen reader."""
        brightness = (
            "[...document.querySelectorAll('canvas')].map((canvas) => {"
            "const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); const sums = [];"
            "for (let i = 0; i < data.length; i += 4)"
            "  sums.push(Math.round((2 * data[i] + 5 * data[i + 1] + data[i + 2]) / 256));"
            "return sums.join(''); }).join()"
        )
        labels = "[...document.querySelectorAll('canvas')].map((canvas) => canvas.getAttribute('aria-label')).join()"
        seen, read = set(), set()
        for _ in range(3):
            seen.add(self.browser.evaluate(brightness))
            read.add(self.browser.evaluate(labels) + self.text(".sentence"))
            self.browser.press("ArrowRight")
        self.assertEqual((len(seen), len(read)), (3, 3))

    def test_reduced_motion(self) -> None:
        self.browser.prefer(prefers_reduced_motion="reduce")
        self.open(self.page)
        self.browser.press("ArrowRight")
        self.assertEqual(self.browser.evaluate("document.getAnimations().length"), 0)

    def test_dark(self) -> None:
        paper = "getComputedStyle(document.body).backgroundColor"
        light = self.browser.evaluate(paper)
        self.browser.prefer(prefers_color_scheme="dark")
        self.assertNotEqual(self.browser.evaluate(paper), light)

    def test_a_browser_without_javascript_shows_the_requirements(self) -> None:
        with self.without_scripts():
            self.browser.open(self.page)
            self.assertIn("needs JavaScript, and a browser of 2020 or later", self.text("#needs"))
            self.assertFalse(self.browser.evaluate("document.getElementById('page').checkVisibility()"))

    def test_nothing_to_step_through(self) -> None:
        for text, words in (
            ('{"schema": 1, "kernels": [], "findings": []}', "No kernel ran"),
            (report_text([access(3)]), "No step of this kernel was recorded"),
            (report_text([access(3)], recorded([])), "accessed no memory that is counted"),
        ):
            with self.subTest(words):
                page = write_page(self.folder / "empty.html", traced(text))
                self.open(page)
                for key in ("ArrowRight", "End", "c", "b", "p", "f", " "):
                    self.browser.press(key)
                self.assertIn(words, self.text(".sentence"))
                self.no_complaint(page)

    def test_the_page_shows_what_was_left_out(self) -> None:
        step = [0, 0, 0, 4, 4, 0, 0, 32, 0, 4]
        text = report_text([access(3)], recorded([step], left_out=12_345), launches=1_000_000, blocks=8_000_000)
        self.open(write_page(self.folder / "cut.html", traced(text)))
        self.assertIn("1 block of 8,000,000 that ran in 1,000,000 launches: the first.", self.text(".cap"))
        self.assertIn("12,345 more were left out", self.text(".cap"))


class ValuesInPageTest(unittest.TestCase):
    def test_the_large_page_has_all_steps(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            values: dict[str, Any] = values_of(write_page(Path(folder) / "page.html", large_run()))
        (block,) = values["runs"][0]["kernels"][0]["blocks"]
        self.assertEqual(len(block["steps"]), 10_000)
        self.assertEqual({len(wavefronts) for wavefronts in block["wavefront_lists"]}, {32})
        self.assertIsNone(re.search("[<>&]", str(block["arrays"])))
