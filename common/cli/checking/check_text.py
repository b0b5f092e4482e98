"""The text of a check for a learner: how the answer failed, and what the failures have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from cli.checking.check_result import MISTAKES_SHOWN, CheckResult, Goal, Outcome, shown_failures
from cli.checking.facts import fits
from cli.measuring.claims import Claim
from cli.running.limited_run import OF_PROCESSOR
from cli.terminal.console import DEFAULT_WIDTH_COLUMNS, wrapped
from cli.terminal.source_lines import SourceLines

_TAIL_LINES = 15
_NOT_LAUNCHED = re.compile(r"\A(?:\w.* cannot be launched: |no kernel was launched)")
_EXCEPTION = re.compile(r'\AC\+\+ exception with description "(?P<what>.*)" thrown in the test body\.?\Z', re.DOTALL)
# Lines that GoogleTest prints itself: for each test, and above each failure.
_FRAMEWORK_LINE = re.compile(r"\[[ A-Z=-]{10}\] |(unknown file|\S+:\d+): Failure\Z|Note: Google Test filter = ")
# GoogleTest's text about an expectation; the test's text can follow. The tests write EXPECT_EQ(actual, expected).
_ABOUT = r"\A(?P<about>[^\n]*: )?"
_WORDS = r"(?:\n(?P<words>\S.*))?\Z"
_VALUE = r"\n  (?P<{0}>\S[^\n]*)(?:\n    Which is: (?P<{0}_value>[^\n]*))?"
_EQUALITY = re.compile(
    _ABOUT + "Expected equality of these values:" + _VALUE.format("actual") + _VALUE.format("expected") + _WORDS,
    re.DOTALL,
)
_NEARNESS = re.compile(
    _ABOUT + r"The difference between (?P<actual>[^\n]+) and [^\n]+ is [^\n]+, where\n[^\n]+ evaluates to "
    r"(?P<actual_value>[^\n]+),\n(?P<expected>[^\n]+) evaluates to (?P<expected_value>[^\n]+), and\n[^\n]+" + _WORDS,
    re.DOTALL,
)
_OTHER_EXPECTATION = re.compile(
    _ABOUT + r"(?:Value of: [^\n]*\n +Actual: [^\n]*\nExpected: [^\n]*"
    r"|Expected: \([^\n]*\) (?:<|<=|==|>=|>|!=) \([^\n]*\), actual: [^\n]*)\n(?P<words>\S.*)\Z",
    re.DOTALL,
)
_FIX = re.compile(r"^Fix (?P<file>.+), line (?P<line>\d+): ", re.MULTILINE)
_NO_KERNEL = (
    "No kernel wrote the result: the tests saw no launch, so host code or copies computed it. Write the computation as "
    "a kernel, and launch it."
)
_UNRECORDED = (
    "The result is correct, but it is wrong when the memory of the kernels shows only what their recorded accesses load "
    "and store (CUDA_SIMULATOR_VEIL=1). So a kernel loads or stores memory in a way that is not recorded, and its costs and "
    "races cannot be counted. In kernels, access arrays by pointer and index and by CUDA's functions, not by functions of "
    "the host, and not outside an array. Instead of new (p) T(f(x)), write *p = f(x)."
)
_NUMBER = re.compile(r"([A-Za-z]*)(\d{1,9})")  # in a test's name: n33_threads32, 5x7
_RECORDED_SIZE = re.compile(r"\bsize=(\d{1,9})\b")  # the number of elements in a test without numbers in its name
_Size = tuple[int, ...]
_TILES = (1024, 512, 256, 128, 64, 32, 16, 8, 4, 2)


def explain(
    result: CheckResult,
    shown: str,
    target: str | None,
    stage_claims: Iterable[Claim] = (),
    columns: int = DEFAULT_WIDTH_COLUMNS,
) -> str:
    """The whole text; its first line is the verdict. `shown` is the answer's file as the learner would type it,
    `target` its program, if there is one to inspect. Prose is wrapped at `columns`.

    stage_claims: the costs of the chapter's stages, to name the stage that has the same costs as the answer.
    """
    if result.passed:
        return _praise(result, shown)
    lines = [f"{shown}: {result.outcome.value}."]
    if result.outcome is Outcome.NOT_BUILT:
        lines += [wrapped(line, columns) for line in _with_source(result)]
        lines += ["", "Full compiler output:", result.words] if result.words else []
    elif result.outcome is Outcome.REFUSED:
        lines.append(wrapped(result.advice, columns))
    elif result.outcome in (Outcome.STOPPED, Outcome.CRASHED):
        lines += [wrapped(line, columns) for line in (result.advice, *_likely_causes(result))]
        lines += last_words(result.words)
    elif result.outcome is Outcome.GOAL_MISSED:
        lines += _missed_goals(result)
        lines += [wrapped(line, columns) for line in _resemblance(result.goals, stage_claims)]
        lines += [f"Line by line: ./workbook inspect {target}"] if target else []
    elif result.outcome is Outcome.UNRECORDED:
        lines.append(wrapped(_UNRECORDED, columns))
    elif result.outcome is Outcome.ELSEWHERE:
        lines += [wrapped(line, columns) for line in (_NO_KERNEL, _count_of_failed(result))]
    else:
        lines += [wrapped(line, columns) for line in _failures(result)]
        lines += _missed_goals(result) if result.outcome is Outcome.UNREPORTED else []
    return "\n".join(lines)


def _likely_causes(result: CheckResult) -> list[str]:
    """A line with the likely cause of a time limit; no other limit needs one."""
    if result.outcome is not Outcome.STOPPED or "timed out" not in result.advice:
        return []
    if OF_PROCESSOR not in result.advice:
        return ["Likely: it waits for something that never happens, such as the release of a lock, or input."]
    return [
        "Likely: a loop in host code that never ends, or far more work than needed, such as one launch per element."
    ]


def last_words(printed: str) -> list[str]:
    """The last lines that a test program printed before it crashed or was stopped, each once, without GoogleTest's."""
    lines: list[str] = []
    for line in printed.splitlines():
        exception = _EXCEPTION.match(line)
        line = f"It threw: {exception['what']}" if exception else line
        if line.strip() and not _FRAMEWORK_LINE.match(line) and (not lines or line != lines[-1]):
            lines.append(line)
    return lines[-_TAIL_LINES:]


