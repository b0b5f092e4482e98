"""The drawing below a failed check, for each kind of failure."""

from __future__ import annotations

import dataclasses
import unittest
from pathlib import Path

import support

from cli.checking.check_result import CheckResult, FailedTest, Goal, Outcome
from cli.exercises.failing_case import draw
from cli.measuring.claims import Claim
from cli.tracing.findings import Mistake
from cli.tracing.report import Access, Example, Place
from cli.verdicts.googletest import Recorded

ANSWER = Path("ex1.cu")


def places(line: int = 3, block: int = 0) -> tuple[Place, ...]:
    """A store and, on this line, a load by a thread of this block."""
    return (
        Place("ex1.cu", 2, 4, "store", (0, 1, 0), (0, 0, 0)),
        Place("ex1.cu", line, 4, "load", (1, 0, 0), (block, 0, 0)),
    )


def wrong(elements: str, outcome: Outcome = Outcome.WRONG, columns: int = 100) -> list[str]:
    tests = (FailedTest("T.First", ("...",), Recorded(elements=elements)),)
    return draw(CheckResult(ANSWER, outcome, tests), columns).splitlines()


def mistake(kind: str, where: tuple[Place, ...], facts: str, answer: Path = ANSWER, columns: int = 100) -> list[str]:
    found = Mistake(kind, "kernel: words.", f"finding={kind} {facts}", where)
    return draw(CheckResult(answer, Outcome.MISTAKE, mistakes=(found,)), columns).splitlines()


def access(memory: str, distance_bytes: int, **others: object) -> Access:
    offsets = tuple(lane * distance_bytes for lane in range(32))
    example = Example((0, 2), 1, False, 32, 32, "tile" if memory == "shared" else "allocation 1", 4096, 0, offsets)
    fields = {"bytes_per_lane": 4, "requests": 1, "lanes": 32, "example": example, **others}
    return Access("a/ex1.cu", 7, 3, memory, "load", **fields)


def missed(worst: Access, columns: int = 100, measure: str = "sectors_per_request") -> list[str]:
    goal = Goal(Claim("ex1", (), worst.memory, worst.operation, measure, 1, 0), 2.0)
    return draw(CheckResult(ANSWER, Outcome.GOAL_MISSED, goals=(goal,), worst=worst), columns).splitlines()


