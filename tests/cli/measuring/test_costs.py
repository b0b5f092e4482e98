"""The sentence that compares a stage's cost with the first stage: from claims, in `run`, and from the simulator."""

from __future__ import annotations

import re
import unittest

from exercises.support import conflicts_of
from support import ROOT, FakeWorkbook, access, leaves, report_of

from cli.measuring.claims import Counts, claims_of, read_claims
from cli.measuring.costs import Comparison, claimed_sentence, comparison_of
from cli.workbook import Workbook

_CALLS_LIBRARY = re.compile(r"^// Requires: .*\b(cuBLAS|CUB|cuRAND|Thrust)\b", re.MULTILINE)
CLAIMS = """stage,rows,memory,operation,measure,value,tolerance
naive,64,global,load,requests,10,0
naive,64,global,load,sectors_per_request,4,0
naive,64,global,store,requests,10,0
naive,64,global,store,sectors_per_request,32,0
localmem,32,global,load,requests,7,0
localmem,64,global,load,requests,10,0
localmem,64,global,load,sectors_per_request,4,0
localmem,64,global,store,requests,10,0
localmem,64,global,store,sectors_per_request,5,0
localmem,64,shared,load,conflict_ways,32,0
"""


class CostsTest(FakeWorkbook):
    LOADS = access(requests=10, lanes=320, sectors=40)
    NAIVE = (LOADS, access(1, "global", "store", requests=10, lanes=320, sectors=320))
    LOCALMEM = (LOADS, access(1, "global", "store", requests=10, lanes=320, sectors=50), conflicts_of(32))
    SENTENCE = "transfers a quarter of the bytes of stage 01 (naive), in as many requests; 32-way bank conflicts"

    def setUp(self) -> None:
        super().setUp()
        self.write("chapters/ch3_transpose/lesson/claims.csv", CLAIMS)
        self.write_program("ch3_transpose_naive_inspect", leaves(report_of(*self.NAIVE)))
        self.write_program("ch3_transpose_localmem_inspect", leaves(report_of(*self.LOCALMEM)))

    def claims(self) -> tuple[int, str]:
        result = self.workbook("test", "ch3", "--claims")
        return result.returncode, result.stdout + result.stderr

    def test_run_prints_the_cost_of_a_stage(self) -> None:
        words = " ".join(self.workbook("run", "localmem").stdout.split())
        self.assertIn(f"Counted for --rows 64: {self.SENTENCE}. Next: ./workbook", words)
        words = self.workbook("run", "naive").stdout
        self.assertIn("\n\nCounted for --rows 64: transfers 11,520 bytes in 20 requests.\nNext: ./workbook", words)

    def test_run_of_a_chapter_has_a_row_for_each_stage(self) -> None:
        words = self.workbook("run", "ch3").stdout
        self.assertRegex(words, r"01 naive +\S+ correct +1\.00 +1\.00\n")
        self.assertRegex(words, r"02 localmem +\S+ correct +0\.25 +1\.00 +32-way\n")
        self.assertRegex(words, r"01b naive_1024x1 +\S+ correct\n")
        self.assertIn("as a multiple of stage 01's, counted for --rows 64\n", words)
        self.assertIn("\nOther programs, also correct: copy_simple\n", words)

    def test_run_on_a_gpu_prints_no_count(self) -> None:
        self.write("has_gpu", "")
        self.assertNotIn("Counted", self.workbook("run", "localmem").stdout)

    def test_sentences_agree_with_the_counts(self) -> None:
        rows = CLAIMS.replace("localmem,32,global,load,requests,7,0\n", "")
        self.write("chapters/ch3_transpose/lesson/claims.csv", rows)
        code, words = self.claims()
        self.assertEqual(code, 0, words)
        self.assertIn("\n✓ 9 of 9 claims hold in the simulator.", words)

    def test_a_store_without_a_claim_makes_the_sentence_wrong(self) -> None:
        left_out = ("localmem,32", "localmem,64,global,store")
        rows = [row for row in CLAIMS.splitlines(True) if not row.startswith(left_out)]
        self.write("chapters/ch3_transpose/lesson/claims.csv", "".join(rows))
        code, words = self.claims()
        self.assertEqual(code, 1)
        self.assertIn("7 of 7 claims hold in the simulator.", words)
        self.assertIn("WRONG  ch3_transpose_localmem: './workbook run' prints:", words)
        self.assertIn("in half of its requests", words)
        self.assertIn("makes as many requests as stage 01", words)
        rows = "localmem,64,global,store,requests,10,0\nlocalmem,64,global,store,sectors_per_request,5,0\n"
        self.assertIn(f"Add to chapters/ch3_transpose/lesson/claims.csv:\n{rows}", words)

    def test_the_old_command_and_options_that_do_not_fit(self) -> None:
        old = self.workbook("claims", "ch3")
        self.assertIn("./workbook claims is now called ./workbook test --claims.\n", old.stderr)
        self.assertIn("✓ holds  ch3_transpose_naive: global load", old.stdout)
        for words in ("--claims", "ch3 --claims --fresh", "ch3 --build ."):
            self.assertIn("./workbook test CHAPTER --claims", self.ends(2, "test", *words.split()).stderr)


