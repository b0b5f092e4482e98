"""The kinds of errors: the commands, the simulator and the documentation have the same list."""

from __future__ import annotations

import re
import unittest

from support import ROOT

from cli.tracing.findings import DEVICE_RULE, KINDS, SIMULATOR_KINDS, Mistake, heading, mistakes_in

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
    def test_one_for_each_pair_of_lines(self) -> None:
        text = "k: race on tile.\n  a.cu:3: store by thread (0, 0, 0)\n  a.cu:9: load by thread (1, 0, 0)"
        other_threads = text.replace("(0, 0, 0)", "(5, 0, 0)")
        other_lines = text.replace("a.cu:9", "a.cu:8")
        found = mistakes_in(
            [(f"Device findings:\nrace: {text}\nrace: {other_threads}", ()), (f"race: {other_lines}\nnext", ())]
        )
        self.assertEqual(found, (Mistake("race", text), Mistake("race", other_lines)))

    def test_each_has_its_own_facts(self) -> None:
        said = "race: k: a\n  a.cu:3: store\nrace: k: b\n  a.cu:4: store"
        facts = ["pattern=other", "finding=race at=0", "finding=race at=4"]
        self.assertEqual([found.facts for found in mistakes_in([(said, facts)])], facts[1:])
        self.assertEqual([found.facts for found in mistakes_in([(said, facts[:2])])], ["", ""], "one is missing")

    def test_unknown_kind(self) -> None:
        self.assertEqual(mistakes_in([(said, ()) for said in ("trace: a", "the race: b", "device_rule: c", "race:")]), ())

    def test_a_place_in_the_library_is_marked(self) -> None:
        said = "host_pointer: k: no\n  stl_algobase.h:431:23  store\n  ex1_k.cu:3:4  load"
        self.assertEqual(
            mistakes_in([(said, ())])[0].text,
            "k: no\n  stl_algobase.h:431:23  store, in a function of the C++ library that was called with this pointer\n"
            "  ex1_k.cu:3:4  load",
        )
