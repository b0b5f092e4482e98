"""The kinds of errors that are found in kernels, and the errors of an answer.

This is the commands' only list of kinds. docs/simulator.md explains each; a test compares the simulator's list.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

from cli.tracing.report import Finding, Place, place_line

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
    "refused_launch": "Refused launch",
    "failed_call": "Failed call",
    "peer_access": "Access to a device that is not a peer",
    "wrong_device": "Stream or event of another device",
    "stream_race": "Data race between streams or devices",
    "host_race": "Host that does not wait for a kernel",
    "nccl": "Invalid NCCL call",
    "unrecorded": "Store that is not recorded",
    "assert": "Failed assertion",
    "exception": "Exception",
    "stack_overflow": "Stack overflow",
    "division_by_zero": "Division by zero",
    "illegal_instruction": "Illegal instruction",
    DEVICE_RULE: "Not allowed in CUDA",
}
SIMULATOR_KINDS = tuple(kind for kind in KINDS if kind != DEVICE_RULE)

# After a barrier that not all threads have reached, others read too early: races and unwritten elements follow.
_EXPLAIN_OTHERS = ("barrier", "deadlock")
# A file of the C++ library, not of the learner: of a function such as std::copy that was called with the pointer.
_LIBRARY_FILE = re.compile(r"stl_\w+\.h|\w+\.tcc")
_IN_LIBRARY = ", in a function of the C++ library that was called with this pointer"


@dataclass(frozen=True)
class Mistake:
    """An error that the simulator or racecheck found."""

    kind: str
    text: str  # with its places, one per line
    facts: str = ""  # the same in machine-readable form; empty if not known
    places: tuple[Place, ...] = ()


def mistake_of(finding: Finding) -> Mistake:
    text = f"{finding.kernel}: {finding.message}" if finding.kernel else finding.message
    for place in finding.places:
        text += place_line(place)
        text += _IN_LIBRARY if _LIBRARY_FILE.fullmatch(os.path.basename(place.file)) else ""
    return Mistake(finding.kind, text, finding.facts, finding.places)


def mistakes_of(findings: Iterable[Finding]) -> tuple[Mistake, ...]:
    """The errors among these findings, those first that explain others. Errors of one kind at the same lines count once,
    even if the threads differ.
    """
    found: dict[object, Mistake] = {}
    for finding in findings:
        lines = tuple((place.file, place.line) for place in finding.places)
        found.setdefault((finding.kind, lines or finding.message), mistake_of(finding))
    return tuple(sorted(found.values(), key=lambda mistake: mistake.kind not in _EXPLAIN_OTHERS))


def heading(kind: str) -> str:
    """The heading of a kind, also of one that only a newer simulator has."""
    return KINDS.get(kind, kind.replace("_", " ").capitalize())

