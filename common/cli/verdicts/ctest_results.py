"""Counting the outcomes of a ctest run: in its JUnit file, and in what each GoogleTest program says of its cases."""

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

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)


def read_counts(junit_file: Path, cases_folder: Path) -> Counts:
    """A test of ctest's counts as one; as its cases, if it wrote them to <name>.xml in `cases_folder`.

    Raises WorkbookError when the file is not JUnit's XML.
    """
    counts = Counts()
    for test in _cases(junit_file, "ctest's results"):
        outcome = _ctest_outcome(test)
        of_cases = _count_cases(cases_folder / f"{test.get('name')}.xml")
        if of_cases.total == 0 or (outcome == "failed" and of_cases.failed == 0):  # it may have ended before it was done
            of_cases += Counts(**{outcome: 1})
        counts += of_cases
    return counts


def _count_cases(file: Path) -> Counts:
    outcomes = [_case_outcome(case) for case in _cases(file, f"the results in {file.name}")] if file.is_file() else []
    return Counts(outcomes.count("passed"), outcomes.count("failed"), outcomes.count("skipped"))


def _cases(file: Path, what: str) -> list[ElementTree.Element]:
    try:
        return list(ElementTree.parse(file).getroot().iter("testcase"))
    except ElementTree.ParseError as error:
        raise WorkbookError(f"{what} cannot be read: {error}.") from error


def _ctest_outcome(test: ElementTree.Element) -> str:
    if test.get("status") == "run":
        return "passed"
    skipped = test.find("skipped")
    # ctest also calls "skipped" what it could not start; only a test that asked for it is.
    asked_for_it = skipped is not None and skipped.get("message", "").startswith("SKIP_")
    return "skipped" if asked_for_it or test.get("status") == "disabled" else "failed"


def _case_outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None:
        return "failed"
    return "passed" if case.get("status") == "run" and case.get("result") == "completed" else "skipped"
