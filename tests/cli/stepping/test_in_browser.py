"""Pages of programs in a real browser. The tests need Chromium and WORKBOOK_SIMULATOR_TREE in the environment, a build
folder with the simulator.
"""

from __future__ import annotations

from stepping.in_browser import CONFLICT_PIXELS, CONTRAST, MOST_BYTES, PIXELS, PLACES, InBrowser
from stepping.pages import STAGES, trace_stages, traced_mistakes, write_page
from stepping.support import recorded, report_text, traced
from support import access, needs_simulator


@needs_simulator
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
                    seen.add(self.browser.evaluate(PIXELS))
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
        whole = self.browser.evaluate(PIXELS)
        for number in range(1, 33):
            self.browser.press("p")
            self.assertIn(f"Wavefront {number} is shown.", self.text(".request figcaption"))
        self.browser.press("p")
        self.assertEqual(self.browser.evaluate(PIXELS), whole)

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
                    self.assertEqual(self.browser.evaluate(f"{PLACES}({steps})"), 1)
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


@needs_simulator
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
        before = self.browser.evaluate(f"{PLACES}(9)")
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
            self.assertGreater(self.browser.evaluate(CONFLICT_PIXELS), 50)
            box = self.rectangle(".lines")
            for line in (0, 1):
                row = self.rectangle(".line.marked", line)
                self.assertGreaterEqual(row["top"], box["top"])
                self.assertLessEqual(row["bottom"], box["bottom"])
        self.assertEqual(len(set(steps)), 2)
        self.browser.evaluate("document.querySelector('.stop-replay').click()")
        self.assertEqual(self.marked_lines(), [])
        self.assertEqual(self.browser.evaluate(CONFLICT_PIXELS), 0)

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
                        self.assertGreaterEqual(self.browser.evaluate(f"{CONTRAST}('{token}', '{paper}')"), 4.5)

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
