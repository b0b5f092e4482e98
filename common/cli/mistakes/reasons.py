"""Reasons for a rejection: facts that a failed test records, such as "test=MatchesReference got=nan, finding=race"."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from cli.errors import WorkbookError
from cli.exercises.facts import VOCABULARY, fits, read_selectors


@dataclass(frozen=True)
class Reason:
    """One of some selectors, as in a hint's heading, or a pattern of what is printed."""

    text: str
    selectors: tuple[str, ...] = ()
    pattern: re.Pattern[str] | None = None

    def holds(self, facts: Iterable[str], printed: str) -> bool:
        if self.pattern:
            return self.pattern.search(printed) is not None
        return any(fits(selector, fact) for fact in facts for selector in self.selectors)


def read_reason(text: str) -> Reason:
    """One that begins with KEY=VALUE names facts. Raises ValueError, with words for its author."""
    key, equals, _ = text.partition("=")
    if not equals or key not in VOCABULARY:
        return Reason(text, pattern=compile_pattern(text))
    try:
        return Reason(text, read_selectors(text))
    except WorkbookError as error:
        raise ValueError(f"the reason '{text}': {error}.") from error


def compile_pattern(text: str) -> re.Pattern[str]:
    """`.` stands for a line's end too. Raises ValueError, with words for its author, for one that says nothing."""
    try:
        pattern = re.compile(text, re.DOTALL)
    except re.error as error:
        raise ValueError(f"the reason '{text}' is no regular expression: {error}.") from error
    if pattern.search(""):
        raise ValueError(f"any output holds the reason '{text}'. Say what the tests print.")
    return pattern