class ElementsTest(unittest.TestCase):
    LAST = "z 1 3;1 expected 22 got 22 right by thread 1 block 4;2 expected 33 got NaN wrong by -"

    def test_the_writers_of_right_and_wrong_elements(self) -> None:
        lines = [
            "  z                 [1]    [2]",
            "  expected           22     33",
            "  got                22  * NaN",
            "  written by block    4      -",
            "  and thread          1      -",
            "  * is wrong. '-' means that no thread wrote it.",
        ]
        self.assertEqual(wrong(self.LAST), lines)
        self.assertEqual(wrong(self.LAST, Outcome.WRONG_IN_REVERSE), lines)

    def test_a_matrix_has_rows_and_columns_and_blocks_have_two_numbers(self) -> None:
        lines = wrong("out 2 3;4 expected 1 got 2 wrong by thread 3:1 block 0:2")
        self.assertEqual(lines[0].split(), ["out", "[1][1]"])
        self.assertEqual(lines[3].split()[-1], "(0,2)")
        self.assertEqual(lines[4].split()[-1], "(3,1)")

    def test_unwritten_elements_need_no_rows_for_writers(self) -> None:
        lines = wrong("z 1 2;0 expected 1 got NaN wrong by -;1 expected 2 got NaN wrong by -")
        self.assertEqual([line.split()[0] for line in lines[:3]], ["z", "expected", "got"])
        self.assertEqual(lines[3:], ["  No thread wrote these elements."])

    def test_where_not_all_writers_are_known_none_is_shown(self) -> None:
        for by in ("", " by ?", " by ?;1 expected 1 got 2 wrong by thread 1 block 0"):  # a GPU does not record writers
            lines = wrong(f"z 1 2;0 expected 1 got 2 wrong{by}")
            self.assertEqual([line.split()[0] for line in lines], ["z", "expected", "got"], by)

    def test_writers_of_other_launches_and_atomic_functions(self) -> None:
        self.assertEqual(
            wrong("z 1 1;0 expected 1 got 2 wrong by atomic")[3:], ["  Atomic functions wrote this element."]
        )
        lines = wrong("z 1 2;0 expected 1 got 2 wrong by earlier;1 expected 1 got 1 right by thread 1 block 0")
        self.assertEqual(lines[3].split()[-2:], ["earlier", "0"])
        self.assertEqual(lines[5], "  * is wrong. 'earlier' is an earlier launch.")

    def test_a_narrow_terminal_shows_fewer_elements(self) -> None:
        text = "z 1 8" + "".join(f";{n} expected 0.123456 got 0.654321 wrong by thread {n} block 0" for n in range(8))
        for columns in (40, 60, 100):
            lines = wrong(text, columns=columns)
            self.assertLessEqual(max(map(len, lines)), columns)
        self.assertEqual(wrong(text, columns=100)[0].split()[-1], "[5]")

    def test_the_wrong_element_stays_on_a_narrow_terminal(self) -> None:
        text = "z 1 2;0 expected 0.123456 got 0.123456 right by thread 0 block 0;1 expected 0.123456 got 0.654321 wrong by -"
        lines = wrong(text, columns=36)
        self.assertEqual((lines[0].split()[1:], lines[2].split()[1:]), (["[1]"], ["*", "0.654321"]))

    def test_without_recorded_elements_nothing_is_drawn(self) -> None:
        for nothing in ("", "z", "z 1 3;", "z 1 3;nonsense", "z 1 0;0 expected 1 got 2 wrong"):
            self.assertEqual(wrong(nothing), [], nothing)


class MistakesTest(unittest.TestCase):
    LOAD = (Place("ex1.cu", 9, 4, "load", (5, 0, 0), (0, 0, 0)),)
    SHARED = "between=threads memory=shared array=tile at=132 end=4224 width=4"

    def test_a_race_shows_each_line_of_the_answer_once(self) -> None:
        answer = support.folder_of(self) / "ex1.cu"
        answer.write_text("void\n  tile[i] = 1;\n  x = tile[j];\n")
        lines = [
            "  line 2: thread (0,1) of block 0 stores element 33 of tile",
            "       2 | tile[i] = 1;",
            "  line 3: thread 1 of block 0 loads element 33 of tile",
            "       3 | x = tile[j];",
            "  No __syncthreads() separates these steps, so either can come first.",
        ]
        self.assertEqual(mistake("race", places(), self.SHARED, answer), lines)
        with_itself = mistake("race", places(line=2), self.SHARED, answer)
        self.assertEqual(sum("|" in line for line in with_itself), 1)

    def test_a_race_between_blocks_of_an_array_without_a_name(self) -> None:
        lines = mistake("race", places(block=3), "between=blocks memory=global at=8 end=400 width=4")
        self.assertEqual(lines[1], "  line 3: thread 1 of block 3 loads the same element")
        self.assertEqual(lines[2], "  Blocks run in any order, so either can come first.")

    def test_a_race_that_no_barrier_prevents(self) -> None:
        stores = (places()[0], dataclasses.replace(places()[1], operation="store"))
        for where, facts in ((stores, self.SHARED), (places(), f"{self.SHARED} update=same")):
            self.assertEqual(mistake("race", where, facts)[-1], "  Either can come first.")

    def reach(self, at: int, end: int, width: int = 4) -> list[str]:
        return mistake("out_of_bounds", self.LOAD, f"memory=global where=behind at={at} end={end} width={width}")

    def test_an_access_after_the_end(self) -> None:
        self.assertEqual(
            self.reach(20, 20),
            [
                "  line 9: thread 5 of block 0 loads element 5",
                "  element  2  3  4  |  5",
                "                       ^ outside: the array has elements 0 to 4",
            ],
        )
        self.assertEqual(self.reach(400, 20)[1], "  element  2  3  4  |  5  ...  100")

    def test_an_access_before_the_start(self) -> None:
        lines = self.reach(-8, 40)
        self.assertEqual(lines[1], "  element  -2  -1  |  0  1  2")
        self.assertEqual(lines[2].index("^"), lines[1].index("-2"))

    def test_an_address_between_elements_is_in_bytes(self) -> None:
        lines = self.reach(4, 5)
        self.assertEqual(lines[0], "  line 9: thread 5 of block 0 loads bytes 4 to 7")
        self.assertEqual(lines[1], "  byte  2  3  4  |  5  6  7")
        self.assertEqual(lines[2].index("^"), lines[1].index("7"))

    def test_an_array_with_no_or_one_element(self) -> None:
        self.assertTrue(self.reach(4, 4)[2].endswith("^ outside: the array has one element, 0"))
        self.assertTrue(self.reach(0, 0)[2].endswith("^ outside: the array is empty"))

    def test_an_access_without_an_array_is_not_drawn(self) -> None:
        self.assertEqual(mistake("host_pointer", self.LOAD, "access=load"), [], "no array is known")
        self.assertEqual(mistake("out_of_bounds", (), "at=4 end=4 width=4"), [], "no thread is known")


