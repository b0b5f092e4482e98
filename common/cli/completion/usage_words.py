"""What may follow a command, read from its usage line."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPTION = re.compile(r"(--[a-z][a-z-]*)(?: ([A-Z][A-Za-z.|:]*))?")
_PLACEHOLDER = re.compile(r"\b[A-Z][A-Z]*(?:\.[a-z]+)?")


@dataclass(frozen=True)
class Completion:
    """Of one command: the placeholders of its arguments, as "TARGET" and "FILE.cu", and its options, each with the
    placeholder of its value, which is empty for an option without one."""

    command: str
    summary: str
    arguments: tuple[str, ...]
    options: tuple[tuple[str, str], ...]


def completion_of(command: str, summary: str, usage: str) -> Completion:
    """What the usage line "check [EXERCISE|CHAPTER] [--file FILE.cu]" allows."""
    own = usage.split("[-- ")[0]
    options = tuple((option, value or "") for option, value in _OPTION.findall(own))
    arguments = tuple(dict.fromkeys(_PLACEHOLDER.findall(_OPTION.sub("", own))))
    return Completion(command, summary, arguments, options)
