"""The arguments and options of a command, read from its usage line."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPTION = re.compile(r"(--[a-z][a-z-]*)(?: ([A-Z][A-Za-z.|:]*))?")
_PLACEHOLDER = re.compile(r"\b[A-Z][A-Z]*(?:\.[a-z]+)?")


@dataclass(frozen=True)
class Completion:
    """The completion of one command: the placeholders of its arguments, such as "TARGET" and "FILE.cu", and its
    options, each with the placeholder of its value, which is empty for an option without a value."""

    command: str
    summary: str
    arguments: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


def completion_of(command: str, summary: str, usage: str) -> Completion:
    """The completion from a usage line, such as "check [EXERCISE|CHAPTER] [--file FILE.cu]"."""
    own = usage.split("[-- ")[0]
    options = tuple((option, value or "") for option, value in _OPTION.findall(own))
    arguments = tuple(dict.fromkeys(_PLACEHOLDER.findall(_OPTION.sub("", own))))
    return Completion(command, summary, arguments, options)
