"""Pages in a real browser. The tests need Chromium. Those of programs also need WORKBOOK_SIMULATOR_TREE in the
environment, a build folder with the simulator.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from stepping.pages import STAGES, large_run, trace_stages, traced_mistakes, write_page
from stepping.support import access, recorded, report_text, traced, values_of
from support import ROOT

sys.path.insert(0, str(ROOT / "tests/support"))
from browser import Browser, browser, find_chromium  # noqa: E402

MOST_BYTES = 2_000_000
STEP_LIMIT_MS = 16
_PIXELS = "[...document.querySelectorAll('canvas')].map((canvas) => canvas.width && canvas.toDataURL()).join()"

# The number of different layouts at a page's first and last steps; the argument is how many of each.
_PLACES = """((most) => {
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
_CONTRAST = """((...names) => {
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
_CONFLICT_PIXELS = """(() => {
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

    def no_complaint(self, page: Path) -> None:
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(self.browser.requests, [page.resolve().as_uri()])

    def fits(self) -> bool:
        return self.browser.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@unittest.skipUnless(os.environ.get("WORKBOOK_SIMULATOR_TREE"), "needs a build folder with the simulator")
class StagesTest(InBrowser):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.runs = trace_stages()
        cls.pages = {stage: write_page(cls.folder / f"{stage}.html", run) for stage, run in cls.runs.items()}

    def test_each_opens_and_steps_change_what_is_lit(self) -> None:
        for stage in STAGES:
            with self.subTest(stage):
                page = self.pages[stage]
                self.assertLess(page.stat().st_size, MOST_BYTES)
                self.open(page)
                seen = set()
                for step in range(3):
                    self.assertEqual(self.data("step"), str(step))
                    seen.add(self.browser.evaluate(_PIXELS))
                    self.browser.press("ArrowRight")
                self.assertEqual(len(seen), 3)
                self.no_complaint(page)

    def test_totals_are_those_of_the_report(self) -> None:
        for stage in STAGES:
            with self.subTest(stage):
                self.open(self.pages[stage])
                kernels = self.runs[stage].report.kernels
                for number, kernel in enumerate(kernels):
                    self.browser.evaluate(
                        f"(() => {{ const kernels = document.querySelector('.kernel'); kernels.value = {number};"
                        "kernels.dispatchEvent(new Event('change')); })()"
                    )
                    rows = self.browser.evaluate(
                        "[...document.querySelectorAll('.totals tbody tr')]"
                        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
                    )
                    requests = sorted(int(row[1].replace(",", "")) for row in rows)
                    self.assertEqual(requests, sorted(access.requests for access in kernel.accesses))
                    moved = sum(int(row[6].replace(",", "")) for row in rows if len(row) == 9)
                    self.assertEqual(moved, sum(access.transferred_bytes for access in kernel.accesses))

    def test_steps_of_a_whole_run_add_up_to_the_table(self) -> None:
        """A kernel with one block is recorded completely."""
        kernel = self.runs["ch0_machine_divergence"].report.kernels[0]
        self.assertEqual(kernel.blocks, 1)
        self.open(self.pages["ch0_machine_divergence"])
        total = 0
        for step in range(len(kernel.steps.blocks[0].steps)):
            self.assertEqual(self.data("step"), str(step))
            total += int(self.data("units") or 0)
            self.browser.press("ArrowRight")
        self.assertEqual(total, sum(access.units for access in kernel.accesses))

    def test_the_costliest_request(self) -> None:
        self.open(self.pages["ch3_transpose_naive"])
        self.browser.press("c")
        self.assertEqual(self.data("units"), "32")
        self.assertIn("32 sectors of 32 bytes are transferred; 4 are enough", self.text(".sentence"))
        self.assertIn("32 sectors = 1,024 bytes. Requested: 128 bytes", self.text(".request figcaption"))

    def test_the_pointer_explains_a_cell_of_memory(self) -> None:
        self.browser.resize(1280, 800)
        self.open(self.pages["ch3_transpose_naive"])
        self.browser.press("c")
        column = (self.rectangle(".memory canvas")["width"] - 54) / 32
        row = (self.rectangle(".memory canvas")["height"] - 16) / 32
        self.assertEqual(
            self.point_at(".memory canvas", 52 + column / 2, 14 + row * 2.5, number=1),
            "out: row 2, column 0\nbytes 8,192 to 8,195 of out, sector 256\n"
            "this step, 01_naive.cu:23: store by thread (2, 0), lane 2 of warp 0",
        )
        self.assertIn("not accessed up to this step", self.point_at(".memory canvas", 52 + 20 * column, 60, number=1))
        self.assertIsNone(self.point_at(".memory canvas", 10, 60, number=1))
        self.point_at(".memory canvas", 60, 60)
        self.browser.evaluate("document.querySelector('.block').dispatchEvent(new Event('change'))")
        self.assertIsNone(self.tooltip())

    def test_the_tooltip_of_shared_memory_has_the_bank(self) -> None:
        self.open(self.pages["ch3_transpose_padded"])
        self.browser.press("b")
        text = self.point_at(".memory canvas", 55, 17, number=1)
        self.assertRegex(text, r"^tile: word (\d+)\nbytes [\d,]+ to [\d,]+ of tile, bank 0\n")
        self.assertRegex(text, r"step \d+, 03_padded.cu:\d+: store by thread \(\d+, \d+\), lane \d+ of warp \d+$")

    def test_the_pointer_a_tap_and_a_key_explain_a_thread(self) -> None:
        self.open(self.pages["ch3_transpose_naive"])
        self.browser.press("c")
        canvas, expected = ".threads canvas", "thread (0, 0), lane 0 of warp 0\nthis step, 01_naive.cu:23: store\n"
        expected += "bytes 0 to 3 of out, sector 0"
        self.assertEqual(self.point_at(canvas, 74, 25), expected)
        self.assertIsNone(self.point_at(canvas, 5, 5))
        at = self.rectangle(canvas)
        touch = {"x": at["left"] + 74, "y": at["top"] + 25}
        self.browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[touch])
        self.browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        self.assertEqual(self.tooltip(), expected)
        self.browser.press("Escape")
        self.assertIsNone(self.tooltip())
        self.browser.evaluate(f"document.activeElement.blur(), document.querySelector('{canvas}').focus()")
        self.assertEqual(self.tooltip(), expected)
        for key, name in (("ArrowRight", "(1, 0), lane 1 of warp 0"), ("ArrowDown", "(1, 1), lane 1 of warp 1")):
            self.browser.press(key, shift=True)
            self.assertIn(name, self.tooltip())
        step = self.data("step")
        self.browser.press("ArrowRight")
        self.assertEqual(int(self.data("step")), int(step) + 1)
        self.assertIn("lane 1 of warp 1", self.tooltip())

    def test_a_conflict_one_wavefront_at_a_time(self) -> None:
        self.open(self.pages["ch3_transpose_localmem"])
        self.browser.press("c")
        whole = self.browser.evaluate(_PIXELS)
        for number in range(1, 33):
            self.browser.press("p")
            self.assertIn(f"Wavefront {number} is shown.", self.text(".request figcaption"))
        self.browser.press("p")
        self.assertEqual(self.browser.evaluate(_PIXELS), whole)

    def test_all_threads_arrive_at_a_barrier(self) -> None:
        self.open(self.pages["ch4_reduction_shared_tree"])
        self.browser.press("b")
        self.assertEqual(self.data("lit"), "all")
        self.assertIn("Barrier: 1,024 threads of the block have arrived here", self.text(".sentence"))

    def test_divergent_and_dark_lanes(self) -> None:
        self.open(self.pages["ch0_machine_divergence"])
        paths = "One path: 16 lanes (0, 2, 4, 6, ...); another path: 16 lanes (1, 3, 5, 7, ...)."
        self.step_to(f"The lanes of warp 0 diverge. {paths}")
        self.step_to("The other lanes are dark")
        self.assertEqual(self.data("lit"), " ".join(str(lane) for lane in range(0, 32, 2)))

    def test_a_step_moves_nothing(self) -> None:
        """At each step, all parts of the page are where they were, and memory is in the first screen. The tiled product
        has 4,388 steps; they repeat those at its start and its end.
        """
        sizes = ((1280, 800, 600), (1000, 736, 40), (735, 736, 40), (390, 844, 40))
        for stage in ("ch3_transpose_naive", "ch3_transpose_localmem", "ch6_matmul_tiled"):
            for width, height, steps in sizes:
                with self.subTest(stage=stage, width=width):
                    self.browser.resize(width, height)
                    self.open(self.pages[stage])
                    self.assertEqual(self.browser.evaluate(f"{_PLACES}({steps})"), 1)
                    self.assertTrue(self.fits())
                    self.assertLess(self.top_of(".memories"), height * 0.6)
                    self.assertLess(self.top_of(".lines"), height * 0.45)

    def top_of(self, selector: str) -> float:
        return self.browser.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().top")

    def test_side_by_side_memory_is_in_the_first_screen(self) -> None:
        self.browser.resize(1280, 800)
        for stage in STAGES:
            with self.subTest(stage):
                self.open(self.pages[stage])
                low = "[...document.querySelectorAll('.stage canvas')].map((of) => of.getBoundingClientRect().bottom)"
                self.assertLessEqual(self.browser.evaluate(f"Math.max(...{low})"), 800)

    def step_to(self, words: str) -> None:
        for _ in range(10):
            if words in self.text(".sentence"):
                return
            self.browser.press("ArrowRight")
        self.fail(f"no step has the text {words}")

    def test_two_programs(self) -> None:
        runs = (self.runs[f"ch3_transpose_{stage}"] for stage in ("localmem", "padded"))
        page = write_page(self.folder / "pair.html", *runs)
        self.open(page)
        self.browser.press("c")
        self.assertEqual([self.data("units", side) for side in (0, 1)], ["32", "1"])
        self.assertEqual(self.data("step", 0), self.data("step", 1))
        self.assertEqual(self.rectangle(".memories", 0)["top"], self.rectangle(".memories", 1)["top"])
        self.browser.evaluate("document.getElementById('linked').click()")
        self.browser.press("Home")
        self.assertEqual(self.data("step", 0), "0")
        self.assertNotEqual(self.data("step", 1), "0")
        self.assertTrue(self.fits())
        self.no_complaint(page)


@unittest.skipUnless(os.environ.get("WORKBOOK_SIMULATOR_TREE"), "needs a build folder with the simulator")
class MistakesTest(InBrowser):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        with traced_mistakes() as runs:
            cls.runs = runs
            cls.pages = {letter: write_page(cls.folder / f"{letter}.html", run) for letter, run in runs.items()}

    def replay(self, letter: str) -> str:
        self.assertEqual(len(self.runs[letter].report.findings), 1)
        self.open(self.pages[letter])
        self.browser.press("f")
        self.assertEqual(self.data("finding"), "0")
        return self.text(".replay p")

    def marked_lines(self) -> list[str]:
        label = "(line) => line.dataset.label + line.children[1].textContent"
        return sorted(self.browser.evaluate(f"[...document.querySelectorAll('.line.marked')].map({label})"))

    def test_a_race_within_a_block(self) -> None:
        words = self.replay("t")
        self.assertIn("A barrier between them is missing: __syncthreads().", words)
        self.assertRegex(words, "In this run, access [12] came first; on a GPU, access [12] can come first.")
        self.assertEqual(sorted(line[1:] for line in self.marked_lines()), ["4", "5"])
        one = self.data("step")
        self.browser.press("f")
        self.assertNotEqual(self.data("step"), one)
        self.no_complaint(self.pages["t"])

    def test_a_race_has_a_banner_of_one_line(self) -> None:
        self.browser.resize(1280, 800)
        self.open(self.pages["t"])
        before = self.browser.evaluate(f"{_PLACES}(9)")
        self.assertEqual(before, 1)
        self.assertLess(self.rectangle(".findings")["height"], 40)
        top = self.rectangle(".memories")["top"]
        steps = []
        for number in (0, 1):
            self.browser.evaluate(f"document.querySelectorAll('.places button')[{number}].click()")
            steps.append(self.data("step"))
            self.assertEqual(self.rectangle(".memories")["top"], top)
            self.assertEqual(self.text(".places [aria-pressed=true]")[:2], f"{number + 1}:")
            self.assertEqual(len(self.marked_lines()), 2)
            self.assertGreater(self.browser.evaluate(_CONFLICT_PIXELS), 50)
            box = self.rectangle(".lines")
            for line in (0, 1):
                row = self.rectangle(".line.marked", line)
                self.assertGreaterEqual(row["top"], box["top"])
                self.assertLessEqual(row["bottom"], box["bottom"])
        self.assertEqual(len(set(steps)), 2)
        self.browser.evaluate("document.querySelector('.stop-replay').click()")
        self.assertEqual(self.marked_lines(), [])
        self.assertEqual(self.browser.evaluate(_CONFLICT_PIXELS), 0)

    def test_a_badge_covers_no_code(self) -> None:
        self.replay("t")
        badge = "getComputedStyle(document.querySelector('.line.marked'), '::before')"
        self.assertEqual(self.browser.evaluate(f"{badge}.gridColumnStart"), "2")
        number = "getComputedStyle(document.querySelector('.line.marked .number'))"
        self.assertEqual(self.browser.evaluate(f"{number}.gridColumnStart"), "3")

    def test_a_race_between_blocks(self) -> None:
        words = self.replay("o")
        self.assertIn("They are in different blocks: no barrier can order them", words)
        first = self.text(".block option:checked")
        self.browser.press("f")
        self.assertNotEqual(self.text(".block option:checked"), first)
        self.no_complaint(self.pages["o"])

    def test_an_access_out_of_bounds(self) -> None:
        words = self.replay("p")
        self.assertRegex(words, "^Out of bounds. .* which is element 64 of an array of 64")
        self.assertIn("its thread and its line are marked", words)
        self.assertEqual(self.marked_lines(), ["111"])
        self.no_complaint(self.pages["p"])

    def test_the_source_has_colours_with_contrast(self) -> None:
        """Each token has a contrast of at least 4.5 with its line, also where the line is the current one."""
        tokens = "[...document.querySelectorAll('.line code span')].map((of) => [of.className, of.textContent])"
        for theme in ("light", "dark"):
            self.browser.prefer(prefers_color_scheme=theme)
            self.open(self.pages["t"])
            found = self.browser.evaluate(tokens)
            for token in (
                ["token-keyword", "#include"],
                ["token-string", "<cuda_runtime.h>"],
                ["token-cuda", "__global__"],
                ["token-keyword", "float"],
                ["token-literal", "64"],
                ["token-comment", '// </script> & "quotes"'],
                ["token-cuda", "<<<"],
                ["token-string", "'t'"],
            ):
                self.assertIn(token, found)
            for token in ("comment", "string", "keyword", "cuda", "literal"):
                for paper in ("paper", "here"):
                    with self.subTest(theme=theme, token=token, paper=paper):
                        self.assertGreaterEqual(self.browser.evaluate(f"{_CONTRAST}('{token}', '{paper}')"), 4.5)

    def test_a_comment_of_several_lines(self) -> None:
        file = self.folder / "comment.cu"
        file.write_text('int a; /* one\ntwo "x" */ int b = 0x1fu; // 2\nchar c = \'"\'; float d = 1.5e-3f;\n')
        text = report_text([access(1, file=str(file))], recorded([[0, 0, 0, 4, 4, 0, 0, 32, 0, 4]]))
        self.open(write_page(self.folder / "comment.html", traced(text)))
        words = "[...line.children].map((of) => of.textContent)"
        lines = f"[...document.querySelectorAll('.line code')].map((line) => {words})"
        self.assertEqual(
            self.browser.evaluate(lines),
            [["int", "/* one"], ['two "x" */', "int", "0x1fu", "// 2"], ["char", "'\"'", "float", "1.5e-3f"]],
        )

    def test_sources_are_text(self) -> None:
        self.open(self.pages["t"])
        self.assertIn('// </script> & "quotes"', self.text(".lines"))


class UsableTest(InBrowser):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.page = write_page(cls.folder / "large.html", large_run())

    def test_a_step_takes_less_than_a_frame(self) -> None:
        self.assertLess(self.page.stat().st_size, MOST_BYTES)
        self.open(self.page)
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
        self.open(self.page)
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
        self.open(self.page)
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
        self.open(self.page)
        self.browser.evaluate("document.querySelector('.forward').focus()")
        self.browser.press("Enter")
        self.assertEqual(self.data("step"), "1")

    def test_playing_and_pausing(self) -> None:
        self.open(self.page)
        self.browser.evaluate("document.querySelector('.speed').value = 'fast'")
        self.browser.press(" ")
        self.assertEqual(self.text(".play"), "Pause")
        self.browser.evaluate("new Promise((done) => setTimeout(done, 500))")
        self.browser.press(" ")
        self.assertEqual(self.text(".play"), "Play")
        self.assertGreater(int(self.data("step")), 0)

    def test_a_line_leads_to_its_steps(self) -> None:
        self.open(self.page)
        self.browser.evaluate("document.querySelectorAll('button.heat')[1].click()")
        self.assertEqual(self.data("step"), "1")
        self.assertEqual(self.text("[aria-current=step] .number"), "4")

    def test_without_colour_steps_still_differ(self) -> None:
        """They differ in brightness, and for a screen reader."""
        self.open(self.page)
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
        self.open(self.page)
        paper = "getComputedStyle(document.body).backgroundColor"
        light = self.browser.evaluate(paper)
        self.browser.prefer(prefers_color_scheme="dark")
        self.assertNotEqual(self.browser.evaluate(paper), light)

    def test_a_browser_without_javascript_shows_the_requirements(self) -> None:
        self.browser.call("Emulation.setScriptExecutionDisabled", value=True)
        try:
            self.browser.open(self.page)
            self.assertIn("needs JavaScript, and a browser of 2020 or later", self.text("#needs"))
            self.assertFalse(self.browser.evaluate("document.getElementById('page').checkVisibility()"))
        finally:
            self.browser.call("Emulation.setScriptExecutionDisabled", value=False)

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
