"""The simulator's report (JSON, schema 1) as objects, with the arithmetic that a reader needs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, Optional, TypeVar

from cli.errors import WorkbookError
from cli.tracing.steps import Steps, parse_steps

SECTOR_BYTES = 32
WARP_LANES = 32
# A smaller share of extra sectors or wavefronts is not reported: the borders of a matrix cost that much.
NOTABLE_EXCESS = 0.05
_NUMBERS_END = 2**64  # one more than the largest value of the simulator's counters


@dataclass(frozen=True)
class Example:
    """The costliest request of an access, by one warp of a block; the first of several equally costly ones.

    offsets: the offset in bytes at which each lane accesses the array; None for an inactive lane.
    begin_in_line: bytes from a 128-byte boundary to the array's start (shared memory: from a 4-byte boundary).
    """

    block: tuple[int, ...]
    warp: int
    approximate: bool
    sectors: int
    wavefronts: int
    array: str
    array_bytes: int
    begin_in_line: int
    offsets: tuple[int | None, ...]

    @property
    def lanes(self) -> list[int]:
        return [lane for lane, offset in enumerate(self.offsets) if offset is not None]


@dataclass(frozen=True)
class Access:
    """All requests of one load, store or atomic. Its cost is in sectors, or in wavefronts for shared memory."""

    file: str
    line: int
    column: int
    memory: str
    operation: str
    bytes_per_lane: int
    requests: int
    lanes: int
    sectors: int = 0
    ideal_sectors: int = 0
    max_sectors: int = 0
    wavefronts: int = 0
    ideal_wavefronts: int = 0
    max_conflict_ways: int = 0
    different_addresses: int = 0  # of constant memory: the sum over the requests
    approximate: bool = False
    stride_bytes: int | None = None
    order: int = 0
    example: Example | None = None

    @property
    def lanes_per_request(self) -> float:
        return self.per_request(self.lanes)

    @property
    def requested_bytes(self) -> int:
        return self.lanes * self.bytes_per_lane

    @property
    def transferred_bytes(self) -> int:
        """The bytes of global or constant memory; 0 for shared memory, which has no sectors."""
        return self.sectors * SECTOR_BYTES

    @property
    def units(self) -> int:
        return self.wavefronts if self.memory == "shared" else self.sectors

    @property
    def ideal_units(self) -> int:
        return self.ideal_wavefronts if self.memory == "shared" else self.ideal_sectors

    @property
    def excess(self) -> int:
        return max(0, self.units - self.ideal_units)

    @property
    def is_notable(self) -> bool:
        return self.excess > NOTABLE_EXCESS * self.ideal_units

    def per_request(self, units: int) -> float:
        return units / self.requests if self.requests else 0.0


@dataclass(frozen=True)
class Branch:
    """A branch. executions: how often a warp reached it; diverged: how often it diverged; lanes: active in total."""

    file: str
    line: int
    column: int
    executions: int
    diverged: int
    lanes: int


@dataclass(frozen=True)
class Touch:
    """The number in its block of the first thread that accessed an element. several: other threads did too."""

    block: tuple[int, ...]
    thread: int
    several: bool


@dataclass(frozen=True)
class LocalAccess:
    """The accesses of threads to a local array that is indexed by data, and so is in local memory."""

    file: str
    line: int
    column: int
    array: str
    accesses: int


Touches = tuple[tuple[Optional[Touch], ...], ...]


@dataclass(frozen=True)
class ElementMap:
    """The threads that loaded and stored the first elements of an array's first rows; None if there are none.

    columns: elements per row. has_rows: false if the accesses show no rows; the array is then cut into rows for display.
    """

    memory: str
    array: str
    array_bytes: int
    element_bytes: int
    columns: int
    has_rows: bool
    loads: Touches | None
    stores: Touches | None


@dataclass(frozen=True)
class Place:
    file: str
    line: int
    column: int
    operation: str = ""
    thread: tuple[int, ...] = ()
    block: tuple[int, ...] = ()


@dataclass(frozen=True)
class Finding:
    """An error that the simulator found `count` times."""

    kind: str
    kernel: str
    message: str
    count: int = 1
    places: tuple[Place, ...] = ()
    facts: str = ""  # the same in machine-readable form: "finding=race access=store thread=0 ..."


@dataclass(frozen=True)
class Kernel:
    name: str
    launches: int
    grid: tuple[int, ...]
    block: tuple[int, ...]
    static_shared_bytes: int
    dynamic_shared_bytes: int
    blocks: int
    threads: int
    barriers: int
    accesses: tuple[Access, ...] = ()
    branches: tuple[Branch, ...] = ()
    elements: tuple[ElementMap, ...] = ()
    steps: Steps = Steps()
    local_accesses: tuple[LocalAccess, ...] = ()
    busiest_warp_requests: int = 0  # of each launch's busiest warp, summed over the launches

    def costliest_first(self) -> list[Access]:
        return sorted(self.accesses, key=lambda access: (-access.excess, -access.units, access.line, access.column))

    def in_memory(self, memory: str) -> list[Access]:
        return [access for access in self.costliest_first() if access.memory == memory]

    def most_divergent_first(self) -> list[Branch]:
        """The branches at which the lanes of a warp diverged."""
        divergent = [branch for branch in self.branches if branch.diverged]
        return sorted(divergent, key=lambda branch: (-branch.diverged, branch.line, branch.column))


@dataclass(frozen=True)
class Link:
    """The bytes transferred from one device to another: by kernels, by copies and by NCCL."""

    from_device: int
    to_device: int
    bytes: int
    by_kernels: int = 0
    by_copies: int = 0
    by_nccl: int = 0

    @property
    def name(self) -> str:
        return f"{self.from_device}-{self.to_device}"


@dataclass(frozen=True)
class Unfreed:
    """Memory that one call allocated and that a successful program did not free."""

    file: str
    line: int
    column: int
    function: str
    allocations: int
    bytes: int


@dataclass(frozen=True)
class Report:
    kernels: tuple[Kernel, ...] = ()
    findings: tuple[Finding, ...] = ()
    device: str = ""
    devices: int = 1
    links: tuple[Link, ...] = ()
    unfreed: tuple[Unfreed, ...] = ()
    library_computed: bool = False  # by the replacement of a library, which is in no counts

    def costliest(self, memory: str, operation: str) -> Access | None:
        """The access of this kind with the largest excess cost; None if every access is optimal."""
        accesses = [a for kernel in self.kernels for a in kernel.in_memory(memory) if a.operation == operation]
        worst = max(accesses, key=lambda access: access.excess, default=None)
        return worst if worst and worst.excess else None


def place_line(place: Place) -> str:
    """A line break, and the line that the simulator prints for the place below a finding's message."""
    def coordinates(index: tuple[int, ...]) -> str:
        return f"({','.join(map(str, index))})"

    by = f" by thread {coordinates(place.thread)} of block {coordinates(place.block)}" if place.thread else ""
    return f"\n  {os.path.basename(place.file)}:{place.line}:{place.column}  {place.operation}{by}"


