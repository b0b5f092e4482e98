"""Counting the outcomes of a ctest run: from its JUnit file, and from the results of each GoogleTest program."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from cli.errors import WorkbookError
from cli.verdicts.googletest import State, read_results


@dataclass(frozen=True)
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def read_counts(junit_file: Path, cases_folder: Path) -> dict[str, Counts]:
    """The counts of each ctest test: 1, or the number of its cases if it wrote them to <name>.xml in `cases_folder`.

    Raises WorkbookError if a file is not such XML, or contains no case.
    """
    counts = {}
    for test in _ctest_tests(junit_file):
        outcome = _ctest_outcome(test)
        of_cases = _count_cases(cases_folder / f"{test.get('name')}.xml")
        if of_cases.total == 0 or (outcome == "failed" and of_cases.failed == 0):  # it may have ended early
            of_cases += Counts(**{outcome: 1})
        counts[test.get("name", "")] = of_cases
    return counts


def _count_cases(file: Path) -> Counts:
    if not file.is_file():
        return Counts()
    states = Counter(test.state for test in read_results(file))
    if not states:
        raise WorkbookError(f"The results in {file} cannot be read.")
    return Counts(states[State.PASSED], states[State.FAILED], states[State.SKIPPED] + states[State.NOT_RUN])


def _ctest_tests(junit_file: Path) -> list[ElementTree.Element]:
    try:
        return list(ElementTree.parse(junit_file).getroot().iter("testcase"))
    except ElementTree.ParseError as error:
        raise WorkbookError(f"ctest's results cannot be read: {error}.") from error


def _ctest_outcome(test: ElementTree.Element) -> str:
    if test.get("status") == "run":
        return "passed"
    skipped = test.find("skipped")
    # ctest also reports tests that it could not start as "skipped"; only a test that asked for it counts as skipped.
    asked_for_it = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if asked_for_it or test.get("status") == "disabled" else "failed"
