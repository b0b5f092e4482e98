"""The kinds of errors: the commands, the simulator and the documentation have the same list."""

from __future__ import annotations

import re
import unittest

from support import ROOT

from cli.tracing.findings import DEVICE_RULE, KINDS, SIMULATOR_KINDS, heading, mistakes_of
from cli.tracing.report import Finding, Place

# The simulator's list, and kinds that its sources write as strings: refuse("race", ...), Finding x{"race", ...}.
_LISTED = re.compile(r'inline constexpr char k\w+\[\] = "(\w+)";')
_UNLISTED = re.compile(r'(?:\brefuse\(|\bend_kernel\(\{|\badd\(\s*\{|\bFinding \w+\{|\bKernelFailure \w+\{)\s*"(\w+)"')


class KindsTest(unittest.TestCase):
    simulator = ROOT / "common/simulator"

    def test_the_simulators_list_of_kinds(self) -> None:
        header = (self.simulator / "include/simulator/findings.h").read_text(encoding="utf-8")
        self.assertEqual(sorted(_LISTED.findall(header)), sorted(SIMULATOR_KINDS))

    def test_a_finding_takes_its_kind_from_the_list(self) -> None:
        for suffix in ("cpp", "h"):
            for file in self.simulator.rglob(f"*.{suffix}"):
                self.assertEqual(_UNLISTED.findall(file.read_text(encoding="utf-8")), [], file)

    def test_each_kind_is_documented(self) -> None:
        page = (ROOT / "docs/simulator.md").read_text(encoding="utf-8")
        table = page[page.index("| `out_of_bounds` |") :].split("\n\n")[0]
        self.assertEqual(set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)), set(KINDS))

    def test_heading(self) -> None:
        self.assertEqual((heading("race"), heading(DEVICE_RULE)), ("Data race", "Not allowed in CUDA"))
        self.assertEqual(heading("of_a_newer_simulator"), "Of a newer simulator")


class MistakesTest(unittest.TestCase):
    def race(self, line: int, thread: int = 0) -> Finding:
        places = (Place("a.cu", 3, 1, "store", (thread, 0, 0), (0, 0, 0)), Place("a.cu", line, 1, "load", (1, 0, 0), (0, 0, 0)))
        return Finding("race", "k", f"race at {line}.", 1, places, f"finding=race thread={thread}")

    def test_one_for_each_pair_of_lines(self) -> None:
        found = mistakes_of([self.race(9), self.race(9, thread=5), self.race(8)])
        self.assertEqual([one.facts for one in found], ["finding=race thread=0", "finding=race thread=0"])
        self.assertEqual(
            found[0].text,
            "k: race at 9.\n  a.cu:3:1  store by thread (0,0,0) of block (0,0,0)\n"
            "  a.cu:9:1  load by thread (1,0,0) of block (0,0,0)",
        )

    def test_a_barrier_that_threads_miss_comes_first(self) -> None:
        found = mistakes_of([self.race(9), Finding("barrier", "k", "only 3 threads.")])
        self.assertEqual([one.kind for one in found], ["barrier", "race"])

    def test_a_place_in_the_library_is_marked(self) -> None:
        places = (Place("/usr/include/c++/12/bits/stl_algobase.h", 431, 23, "store"), Place("ex1_k.cu", 3, 4, "load"))
        self.assertEqual(
            mistakes_of([Finding("host_pointer", "", "no", 1, places)])[0].text,
            "no\n  stl_algobase.h:431:23  store, in a function of the C++ library that was called with this pointer\n"
            "  ex1_k.cu:3:4  load",
        )