class RequestTest(unittest.TestCase):
    def test_sectors_of_scattered_lanes(self) -> None:
        lines = missed(access("global", 4096))
        self.assertEqual(lines[0], "  line 7: one request of warp 1 of block (0,2) loads 32 elements of global memory")
        self.assertEqual(lines[1].split(), ["lane", *"01234567", "...", "31"])
        self.assertEqual(lines[2].split()[:4], ["byte", "0", "4096", "8192"])
        self.assertEqual([lines[3].split()[n] for n in (0, 2, -1)], ["sector", "128", "3968"])
        self.assertEqual(lines[4], "  It touches 32 sectors of 32 bytes; 4 would be enough.")

    def test_banks_of_a_column(self) -> None:
        lines = missed(access("shared", 128))
        self.assertTrue(lines[0].endswith("loads 32 elements of tile"))
        self.assertEqual(set(lines[3].split()[1:]), {"0", "..."})
        self.assertEqual(lines[4], "  It needs 32 words of bank 0, in 32 wavefronts; 1 would be enough.")

    def test_the_array_can_start_inside_a_line(self) -> None:
        shifted = access("shared", 4)
        example = dataclasses.replace(shifted.example, begin_in_line=8)
        lines = missed(dataclasses.replace(shifted, example=example))
        self.assertEqual(lines[3].split()[:3], ["bank", "2", "3"])

    def test_a_narrow_terminal_keeps_the_last_lane(self) -> None:
        lines = missed(access("global", 1 << 20), columns=40)
        self.assertLessEqual(max(map(len, lines)), 40)
        self.assertEqual(next(line for line in lines if "lane " in line).split()[-1], "31")

    def test_requests_that_are_not_drawn(self) -> None:
        load = access("global", 4096)
        of_one_lane = dataclasses.replace(load.example, offsets=(0, *[None] * 31))
        for changes in ({"operation": "atomic"}, {"example": of_one_lane}, {"example": None}):
            self.assertEqual(missed(dataclasses.replace(load, **changes)), [], changes)
        self.assertEqual(missed(load, measure="requests"), [])


class OthersTest(unittest.TestCase):
    def test_other_endings_have_no_drawing(self) -> None:
        for outcome in Outcome:
            self.assertEqual(draw(CheckResult(ANSWER, outcome), 100), "", outcome)
