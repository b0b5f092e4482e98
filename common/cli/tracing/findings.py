"""The kinds of mistakes that are found in kernels, and where a test's words tell of one.

This is the command's one list of them. docs/simulator.md explains each; a test compares it with the simulator's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DEVICE_RULE = "device_rule"  # found by clang in the source (building/device_rules.py), all others by the simulator

# Each kind with the heading under which a report tells of it.
KINDS = {
    "out_of_bounds": "Out of bounds",
    "array_index": "Array index out of bounds",
    "freed_memory": "Use of freed memory",
    "null_pointer": "Null pointer",
    "host_pointer": "Not a device pointer",
    "device_pointer_on_host": "Device pointer used on the host",
    "bad_access": "Access to memory that is not the device's",
    "misaligned": "Misaligned address",
    "race": "Data race",
    "uninitialised": "Read of memory that nothing wrote",
    "barrier": "Barrier that not all threads reach",
    "deadlock": "Deadlock",
    "endless": "Endless",
    "group": "Cooperative group that cannot be",
    "async_copy": "Asynchronous copy that cannot be",
    "launch_in_kernel": "Launch from inside a kernel",
    "refused_copy": "Copy that was refused",
    "peer_access": "Memory of a device that is no peer",
    "wrong_device": "Stream or event of another device",
    "stream_race": "Data race between streams or devices",
    "nccl": "NCCL call that cannot end well",
    "assert": "Failed assertion",
    "exception": "Exception",
    "stack_overflow": "Stack overflow",
    "division_by_zero": "Division by zero",
    "illegal_instruction": "Illegal instruction",
    DEVICE_RULE: "Not allowed in CUDA",
}
SIMULATOR_KINDS = tuple(kind for kind in KINDS if kind != DEVICE_RULE)

# The tests print a finding after its kind (tests/support/device_findings_simulator.cpp), and its places below it.
_FINDING = re.compile(rf"^(?P<kind>{'|'.join(SIMULATOR_KINDS)}): (?P<text>\S.*(?:\n  .+)*)", re.MULTILINE)
_ON_HOST = re.compile(
    r"^CUDA simulator: (?P<text>host code uses a pointer to device memory.*(?:\n  .+)*)\s*\Z", re.MULTILINE
)
_PLACE = re.compile(r"^  (\S+:\d+):", re.MULTILINE)
# No line of the learner's: a function such as std::copy, which was given the pointer.
_IN_LIBRARY = re.compile(r"^  (?:stl_\w+\.h|\w+\.tcc):\d+:\d+  \w.*$", re.MULTILINE)


@dataclass(frozen=True)
class Mistake:
    """What the simulator or racecheck found."""

    kind: str
    text: str  # with the places, a line each
    facts: str = ""  # the simulator's words on it for programs, where they are known


def mistake_at_the_end(output: str) -> Mistake | None:
    """What ended a program that used a device pointer on the host, by the last that it printed."""
    found = list(_ON_HOST.finditer(output))
    return Mistake("device_pointer_on_host", _told(found[-1]["text"])) if found else None


def _told(text: str) -> str:
    return _IN_LIBRARY.sub(r"\g<0>, in a function of the C++ library that was given this pointer", text.rstrip())


def heading(kind: str) -> str:
    """Also of a kind that a newer simulator knows."""
    return KINDS.get(kind, kind.replace("_", " ").capitalize())


def mistakes_in(messages: Iterable[tuple[str, Sequence[str]]]) -> tuple[Mistake, ...]:
    """What the simulator found, by failed tests' messages, each with its test's facts; once for each pair of lines: other
    threads there do not make it another mistake.
    """
    found: dict[tuple[str, str], Mistake] = {}
    for message, facts in messages:
        matches = list(_FINDING.finditer(message))
        recorded = [fact for fact in facts if fact.startswith("finding=")]
        if len(recorded) != len(matches):  # which is of which is not known
            recorded = [""] * len(matches)
        for match, fact in zip(matches, recorded):
            lines = " ".join(_PLACE.findall(match["text"]))
            mistake = Mistake(match["kind"], _told(match["text"]), fact)
            found.setdefault((match["kind"], lines or match["text"]), mistake)
    return tuple(found.values())
