"""The kinds of errors that are found in kernels, and a search for them in the messages of tests.

This is the commands' only list of kinds. docs/simulator.md explains each; a test compares the simulator's list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

DEVICE_RULE = "device_rule"  # found by clang in the source (building/device_rules.py), all others by the simulator

# Each kind, and its heading in reports.
KINDS = {
    "out_of_bounds": "Out of bounds",
    "array_index": "Array index out of bounds",
    "freed_memory": "Use of freed memory",
    "null_pointer": "Null pointer",
    "host_pointer": "Not a device pointer",
    "device_pointer_on_host": "Device pointer used on the host",
    "bad_access": "Access outside device memory",
    "misaligned": "Misaligned address",
    "race": "Data race",
    "uninitialised": "Read of uninitialised memory",
    "barrier": "Barrier that not all threads reach",
    "deadlock": "Deadlock",
    "endless": "Kernel that does not end",
    "group": "Invalid use of a cooperative group",
    "async_copy": "Invalid asynchronous copy",
    "texture": "Wrong use of a texture",
    "launch_in_kernel": "Launch from inside a kernel",
    "refused_copy": "Failed copy",
    "peer_access": "Access to a device that is not a peer",
    "wrong_device": "Stream or event of another device",
    "stream_race": "Data race between streams or devices",
    "nccl": "Invalid NCCL call",
    "assert": "Failed assertion",
    "exception": "Exception",
    "stack_overflow": "Stack overflow",
    "division_by_zero": "Division by zero",
    "illegal_instruction": "Illegal instruction",
    DEVICE_RULE: "Not allowed in CUDA",
}
SIMULATOR_KINDS = tuple(kind for kind in KINDS if kind != DEVICE_RULE)

# Tests print the kind, the finding, and its places below (tests/support/device_findings_simulator.cpp).
_FINDING = re.compile(rf"^(?P<kind>{'|'.join(SIMULATOR_KINDS)}): (?P<text>\S.*(?:\n  .+)*)", re.MULTILINE)
_ON_HOST = re.compile(
    r"^CUDA simulator: (?P<text>host code uses a pointer to device memory.*(?:\n  .+)*)\s*\Z", re.MULTILINE
)
_PLACE = re.compile(r"^  (\S+:\d+):", re.MULTILINE)
# A line of the C++ library, not of the learner: in a function such as std::copy that was called with the pointer.
_IN_LIBRARY = re.compile(r"^  (?:stl_\w+\.h|\w+\.tcc):\d+:\d+  \w.*$", re.MULTILINE)


@dataclass(frozen=True)
class Mistake:
    """An error that the simulator or racecheck found."""

    kind: str
    text: str  # with its places, one per line
    facts: str = ""  # the same in machine-readable form; empty if not known


def mistake_at_the_end(output: str) -> Mistake | None:
    """The error that ended a program that used a device pointer on the host, from the end of its output."""
    found = list(_ON_HOST.finditer(output))
    return Mistake("device_pointer_on_host", _with_library_lines(found[-1]["text"])) if found else None


def _with_library_lines(text: str) -> str:
    return _IN_LIBRARY.sub(r"\g<0>, in a function of the C++ library that was called with this pointer", text.rstrip())


def heading(kind: str) -> str:
    """The heading of a kind, also of one that only a newer simulator has."""
    return KINDS.get(kind, kind.replace("_", " ").capitalize())


def mistakes_in(messages: Iterable[tuple[str, Sequence[str]]]) -> tuple[Mistake, ...]:
    """The errors in the messages of failed tests. messages: pairs of a message and its test's facts. Errors of one kind
    at the same lines count once, even if the threads differ.
    """
    found: dict[tuple[str, str], Mistake] = {}
    for message, facts in messages:
        matches = list(_FINDING.finditer(message))
        recorded = [fact for fact in facts if fact.startswith("finding=")]
        if len(recorded) != len(matches):  # the facts cannot be assigned
            recorded = [""] * len(matches)
        for match, fact in zip(matches, recorded):
            lines = " ".join(_PLACE.findall(match["text"]))
            mistake = Mistake(match["kind"], _with_library_lines(match["text"]), fact)
            found.setdefault((match["kind"], lines or match["text"]), mistake)
    return tuple(found.values())
