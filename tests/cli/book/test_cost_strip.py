"""The counts of a stage at the top of its section."""

from __future__ import annotations

import csv
import re
import unittest

from support import ROOT, FakeWorkbook

from cli.book.book_source import BookSource
from cli.book.cost_strip import CostStrips
from cli.catalogue import Chapter, Program
from cli.errors import WorkbookError
from cli.workbook import Workbook

_HEAD = "stage,rows,cols,memory,operation,measure,value,tolerance"
_CLAIMS = (
    "naive,64,32,global,load,requests,2048,0",
    "naive,64,32,global,store,sectors_per_request,32,0",
    "naive,64,32,shared,allocation,bytes_per_block,0,0",
    "naive_1024x1,64,32,global,load,requests,2048,0",
    "localmem,8,8,global,load,requests,1,0",
    "localmem,64,32,global,load,requests,2048,0",
    "localmem,64,32,global,store,sectors_per_request,4,0",
    "localmem,64,32,shared,load,conflict_ways,32,1",
    "localmem,64,32,shared,allocation,bytes_per_block,4096,0",
)


def _words(strip: str) -> str:
    """The text of a strip, with a bar's width in brackets."""
    bars = re.sub(r'<span class="cost-bar" style="width:([^"]*)"[^>]*>', r" [\1]", strip)
    return " ".join(re.sub(r"<[^>]*>", " ", bars).split())


class StripTest(FakeWorkbook):
    def strip(self, name: str, *claims: str, is_folded: bool = False) -> str:
        self.write("chapters/ch3_transpose/lesson/claims.csv", "\n".join((_HEAD, *(claims or _CLAIMS))))
        chapter = self.chapter()
        return CostStrips(chapter).strip(_stage(chapter, name), is_folded)

    def chapter(self) -> Chapter:
        return Workbook(self.root).catalogue.find_chapter("ch3")

    def test_the_first_stage_has_its_counts_alone(self) -> None:
        words = "Counts of stage 01, for --rows 64 --cols 32 count stage 01 global loads: requests 2,048 "
        self.assertEqual(_words(self.strip("naive")), words + "global stores: sectors per request 32")

    def test_a_stage_is_compared_at_the_same_size_with_the_stage_before_it(self) -> None:
        self.assertEqual(
            _words(self.strip("localmem")),
            "Counts of stage 02, compared with stage 01, for --rows 64 --cols 32 count stage 01 stage 02 "
            "global stores: sectors per request 32 [100%] 4 [12.5%] shared loads: n-way bank conflict - about 32 "
            "shared memory: bytes per block 0 4,096 [100%] The same in both: global loads: requests 2,048. "
            "A dash: the claims do not state this count.",
        )

    def test_a_variant_is_compared_and_nothing_is_compared_with_it(self) -> None:
        words = _words(self.strip("naive_1024x1"))
        self.assertIn("stage 01b, compared with stage 01 , for --rows 64 --cols 32 : no count differs.", words)
        without_01 = [claim for claim in _CLAIMS if not claim.startswith("naive,")]
        self.assertIn("Counts of stage 02, for --rows 8", _words(self.strip("localmem", *without_01)))

    def test_the_sectors_of_loads_and_stores(self) -> None:
        one = [f"naive,64,32,global,{row}" for row in ("load,requests,100,0", "load,sectors_per_request,4,0")]
        self.assertIn("loads and stores: sectors 400", _words(self.strip("naive", *one)))
        both = [*one, "naive,64,32,global,store,requests,1000,0", "naive,64,32,global,store,sectors_per_request,1.234,0.01"]
        self.assertIn("loads and stores: sectors about 1,630", _words(self.strip("naive", *both)))
        self.assertNotIn("stores: sectors", _words(self.strip("naive", *both[:3])))  # it is not known how many

    def test_a_stage_without_claims_has_no_strip(self) -> None:
        self.assertEqual(self.strip("localmem", *_CLAIMS[:3]), "")
        (self.root / "chapters/ch3_transpose/lesson/claims.csv").unlink()
        self.assertEqual(CostStrips(self.chapter()).strip(_stage(self.chapter(), "naive")), "")

    def test_claims_that_cannot_be_read(self) -> None:
        with self.assertRaisesRegex(WorkbookError, "claims.csv:2: cannot read this claim"):
            self.strip("naive", "naive,64,32,global,load,requests,many,0")

    def test_a_strip_is_one_block_that_a_screen_reader_can_read(self) -> None:
        strip = self.strip("localmem")
        self.assertNotIn("\n", strip)
        self.assertEqual(strip.count('<th scope="row">'), 3)
        self.assertEqual(strip.count("cost-bar"), strip.count('aria-hidden="true"'))
        self.assertIn('aria-label="no count"', strip)
        self.assertTrue(self.strip("localmem", is_folded=True).startswith('<details class="cost-strip"><summary>'))

    def test_a_profile_names_its_gpu(self) -> None:
        rows = ("program,name,value,device", "ch3_transpose_naive,dram,17.4,GPU <1>", "ch3_transpose_naive,l2,1,GPU <1>")
        self.write("plots/results/gpu/profile_ch3_transpose.csv", "\n".join(rows))
        said = "Profiled on GPU &lt;1&gt;, at the size of the profile: device memory at 17 % of its peak rate."
        self.assertIn(said, self.strip("naive"))
        self.assertNotIn("Profiled", self.strip("localmem"))
        rows = (*rows, "ch3_transpose_localmem,dram,0.031,GPU <1>")
        self.write("plots/results/gpu/profile_ch3_transpose.csv", "\n".join(rows))
        self.assertIn("device memory at 0.031 % of its peak rate (stage 01: 17 %).", self.strip("localmem"))


