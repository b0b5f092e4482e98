"""The units of rates: the list in Python is the same as in the programs."""

from __future__ import annotations

import re
import unittest

from support import ROOT

from cli.measuring.units import RATE_UNITS

_RATE_UNIT = re.compile(r'\bRateUnit \w+\{"(?P<text>[^"]+)", "(?P<column>\w+)"')


class UnitsTest(unittest.TestCase):
    def test_the_programs_units(self) -> None:
        files = [
            file
            for folder in ("common", "chapters")
            for suffix in ("h", "cpp")
            for file in (ROOT / folder).rglob(f"*.{suffix}")
        ]
        found = [match for file in files for match in _RATE_UNIT.finditer(file.read_text(encoding="utf-8"))]
        self.assertEqual({match["column"]: match["text"] for match in found}, RATE_UNITS)
