"""The pages of the book, and the files that they name."""

from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path

from support import ROOT, FakeWorkbook

from cli.book.book_source import BookSource
from cli.book.pages import name_in_book, parts_of, relative_to_page
from cli.book.sources import Sources
from cli.workbook import Workbook


class OrderTest(unittest.TestCase):
    pages = [page for part in parts_of(Workbook(ROOT)) for page in part.pages]

    def test_each_page_is_in_the_book_once(self) -> None:
        self.assertEqual(len(set(self.pages)), len(self.pages))
        for file in (*ROOT.glob("docs/*.md"), *ROOT.glob("chapters/*/README.md")):
            self.assertIn(file.relative_to(ROOT).as_posix(), self.pages)

    def test_chapters_come_in_the_order_of_the_course(self) -> None:
        in_order = [page.split("/")[1].split("_")[0] for page in self.pages if page.startswith("chapters/")]
        chapters = list(dict.fromkeys(in_order))  # a chapter has two pages
        self.assertEqual(chapters[:6], ["ch0", "ch1", "ch2", "ch3", "ch4", "ch5"])
        self.assertEqual(chapters[-4:], ["ch9", "ch10", "ch11", "projects"])

    def test_core_pages_come_before_advanced_pages(self) -> None:
        _, core, advanced, *_ = (part.pages for part in parts_of(Workbook(ROOT)))
        chapters = ["ch0_machine", "ch1_saxpy", "ch2_subset_sum", "ch3_transpose", "ch4_reduction", "ch5_dot_product"]
        chapters += ["ch6_matmul", "ch7_vector_map", "ch8_tsne", "ch12_scan"]
        self.assertEqual(list(core), [f"chapters/{chapter}/README.md" for chapter in chapters])
        self.assertEqual(list(advanced[:9]), [f"chapters/{chapter}/ADVANCED.md" for chapter in chapters[:9]])
        self.assertEqual(advanced[9:11], ("chapters/ch9_embedding/README.md", "chapters/ch9_embedding/ADVANCED.md"))

    def test_pages_that_other_pages_link_to(self) -> None:
        self.assertIn("common/cli/README.md", self.pages)
        self.assertEqual(self.pages[0], "README.md")

    def test_names(self) -> None:
        self.assertEqual(name_in_book("chapters/ch1_saxpy/README.md"), "chapters/ch1_saxpy/index.md")
        self.assertEqual(name_in_book("docs/setup.md"), "docs/setup.md")
        self.assertEqual(name_in_book("README.md"), "overview.md")
        self.assertEqual(relative_to_page("chapters/a/index.md", "chapters/a/b/c.cu"), "../index.md")
        self.assertEqual(relative_to_page("docs/a.md", "README.md"), "docs/a.md")


class OtherCopiesTest(FakeWorkbook):
    def test_without_a_course_chapters_come_by_number(self) -> None:
        self.write("README.md", "# The workbook\n")
        self.write("chapters/ch3_transpose/README.md", "# Three\n")
        self.write("chapters/ch1_saxpy/CMakeLists.txt", "add_chapter(ch1_saxpy)\n")
        self.write("chapters/ch1_saxpy/README.md", "# One\n")
        start, part = parts_of(Workbook(self.root))
        self.assertEqual(start.pages, ("README.md",))
        self.assertEqual(part.pages, ("chapters/ch1_saxpy/README.md", "chapters/ch3_transpose/README.md"))

    def test_a_page_that_is_not_a_text(self) -> None:
        (self.root / "README.md").write_bytes(b"\xff\xfe")
        self.assertIn("README.md is not a UTF-8 text.", self.ends(1, "book", "--build-only", "--no-steps").stderr)