class BookTest(unittest.TestCase):
    workbook = Workbook(ROOT)

    def page(self, page: str) -> str:
        return BookSource(self.workbook, with_steps=False).page(page)

    def test_each_stage_with_claims_has_its_strip_below_its_heading(self) -> None:
        for chapter in self.workbook.catalogue.chapters:
            pages = "\n".join(self.page(file.relative_to(ROOT).as_posix()) for file in chapter.files.pages)
            strips = CostStrips(chapter)
            for stage in chapter.of_kind("stage"):
                if strips.strip(stage):
                    number = stage.source.name.partition("_")[0]
                    heading = rf"\n## Stage {number}: .*\n\n<(div|details) class=\"cost-strip\">.*Counts of stage {number}\b"
                    self.assertEqual(len(re.findall(heading, pages)), 1, stage.target)

    def test_the_numbers_are_the_claims(self) -> None:
        chapter = self.workbook.catalogue.find_chapter("ch3")
        with chapter.files.claims.open(encoding="utf-8", newline="") as file:
            claimed = {row["value"] for row in csv.DictReader(file) if row["stage"] in ("naive", "localmem")}
        words = _words(CostStrips(chapter).strip(_stage(chapter, "localmem"))).partition("stage 01 stage 02")[2]
        words = words.partition("Profiled")[0]
        numbers = {number.replace(",", "") for number in re.findall(r"(?<![\[\d])\d[\d,]*(?![\d.]*%)\b", words)}
        sectors = {str(16384 * (4 + 32)), str(16384 * (4 + 4))}
        self.assertEqual(numbers - claimed, sectors)
        self.assertGreater(len(numbers), 5)

    def test_counts_that_answer_a_question_are_in_a_fold(self) -> None:
        page = self.page("chapters/ch3_transpose/README.md")
        folded = re.findall(r"## Stage (\d+).*\n\n<details class=\"cost-strip\">", page)
        self.assertEqual(folded, ["01", "02"])
        self.assertEqual(len(re.findall(r"## Stage \d+.*\n\n<div class=\"cost-strip\">", page)), 2)


def _stage(chapter: Chapter, name: str) -> Program:
    return next(stage for stage in chapter.of_kind("stage") if stage.target == f"{chapter.name}_{name}")