def plain_words(message: str) -> str:
    """A failed expectation in the test's words. GoogleTest's text is shortened or, where nothing is lost, left out."""
    exception = _EXCEPTION.match(message)
    if exception:
        return f"It threw: {exception['what']}"
    values = _EQUALITY.match(message) or _NEARNESS.match(message)
    if values:
        about = (values["about"] or "") + (values["words"] or values["actual"]).rstrip(".")
        expected, actual = (values[f"{name}_value"] or values[name] for name in ("expected", "actual"))
        return f"{about}: expected {expected}, got {actual}"
    match = _OTHER_EXPECTATION.match(message)
    return (match["about"] or "") + match["words"] if match else message


def size_pattern(result: CheckResult) -> str:
    """Which sizes are correct and which wrong, from the numbers in the tests' names; empty if there is no pattern. Only
    tests that differ in nothing but the size are compared, but the sentence is true for all failed tests.
    """
    groups: dict[tuple[object, ...], tuple[list[_Size], list[_Size]]] = {}
    names = [(test.name, 1) for test in result.failed_tests] + [(name, 0) for name in result.passed_tests]
    for name, is_failed in names:
        suite, _, parameters = name.rpartition("/")
        numbers = _NUMBER.findall(parameters)
        if not suite or not numbers:
            continue
        sizes = numbers if all(key in ("", "x") for key, _ in numbers) else numbers[:1]
        if numbers[0][0] in ("", "n"):
            group = groups.setdefault((suite, *numbers[len(sizes) :]), ([], []))
            group[is_failed].append(tuple(int(number) for _, number in sizes))
    for key, (passed, failed) in list(groups.items()):
        if sorted([*passed, *failed]) == [(index,) for index in range(len(passed) + len(failed))]:
            del groups[key]  # these are not sizes: GoogleTest numbers cases that have no names
    unnamed = [test for test in result.failed_tests if "/" not in test.name]
    recorded = [(int(size),) for test in unnamed for size in _RECORDED_SIZE.findall(" ".join(test.facts))]
    all_failed = [*recorded, *(size for _, failed in groups.values() for size in failed)]
    for (suite, *_), (passed, failed) in groups.items():
        of_suite = [size for key, (others, _) in groups.items() if key[0] == suite for size in others]
        for text, is_wrong in _sizes_apart(passed, failed):
            if all(map(is_wrong, all_failed)) and not any(map(is_wrong, of_suite)):
                return text
    return ""


def _sizes_apart(passed: list[_Size], failed: list[_Size]) -> Iterator[tuple[str, Callable[[_Size], bool]]]:
    """Sentences, each with a function that tells whether it says that a size is wrong."""
    if len(failed) < 2 or len(passed) < 2:
        return
    for tile in _TILES:
        if all(number % tile == 0 for size in passed for number in size):
            text = f"The result is correct only for sizes that are multiples of {tile}."
            yield text, lambda size, tile=tile: any(number % tile for number in size)
    largest, smallest = max(passed), min(failed)
    if len(largest) == len(smallest) == 1:
        text = f"The result is correct for sizes up to {largest[0]}, and wrong from {smallest[0]} on."
        yield text, lambda size: len(size) == 1 and size >= smallest


