"""Facts about the failure of an answer, for programs: "pattern=border array=y". People read sentences instead.

The test programs record them (tests/support/facts.h), and so does the simulator with each finding (facts_of() in
simulator/findings.h); a check adds how it ended. They select the hints (hints.py), and a bug is rejected for the
right reason if its tests record them (mistakes/reasons.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cli.checking.check_result import MISTAKES_SHOWN, CheckResult, Goal, Outcome, plain, shown_failures
from cli.errors import WorkbookError
from cli.tracing.findings import SIMULATOR_KINDS

# The words of a fact are KEY=VALUE. The value of a key without values here is a number or a name.
VOCABULARY: dict[str, tuple[str, ...]] = {
    "ended": ("crash", "stopped"),
    "result": ("wrong", "varies", "block_order"),
    "goal": ("sectors", "ways", "requests", "bytes", "threads", "wavefronts", "diverged", "unused"),
    "launches": ("none",),
    "launch": ("none", "not_yet", "unchecked", "block_size", "refused", "block_count"),
    "why": (
        *("no_blocks", "no_threads", "large_block", "large_grid", "shared_memory", "stream", "many_launches"),
        *("pending_copy", "too_many_bytes", "wrong_memory", "freed", "heap"),
    ),
    "elements": ("all", "some"),
    "too": ("many", "few"),
    "wrote": ("some",),  # threads stored wrong elements, or at least one of them
    "threw": (),
    "leak": ("device",),
    "overwritten": ("before", "after", "around"),
    "pattern": (
        *("exchanged", "border", "first_part", "last_element", "first_element", "last_part", "repeated", "factor"),
        *("nearly", "next_element", "element_before", "constant", "untouched", "unwritten", "nan", "other"),
    ),
    "finding": SIMULATOR_KINDS,
    "access": (
        *("load", "store", "atomic", "copy", "index", "wait", "loop", "launch", "all", "warp", "branch"),
        "allocation",
    ),
    "memory": ("global", "shared", "constant", "local", "kernel", "link"),
    "between": ("blocks", "threads", "streams", "devices", "host"),
    "update": ("same", "neighbour"),
    "index": ("thread", "other"),
    "where": ("before", "behind"),
    "stream": ("default", "other"),
    "of": ("launch", "call", "block", "warp", "grid"),
    "printed": ("missing", "stray"),
    **dict.fromkeys(("call", "array", "thread", "block", "threads", "blocks", "right", "times", "value", "kernel"), ()),
    # Keys of a test: its name, and how its result is wrong.
    **dict.fromkeys(("suite", "test", "case", "wrong", "size", "first", "expected", "got", "changed", "lines"), ()),
    # Keys of a finding, in bytes: where the access is, where the array ends, how wide the access is.
    **dict.fromkeys(("at", "end", "width"), ()),
    **dict.fromkeys(("only", "given", "column", "factor", "on", "counted", "wanted", "promised", "vectors"), ()),
}
# These facts come first, in this order, because they explain the others.
_TELLING = (
    *("launch=none", "launch=unchecked", "launch=block_size", "why=no_blocks", "why=large_block", "launch"),
    *("finding=refused_copy", "threw", "leak"),
    *("pattern=unwritten elements=all", "pattern=exchanged", "pattern=repeated", "pattern=factor", "overwritten"),
    *("pattern=border", "pattern=first_part"),
    *("pattern=last_part", "pattern=last_element", "pattern=first_element", "pattern=unwritten"),
)
# These facts explain a failure only if no test records one of _ELSE.
_OF_ALL = ("pattern=last_element", "pattern=first_element", "pattern=factor", "pattern=nearly")
_ELSE = ("pattern=other", "pattern=first_part", "pattern=last_part", "pattern=border")
_MEASURES = {"sectors_per_request": "sectors", "conflict_ways": "ways"}


def check_words(selector: str) -> None:
    """Raises WorkbookError for a selector with a word that no fact has. A selector is some words of a fact; a key alone
    selects all its values.
    """
    for word in selector.split() or [""]:
        key, equals, value = word.partition("=")
        if key not in VOCABULARY:
            raise WorkbookError(f"no fact has the word '{word}'; the keys are {', '.join(VOCABULARY)}")
        if equals and VOCABULARY[key] and value not in VOCABULARY[key]:
            raise WorkbookError(f"no fact is '{word}': {key} is one of {', '.join(VOCABULARY[key])}")


def read_selectors(text: str) -> tuple[str, ...]:
    """The selectors between commas. Raises WorkbookError as check_words() does."""
    selectors = tuple(" ".join(selector.split()) for selector in text.split(","))
    for selector in selectors:
        check_words(selector)
    return selectors


def facts_of_test(name: str, recorded: Iterable[str]) -> list[str]:
    """The facts that a test, such as "Launches/SaxpyTest.MatchesReference/n33", has recorded, each with its name:
    "suite=SaxpyTest test=MatchesReference case=n33 pattern=border". Only the name if it has recorded nothing.
    """
    suite, _, test = name.partition(".")
    test, slash, case = test.partition("/")
    own = f"suite={suite.split('/')[-1]} test={test}" + (f" case={case}" if slash else "")
    return [f"{own} {fact}" for fact in recorded] or [own]


def fits(selector: str, fact: str) -> bool:
    """A word that the selector has twice, the fact must have twice: "access=store access=store"."""
    words = fact.split()
    return not Counter(selector.split()) - Counter([*words, *(word.partition("=")[0] for word in words)])


def facts_of(result: CheckResult) -> list[str]:
    """The facts of the failure that a check shows, the most important first; empty if no hint can help."""
    if result.outcome is Outcome.STOPPED:
        return ["ended=stopped"]
    if result.outcome is Outcome.CRASHED:
        return ["ended=crash"]
    if result.outcome is Outcome.ELSEWHERE:
        return ["launch=none"]
    recorded = [fact for test in shown_failures(result) for fact in test.facts]
    if result.mistakes:
        launches = [fact for fact in recorded if fits("launch", fact) and not fits("finding", fact)]
        found = [mistake.facts or f"finding={mistake.kind}" for mistake in result.mistakes[:MISTAKES_SHOWN]]
        if launches:  # what was not launched wrote nothing
            found = [fact for fact in found if not fits("finding=uninitialised", fact)]
        return list(dict.fromkeys([*sorted(launches, key=_rank), *found]))
    if result.outcome is Outcome.GOAL_MISSED:
        return [_fact_of_goal(goal) for goal in result.goals if not goal.is_met]
    if result.outcome is Outcome.UNRECORDED:
        return ["access=unrecorded"]
    if result.outcome is Outcome.WRONG_IN_REVERSE:
        return ["result=block_order", "result=wrong"]
    if result.outcome in (Outcome.WRONG, Outcome.UNREPORTED):
        of_all = [fact for test in result.failed_tests for fact in test.facts]
        if any(fits(selector, fact) for fact in of_all for selector in _ELSE):
            recorded = [_without_pattern(fact) for fact in recorded]
        recorded = sorted(dict.fromkeys(filter(None, recorded)), key=_rank)
        if any(fits("finding=refused_copy", fact) for fact in recorded):  # with the reason of the exception
            recorded = [fact for fact in recorded if not fits("threw", fact)]
        return [*recorded, *["result=varies"] * result.varies, "result=wrong"]
    return []


def _without_pattern(fact: str) -> str:
    """Without the words of a pattern of _OF_ALL."""
    is_of_all = any(fits(selector, fact) for selector in _OF_ALL)
    words = (word for word in fact.split() if word.partition("=")[0] not in ("pattern", "times", "right"))
    return " ".join(words) if is_of_all else fact


def _fact_of_goal(goal: Goal) -> str:
    claim = goal.claim
    words = f"memory={claim.memory} access={claim.operation}"
    if goal.counted is None:  # no such access
        return f"goal=unused {words} counted=none"
    name = _MEASURES.get(claim.measure, claim.measure.split("_")[0])
    too = "many" if goal.counted > claim.value else "few"
    return f"goal={name} {words} too={too} counted={plain(goal.counted)} wanted={plain(claim.value)}"


def _rank(fact: str) -> int:
    return next((rank for rank, selector in enumerate(_TELLING) if fits(selector, fact)), len(_TELLING))
