"""Tests of pages in a real browser. They need Chromium."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

from support import ROOT

sys.path.insert(0, str(ROOT / "tests/support"))
from browser import Browser, browser, find_chromium  # noqa: E402

MOST_BYTES = 2_000_000
PIXELS = "[...document.querySelectorAll('canvas')].map((canvas) => canvas.width && canvas.toDataURL()).join()"

# The number of different layouts at a page's first and last steps; the argument is how many of each.
PLACES = """((most) => {
  const seen = new Set();
  const key = (name) => document.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
  const parts = document.querySelectorAll(".memories, .memory, .memory canvas, .lines, .threads, .request, .slider");
  const place = ({x, y, width, height}) => [x, y, width, height].join();
  const last = Number(document.querySelector(".slider").max);
  for (const [first, then] of [["Home", "ArrowRight"], ["End", "ArrowLeft"]]) {
    key(first);
    for (let step = 0; step <= last && step < most; ++step, key(then))
      seen.add([...parts].map((part) => place(part.getBoundingClientRect())).join(" "));
  }
  return seen.size;
})"""

# The contrast of two colours of the style sheet, as WCAG 2 defines it.
CONTRAST = """((...names) => {
  const style = getComputedStyle(document.documentElement);
  const [one, other] = names.map((name) => {
    const number = parseInt(style.getPropertyValue(`--${name}`).trim().slice(1), 16);
    const linear = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    const [r, g, b] = [16, 8, 0].map((shift) => linear(((number >> shift) & 255) / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  });
  return Math.max(one, other) / Math.min(one, other);
})"""

# The number of pixels in the shared array's drawing that have the colour of a conflict, #d55e00.
CONFLICT_PIXELS = """(() => {
  const canvas = document.querySelectorAll(".memory canvas")[1];
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let i = 0; i < data.length; i += 4) found += data[i] === 0xd5 && data[i + 1] === 0x5e && data[i + 2] === 0;
  return found;
})()"""


@unittest.skipUnless(find_chromium(), "Chromium is not installed: apt-get install chromium")
class InBrowser(unittest.TestCase):
    """All tests of a class share one browser and a folder for its pages."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.stack = contextlib.ExitStack()
        cls.addClassCleanup(cls.stack.close)
        cls.folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory(prefix="pages ")))
        cls.browser: Browser = cls.stack.enter_context(browser())

    def setUp(self) -> None:
        self.browser.resize(1600)
        self.browser.prefer()

    def open(self, page: Path) -> None:
        self.browser.open(page)
        self.assertEqual(self.text("#needs"), None)

    def data(self, name: str, stepper: int = 0) -> str:
        return self.browser.evaluate(f"document.querySelectorAll('.stepper')[{stepper}].dataset.{name} || ''")

    def text(self, selector: str) -> str | None:
        return self.browser.evaluate(f"document.querySelector({selector!r})?.textContent ?? null")

    def rectangle(self, selector: str, number: int = 0) -> dict[str, float]:
        element = f"document.querySelectorAll({selector!r})[{number}]"
        return self.browser.evaluate(f"{element}.getBoundingClientRect().toJSON()")

    def point_at(self, selector: str, x: float, y: float, number: int = 0) -> str | None:
        """Moves the pointer to a place in an element. Returns the tooltip, or None if there is none."""
        at = self.rectangle(selector, number)
        self.browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=at["left"] + x, y=at["top"] + y)
        return self.tooltip()

    def tooltip(self) -> str | None:
        return self.browser.evaluate("document.getElementById('tip').hidden ? null : tip.textContent")

    @contextlib.contextmanager
    def without_scripts(self) -> Iterator[None]:
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            yield
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

    def no_complaint(self, page: Path) -> None:
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(self.browser.requests, [page.resolve().as_uri()])

    def fits(self, width: int = 0) -> bool:
        if width:
            self.browser.resize(width)
        return self.browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
