"""Reasons for a rejection: regular expressions of what a failed test prints."""

from __future__ import annotations

import re


def compile_reason(reason: str) -> re.Pattern[str]:
    """`.` stands for a line's end too. Raises ValueError, with words for its author, for one that says nothing."""
    try:
        pattern = re.compile(reason, re.DOTALL)
    except re.error as error:
        raise ValueError(f"the reason '{reason}' is no regular expression: {error}.") from error
    if pattern.search(""):
        raise ValueError(f"any output holds the reason '{reason}'. Say what the tests print.")
    return pattern
