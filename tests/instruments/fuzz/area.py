"""What the runner asks of an area: cases made by chance, and what may not come of them."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Protocol

# What a terminal may take for a command.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Area(Protocol):
    """A case writes what it puts in into its folder, which the runner keeps if it fails."""

    name: str
    is_isolated: bool  # in a process of its own: a function of ours, and no program that has limits already

    def run(self, chance: random.Random, folder: Path) -> str:
        """What is wrong, in words; empty if nothing is. An exception is wrong too."""


def wrong_output(output: str) -> str:
    """What no output may have, whatever went in; empty if it has nothing of that."""
    control = _CONTROLS.search(output)
    if control:
        begin = max(0, control.start() - 40)
        return f"it prints a control character: {output[begin : control.end() + 40]!r}"
    for words in ("Traceback (most recent call last)", "a bug in ./workbook itself"):
        if words in output:
            return f"it says '{words}': {output[-1500:]!r}"
    return ""
