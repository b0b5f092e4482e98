"""The stages with stepping pages in the lessons, and when these pages are written again."""

from __future__ import annotations

import json
import unittest

from stepping.support import recorded, report_text
from support import FINDING, ROOT, FakeWorkbook, access

from cli.book.book_source import BookSource
from cli.book.markdown import Section
from cli.book.step_pages import make_step_pages, stages_in, stepped_stages
from cli.building.kernel_use import launches_kernels
from cli.workbook import Workbook

STEP = [0, 0, 0, 32, 4, 0, 0, 32, 0, 128]


class PlacesTest(unittest.TestCase):
    workbook = Workbook(ROOT)

    def test_every_stage_of_chapters_1_to_5_is_in_its_section_once(self) -> None:
        book = BookSource(self.workbook, with_steps=True)
        for number in range(1, 6):
            chapter = self.workbook.catalogue.find_chapter(f"ch{number}")
            pages = (file.relative_to(ROOT).as_posix() for file in chapter.files.pages)
            page = "\n".join(map(book.page, pages))
            for stage in chapter.of_kind("stage"):
                with self.subTest(stage.target):
                    runs_kernels = launches_kernels(stage, self.workbook)  # not a library's
                    has_steps = not stage.needs_gpu and not stage.is_on_cpu and runs_kernels
                    self.assertEqual(page.count(f'src="../../steps/{stage.target}.html"'), int(has_steps))
                    if has_steps:
                        self.assertIn(stage, stepped_stages(self.workbook))

    def test_without_steps_there_are_no_pages(self) -> None:
        page = BookSource(self.workbook, with_steps=False).page("chapters/ch3_transpose/README.md")
        self.assertNotIn("<iframe", page)

    def test_sections_and_their_stages(self) -> None:
        stages = [stage for stage in stepped_stages(self.workbook) if stage.chapter == "ch3_transpose"]

        def names(heading: str, level: int = 2) -> list[str]:
            section = Section(heading, level, 0, 0)
            return [stage.source.name for stage in stages_in(section, stages, [section, *others])]

        others: list[Section] = []
        self.assertEqual(names("Stage 04: several elements"), ["04_coalesced.cu", "04b_coalesced_unpadded.cu"])
        self.assertEqual(names("Stages 02 and 03: tiles"), ["02_localmem.cu", "03_padded.cu"])
        self.assertEqual(names("Stage 04: several elements", level=3), [])
        self.assertEqual(names("The stages"), [])
        others = [Section("Stage 04b: the same without padding", 2, 0, 0)]
        self.assertEqual(names("Stage 04: several elements"), ["04_coalesced.cu"])
        self.assertEqual(names("Stage 04b: the same without padding"), ["04b_coalesced_unpadded.cu"])


class CacheTest(FakeWorkbook):
    def setUp(self) -> None:
        super().setUp()
        self.write("report.json", report_text([access(1)], recorded([STEP])))
        for other in ("01b_naive_1024x1.cu", "02_localmem.cu"):
            (self.root / "chapters/ch3_transpose" / other).unlink()
        self.write_traced("one")
        self.workbook_here = Workbook(self.root)
        self.folder = self.root / "build/book/steps"

    def write_traced(self, words: str) -> None:
        script = f'cp "{self.root}/report.json" "$CUDA_SIMULATOR_REPORT"; echo "{words}" >>"{self.root}/runs"'
        self.write_program("ch3_transpose_naive_inspect", script)

    def make(self) -> list[str]:
        """The runs of the program so far."""
        make_step_pages(self.workbook_here, self.folder)
        return (self.root / "runs").read_text(encoding="ascii").split()

    def test_pages_are_written_again_after_a_change(self) -> None:
        self.assertEqual(self.make(), ["one"])
        self.assertEqual([file.name for file in self.folder.iterdir()], ["ch3_transpose_naive.html"])
        self.assertEqual(self.make(), ["one"])
        self.write_traced("two")
        self.assertEqual(self.make(), ["one", "two"])
        self.write("chapters/ch3_transpose/01_naive.cu", "// Another comment\n__global__ void naive();\n")
        self.assertEqual(self.make(), ["one", "two", "two"])
        (self.folder / "ch3_transpose_naive.html").unlink()
        self.assertEqual(len(self.make()), 4)

    def test_a_stage_with_a_bug_shows_the_error(self) -> None:
        self.write(
            "report.json",
            report_text([access(1)], recorded([STEP])).replace(
                '"findings": []', f'"findings": [{json.dumps(FINDING)}]'
            ),
        )
        script = f'cp "{self.root}/report.json" "$CUDA_SIMULATOR_REPORT"; echo spoilt >>"{self.root}/runs"; exit 1'
        self.write_program("ch3_transpose_naive_inspect", script)
        self.assertEqual(self.make(), ["spoilt"])
        self.assertIn("Wrote past the end.", (self.folder / "ch3_transpose_naive.html").read_text(encoding="utf-8"))

    def test_pages_of_removed_stages_are_removed(self) -> None:
        self.make()
        (self.folder / "ch3_transpose_gone.html").touch()
        self.make()
        self.assertFalse((self.folder / "ch3_transpose_gone.html").exists())

    def test_a_broken_record_is_ignored(self) -> None:
        self.make()
        self.folder.with_suffix(".json").write_text("[", encoding="ascii")
        self.assertEqual(len(self.make()), 2)
        self.assertEqual(list(json.loads(self.folder.with_suffix(".json").read_text())), ["ch3_transpose_naive"])

    def test_no_folder_of_this_machine_is_named(self) -> None:
        report = report_text([access(1, file=f"{self.root}/chapters/ch3_transpose/01_naive.cu")], recorded([STEP]))
        self.write("report.json", report)
        self.make()
        page = (self.folder / "ch3_transpose_naive.html").read_text(encoding="utf-8")
        self.assertIn("chapters/ch3_transpose/01_naive.cu", page)
        self.assertNotIn(str(self.root), page)