def parse_report(text: str) -> Report:
    """Raises WorkbookError if the text is not a report of this schema."""
    try:
        data = json.loads(text)
        if data["schema"] != 1:
            raise WorkbookError(f"The report has schema {data['schema']}; this command reads schema 1. Build again.")
        kernels = tuple(_kernel(kernel) for kernel in data["kernels"])
        findings = tuple(_finding(finding) for finding in data["findings"])
        links = tuple(_link(link) for link in data.get("links", ()))
        unfreed = tuple(_checked(Unfreed(**_known_fields(Unfreed, one))) for one in data.get("unfreed", ()))
        rest = (data.get("device", ""), data.get("devices", 1), links, unfreed, data.get("library_computed", False))
        return _checked(Report(kernels, findings, *rest))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise WorkbookError(f"The traced program's report cannot be read ({type(error).__name__}: {error}).") from error


def parse_findings(text: str) -> tuple[Finding, ...]:
    """The findings in a list of the report's form; none if the text is not such a list."""
    try:
        return tuple(_finding(one) for one in json.loads(text))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ()


def add_findings(report_text: str, findings: Iterable[Finding]) -> str:
    """The report with these findings added before its own."""
    data = json.loads(report_text)
    data["findings"] = [*map(asdict, findings), *data["findings"]]
    return json.dumps(data, indent=1) + "\n"


