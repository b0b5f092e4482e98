"""Passes if the tests of an operation find each of its mistakes, for the reasons that the catalogue states.

Usage: expect_mistakes.py [--jobs=N] [--only=NAME] TEST_PROGRAM CATALOGUE SPOILED_FILE...

The program is linked from what make_units.py wrote for the same files. A line is printed for each mistake. If
GTEST_OUTPUT is xml:FILE, that file gets a test case for each, as a GoogleTest program would write it.
"""

from __future__ import annotations

import os
import sys
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "common"), str(ROOT / "tests")]

from cli.errors import WorkbookError
from cli.mistakes.catalogue import Mistake, read_catalogue
from cli.mistakes.spoiling import spoiled_file
from mistakes.rejection import Unacceptable, expect_rejection

_XML = "xml:"


@dataclass(frozen=True)
class Result:
    name: str
    failure: str  # empty if it is rejected as it should be
    words: str
    duration_s: float


def try_mistake(program: Path, mistake: Mistake) -> Result:
    started = time.monotonic()
    failure = words = ""
    try:
        words = expect_rejection(
            program,
            mistake.name,
            mistake.reasons,
            mistake.block_order,
            {"WORKBOOK_MISTAKE": mistake.name},
        )
    except Unacceptable as why:
        failure = f"{mistake.catalogue}:{mistake.line}: {why}"
    return Result(mistake.name, failure, words, time.monotonic() - started)


def write_xml(file: Path, suite: str, results: list[Result]) -> None:
    failures = str(sum(bool(result.failure) for result in results))
    counts = {"tests": str(len(results)), "failures": failures, "errors": "0", "disabled": "0"}
    counts["time"] = f"{sum(result.duration_s for result in results):.3f}"
    root = ElementTree.Element("testsuites", name="AllTests", **counts)
    node = ElementTree.SubElement(root, "testsuite", name=suite, skipped="0", **counts)
    for result in results:
        case = ElementTree.SubElement(node, "testcase", name=result.name, classname=suite, status="run")
        case.set("result", "completed")
        case.set("time", f"{result.duration_s:.3f}")
        if result.failure:
            text = "".join(c if c in "\t\n" or c >= " " else "?" for c in result.failure)  # what XML allows
            ElementTree.SubElement(case, "failure", message=text.partition("\n")[0], type="").text = text
    ElementTree.ElementTree(root).write(file, encoding="UTF-8", xml_declaration=True)


def run(program: Path, catalogue: Path, files: list[Path], jobs: int, only: str) -> bool:
    mistakes = [mistake for mistake in read_catalogue(catalogue) if spoiled_file(mistake, ROOT) in files]
    mistakes = [mistake for mistake in mistakes if only in ("", mistake.name)]
    with ThreadPoolExecutor(jobs) as executor:
        results = []
        for result in executor.map(lambda mistake: try_mistake(program, mistake), mistakes):
            print(result.failure or result.words, flush=True)
            results.append(result)
    rejected = sum(not result.failure for result in results)
    print(f"{rejected} of {len(results)} mistakes are rejected for the stated reasons.")
    output = os.environ.get("GTEST_OUTPUT", "")
    if output.startswith(_XML):
        write_xml(Path(output[len(_XML) :]), program.name, results)
    return rejected == len(results) > 0


def main(arguments: list[str]) -> int:
    options = dict(argument[2:].split("=", 1) for argument in arguments if argument.startswith("--"))
    rest = [argument for argument in arguments if not argument.startswith("--")]
    if len(rest) < 3 or not set(options) <= {"jobs", "only"}:
        print(__doc__, file=sys.stderr)
        return 2
    program, catalogue, *files = map(Path, rest)
    try:
        passed = run(program, catalogue, files, int(options.get("jobs", "1")), options.get("only", ""))
    except WorkbookError as error:
        print(error)
        return 1
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
