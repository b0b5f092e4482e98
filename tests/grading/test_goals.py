"""Goals counted in small reports: at the public and at a hidden shape, and in two runs."""

from __future__ import annotations

import dataclasses
import json
import math
import unittest
from collections.abc import Callable
from pathlib import Path

from support import FolderTest

from cli.checking.check import Grading, count_goals
from cli.checking.check_result import CheckResult, Goal, Outcome, findings_as_json, parts_of
from cli.checking.check_text import explain
from cli.measuring.claims import Claim, parse_claims
from cli.running.limited_run import Ended
from cli.running.runner import Rooms
from grading.hidden_goals import claims_at_hidden_shape, limits_of, with_limits

TABLE = """rows,cols,memory,operation,measure,value,tolerance
1024,512,global,store,sectors_per_request,4,0
1024,512,global,store,requests,<=32768,0
1024,512,kernel,launch,threads,524288,0
1024,512,kernel,warp,requests,<=384,0
"""
GOALS = tuple(parse_claims(TABLE.splitlines(), Path("ex1.md"), stage="ex1"))
PUBLIC, HIDDEN = ("--rows", "1024", "--cols", "512"), ("--rows", "97", "--cols", "2051")


def report(requests: int, sectors: int, busiest: int = 3, threads: int = 524288) -> str:
    """The report of a kernel that only stores."""
    store = {"file": "a.cu", "line": 1, "column": 1, "memory": "global", "operation": "store", "bytes_per_lane": 4}
    store |= {"requests": requests, "lanes": 32 * requests, "sectors": sectors, "ideal_sectors": 4 * requests}
    kernel = {"name": "k", "launches": 1, "grid": [1, 1, 1], "block": [1, 1, 1], "static_shared_bytes": 0}
    kernel |= {"dynamic_shared_bytes": 0, "blocks": 1, "threads": threads, "barriers": 0}
    kernel |= {"busiest_warp_requests": busiest, "accesses": [store]}
    return json.dumps({"schema": 1, "kernels": [kernel], "findings": []})


ASKED = report(16384, 65536)
ASKED_AT_HIDDEN = report(6305, 30329)