def _kernel(data: dict[str, Any]) -> Kernel:
    known = _known_fields(Kernel, data)
    known["grid"], known["block"] = tuple(data["grid"]), tuple(data["block"])
    known["accesses"] = tuple(_access(access) for access in data["accesses"])
    known["branches"] = tuple(_checked(Branch(**_known_fields(Branch, branch))) for branch in data.get("branches", ()))
    local = data.get("local_accesses", ())
    known["local_accesses"] = tuple(_checked(LocalAccess(**_known_fields(LocalAccess, access))) for access in local)
    known["elements"] = tuple(_elements(elements) for elements in data.get("elements", ()))
    known["steps"] = parse_steps(data.get("steps"), len(known["accesses"]))
    return _checked(Kernel(**known))


def _access(data: dict[str, Any]) -> Access:
    known = _known_fields(Access, data)
    if data.get("example"):
        example = _known_fields(Example, data["example"])
        example["block"], example["offsets"] = tuple(example["block"]), tuple(example["offsets"])
        if len(example["offsets"]) != WARP_LANES:
            raise TypeError(f"offsets has {len(example['offsets'])} lanes, and a warp has {WARP_LANES}")
        known["example"] = _checked(Example(**example))
    return _checked(Access(**known))


def _elements(data: dict[str, Any]) -> ElementMap:
    known = _known_fields(ElementMap, data)
    known["loads"], known["stores"] = _touches(data["loads"]), _touches(data["stores"])
    return _checked(ElementMap(**known))


def _touches(rows: list[list[Any]] | None) -> Touches | None:
    if rows is None:
        return None
    return tuple(tuple(touch and _checked(Touch(tuple(touch[0]), touch[1], touch[2])) for touch in row) for row in rows)


def _finding(data: dict[str, Any]) -> Finding:
    known = _known_fields(Finding, data)
    known["places"] = tuple(_place(place) for place in data.get("places", ()))
    return _checked(Finding(**known))


def _link(data: dict[str, Any]) -> Link:
    known = {**data, "from_device": data["from"], "to_device": data["to"]}
    return _checked(Link(**_known_fields(Link, known)))


def _place(data: dict[str, Any]) -> Place:
    known = _known_fields(Place, data)
    known["thread"], known["block"] = tuple(data.get("thread") or ()), tuple(data.get("block") or ())
    return _checked(Place(**known))


def _is_number(value: object) -> bool:
    return type(value) is int and abs(value) < _NUMBERS_END


def _are_numbers(values: object) -> bool:
    return isinstance(values, tuple) and all(map(_is_number, values))


# The test of a plain value, by the type of its field. (Values of other types are checked when they are created.)
_MAY_HOLD: dict[str, Callable[[Any], bool]] = {
    "int": _is_number,
    "int | None": lambda value: value is None or _is_number(value),
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "tuple[int, ...]": _are_numbers,
    "tuple[int | None, ...]": lambda values: _are_numbers(tuple(value for value in values if value is not None)),
}
_Part = TypeVar("_Part")


def _checked(part: _Part) -> _Part:
    """The unchanged part. Raises TypeError if a value does not have the type of its field."""
    for field in fields(part):
        may_hold = _MAY_HOLD.get(str(field.type))
        if may_hold and not may_hold(getattr(part, field.name)):
            raise TypeError(f"{field.name} is not of type {field.type}")
    return part


def _known_fields(kind: type, data: dict[str, Any]) -> dict[str, Any]:
    """Drops unknown fields, which a newer simulator might write."""
    return {field.name: data[field.name] for field in fields(kind) if field.name in data}
