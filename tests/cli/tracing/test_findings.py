"""The kinds of mistakes: the command's list is the simulator's and the documentation's."""

from __future__ import annotations

import re
import unittest

from support import ROOT

from cli.tracing.findings import DEVICE_RULE, KINDS, SIMULATOR_KINDS, Mistake, heading, mistakes_in

# Where a source makes a finding, its kind comes first: refuse("race", ...), Finding finding{"barrier", ...}.
_MADE = re.compile(r'(?:\brefuse\(|\bend_kernel\(\{|\badd\(\s*\{|\bFinding \w+\{|\bKernelFailure \w+\{)\s*"(\w+)"')


class KindsTest(unittest.TestCase):
    sources = "\n".join(
        file.read_text(encoding="utf-8")
        for suffix in ("cpp", "h")
        for file in sorted((ROOT / "common/simulator").rglob(f"*.{suffix}"))
    )

    def test_each_kind_is_one_that_the_simulator_finds(self) -> None:
        for kind in SIMULATOR_KINDS:
            self.assertIn(f'"{kind}"', self.sources)

    def test_each_kind_that_the_simulator_finds_is_listed(self) -> None:
        made = set(_MADE.findall(self.sources))
        self.assertGreater(len(made), 10)
        self.assertLessEqual(made, set(SIMULATOR_KINDS))

    def test_the_simulators_own_list_of_kinds(self) -> None:
        comment = re.search(r"struct Finding \{\n((?:  //[^\n]*\n)+)  std::string kind;", self.sources)
        listed = re.findall(r"\w+", comment[1].replace("//", "")) if comment else []
        self.assertEqual(sorted(listed), sorted(SIMULATOR_KINDS))

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
        found = mistakes_in([f"Device findings:\nrace: {text}\nrace: {other_threads}", f"race: {other_lines}\nnext"])
        self.assertEqual(found, (Mistake("race", text), Mistake("race", other_lines)))

    def test_what_is_no_kind(self) -> None:
        self.assertEqual(mistakes_in(["trace: a", "the race: b", "device_rule: c", "race:"]), ())
