"""Counting the outcomes in ctest's JUnit file."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError


@dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped


def read_counts(junit_file: Path) -> Counts:
    """Raises WorkbookError when the file is not JUnit's XML."""
    try:
        cases = list(ElementTree.parse(junit_file).getroot().iter("testcase"))
    except ElementTree.ParseError as error:
        raise WorkbookError(f"ctest's results cannot be read: {error}.") from error
    outcomes = [_outcome(case) for case in cases]
    return Counts(outcomes.count("passed"), outcomes.count("failed"), outcomes.count("skipped"))


def _outcome(case: ElementTree.Element) -> str:
    if case.get("status") == "run":
        return "passed"
    skipped = case.find("skipped")
    # ctest also calls "skipped" what it could not start; only a test that asked for it is.
    asked_for_it = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if asked_for_it or case.get("status") == "disabled" else "failed"
