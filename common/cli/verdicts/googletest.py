"""The results of a run of a GoogleTest program, and whether they can be trusted.

A program under test can print any text, crash, hang or exit early. So the tests are read from the results file that
GoogleTest writes at the end (GTEST_OUTPUT=json:FILE, or xml:FILE), and the run is trusted only if its exit code agrees
with them.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from cli.running.limited_run import Ended, running_test
from cli.running.processes import Outcome
from cli.tracing.report import Finding, parse_findings

TEST_FAILED = 1  # the exit code of a program whose tests ran to their end
MAX_RESULTS_BYTES = 16 << 20

# The start of a failure in the results: file, line, and "Failed" if the test has a message of its own.
_FAILURE_HEAD = re.compile(r"\A(?:\S.*:\d+\n|unknown file\n)?(?:Failed\n)?")
_TRACE = "\nGoogle Test trace:\n"
_TRACE_LINE = re.compile(r"^\S.*:\d+: ", re.MULTILINE)


class State(Enum):
    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"
    UNFINISHED = "did not end"
    NOT_RUN = "did not run"  # disabled, or not selected; such tests are not part of a run


_RESULTS = {"COMPLETED": State.PASSED, "SKIPPED": State.SKIPPED}


@dataclass(frozen=True)
class Recorded:
    """What a test recorded for programs, only in JSON results."""

    facts: tuple[str, ...] = ()  # tests/support/facts.h
    part: str = ""  # "error_handling" if the test is about the report of an error
    findings: tuple[Finding, ...] = ()  # the simulator's
    elements: str = ""  # the elements around the first wrong one: tests/support/wrong_elements.h
    # The largest numbers of the calls so far: common/grading/transcripts/replay_calls.cpp.
    host_bytes: int = 0
    call_bytes: int = 0


@dataclass(frozen=True)
class Test:
    name: str  # with its parameters: Launches/VectorAddTest.MatchesReference/n33_threads32
    state: State
    messages: tuple[str, ...] = ()  # the messages of the failed expectations
    recorded: Recorded = Recorded()


class Ending(Enum):
    """How a run ended, and so whether its results can be trusted."""

    COMPLETE = "complete"  # every test ended, and the exit code is theirs
    STOPPED = "stopped at a limit"
    CRASHED = "crashed"  # or ended before its tests did
    BELIED = "belied by its exit code"  # every test ended, but the exit code contradicts the results


@dataclass(frozen=True)
class TestRun:
    ending: Ending
    tests: tuple[Test, ...]
    words: str = ""  # how it ended, in a sentence; empty if COMPLETE
    output: str = ""

    @property
    def passed(self) -> bool:
        """Whether the run is complete, at least one test passed, and no test failed."""
        return self.ending is Ending.COMPLETE and bool(self.in_state(State.PASSED)) and not self.in_state(State.FAILED)

    def in_state(self, state: State) -> tuple[Test, ...]:
        return tuple(test for test in self.tests if test.state is state)


def judge(program: str, ended: Ended, results_file: Path) -> TestRun:
    """The result of a run with a results file that did not exist before. `program` is its name in messages."""
    ran = tuple(test for test in read_results(results_file) if test.state is not State.NOT_RUN)
    return _judge(program, ended, ran)


def read_results(results_file: Path) -> tuple[Test, ...]:
    """All tests of the program; none if the file is missing, or is not GoogleTest's JSON or (.xml) XML."""
    try:
        if results_file.stat().st_size > MAX_RESULTS_BYTES:
            return ()
        text = results_file.read_text(encoding="utf-8", errors="replace")
        return tuple(_in_xml(text) if results_file.suffix == ".xml" else _in_json(text))
    except (OSError, ElementTree.ParseError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return ()


def _judge(program: str, ended: Ended, tests: tuple[Test, ...]) -> TestRun:
    def run(ending: Ending, words: str) -> TestRun:
        return TestRun(ending, tests, words, ended.output)

    if ended.stopped:
        test = running_test(ended.output)
        where = f" It was running the test {test}." if test else ""
        return run(Ending.STOPPED, f"{program} was stopped: it {ended.stopped}.{where}")
    verdicts = [test for test in tests if test.state in (State.PASSED, State.FAILED, State.SKIPPED)]
    if ended.returncode not in (0, TEST_FAILED) or not verdicts:
        words = Outcome(program, ended.returncode).explanation() if ended.returncode not in (0, TEST_FAILED) else ""
        return run(Ending.CRASHED, words or f"{program} ended before its tests did.")
    has_failed = any(test.state is State.FAILED for test in tests)
    if has_failed and ended.returncode == 0:
        return run(Ending.BELIED, f"{program}: tests failed, but the exit code of the program is 0.")
    if not has_failed and ended.returncode != 0:
        return run(Ending.BELIED, f"{program}: all tests passed, but then the program failed.")
    return run(Ending.COMPLETE, "")


def _in_json(text: str) -> Iterator[Test]:
    for suite in json.loads(text)["testsuites"]:
        for test in suite["testsuite"]:
            failures = [failure["failure"] for failure in test.get("failures", ())]
            yield _test(f"{suite['name']}.{test['name']}", test["result"], failures, test)


def _in_xml(text: str) -> Iterator[Test]:
    for suite in ElementTree.fromstring(text).iter():
        for test in suite.findall("testcase"):
            failures = [failure.text or failure.get("message", "") for failure in test.iter("failure")]
            yield _test(f"{suite.get('name', '')}.{test.attrib['name']}", test.attrib["result"].upper(), failures)


def _test(name: str, result: str, failures: Iterable[str], properties: dict[str, Any] | None = None) -> Test:
    messages = tuple(map(_message, failures))
    if not messages:
        return Test(name, _RESULTS.get(result, State.NOT_RUN), recorded=_recorded(properties or {}))
    return Test(name, State.FAILED, messages, _recorded(properties or {}))


def _recorded(properties: dict[str, Any]) -> Recorded:
    facts, part, findings, elements = (
        str(properties.get(name, "")) for name in ("facts", "part", "findings", "elements")
    )
    most = (int(properties.get(name, 0)) for name in ("host_bytes", "call_bytes"))
    return Recorded(tuple(facts.split("; ")) if facts else (), part, parse_findings(findings), elements, *most)


def _message(failure: str) -> str:
    """The message of a failed expectation for a learner, after its SCOPED_TRACE."""
    text, _, trace = failure.partition(_TRACE)
    text = _FAILURE_HEAD.sub("", text, count=1).strip()
    about = " / ".join(reversed(_TRACE_LINE.sub("", trace).splitlines()))
    return f"{about}: {text}" if about else text