def _praise(result: CheckResult, shown: str) -> str:
    if not result.is_thorough:
        return f"{shown}: the result is correct. './workbook inspect' checks for races and other errors."
    goals = f", and {len(result.goals)} goals are reached" if len(result.goals) > 1 else ""
    goals = goals or (", and the goal is reached" if result.goals else "")
    return f"{shown} passes: {len(result.passed_tests)} tests{goals}."


def _with_source(result: CheckResult) -> list[str]:
    """Each "Fix FILE, line N: ..." with that line of the source below it."""
    source_lines = SourceLines()
    lines = []
    for line in result.advice.splitlines():
        lines.append(line)
        match = _FIX.match(line)
        is_answer = match and str(result.file).endswith(match["file"])  # its name can start at the workbook's folder
        file = str(result.file) if is_answer else match["file"] if match else ""
        source = source_lines.line(file, int(match["line"])) if match else ""
        if match and source:
            lines.append(f"{match['line']:>6} | {source}")
    return lines


def _missed_goals(result: CheckResult) -> list[str]:
    lines = _goal_lines(result.goals)
    lines = ["The result is correct, but the kernel misses a performance goal:", *lines] if lines else []
    hidden = _goal_lines(result.hidden_goals)
    return [*lines, "At a hidden shape the kernel misses a performance goal:", *hidden] if hidden else lines


def _goal_lines(goals: Iterable[Goal]) -> list[str]:
    shown: dict[object, str] = {}  # accesses that the kernel does not have are named once
    for goal in goals:
        if not goal.is_met:
            shown.setdefault((goal.claim.memory, goal.claim.operation) if goal.counted is None else goal, f"  {goal.words()}")
    return list(shown.values())


def _resemblance(goals: tuple[Goal, ...], stage_claims: Iterable[Claim]) -> list[str]:
    """A line that names a stage if all its claims about the goals' accesses equal the counts. A missed number of threads
    alone says nothing about the technique.
    """
    counted = {(g.claim.options, g.claim.memory, g.claim.operation, g.claim.measure): g for g in goals}
    unmet = {key for key, goal in counted.items() if not goal.is_met and goal.claim.operation != "launch"}
    matches: dict[str, set[tuple[object, ...]]] = {}
    broken = set()
    for claim in stage_claims:
        key = (claim.options, claim.memory, claim.operation, claim.measure)
        goal = counted.get(key)
        if goal is None:
            continue
        if goal.counted is not None and claim.is_met_by(goal.counted):
            matches.setdefault(claim.stage, set()).add(key)
        else:
            broken.add(claim.stage)
    for stage, keys in matches.items():
        if stage not in broken and len(keys) > 1 and keys & unmet:
            return [f"These are the costs of stage {stage}, which lacks the technique that this exercise teaches."]
    return []


def _count_of_failed(result: CheckResult, which: str = "") -> str:
    total = len(result.failed_tests) + len(result.passed_tests)
    return f"{len(result.failed_tests)} of {total} tests fail{which}."


def _failures(result: CheckResult) -> list[str]:
    lines = []
    if result.outcome is Outcome.WRONG_IN_REVERSE:
        lines += [
            "The result is correct only when block 0 and thread 0 start first. A GPU may start blocks and threads in any "
            "order; this run used the reverse order (CUDA_SIMULATOR_BLOCK_ORDER=reverse):",
        ]
    if result.outcome is Outcome.UNREPORTED:
        lines.append(
            "The result is correct, but the caller does not learn of every launch that fails. Write "
            "CUDA_CHECK(cudaGetLastError()); after each launch: it throws the error."
        )
    for mistake in result.mistakes[:MISTAKES_SHOWN]:
        lines.append(f"{mistake.kind}: {mistake.text}")
    if result.failed_tests:
        first, *others = shown_failures(result)
        # The reason why nothing ran comes before its consequences.
        messages = sorted(first.messages, key=lambda message: not _NOT_LAUNCHED.search(message))
        words = [plain_words(message) for message in messages if not result.mistakes]
        lines += words[:2]
        lines.append(_count_of_failed(result, "" if result.mistakes else f"; this is {first.name}"))
        if result.outcome is Outcome.WRONG and not any(fits("launch", fact) for fact in first.facts):
            lines.append(size_pattern(result))
        lines += [f"{test.name}: {plain_words(test.messages[0])}" for test in others]
    if result.varies:
        lines.append(
            "In a different block order different elements are wrong. Either a block accesses elements of another block, or "
            "something is used that has no value, such as an element past an array's end."
        )
    return [line for line in lines if line]