class SentenceTest(unittest.TestCase):
    FIRST: Counts = {
        ("global", "load", "requests"): 100.0,
        ("global", "load", "sectors_per_request"): 4.0,
        ("global", "atomic", "requests"): 28.0,
        ("kernel", "launch", "threads"): 64.0,
        ("shared", "load", "wavefronts"): 10.0,
        ("shared", "store", "wavefronts"): 30.0,
    }

    def sentence(self, **changes: float) -> str:
        """The sentence for a stage that differs from the first one in these counts, named memory_operation_measure."""
        own = dict(self.FIRST)
        for name, value in changes.items():
            memory, operation, measure = name.split("_", 2)
            own[memory, operation, measure] = value
        comparison = Comparison(("b", "a"), "stage 01 (a)", ("--n", "8"), is_exact=True)
        return comparison.sentence(own, self.FIRST).replace("Counted for --n 8: transfers ", "")

    def test_bytes(self) -> None:
        exact = {2.0: "half of", 0.5: "an eighth of", 1.0: "a quarter of", 0.125: "1/32 of"}
        parts = {**exact, 3.0: "0.75 of", 0.13: "about 1/31 of"}
        multiples = {8.0: "twice", 12.0: "3 times", 4.4: "1.10 times", 4.04: "1.01 times", 45.0: "11 times"}
        same = {4.0: "as many", 3.99: "nearly as many", 4.01: "nearly as many"}
        for sectors, words in {**parts, **multiples, **same}.items():
            bytes_ = "bytes as" if sectors in same else "the bytes of"
            sentence = self.sentence(global_load_sectors_per_request=sectors)
            self.assertEqual(sentence, f"{words} {bytes_} stage 01 (a), in as many requests.")

    def test_requests_and_atomic_operations(self) -> None:
        changes = {"global_atomic_requests": 7.0, "global_load_requests": 57.0, "global_load_sectors_per_request": 8.0}
        words = "1.14 times the bytes of stage 01 (a), in half of its requests, with a quarter of its atomic operations."
        self.assertEqual(self.sentence(**changes), words)

    def test_threads_wavefronts_and_conflicts(self) -> None:
        sentence = self.sentence(kernel_launch_threads=16.0, shared_store_wavefronts=10.0)
        self.assertIn("with a quarter of its threads and half of its wavefronts in shared memory.", sentence)
        self.assertTrue(self.sentence(shared_load_conflict_ways=4).endswith("; 4-way bank conflicts."))
        self.assertNotIn("conflicts", self.sentence(shared_load_conflict_ways=1.02))

    def test_bytes_that_are_not_known(self) -> None:
        counts = {kind: count for kind, count in self.FIRST.items() if kind[2] != "sectors_per_request"}
        comparison = Comparison(("b", "a"), "stage 01 (a)", ("--n", "8"), is_exact=True)
        words = "Counted for --n 8: makes as many requests as stage 01 (a)."
        self.assertEqual(comparison.sentence(counts, self.FIRST), words)

    def test_claims_with_a_tolerance_are_rounded(self) -> None:
        comparison = Comparison(("a", "a"), "", ("--n", "8"), is_exact=False)
        words = "Counted for --n 8: transfers about 13,000 bytes in 128 requests."
        self.assertEqual(comparison.sentence(self.FIRST, self.FIRST), words)


class StagesTest(unittest.TestCase):
    """The sentences of the workbook's own stages; `./workbook test --claims` compares their claims with runs."""

    def test_each_stage_that_the_simulator_runs_has_a_sentence(self) -> None:
        without = []
        for chapter in Workbook(ROOT).catalogue.chapters:
            claims = claims_of(chapter.files)
            for stage in chapter.of_kind("stage"):
                runs = not (stage.needs_gpu or stage.is_whole or stage.is_on_cpu)
                calls_library = _CALLS_LIBRARY.search(stage.source.read_text(encoding="utf-8"))  # has no counts
                if runs and not calls_library and not claimed_sentence(stage, chapter, claims):
                    without.append(stage.target)
        self.assertEqual(without, [], "claims.csv lacks their requests, at options that the first stage has too")

    def test_other_programs_have_no_sentence(self) -> None:
        chapter = Workbook(ROOT).catalogue.find_chapter("ch3")
        claims = read_claims(chapter.files.claims)
        for kind in ("operation", "exercise", "solution"):
            self.assertIsNone(comparison_of(chapter.of_kind(kind)[0], chapter, claims))
