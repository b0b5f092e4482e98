"""Outcomes of cases, in the XML that GoogleTest writes: `./workbook test` counts the cases in it."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Case:
    name: str
    failure: str | None  # what was wrong; None if the case passed


def write_results(suite: str, cases: list[Case]) -> None:
    """Writes the file that GTEST_OUTPUT names (xml:PATH); no file if it names none."""
    kind, _, path = os.environ.get("GTEST_OUTPUT", "").partition(":")
    if kind != "xml" or not path:
        return
    root = ElementTree.Element("testsuites")
    element = ElementTree.SubElement(root, "testsuite", name=suite)
    for case in cases:
        result = ElementTree.SubElement(element, "testcase", name=case.name, status="run", result="completed")
        if case.failure is not None:
            text = "".join(c if c in "\t\n" or c >= " " else "?" for c in case.failure)  # what XML can hold
            ElementTree.SubElement(result, "failure").text = text
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
