"""An area of the fuzzer: random cases, and outputs that are never allowed."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Protocol

# Characters that a terminal can interpret as a command.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Area(Protocol):
    """A case writes its input into its folder. The runner keeps the folder if the case fails."""

    name: str
    is_isolated: bool  # runs in a separate process: needed for our functions, not for programs with limits

    def run(self, chance: random.Random, folder: Path) -> str:
        """The failure, as a sentence; empty if there is none. An exception is a failure too."""


def wrong_output(output: str) -> str:
    """The first thing in the output that is never allowed; empty if there is none."""
    control = _CONTROLS.search(output)
    if control:
        begin = max(0, control.start() - 40)
        return f"it prints a control character: {output[begin : control.end() + 40]!r}"
    for words in ("Traceback (most recent call last)", "a bug in ./workbook itself"):
        if words in output:
            return f"it prints '{words}': {output[-1500:]!r}"
    return ""
