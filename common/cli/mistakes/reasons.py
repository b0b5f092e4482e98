"""Reasons for a rejection: facts of a failed test, such as "test=MatchesReference got=nan, finding=race"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cli.checking.facts import fits, read_selectors
from cli.errors import WorkbookError

Reason = tuple[str, ...]  # selectors, as in a hint's heading; at least one of them must fit a fact


def read_reason(text: str) -> Reason:
    """The selectors of a reason. Raises ValueError, with a message for the author, for words that no fact has, and for
    keys without a value.
    """
    try:
        selectors = read_selectors(text)
    except WorkbookError as error:
        raise ValueError(f"the reason '{text}': {error}.") from error
    if not all("=" in selector for selector in selectors):
        raise ValueError(f"the reason '{text}' has a key without a value. Add the value, as in 'test=MatchesReference'.")
    return selectors


def holds(reason: Reason, facts: Iterable[str]) -> bool:
    return any(fits(selector, fact) for fact in facts for selector in reason)


def compile_pattern(text: str) -> re.Pattern[str]:
    """The pattern for a text. `.` also matches a line end. Raises ValueError, with a message for the author."""
    try:
        pattern = re.compile(text, re.DOTALL)
    except re.error as error:
        raise ValueError(f"'{text}' is not a regular expression: {error}.") from error
    if pattern.search(""):
        raise ValueError(f"'{text}' matches every output. Write the text that must be printed.")
    return pattern