class LinkedFilesTest(FakeWorkbook):
    def test_linked_files_are_copied(self) -> None:
        outside = tempfile.NamedTemporaryFile(dir=self.root.parent, suffix=".txt")
        self.addCleanup(outside.close)
        linked = "[a](printed/a.txt) [b](b.csv#row) ![c](c.png) [d](gone.txt) [e](https://example.org/e.txt)"
        self.write("README.md", f"# The workbook\n\n{linked} [f](../{Path(outside.name).name}) [g]({outside.name})\n")
        for name in ("printed/a.txt", "b.csv", "c.png", "not_linked.txt"):
            self.write(name, f"what {name} holds")
        book = self.root / "written/book"
        BookSource(Workbook(self.root), with_steps=False).write(book)
        files = sorted(file.relative_to(book).as_posix() for file in book.rglob("*.*"))
        self.assertEqual(files, ["b.csv", "book.json", "c.png", "index.md", "overview.md", "printed/a.txt"])
        self.assertEqual((book / "printed/a.txt").read_text(), "what printed/a.txt holds")


class OwnResultsTest(FakeWorkbook):
    PAGE = "chapters/ch3_transpose/ADVANCED.md"

    def setUp(self) -> None:
        super().setUp()
        self.write("README.md", "# The workbook\n")
        self.write("chapters/ch3_transpose/README.md", "# Three\n")
        self.write(self.PAGE, "# More\n\n<!-- results:begin -->\nH200\n<!-- results:end -->\n\nAfter.\n")
        (self.root / "plots").mkdir()
        for script in (ROOT / "plots").glob("*.py"):
            shutil.copy(script, self.root / "plots")

    def page(self) -> str:
        return BookSource(Workbook(self.root), with_steps=False).page(self.PAGE)

    def test_nothing_was_measured(self) -> None:
        self.assertNotIn("Your GPU", self.page())

    def test_the_learners_gpu_comes_after_the_h200(self) -> None:
        self.write(
            "build/results/ch3_transpose.csv",
            "program,rows,cols,median_ms,gb_per_s,copy_gb_per_s,ratio_to_copy,device,driver,cuda,round,commit,date\n"
            "ch3_transpose_naive,64,32,1,100,400,0.25,Fake GPU,1,13.0,1,abc1234,2026-11-24\n",
        )
        text = self.page()
        self.assertRegex(text, r"H200\n\s*\*\*Your GPU\*\*, measured with `./workbook bench ch3_transpose`:\n\n\| program \| 64 x 32 \|")
        self.assertIn("| naive | 100 (0.25) |", text)
        self.assertLess(text.index("Fake GPU"), text.index("After."))

    def test_a_file_that_is_not_a_table_is_left_out(self) -> None:
        self.write("build/results/ch3_transpose.csv", "hello\n")
        self.assertNotIn("Your GPU", self.page())


class SourcesTest(unittest.TestCase):
    sources = Sources(ROOT)

    def test_files_that_a_page_means(self) -> None:
        lesson = "chapters/ch3_transpose/README.md"
        for words, page, found in (
            ("01_naive.cu", lesson, ("chapters/ch3_transpose/01_naive.cu", 0)),
            ("01_naive.cu:25:53", lesson, ("chapters/ch3_transpose/01_naive.cu", 25)),
            ("copy_simple.cu", lesson, ("chapters/ch3_transpose/baselines/copy_simple.cu", 0)),
            ("problem.h", "chapters/ch2_subset_sum/README.md", ("chapters/ch2_subset_sum/harness/problem.h", 0)),
            ("common/device_buffer.h", lesson, ("common/device_buffer.h", 0)),
            ("11_bulk_copy.cu", "docs/setup.md", ("chapters/ch3_transpose/11_bulk_copy.cu", 0)),
            ("01_naive.cu", "docs/setup.md", None),  # in several chapters
            ("no_such_file.cu", lesson, None),
            ("threadIdx.x", lesson, None),
            ("../../../etc/x.h", lesson, None),
        ):
            with self.subTest(words=words, page=page):
                self.assertEqual(self.sources.named(words, page), found)

    def test_files_that_a_page_names(self) -> None:
        text = "See `01_naive.cu`.\n\n```cuda transpose.h\nvoid f();\n```\n"
        self.assertEqual(
            set(self.sources.named_in(text, "chapters/ch3_transpose/README.md")),
            {f"chapters/ch3_transpose/{name}" for name in ("01_naive.cu", "transpose.h")},
        )

    def test_reference_answers_are_not_in_the_book(self) -> None:
        self.assertFalse([path for path in self.sources.paths if path.startswith("solutions/")])
