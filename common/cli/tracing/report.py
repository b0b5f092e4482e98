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
# Below this share of extra sectors or wavefronts there is nothing worth a word: borders of a matrix cost as much.
NOTABLE_EXCESS = 0.05
_NUMBERS_END = 2**64  # as large as the simulator's counters become


@dataclass(frozen=True)
class Example:
    """The costliest request of an access, the first among equals, by one warp of a block.

    offsets: for each lane where it accesses the array, in bytes; None for a lane that does not take part.
    begin_in_line: how far the array's first byte is behind a border of 128 bytes.
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
    """All requests of one load, store or atomic. Sectors count for global memory, wavefronts for shared memory."""

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
    approximate: bool = False
    stride_bytes: int | None = None
    order: int = 0
    example: Example | None = None

    @property
    def lanes_per_request(self) -> float:
        return self.per_request(self.lanes)

    @property
    def asked_bytes(self) -> int:
        return self.lanes * self.bytes_per_lane

    @property
    def moved_bytes(self) -> int:
        """Of global or constant memory; 0 for shared memory, which moves no sectors."""
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
    """A place where warps came `executions` times, with `lanes` active lanes in all; `diverged` times they parted."""

    file: str
    line: int
    column: int
    executions: int
    diverged: int
    lanes: int


@dataclass(frozen=True)
class Touch:
    """The first thread that touched an element (its number in the block), and whether others did too."""

    block: tuple[int, ...]
    thread: int
    several: bool


Touches = tuple[tuple[Optional[Touch], ...], ...]


@dataclass(frozen=True)
class ElementMap:
    """Who loaded and who stored the first elements of the first rows of an array; None without such an access.

    columns: elements in a row. has_rows: false when the accesses show no rows, and the array is cut for reading.
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
    """A mistake that the simulator saw, count times."""

    kind: str
    kernel: str
    message: str
    count: int = 1
    places: tuple[Place, ...] = ()
    facts: str = ""  # the same for programs: "finding=race access=store thread=0 ..."


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

    def costliest_first(self) -> list[Access]:
        return sorted(self.accesses, key=lambda access: (-access.excess, -access.units, access.line, access.column))

    def in_memory(self, memory: str) -> list[Access]:
        return [access for access in self.costliest_first() if access.memory == memory]

    def parting_most_first(self) -> list[Branch]:
        """The branches where lanes of a warp part."""
        parting = [branch for branch in self.branches if branch.diverged]
        return sorted(parting, key=lambda branch: (-branch.diverged, branch.line, branch.column))


@dataclass(frozen=True)
class Link:
    """The bytes that went from one device to another, and who moved them."""

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
    """Memory that one call allocated and a program that ended well has not freed."""

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

    @property
    def global_bytes(self) -> int:
        """That kernels asked for, or stored: of global memory, however many sectors it took."""
        return sum(a.asked_bytes for kernel in self.kernels for a in kernel.accesses if a.memory == "global")

    def costliest(self, memory: str, operation: str) -> Access | None:
        """The access of this kind that costs most more than it must; None if each costs as little as it can."""
        accesses = [a for kernel in self.kernels for a in kernel.in_memory(memory) if a.operation == operation]
        worst = max(accesses, key=lambda access: access.excess, default=None)
        return worst if worst and worst.excess else None


def place_line(place: Place) -> str:
    """A line as the simulator prints it below a finding's message, after the end of the line before."""
    def coordinates(index: tuple[int, ...]) -> str:
        return f"({','.join(map(str, index))})"

    by = f" by thread {coordinates(place.thread)} of block {coordinates(place.block)}" if place.thread else ""
    return f"\n  {os.path.basename(place.file)}:{place.line}:{place.column}  {place.operation}{by}"


def parse_report(text: str) -> Report:
    """Raises WorkbookError when the text is not a report of this schema."""
    try:
        data = json.loads(text)
        if data["schema"] != 1:
            raise WorkbookError(f"The report has schema {data['schema']}; this command reads schema 1. Build again.")
        kernels = tuple(_kernel(kernel) for kernel in data["kernels"])
        findings = tuple(_finding(finding) for finding in data["findings"])
        links = tuple(_link(link) for link in data.get("links", ()))
        unfreed = tuple(_checked(Unfreed(**_known_fields(Unfreed, one))) for one in data.get("unfreed", ()))
        return _checked(Report(kernels, findings, data.get("device", ""), data.get("devices", 1), links, unfreed))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise WorkbookError(f"The traced program's report cannot be read ({type(error).__name__}: {error}).") from error


def add_findings(report_text: str, findings: Iterable[Finding]) -> str:
    """The report with more findings, before its own."""
    data = json.loads(report_text)
    data["findings"] = [*map(asdict, findings), *data["findings"]]
    return json.dumps(data, indent=1) + "\n"


def _kernel(data: dict[str, Any]) -> Kernel:
    known = _known_fields(Kernel, data)
    known["grid"], known["block"] = tuple(data["grid"]), tuple(data["block"])
    known["accesses"] = tuple(_access(access) for access in data["accesses"])
    known["branches"] = tuple(_checked(Branch(**_known_fields(Branch, branch))) for branch in data.get("branches", ()))
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


# What a field of plain values may hold, by its type. (Those of other types are checked when they are made.)
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
    """A part of the report, as it is. Raises TypeError for a value of another type than the field's: whoever wrote it."""
    for field in fields(part):
        may_hold = _MAY_HOLD.get(str(field.type))
        if may_hold and not may_hold(getattr(part, field.name)):
            raise TypeError(f"{field.name} is no {field.type}")
    return part


def _known_fields(kind: type, data: dict[str, Any]) -> dict[str, Any]:
    """A newer simulator may write more than this command knows."""
    return {field.name: data[field.name] for field in fields(kind) if field.name in data}
