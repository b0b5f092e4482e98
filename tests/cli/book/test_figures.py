"""The figures with sliders: their rules against the simulator and a GPU, and their pages in a browser."""

from __future__ import annotations

import csv
import json
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from support import ROOT, built_traced, needs_simulator

from book.built import built_book
from stepping.in_browser import InBrowser, browser, find_chromium
from cli.book.figures import FIGURES, figures
from cli.book.pages import parts_of, read_page
from cli.building.own_program import BuildOptions, OwnProgram
from cli.errors import WorkbookError
from cli.tracing.report import Access
from cli.tracing.trace import trace
from cli.workbook import Workbook

MODEL = ROOT / "common/cli/book/theme/static/figures_model.js"
RESULTS = ROOT / "plots/results"
LESSONS = {
    "sectors": "chapters/ch1_saxpy/index.html",
    "occupancy": "chapters/ch1_saxpy/index.html",
    "banks": "chapters/ch3_transpose/index.html",
}


def by_model(calls: list[str]) -> list:
    """The results of JavaScript expressions with the model's functions, from node or from Chromium."""
    expression = f"[{', '.join(calls)}]"
    node = shutil.which("node")
    if node:
        script = f"const workbookFigures = require({json.dumps(str(MODEL))}); console.log(JSON.stringify({expression}))"
        run = subprocess.run([node, "-"], input=script, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(run.stdout)
    if not find_chromium():
        raise unittest.SkipTest("Neither node nor Chromium is installed: apt-get install chromium")
    with browser() as tab:
        return tab.evaluate(f"{MODEL.read_text(encoding='utf-8')}\n{expression}")


def sectors_of(places: list[tuple[int, int]]) -> list[int]:
    return by_model([f"workbookFigures.sectors({stride}, {offset}).transferred / 32" for stride, offset in places])


def wavefronts_of(widths: list[int]) -> list[int]:
    return by_model([f"workbookFigures.banks({width}).wavefronts" for width in widths])


def rows_of(table: str) -> list[dict[str, str]]:
    texts = (file.read_text(encoding="utf-8") for file in sorted(RESULTS.glob(f"*/{table}")))
    return [row for text in texts for row in csv.DictReader(text.splitlines())]


class GpuTest(unittest.TestCase):
    """The numbers that a GPU has computed."""

    def test_occupancy(self) -> None:
        """tests/instruments/occupancy/occupancy.cu writes the table."""
        rows = [row for row in rows_of("occupancy.csv") if row["compute_capability"] == "9.0"]
        self.assertGreater(len(rows), 2000)
        keys = [[int(row[name]) for name in ("threads", "registers", "shared_bytes")] for row in rows]
        computed = by_model([f"workbookFigures.occupancy({', '.join(map(str, key))}).blocks" for key in keys])
        wrong = [(key, row["blocks"], one) for key, row, one in zip(keys, rows, computed) if int(row["blocks"]) != one]
        self.assertEqual(wrong, [])
        self.assertIn(0, computed, "a block that does not fit")

    def test_limits_of_the_occupancy(self) -> None:
        cases = {
            (256, 16, 0): ["warps"],
            (32, 16, 0): ["blocks"],
            (256, 218, 74496): ["registers"],  # the example in docs/limits.md
            (256, 32, 100 * 1024): ["shared memory"],
            (1024, 32, 8192): ["warps", "registers"],
            (1024, 65, 0): ["registers"],
        }
        found = by_model([f"workbookFigures.occupancy({', '.join(map(str, key))})" for key in cases])
        self.assertEqual([one["by"] for one in found], list(cases.values()))
        self.assertEqual([one["warps"] for one in found], [64, 32, 8, 16, 64, 0])
        self.assertEqual([limit["blocks"] for limit in found[2]["limits"]], [8, 32, 1, 3])


@needs_simulator
class SimulatorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        program = OwnProgram((Path(__file__).with_name("slider_requests.cu"),), BuildOptions((ROOT,)))
        cls.executable = built_traced(program, cls.addClassCleanup)

    def load(self, memory: str, stride: int = 1, offset: int = 0, width: int = 32) -> Access:
        report = trace(self.executable, [str(stride), str(offset), str(width)]).report
        self.assertEqual(report.findings, ())
        accesses = (access for kernel in report.kernels for access in kernel.accesses)
        (found,) = (one for one in accesses if (one.memory, one.operation) == (memory, "load"))
        self.assertEqual(found.requests, 1)
        return found

    def test_sectors_at_every_position_of_the_sliders(self) -> None:
        places = [(stride, offset) for stride in range(1, 9) for offset in range(9)]
        self.assertEqual(sectors_of(places), [self.load("global", *place).sectors for place in places])

    def test_wavefronts_at_every_position_of_the_slider(self) -> None:
        widths = [32, 33, 34, 35, 36]
        self.assertEqual(wavefronts_of(widths), [self.load("shared", width=width).wavefronts for width in widths])


class MarksTest(unittest.TestCase):
    def test_every_figure_is_on_one_page(self) -> None:
        pages = [read_page(ROOT, page) for part in parts_of(Workbook(ROOT)) for page in part.pages]
        marks = [name for text in pages for name in re.findall(r"^<!-- figure: (\S+) -->$", text, re.MULTILINE)]
        self.assertEqual(sorted(marks), sorted(FIGURES))

    def test_an_unknown_figure(self) -> None:
        with self.assertRaises(WorkbookError) as raised:
            list(figures("Text.\n\n<!-- figure: sector -->\n", "docs/a.md"))
        words = "docs/a.md: there is no figure 'sector'. The figures are sectors, banks, occupancy."
        self.assertEqual(str(raised.exception), words)


class PageTest(InBrowser):
    """The pages are opened as files, without a web server."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.site = built_book()
        super().setUpClass()

    def open(self, name: str) -> None:
        self.browser.open(self.site / LESSONS[name])
        self.assertEqual(self.browser.errors, [])

    def ask(self, name: str, expression: str) -> object:
        """The value of an expression of `figure`."""
        return self.browser.evaluate(f"((figure) => {expression})(document.querySelector('[data-figure={name}]'))")

    def sentence(self, name: str) -> str:
        return str(self.ask(name, "figure.querySelector('figcaption').textContent"))

    def test_without_scripts_there_is_the_first_sentence(self) -> None:
        for name, words in FIGURES.items():
            self.open(name)
            with self.subTest(name):
                self.assertEqual(self.sentence(name), words, "the sentence at the sliders' first values")
                with self.without_scripts():
                    self.open(name)
                    self.assertEqual(self.sentence(name), words)
                    self.assertEqual(self.ask(name, "figure.querySelectorAll('input, svg').length"), 0)

    def test_keys_move_a_slider(self) -> None:
        after = {
            "sectors": "Thread i reads element 3 * i: 12 sectors, 128 of 384 bytes used.",
            "banks": "tile[32][35]: the 32 lanes use 32 banks, so the request takes 1 wavefront: no bank conflict.",
            "occupancy": "6 blocks of 10 warps: 60 of 64 warps, 93.8\u00a0%. Limit: warps.",
        }
        for name, words in after.items():
            self.open(name)
            address = self.browser.evaluate("location.href")
            self.ask(name, "figure.querySelector('input').focus()")
            self.browser.press("ArrowRight", 2)
            with self.subTest(name):
                self.assertEqual(self.sentence(name), words)
                self.assertIn(self.ask(name, "figure.querySelector('output').textContent"), ("3", "320"))
                self.assertEqual(self.browser.evaluate("location.href"), address)

    def test_a_block_that_does_not_fit(self) -> None:
        self.open("occupancy")
        for number in (0, 1):
            self.ask("occupancy", f"figure.querySelectorAll('input')[{number}].focus()")
            self.browser.press("End")
        self.assertIn("the launch fails: 0 of 64 warps, 0\u00a0%.", self.sentence("occupancy"))

    def test_nothing_moves_at_any_position(self) -> None:
        every = (
            "[...figure.querySelectorAll('input')].flatMap((input) => [input.max, input.min].map((value) => {"
            "input.value = value; input.dispatchEvent(new Event('input', {bubbles: true}));"
            "return figure.getBoundingClientRect().height; }))"
        )
        for width in (360, 390, 768, 1280, 1600):
            self.browser.resize(width)
            for name in FIGURES:
                self.open(name)
                with self.subTest(name, width=width):
                    self.assertEqual(len(set(self.ask(name, every))), 1)
                    self.assertTrue(self.fits())