class GoalsTest(FolderTest):
    def count(self, reports: Callable[[tuple[str, ...], dict[str, str]], str], grading: Grading = Grading()) -> CheckResult:
        def run(command: list[str], folder: Path, environment: dict[str, str]) -> Ended:
            text = reports(tuple(command[1:-1]), environment)
            if text:
                Path(environment["CUDA_SIMULATOR_REPORT"]).write_text(text, encoding="utf-8")
            return Ended(0 if text else 2, "")

        passed = CheckResult(Path("a.cu"), Outcome.PASSED)
        return count_goals(passed, Path("traced"), GOALS, self.folder, Rooms(run), grading)

    def missed(self, text: str) -> list[str]:
        return [goal.words() for goal in self.count(lambda *_: text).goals if not goal.is_met]

    def test_the_asked_kernel_passes(self) -> None:
        self.assertEqual(self.missed(ASKED), [])

    def test_a_style_that_stores_twice_passes(self) -> None:
        self.assertEqual(self.missed(report(32768, 131072, busiest=6)), [])

    def test_a_few_blocks_with_a_grid_stride_pass(self) -> None:
        self.assertEqual(self.missed(report(16384, 65536, busiest=16384 * 3 // 256)), [])

    def grading_at_hidden_shape(self) -> Grading:
        """As Examiner: the reference answer is counted first."""
        claims = claims_at_hidden_shape(GOALS, ("97x2051",))
        reference = self.count(self.asked, Grading(claims))
        self.assertTrue(reference.passed)
        return Grading(with_limits(claims, limits_of(reference.goals, reference.hidden_goals)))

    def asked(self, options: tuple[str, ...], _: dict[str, str]) -> str:
        return {PUBLIC: ASKED, HIDDEN: ASKED_AT_HIDDEN}[options]

    def test_the_reference_passes_at_the_hidden_shape(self) -> None:
        result = self.count(self.asked, self.grading_at_hidden_shape())
        self.assertTrue(result.passed)
        self.assertEqual([goal.counted for goal in result.hidden_goals], [30329 / 6305, 6305, 3])
        self.assertEqual([goal.claim.value for goal in result.hidden_goals], [2 * 30329 / 6305, 4 * 6305, 128 * 3])

    def test_other_tiles_at_the_borders_pass_at_the_hidden_shape(self) -> None:
        others = report(8204, 40000, busiest=32)
        result = self.count(lambda options, _: ASKED if options == PUBLIC else others, self.grading_at_hidden_shape())
        self.assertTrue(result.passed)

    def test_the_asked_kernel_only_at_the_public_shape_misses_a_goal(self) -> None:
        naive = report(6305, 32 * 6305)
        result = self.count(lambda options, _: ASKED if options == PUBLIC else naive, self.grading_at_hidden_shape())
        self.assertIs(result.outcome, Outcome.GOAL_MISSED)
        self.assertTrue(all(goal.is_met for goal in result.goals))
        self.assertFalse(parts_of(result)["goals"])
        said = explain(result, "a.cu", None)
        self.assertIn("At a hidden shape the kernel misses a performance goal:\n  global-memory stores: sectors per ", said)
        (store, *_) = findings_as_json(result)["hidden_goals"]
        self.assertEqual((store["options"], store["is_met"]), (list(HIDDEN), False))

    def test_a_program_that_is_stopped_at_the_hidden_shape_does_not_name_it(self) -> None:
        result = self.count(lambda options, _: ASKED if options == PUBLIC else "", self.grading_at_hidden_shape())
        self.assertIs(result.outcome, Outcome.CRASHED)
        self.assertNotIn("2051", f"{result.advice} {result.words}")

    def test_counts_of_two_runs_that_are_equal(self) -> None:
        self.assertEqual(self.count(lambda *_: ASKED, Grading(compares_runs=True, seed="7")).differences, ())

    def test_counts_that_differ_in_reverse_order_or_with_other_data_do_not_fail(self) -> None:
        for name, value in (("CUDA_SIMULATOR_BLOCK_ORDER", "reverse"), ("WORKBOOK_SEED", "7")):
            result = self.count(
                lambda _, environment: report(20000, 80000) if environment.get(name) == value else ASKED,
                Grading(compares_runs=True, seed="7"),
            )
            self.assertTrue(result.passed)
            self.assertEqual(result.differences, ("global store requests: 16384 and 20000",))
            self.assertEqual(findings_as_json(result)["differences"], list(result.differences))

    def test_counts_that_depend_on_the_data_are_compared_with_the_same_data(self) -> None:
        result = self.count(
            lambda _, environment: report(20000, 80000) if "WORKBOOK_SEED" in environment else ASKED,
            Grading(compares_runs=True),
        )
        self.assertEqual(result.differences, ())

    def test_the_last_block_can_do_more(self) -> None:
        reverse = report(16384, 65536, busiest=9)
        result = self.count(
            lambda _, environment: reverse if "CUDA_SIMULATOR_BLOCK_ORDER" in environment else ASKED,
            Grading(compares_runs=True),
        )
        self.assertEqual(result.differences, ())


    def test_a_program_that_fails_only_behind_the_veil_hides_accesses(self) -> None:
        def outcome(behind: str, without: str) -> Outcome:
            reports = lambda _, environment: behind if "CUDA_SIMULATOR_VEIL" in environment else without  # noqa: E731
            return self.count(reports, Grading(is_veiled=True)).outcome

        naive = report(16384, 32 * 16384)
        self.assertIs(outcome(ASKED, naive), Outcome.PASSED)
        self.assertIs(outcome(naive, ASKED), Outcome.GOAL_MISSED)
        self.assertIs(outcome("", ASKED), Outcome.UNRECORDED)
        self.assertIs(outcome("", ""), Outcome.CRASHED)


class HiddenGoalsTest(unittest.TestCase):
    def options(self, shapes: tuple[str, ...], goals: tuple[Claim, ...] = GOALS) -> set[tuple[str, ...]]:
        return {claim.options for claim in claims_at_hidden_shape(goals, shapes)}

    def test_the_largest_shape_of_a_sensible_size(self) -> None:
        self.assertEqual(self.options(("5x5", "97x2051", "300x300", "100000x100000")), {HIDDEN})
        self.assertEqual(self.options(("5x5", "97x131")), set())
        self.assertEqual(self.options(()), set())

    def test_a_number_without_an_option_is_left_out(self) -> None:
        goals = tuple(dataclasses.replace(goal, options=("--n", "4096")) for goal in GOALS)
        self.assertEqual(self.options(("3001x96",), goals), {("--n", "3001")})

    def test_a_matrix_product_is_m_x_k_x_n(self) -> None:
        options = ("--m", "256", "--n", "256", "--k", "64", "--bits", "32")
        goals = tuple(dataclasses.replace(goal, options=options) for goal in GOALS)
        self.assertEqual(self.options(("97x45x131",), goals), {("--m", "97", "--n", "131", "--k", "45", "--bits", "32")})

    def test_lower_limits_and_threads_have_no_limit_at_a_hidden_shape(self) -> None:
        measures = [(claim.memory, claim.measure, claim.value) for claim in claims_at_hidden_shape(GOALS, ("97x2051",))]
        self.assertEqual(
            measures,
            [("global", "sectors_per_request", math.inf), ("global", "requests", math.inf), ("kernel", "requests", math.inf)],
        )

    def test_accesses_that_the_reference_does_not_make_have_no_limit(self) -> None:
        claims = claims_at_hidden_shape(GOALS, ("97x2051",))
        limits = limits_of([Goal(goal, 4.0) for goal in GOALS], [Goal(claim, None) for claim in claims])
        self.assertEqual(with_limits(claims, limits), ())

    def test_a_cost_that_the_reference_does_not_have_keeps_its_limit(self) -> None:
        rows = f"{TABLE}1024,512,kernel,branch,diverged,<=256,0\n".splitlines()
        diverged = parse_claims(rows, Path("ex1.md"), stage="ex1")[-1]
        self.assertEqual(limits_of([Goal(diverged, 0.0)], [Goal(diverged, 1.0)]), (256,))
